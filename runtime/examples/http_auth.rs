//! Tasks that belong to somebody: a layer in front of the server finds out who is asking.
//!
//! The layer here knows the tokens of two users. Yours asks your identity provider. What matters is its last step: it puts
//! a [`Principal`] into the request, and from then on a task answers to its owner only.
//!
//! Start it with `cargo run -p mcp-tasks --example http_auth`; it listens on 127.0.0.1:8080 unless another address is
//! given, and prints a command to try it with. Most hosts that speak HTTP read this:
//!
//! ```json
//! {
//!   "mcpServers": {
//!     "bakery": {
//!       "type": "streamable-http",
//!       "url": "http://127.0.0.1:8080/mcp",
//!       "headers": { "Authorization": "Bearer token-of-alice" }
//!     }
//!   }
//! }
//! ```
#![allow(clippy::print_stdout, missing_docs)]

use std::{error::Error, time::Duration};

use axum::{
    extract::Request,
    http::{StatusCode, header::AUTHORIZATION},
    middleware::{self, Next},
    response::{IntoResponse, Response},
};
use mcp_tasks::{Principal, Server, TaskContext, task_tool, tools};
use tokio::net::TcpListener;

/// Bakes a cake, which takes a while.
#[task_tool(poll_interval = "1s")]
async fn bake(
    /// What kind of cake
    cake: String,
    /// How long it is in the oven
    #[arg(default = 30)]
    minutes: u32,
    ctx: TaskContext,
) -> String {
    for minute in 1..=minutes {
        ctx.status(format!("{minute} of {minutes} minutes")).await;
        tokio::time::sleep(Duration::from_secs(60)).await;
    }
    format!("Here is your {cake}.")
}

/// Says who you are to this server.
#[task_tool(task = "forbidden", annotations(read_only))]
async fn who_am_i(user: Principal) -> String {
    user.to_string()
}

/// Whose token it is.
fn owner(token: &str) -> Option<Principal> {
    match token {
        "token-of-alice" => Some(Principal::new("alice")),
        "token-of-bob" => Some(Principal::new("bob")),
        _ => None,
    }
}

/// Lets nobody through without a token.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let header = request.headers().get(AUTHORIZATION);
    let token = header.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    match token.and_then(owner) {
        Some(principal) => {
            request.extensions_mut().insert(principal);
            next.run(request).await
        }
        None => (StatusCode::UNAUTHORIZED, [("www-authenticate", "Bearer")]).into_response(),
    }
}

/// A command that asks the server at this address for the owner of a token.
fn who_am_i_by_hand(url: &str) -> String {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who_am_i","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}"#;
    format!(
        "curl -s {url} -H 'authorization: Bearer token-of-alice' -H 'content-type: application/json' \
         -H 'accept: application/json, text/event-stream' -H 'mcp-protocol-version: 2026-07-28' \
         -H 'mcp-method: tools/call' -H 'mcp-name: who_am_i' -d '{body}'"
    )
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::builder()
        .name("bakery")
        .version(env!("CARGO_PKG_VERSION"))
        .tools(tools![bake, who_am_i])
        .build()?;
    let app = server.router().layer(middleware::from_fn(authenticate));
    let address = std::env::args().nth(1);
    let address = address.as_deref().unwrap_or("127.0.0.1:8080");
    let listener = TcpListener::bind(address)
        .await
        .map_err(|error| format!("cannot listen on {address}: {error}; give another address"))?;
    let url = format!("http://{}/mcp", listener.local_addr()?);
    println!(
        "{url}\n\nTo see who you are, with `token-of-alice` or `token-of-bob`, paste in another terminal:\n"
    );
    println!("{}\n", who_am_i_by_hand(&url));
    axum::serve(listener, app).await?;
    Ok(())
}
