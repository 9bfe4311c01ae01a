//! Decodes and encodes JSON by the generated types, a line at a time: `{"def": NAME, "json": STRING}` in,
//! `{"ok": bool, "json": STRING|null, "error": STRING|null, "skip": bool}` out, in the same order.

use std::io::{self, BufRead, BufReader, BufWriter, Write};

use clap::Parser;
use mcp_tasks_tests::roundtrip::{Revision, answer};

/// Decodes each line's JSON into the generated type it names, and encodes it again.
#[derive(Parser)]
struct Options {
    /// Which revision's types to use.
    #[arg(long)]
    revision: Revision,
}

fn main() -> io::Result<()> {
    let options = Options::parse();
    let mut input = BufReader::with_capacity(1 << 16, io::stdin().lock());
    let mut output = BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        serde_json::to_writer(&mut output, &answer(options.revision, text.trim_end()))?;
        output.write_all(b"\n")?;
        if input.buffer().is_empty() {
            output.flush()?; // a partner that waits for each answer gets it
        }
        line.clear();
    }
    output.flush()
}
