//! A server on standard input and output, as a host such as an editor or a desktop assistant starts it.
//!
//! Build it with `cargo build -p mcp-tasks --example stdio`, then tell the host where it is. Most hosts read this:
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "stdio-example": { "command": "/path/to/target/debug/examples/stdio" }
//!   }
//! }
//! ```
//!
//! To try it by hand, run it in a terminal: it says what to paste.
#![allow(missing_docs)]

use std::{
    io::{IsTerminal, stdin},
    time::Duration,
};

use mcp_tasks::{Server, TaskContext, task_tool, tools};

/// Adds two numbers.
#[task_tool(task = "forbidden")]
async fn add(a: i64, b: i64) -> Result<String, String> {
    a.checked_add(b)
        .map(|sum| sum.to_string())
        .ok_or_else(|| "the sum is too large".to_owned())
}

/// Counts down, a number a second.
#[task_tool(poll_interval = "500ms")]
async fn count_down(from: u32, ctx: TaskContext) -> String {
    for left in (1..=from).rev() {
        ctx.status(format!("{left} to go")).await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    "Lift-off".to_owned()
}

/// A message, and what reads it.
const TRY: &str = r#"printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}' | cargo run -q -p mcp-tasks --example stdio"#;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder()
        .name("stdio example")
        .version(env!("CARGO_PKG_VERSION"))
        .tools(tools![add, count_down])
        .build()?;
    if stdin().is_terminal() {
        // Standard output is for messages alone.
        eprintln!(
            "Waiting for JSON-RPC messages, one a line; Ctrl-C stops. In another terminal:\n\n{TRY}\n"
        );
    }
    server.serve_stdio().await?;
    Ok(())
}
