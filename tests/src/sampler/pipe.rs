//! A decoder in another process: JSON lines out, JSON lines back, as the example `roundtrip` speaks them.
//!
//! A line out is `{"def": NAME, "json": TEXT}`, a line back `{"ok": bool, "json": TEXT or null,
//! "error": TEXT or null, "skip": bool}`; `skip` says that there is no type of that name.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A running decoder. It is stopped when this is dropped.
#[derive(Debug)]
pub struct Pipe {
    child: Child,
    lines: RefCell<(ChildStdin, BufReader<ChildStdout>)>,
}

impl Pipe {
    /// Starts a program that decodes.
    ///
    /// # Errors
    ///
    /// When the program cannot be started.
    pub fn start(command: &mut Command) -> std::io::Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("the child has no pipes"));
        };
        Ok(Self {
            child,
            lines: RefCell::new((stdin, BufReader::new(stdout))),
        })
    }

    /// Has one message decoded and encoded again.
    ///
    /// # Panics
    ///
    /// When the program has ended or answers something else: there is nothing to compare with then.
    pub fn reencode(&self, definition: &str, text: &str) -> Option<Result<String, String>> {
        let (stdin, stdout) = &mut *self.lines.borrow_mut();
        let mut line = json!({ "def": definition, "json": text }).to_string();
        line.push('\n');
        stdin
            .write_all(line.as_bytes())
            .and_then(|()| stdin.flush())
            .expect("the decoder ended");
        line.clear();
        stdout.read_line(&mut line).expect("the decoder ended");
        let answer: Value = serde_json::from_str(&line)
            .unwrap_or_else(|e| panic!("{e} in the answer {line:?} to {definition} {text}"));
        let field = |name: &str| answer[name].as_str().unwrap_or_default().to_owned();
        match (&answer["skip"], &answer["ok"]) {
            (Value::Bool(true), _) => None,
            (_, Value::Bool(true)) => Some(Ok(field("json"))),
            _ => Some(Err(field("error"))),
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
