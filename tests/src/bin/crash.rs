//! Kills a server again and again and checks that it kept its promises: `tests/run crash`.
#![allow(clippy::print_stdout)]

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;
use mcp_tasks_tests::crash;

/// Kills fixture-server at random moments and checks that nothing acknowledged is lost.
#[derive(Parser)]
struct Options {
    /// The program of fixture-server.
    #[arg(long)]
    server: PathBuf,

    /// How many servers are killed.
    #[arg(long, default_value_t = 20)]
    rounds: u32,

    /// How many clients use each server at once. From two on, one of them speaks the legacy revision.
    #[arg(long, default_value_t = 6)]
    clients: usize,

    /// Where all random choices come from; a random one by default.
    #[arg(long)]
    seed: Option<u64>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    let seed = options.seed.unwrap_or_else(|| fastrand::u64(..));
    let dir = std::env::temp_dir().join(format!("mcp-tasks-crash-{}-{seed}", std::process::id()));
    println!("seed {seed}");
    let options = crash::Options {
        server: options.server,
        dir,
        rounds: options.rounds,
        clients: options.clients,
        seed,
    };
    let mut done = 0;
    let outcome = crash::run(&options, |line| {
        println!("{line}");
        done += 1;
    })
    .await;
    match outcome {
        Ok(()) => {
            if let Err(error) = std::fs::remove_dir_all(&options.dir) {
                println!("{} was not removed: {error}", options.dir.display());
            }
            println!("{done} passed, 0 failed");
            ExitCode::SUCCESS
        }
        Err(broken) => {
            println!("broken: {broken}");
            println!("{}", crash::last_words(&options));
            println!(
                "seed {seed}; the store and the server's log are in {}",
                options.dir.display()
            );
            println!("{done} passed, 1 failed");
            ExitCode::FAILURE
        }
    }
}
