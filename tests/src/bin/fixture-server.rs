//! Serves the conformance suite's tools on `http://127.0.0.1:PORT/mcp`, in both eras.
#![allow(clippy::print_stdout)]

use std::{error::Error, net::Ipv4Addr};

use clap::{Parser, ValueEnum};
use mcp_tasks_tests::fixture;
use tokio::net::TcpListener;

/// Serves the official conformance suite's tools on 127.0.0.1, path /mcp.
#[derive(Parser)]
struct Options {
    /// The port; 0 takes a free one. The chosen port is printed on standard output.
    #[arg(long, default_value_t = 0, conflicts_with = "stdio")]
    port: u16,

    /// Where tasks are kept.
    #[arg(long, value_enum, default_value_t = Store::Memory)]
    store: Store,

    /// Serve standard input and output instead of a port.
    #[arg(long)]
    stdio: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Store {
    /// In this process, gone with it.
    Memory,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .init();
    let server = match options.store {
        Store::Memory => fixture::server()?,
    };
    if options.stdio {
        server.serve_stdio().await?;
        return Ok(());
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
    println!("{}", listener.local_addr()?.port());
    server.serve_http(listener).await?;
    Ok(())
}
