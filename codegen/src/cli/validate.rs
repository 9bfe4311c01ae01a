//! `mcp-codegen validate`.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::schemas::Choice;
use super::{Failure, Outcome, Report as Format, Streams, count};
use crate::validate::{Checker, Fault, messages};

/// Say whether messages fit a definition, and where not
///
/// A file holds one JSON document, or one message a line. Messages are held against the schema, and then
/// against the rules of tasks that a schema cannot say: a handle carries no result, a status has its
/// payload. Each fault is told with a JSON pointer into the message. Exits with 1 if a message does not
/// fit.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen validate --revision 2026-07-28 --type CallToolResult result.json\n  \
    mcp-codegen validate --revision ext-tasks --type GetTaskResult - < results.jsonl\n  \
    mcp-codegen validate --schema draft.json --type tools/call request.json --format json")]
pub(super) struct Args {
    /// Definition, or method for the definition of its message
    #[arg(long = "type", short = 't', value_name = "NAME")]
    definition: String,
    /// Files with messages; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    choice: Choice,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What became of one message.
#[derive(Serialize)]
struct Verdict {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    valid: bool,
    faults: Vec<Fault>,
}

impl Args {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        if self.choice.revision.is_none() && self.choice.schema.is_none() {
            return Err("name the schema with --revision NAME or --schema FILE".into());
        }
        let (schemas, _) = self.choice.read()?;
        // The choice above leaves exactly one.
        let schema = schemas.first().ok_or("the manifest has no inputs")?;
        let checker = Checker::new(&schema.definitions, &self.definition)?;
        let mut verdicts = Vec::new();
        for file in &self.files {
            let name = if file.as_os_str() == "-" {
                "standard input".to_owned()
            } else {
                file.display().to_string()
            };
            for message in messages(&read(file)?) {
                let faults = match message.value {
                    Ok(value) => checker.check(&value),
                    Err(message) => vec![Fault {
                        pointer: String::new(),
                        message,
                    }],
                };
                let (file, line) = (name.clone(), message.line);
                verdicts.push(Verdict {
                    file,
                    line,
                    valid: faults.is_empty(),
                    faults,
                });
            }
        }
        if self.format == Format::Json {
            writeln!(streams.out, "{}", serde_json::to_string_pretty(&verdicts)?)?;
        } else {
            for verdict in &verdicts {
                print(verdict, streams)?;
            }
        }
        let broken = verdicts.iter().filter(|it| !it.valid).count();
        writeln!(
            streams.talk,
            "{} against {} of {}, {broken} not valid",
            count(verdicts.len(), "message"),
            checker.definition(),
            schema.name
        )?;
        Ok(if broken == 0 {
            Outcome::Clean
        } else {
            Outcome::Found
        })
    }
}

fn print(verdict: &Verdict, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let line = verdict
        .line
        .map_or_else(String::new, |line| format!(":{line}"));
    let place = format!("{}{line}", verdict.file);
    for fault in &verdict.faults {
        let pointer = if fault.pointer.is_empty() {
            "(message)"
        } else {
            &fault.pointer
        };
        writeln!(streams.out, "{place}: {pointer}: {}", fault.message)?;
    }
    if verdict.valid {
        writeln!(streams.out, "{place}: valid")?;
    }
    Ok(())
}

fn read(path: &Path) -> Result<String, Failure> {
    let name = path.display();
    let mut bytes = Vec::new();
    if path.as_os_str() == "-" {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = fs::read(path)
            .map_err(|cause| format!("{name}: cannot be read: {cause}; check the path"))?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("{name}: is not UTF-8 text (byte {at}); messages are UTF-8").into()
    })
}
