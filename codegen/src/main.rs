//! The `mcp-codegen` command.

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut out, mut talk) = (io::stdout(), io::stderr());
    ExitCode::from(mcp_codegen::cli::run(
        std::env::args_os(),
        &mut out,
        &mut talk,
    ))
}
