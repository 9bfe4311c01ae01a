//! The command line: what can be asked for, and how the answer reaches the shell. Data goes to
//! standard output, talk to standard error; the exit code is 0 for yes, 1 for no, 2 for "could not".

mod check;
mod diff;
mod generate;
mod import;
mod list;
mod schemas;
mod shell;
mod show;
#[cfg(feature = "validate")]
mod validate;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::manifest::{Manifest, ManifestError};

/// What a command found out; the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Done, or nothing to object to: 0.
    Clean,
    /// The answer is no: differences, breaking changes, invalid messages: 1.
    Found,
}

/// Why a command could not do its work: exit code 2.
type Failure = Box<dyn std::error::Error>;

/// Where a command writes to.
struct Streams<'a> {
    /// The data that was asked for.
    out: &'a mut dyn Write,
    /// What there is to say about it.
    talk: &'a mut dyn Write,
}

/// Turns the Model Context Protocol's JSON Schemas into Rust, and says what changed in them.
#[derive(Debug, Parser)]
#[command(name = "mcp-codegen", version, max_term_width = 100)]
#[command(
    after_help = "Exit codes: 0 done or clean, 1 differences or invalid messages, 2 wrong \
    usage or bad input.\n`mcp-codegen help COMMAND` explains a command with examples."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Generate(generate::Args),
    Check(check::Args),
    Import(import::Args),
    Diff(diff::Args),
    #[cfg(feature = "validate")]
    Validate(validate::Args),
    List(list::Args),
    Show(show::Args),
    Completions(shell::Completions),
    Man(shell::Man),
}

/// How a report is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Report {
    /// For reading
    #[default]
    Text,
    /// For programs
    Json,
}

/// `1 file`, `2 files`.
fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// The manifest that was named, or the one of the project around the working directory.
fn manifest_path(named: Option<PathBuf>) -> Result<PathBuf, ManifestError> {
    match named {
        Some(path) => Ok(path),
        None => {
            // Relative paths keep messages short and clickable.
            let here = std::env::current_dir().unwrap_or_default();
            let found = Manifest::find(&here)?;
            Ok(found
                .strip_prefix(&here)
                .map(PathBuf::from)
                .unwrap_or(found))
        }
    }
}

/// Runs the command that `args` names (the first is the program) and returns the exit code.
pub fn run(
    args: impl IntoIterator<Item = OsString>,
    out: &mut dyn Write,
    talk: &mut dyn Write,
) -> u8 {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are data; a usage error is talk.
            let text = error.render();
            // Nothing is left to try if a stream is gone.
            let _ = if error.use_stderr() {
                write!(talk, "{text}")
            } else {
                write!(out, "{text}")
            };
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let mut streams = Streams { out, talk };
    match cli.command.run(&mut streams) {
        Ok(Outcome::Clean) => 0,
        Ok(Outcome::Found) => 1,
        // Whoever reads our output has seen enough.
        Err(error) if is_broken_pipe(&*error) => 0,
        Err(error) => {
            // Nothing is left to try if standard error is gone as well.
            let _ = writeln!(streams.talk, "error: {error}");
            2
        }
    }
}

impl Command {
    fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        match self {
            Self::Generate(args) => args.run(streams),
            Self::Check(args) => args.run(streams),
            Self::Import(args) => args.run(streams),
            Self::Diff(args) => args.run(streams),
            #[cfg(feature = "validate")]
            Self::Validate(args) => args.run(streams),
            Self::List(args) => args.run(streams),
            Self::Show(args) => args.run(streams),
            Self::Completions(args) => args.run(streams),
            Self::Man(args) => args.run(streams),
        }
    }
}

fn is_broken_pipe(error: &(dyn std::error::Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
