//! Starts a server with a few tools, drives it once as a client would, and keeps serving until Ctrl-C or SIGTERM.
//!
//! `cargo run -p mcp-tasks --example demo` shows the messages on the wire and the life of each task. With `--once` it
//! ends after the tour.
#![allow(clippy::print_stdout, missing_docs)]

mod client;
mod stop;
mod tools;

use std::{
    fs::File,
    io::{BufWriter, Write},
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::ExitCode,
};

use client::{Client, Failure, text};
use mcp_tasks::{Server, store::SqliteStore, tools};
use serde_json::{Value, json};
use stop::Stop;
use tokio::net::TcpListener;
use tools::{check_port, replace_in_file, summarise_file};

const HELP: &str = "\
Usage: cargo run -p mcp-tasks --example demo -- [--once] [--store STORE]

Starts a server with a few tools, shows what a client sees of them, and keeps serving.

  --once          end after the tour
  --store STORE   where tasks are kept: `memory` (the default), or `sqlite:PATH`
                  for a file that outlives the server
  --help          print this";

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("demo: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let mut once = false;
    let mut server = Server::builder();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--once" => once = true,
            "--store" => {
                let store = arguments.next().unwrap_or_default();
                match store.split_once(':') {
                    None if store == "memory" => {}
                    Some(("sqlite", path)) if !path.is_empty() => {
                        server = server.store(SqliteStore::open(path)?)
                    }
                    _ => {
                        return Err(
                            format!("--store takes `memory` or `sqlite:PATH`\n\n{HELP}").into()
                        );
                    }
                }
            }
            "--help" | "-h" => {
                println!("{HELP}");
                return Ok(());
            }
            other => return Err(format!("unknown option {other}\n\n{HELP}").into()),
        }
    }

    let server = server
        .name("mcp-tasks demo")
        .version(env!("CARGO_PKG_VERSION"))
        .tools(tools![summarise_file, replace_in_file, check_port])
        .build()?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    let stop = Stop::listen()?;
    println!("Serving on {url}\n");
    let serving = tokio::spawn({
        let server = server.clone();
        async move { server.serve_http(listener).await }
    });

    // It is removed when it is dropped, however this ends.
    let folder = tempfile::Builder::new()
        .prefix("mcp-tasks-demo-")
        .tempdir()?;
    let book = write_book(folder.path())?;
    let toured = tokio::select! {
        toured = present(&url, &book, once) => toured,
        stopped = stop.wished() => {
            println!("\nStopping.");
            stopped.map_err(Failure::from)
        }
    };
    folder.close()?;
    server.shutdown().await;
    serving.await??;
    toured
}

/// Shows the tour; then waits for ever, unless it is to end there.
async fn present(url: &str, book: &Path, once: bool) -> Result<(), Failure> {
    tour(&mut Client::new(url.to_owned()), book).await?;
    if !once {
        invite(url, book);
        std::future::pending::<()>().await;
    }
    Ok(())
}

/// Every way a task can go, once.
async fn tour(client: &mut Client, book: &Path) -> Result<(), Failure> {
    step(
        1,
        "A task from handle to result: the call answers at once, the result comes later.",
    );
    let handle = handle(client.call("summarise_file", json!({"path": book})).await?)?;
    expect(&client.follow(&handle).await?, "completed")?;

    step(
        2,
        "A question midway: the task waits for input, the client answers, the task goes on.",
    );
    let call = json!({"path": book, "from": "whale", "to": "whale (Balaenoptera)"});
    let asked = handle_of(client, "replace_in_file", call).await?;
    let asked = client.follow(&asked).await?;
    expect(&asked, "input_required")?;
    let id = text(&asked, "taskId")?;
    let key = asked["inputRequests"]
        .as_object()
        .and_then(|open| open.keys().next())
        .ok_or("no open question")?;
    let answers = json!({key: {"action": "accept", "content": {"go_ahead": true}}});
    client
        .task("tasks/update", id, json!({"inputResponses": answers}))
        .await?;
    let resumed = client.task("tasks/get", id, json!({})).await?["result"].take();
    expect(&client.follow(&resumed).await?, "completed")?;

    step(3, "Cancelling: the work stops at its next step.");
    let started = handle_of(client, "summarise_file", json!({"path": book})).await?;
    client
        .task("tasks/cancel", text(&started, "taskId")?, json!({}))
        .await?;
    let stopped = client
        .task("tasks/get", text(&started, "taskId")?, json!({}))
        .await?["result"]
        .take();
    expect(&client.follow(&stopped).await?, "cancelled")?;

    step(
        4,
        "A tool error: the task is completed, its result says isError for the model to read.",
    );
    let failed = handle_of(
        client,
        "summarise_file",
        json!({"path": "no-such-file.txt"}),
    )
    .await?;
    let failed = client.follow(&failed).await?;
    expect(&failed, "completed")?;
    if failed["result"]["isError"] != true {
        return Err(format!("expected a tool error, got {failed}").into());
    }

    step(
        5,
        "A protocol error: the task is failed and carries a JSON-RPC error.",
    );
    let broken = handle_of(client, "check_port", json!({"port": 1})).await?;
    expect(&client.follow(&broken).await?, "failed")?;

    println!("\nThat was the tour.");
    Ok(())
}

async fn handle_of(client: &mut Client, tool: &str, arguments: Value) -> Result<Value, Failure> {
    handle(client.call(tool, arguments).await?)
}

fn handle(mut reply: Value) -> Result<Value, Failure> {
    match reply["result"].take() {
        handle if handle["resultType"] == "task" => Ok(handle),
        other => {
            Err(format!("expected a task's handle, got {other}; the reply was {reply}").into())
        }
    }
}

fn expect(task: &Value, status: &str) -> Result<(), Failure> {
    if task["status"] == status {
        Ok(())
    } else {
        Err(format!("expected a task that is {status}, got {task}").into())
    }
}

fn step(number: u32, text: &str) {
    println!("\n{number}. {text}");
}

/// A text file that takes a moment to read.
fn write_book(folder: &Path) -> Result<PathBuf, Failure> {
    let path = folder.join("book.txt");
    let mut out = BufWriter::new(File::create(&path)?);
    for chapter in 1..=300_000_u32 {
        writeln!(
            out,
            "{chapter}. Call me Ishmael; some years ago, never mind how long, the white whale {chapter}"
        )?;
    }
    out.flush()?;
    Ok(path)
}

/// How to try it by hand.
fn invite(url: &str, book: &Path) {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"curl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;
    let curl = |method: &str, name: &str, params: String| {
        println!(
            "curl -s {url} -H 'content-type: application/json' -H 'accept: application/json, text/event-stream' \
             -H 'mcp-protocol-version: 2026-07-28' -H 'mcp-method: {method}' -H 'mcp-name: {name}' \
             -d '{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{{params},{meta}}}}}'\n"
        );
    };
    println!("\nStill serving on {url}; Ctrl-C stops. To try it by hand:\n");
    let path = json!(book);
    curl(
        "tools/call",
        "summarise_file",
        format!("\"name\":\"summarise_file\",\"arguments\":{{\"path\":{path}}}"),
    );
    println!("and then, with the taskId of the answer in place of TASK (twice):\n");
    curl("tasks/get", "TASK", "\"taskId\":\"TASK\"".to_owned());
}
