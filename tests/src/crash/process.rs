//! The server's process.

use std::{
    fs::OpenOptions,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, ChildStdout, Command},
};

use super::Broken;

/// How long a server may take to say its port.
const START: Duration = Duration::from_secs(30);

/// One server; killed when dropped.
pub(super) struct Process {
    child: Child,
    pid: u32,
    output: BufReader<ChildStdout>,
}

/// Where the tasks are.
pub(super) fn store(dir: &Path) -> PathBuf {
    dir.join("tasks.db")
}

/// Where the servers of all rounds write their logs.
pub(super) fn log(dir: &Path) -> PathBuf {
    dir.join("server.log")
}

impl Process {
    pub(super) fn start(server: &Path, dir: &Path, lease: u64) -> Result<Self, Broken> {
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(log(dir))?;
        let mut child = Command::new(server)
            .arg(format!("--store=sqlite:{}", store(dir).display()))
            .arg(format!("--lease={lease}"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| Broken(format!("cannot start {}: {error}", server.display())))?;
        let output = child.stdout.take();
        Ok(Self {
            pid: child.id().unwrap_or_default(),
            output: BufReader::new(output.ok_or_else(|| Broken("no output".to_owned()))?),
            child,
        })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits for the port.
    pub(super) async fn url(&mut self) -> Result<String, Broken> {
        let mut line = String::new();
        let read = tokio::time::timeout(START, self.output.read_line(&mut line)).await;
        let port = read.ok().and_then(|read| read.ok()).map(|_| line.trim());
        match port.and_then(|port| port.parse::<u16>().ok()) {
            Some(port) => Ok(format!("http://127.0.0.1:{port}/mcp")),
            None => Err(Broken(format!(
                "server {} did not serve on the file that the last one left (it said {line:?})",
                self.pid
            ))),
        }
    }

    /// Waits for an end that nobody asked for.
    pub(super) async fn ended(&mut self) -> String {
        match self.child.wait().await {
            Ok(status) => describe(status),
            Err(error) => error.to_string(),
        }
    }

    /// SIGKILL: no handler runs, nothing is flushed.
    pub(super) async fn kill(&mut self) -> Result<(), Broken> {
        // An error is a process that has gone; the caller has looked at that.
        let _ = self.child.start_kill();
        self.child.wait().await?;
        Ok(())
    }
}

fn describe(status: ExitStatus) -> String {
    status.to_string()
}
