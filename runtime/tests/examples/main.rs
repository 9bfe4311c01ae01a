//! The examples, as a user starts them.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

#[cfg(all(unix, feature = "http", feature = "sqlite"))]
mod demo;
#[cfg(feature = "http")]
mod http_auth;
#[cfg(all(unix, feature = "stdio"))]
mod stdio;

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::Value;

/// Where cargo has put an example.
fn built(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(|deps| deps.parent()).unwrap();
    built.join("examples").join(name)
}

/// A started example. It is ended when this is dropped.
struct Example {
    process: Child,
    output: BufReader<ChildStdout>,
}

impl Example {
    fn start(name: &str, adjust: impl FnOnce(&mut Command) -> &mut Command) -> Self {
        let binary = built(name);
        let mut command = Command::new(&binary);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = adjust(&mut command).spawn().unwrap_or_else(|error| {
            panic!(
                "cannot start {}: {error}; build it with `cargo build -p mcp-tasks --examples`",
                binary.display()
            )
        });
        let output = BufReader::new(process.stdout.take().unwrap());
        Self { process, output }
    }

    /// The next line that it prints and that begins so.
    fn line(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).unwrap();
            assert!(
                read > 0,
                "it has ended, and printed no line `{beginning}...`"
            );
            if line.starts_with(beginning) {
                return line.trim_end().to_owned();
            }
        }
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a command that a user may paste prints: one message.
#[cfg(unix)]
fn paste(command: &str) -> Value {
    let ran = Command::new("sh").args(["-c", command]).output().unwrap();
    assert!(ran.status.success(), "{command}: {ran:?}");
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}
