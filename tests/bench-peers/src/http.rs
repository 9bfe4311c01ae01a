//! End to end over HTTP on loopback: call, handle, get until completed; 64 connections. Our server with tasks in memory
//! and in SQLite, against a server with the same tool written with rmcp.
//!
//! Prints `ratio http.STORE ours/rmcp VALUE` on stdout: how many times rmcp's rate, so above 1 is better. Rates are on
//! stderr. Each server is a process of its own and new in each round, so that none suffers from the tasks of the round
//! before. Arguments: the number of rounds; or `serve`, a contender and a folder, which serves and
//! prints the port.

mod connection;
mod servers;
#[allow(dead_code)] // the turns themselves are of another length here
mod turns;

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use connection::Connection;
use servers::Contender;
use tempfile::TempDir;
use turns::times;

const CONNECTIONS: usize = 64;
const WARM_UP: Duration = Duration::from_millis(300);
const SLOT: Duration = Duration::from_millis(1_500);

/// A server process, killed when dropped.
struct Served {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl Served {
    fn start(contender: Contender) -> Self {
        let program = std::env::current_exe().expect("this program");
        let folder = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(program)
            .args(["serve", contender.name()])
            .arg(folder.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a server");
        let mut line = String::new();
        let output = child.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut line).expect("a line");
        let port = line.trim().parse().expect("a port");
        Self {
            child,
            port,
            _folder: folder,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // An error is a process that has gone.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Nanoseconds for each call that was followed to its end.
async fn load(port: u16, length: Duration) -> f64 {
    let start = Instant::now();
    let mut clients = Vec::new();
    for _ in 0..CONNECTIONS {
        clients.push(tokio::spawn(async move {
            let mut connection = Connection::open(port).await;
            let mut done = 0_u32;
            while start.elapsed() < length {
                connection.follow_one_task().await;
                done += 1;
            }
            done
        }));
    }
    let mut done = 0;
    for client in clients {
        done += client.await.expect("a client");
    }
    start.elapsed().as_nanos() as f64 / f64::from(done)
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [command, name, folder] = args.as_slice()
        && command == "serve"
    {
        return servers::serve(Contender::named(name), Path::new(folder));
    }
    let rounds = args.first().and_then(|a| a.parse().ok()).unwrap_or(7);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let mut all = Contender::ALL.map(|_| Vec::new());
    for round in 0..rounds {
        for place in 0..all.len() {
            let at = (round + place) % all.len();
            let served = Served::start(Contender::ALL[at]);
            runtime.block_on(load(served.port, WARM_UP));
            all[at].push(runtime.block_on(load(served.port, SLOT)));
        }
    }
    let [memory, sqlite, rmcp] = all.map(times);
    for (contender, time) in Contender::ALL.iter().zip([memory, sqlite, rmcp]) {
        eprintln!(
            "http {:14} {:8.0} calls a second at best, {:8.0} in the median round",
            contender.name(),
            1e9 / time.least,
            1e9 / time.median
        );
    }
    println!(
        "ratio http.memory ours/rmcp {:.3}",
        rmcp.least / memory.least
    );
    println!(
        "ratio http.sqlite ours/rmcp {:.3}",
        rmcp.least / sqlite.least
    );
    eprintln!(
        "by the medians: memory {:.3}, sqlite {:.3}",
        rmcp.median / memory.median,
        rmcp.median / sqlite.median
    );
}
