//! A server process on pipes, one message a line.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    sync::mpsc,
    time::Duration,
};

use serde_json::Value;

/// A running server. It is ended when this is dropped.
pub struct StdioServer {
    process: Option<Child>,
    input: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
}

impl StdioServer {
    /// Starts a server.
    pub fn start(binary: &Path, arguments: &[&str]) -> Self {
        let mut process = Command::new(binary)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("cannot start {}: {error}", binary.display()));
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("stdout is piped"));
        Self {
            process: Some(process),
            input,
            output: Some(output),
        }
    }

    /// Sends one line, whatever is in it.
    pub fn send_line(&mut self, line: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input
            .write_all(line)
            .and_then(|()| input.write_all(b"\n"))
            .and_then(|()| input.flush())
            .expect("the server reads");
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(message.to_string().as_bytes());
    }

    /// The next message. Anything else on standard output fails the test.
    pub fn receive(&mut self) -> Value {
        let mut line = String::new();
        let output = self.output.as_mut().expect("the output is open");
        output
            .read_line(&mut line)
            .expect("the server writes UTF-8");
        serde_json::from_str(&line)
            .unwrap_or_else(|error| panic!("not a message ({error}): {line:?}"))
    }

    /// Sends a message and waits for the next one.
    pub fn ask(&mut self, message: &Value) -> Value {
        self.send(message);
        self.receive()
    }

    /// Stops to read, and sends one message more, with the input left open. Gives whether the server ends by itself within
    /// that time.
    pub fn ends_unread(mut self, message: &Value, limit: Duration) -> bool {
        drop(self.output.take());
        let mut process = self.process.take().expect("it runs");
        let input = self.input.as_mut().expect("the input is open");
        // It may be gone before it has read all of it.
        let _ = writeln!(input, "{message}");
        let (over, ended) = mpsc::channel();
        let waiting = std::thread::spawn(move || {
            // Err is a test that waits no longer.
            let _ = over.send(process.wait());
        });
        let ended = ended.recv_timeout(limit).is_ok();
        // The end of the input ends it in any case.
        drop(self.input.take());
        waiting.join().expect("a process can be waited for");
        ended
    }

    /// Ends the input and waits for the server to end by itself; gives what it wrote last and whether it ended well.
    pub fn close(mut self) -> (Vec<Value>, bool) {
        drop(self.input.take());
        let mut rest = Vec::new();
        for line in self.output.take().expect("the output is open").lines() {
            let line = line.expect("the server writes UTF-8");
            rest.push(
                serde_json::from_str(&line)
                    .unwrap_or_else(|error| panic!("not a message ({error}): {line:?}")),
            );
        }
        let mut process = self.process.take().expect("it runs");
        let status = process.wait().expect("the server ends");
        (rest, status.success())
    }
}

impl Drop for StdioServer {
    fn drop(&mut self) {
        if let Some(process) = &mut self.process {
            // It may have ended already; then there is nothing to do.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}
