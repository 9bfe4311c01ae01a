//! `fixture-server` as a process of its own.

use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use crate::modern::Client;

/// A server process, killed when dropped.
pub struct Process {
    child: Child,
    url: String,
    log: PathBuf,
}

impl Process {
    /// Starts a server that keeps its tasks in this file, and waits for its port. `wrapped` is a command that starts the
    /// command after it, or nothing; the log goes to `log`.
    ///
    /// # Errors
    /// What a server that ended instead has said.
    pub fn start(
        wrapped: &[&str],
        server: &str,
        file: &Path,
        log: &Path,
        more: &[&str],
    ) -> Result<Self, String> {
        let mut words = wrapped.iter().copied().chain([server]);
        let mut child = Command::new(words.next().unwrap_or(server))
            .args(words)
            .arg(format!("--store=sqlite:{}", file.display()))
            .args(more)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(log).expect("a log"))
            .spawn()
            .expect("a process");
        let mut line = String::new();
        let output = child.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let process = Self {
            url: format!("http://127.0.0.1:{}/mcp", line.trim()),
            child,
            log: log.to_owned(),
        };
        if line.is_empty() {
            return Err(process.ended());
        }
        Ok(process)
    }

    /// A client of it.
    pub fn client(&self) -> Client {
        Client::new(self.url.clone())
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What it has said.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Asks it to end, as a service manager does, and gives its exit code. `None` is an end by the signal itself.
    pub fn terminate(mut self) -> Option<i32> {
        let pid = self.pid().to_string();
        let asked = Command::new("kill").arg(pid).status();
        assert!(asked.is_ok_and(|asked| asked.success()), "it is asked");
        self.child.wait().expect("an end").code()
    }

    /// What a process that ends by itself has said.
    fn ended(mut self) -> String {
        let status = self.child.wait().expect("an end");
        assert!(!status.success(), "a server that does not serve says so");
        self.log()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error is a process that has gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
