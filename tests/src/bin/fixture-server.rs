//! Serves the conformance suite's tools on `http://127.0.0.1:PORT/mcp`, in both eras.
#![allow(clippy::print_stdout)]

use std::{
    error::Error, net::Ipv4Addr, path::PathBuf, process::ExitCode, str::FromStr, time::Duration,
};

use clap::Parser;
use mcp_tasks::{Limits, store::SqliteStore};
use mcp_tasks_tests::fixture;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
use tokio::{net::TcpListener, signal::ctrl_c};

/// Serves the official conformance suite's tools on 127.0.0.1, path /mcp.
#[derive(Parser)]
struct Options {
    /// The port; 0 takes a free one. The chosen port is printed on standard output.
    #[arg(long, default_value_t = 0, conflicts_with = "stdio")]
    port: u16,

    /// Where tasks are kept: `memory`, or `sqlite:PATH` for a file that outlives the server.
    #[arg(long, default_value = "memory")]
    store: Store,

    /// Milliseconds after which the tasks of a server that died are taken up by another.
    #[arg(long, default_value_t = 10_000)]
    lease: u64,

    /// How many tasks may run at once.
    #[arg(long, default_value_t = Limits::default().tasks)]
    running: usize,

    /// Serve standard input and output instead of a port.
    #[arg(long)]
    stdio: bool,
}

#[derive(Clone)]
enum Store {
    /// In this process, gone with it.
    Memory,
    Sqlite(PathBuf),
}

impl FromStr for Store {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once(':') {
            None if text == "memory" => Ok(Self::Memory),
            Some(("sqlite", path)) if !path.is_empty() => Ok(Self::Sqlite(path.into())),
            _ => Err("write `memory` or `sqlite:PATH`".to_owned()),
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    match serve(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("fixture-server: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: Options) -> Result<(), Box<dyn Error>> {
    let builder = fixture::builder()
        .lease(Duration::from_millis(options.lease))
        .limits(Limits::default().tasks(options.running));
    let server = match options.store {
        Store::Memory => builder,
        Store::Sqlite(path) => builder.store(SqliteStore::open(path)?),
    }
    .build()?;
    if options.stdio {
        server.serve_stdio().await?;
        return Ok(());
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
    println!("{}", listener.local_addr()?.port());
    let serving = server.clone();
    let mut serving = tokio::spawn(async move { serving.serve_http(listener).await });
    tokio::select! {
        served = &mut serving => return Ok(served??),
        stopped = stopped() => stopped?,
    }
    server.shutdown().await;
    Ok(serving.await??)
}

/// Waits for who started the server to stop it: an interrupt, or the signal that service managers send.
async fn stopped() -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let mut ended = signal(SignalKind::terminate())?;
        tokio::select! {
            interrupted = ctrl_c() => interrupted,
            _ = ended.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    ctrl_c().await
}
