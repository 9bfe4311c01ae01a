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
//! Try it by hand: `cargo run -p mcp-tasks --example stdio`, then type a JSON-RPC message a line.
#![allow(missing_docs)]

use std::time::Duration;

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

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder()
        .name("stdio example")
        .version(env!("CARGO_PKG_VERSION"))
        .tools(tools![add, count_down])
        .build()?;
    server.serve_stdio().await?;
    Ok(())
}
