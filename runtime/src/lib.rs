//! MCP tools that can take their time.
//!
//! Put [`#[task_tool]`](macro@task_tool) on an `async fn`, and it is a tool of the Model Context Protocol. A client that
//! knows tasks gets a handle and comes back for the state, the questions and the result; any other client gets the result
//! itself. One server speaks both wire forms of tasks: the extension `io.modelcontextprotocol/tasks` on 2026-07-28, and the
//! experimental tasks of 2025-11-25. Clients of 2025-06-18 and 2025-03-26 get plain tools.
//!
//! ```no_run
//! use mcp_tasks::{Server, TaskContext, task_tool, tools};
//!
//! /// Counts down, a number a second.
//! #[task_tool(ttl = "1h", poll_interval = "1s")]
//! async fn count_down(/// Where to start
//!     from: u32, ctx: TaskContext) -> String {
//!     for left in (1..=from).rev() {
//!         ctx.status(format!("{left} to go")).await;
//!         tokio::time::sleep(std::time::Duration::from_secs(1)).await;
//!     }
//!     "Lift-off".to_owned()
//! }
//!
//! # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder().name("space").version("1.0.0").tools(tools![count_down]).build()?;
//! server.serve_http(tokio::net::TcpListener::bind("127.0.0.1:8080").await?).await?;
//! # Ok(())
//! # }
//! ```
//!
//! Clients of either era find the server at `http://127.0.0.1:8080/mcp`. [`Server::router`] gives that route to an application
//! that has others, [`Server::http_service`] is for a path of your own, and [`Server::serve_stdio`] serves the host that
//! started the process.
//!
//! # Asking
//!
//! A function asks the user midway with [`TaskContext::elicit`]; the task waits as `input_required` meanwhile. What must be
//! known before there is a task at all is an `#[ask("..")]` parameter. Only what the client said it can be asked is asked:
//! anything else fails at once. Questions that do not depend on each other are asked together with `join`:
//!
//! ```
//! use mcp_tasks::{TaskContext, ToolError, task_tool};
//!
//! /// Books a table.
//! #[task_tool]
//! async fn book(ctx: TaskContext) -> Result<String, ToolError> {
//!     let (name, seats) = tokio::try_join!(
//!         ctx.elicit::<String>("In whose name?").named("name"),
//!         ctx.elicit::<u8>("How many are you?").named("seats"),
//!     )?;
//!     Ok(format!("{} seats for {}", seats.required()?, name.required()?))
//! }
//! # let _ = book;
//! ```
//!
//! Combinators that take futures only, such as those of the `futures` crate, want `.into_future()` behind each question.
//!
//! # Reporting
//!
//! While it runs, a function says what it does with [`TaskContext::status`], which clients see on the task, and how far it is
//! with [`TaskContext::progress`]. [`TaskContext::log`] writes to the log of a client that wants it.
//!
//! # Cancelling
//!
//! By default a cancelled function is dropped at its next await. With `cancel = "cooperative"` it decides itself:
//! [`TaskContext::cancelled`] tells it. Blocking work goes through [`TaskContext::spawn_blocking`].
//!
//! ```
//! use mcp_tasks::{TaskContext, task_tool};
//!
//! /// Watches until it is called off, and says how often it looked.
//! #[task_tool(cancel = "cooperative")]
//! async fn watch(ctx: TaskContext) -> String {
//!     let mut looks = 0;
//!     loop {
//!         tokio::select! {
//!             () = ctx.cancelled() => return format!("looked {looks} times"),
//!             () = tokio::time::sleep(std::time::Duration::from_secs(1)) => looks += 1,
//!         }
//!     }
//! }
//! # let _ = watch;
//! ```
//!
//! # Testing
//!
//! A tool stays a function that can be called. [`TaskContext::for_test`] records what it says and answers what it asks:
//!
//! ```
//! use mcp_tasks::{TaskContext, ToolError, task_tool};
//! use serde_json::json;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Confirmation {
//!     sure: bool,
//! }
//!
//! /// Deletes a file, if the user says so.
//! #[task_tool]
//! async fn delete(path: String, ctx: TaskContext) -> Result<String, ToolError> {
//!     let answer: Confirmation = ctx.elicit(format!("Delete {path}?")).await?.required()?;
//!     Ok(if answer.sure { "deleted" } else { "kept" }.to_owned())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! let (ctx, script) = TaskContext::for_test();
//! script.accept(json!({"sure": false}));
//! assert_eq!(delete("notes.txt".to_owned(), ctx).await.unwrap(), "kept");
//! assert_eq!(script.asked().len(), 1);
//! # }
//! ```
//!
//! What clients see of a whole server, in either era, a [`TestClient`](testing::TestClient) shows. It is connected in memory,
//! goes through the protocol as any client does, and waits for tasks without polling:
//!
//! ```
//! use mcp_tasks::{Server, TaskContext, ToolError, task_tool, testing::TestClient};
//! use serde_json::json;
//!
//! /// Deletes a file, if the user says so.
//! #[task_tool]
//! async fn delete(path: String, ctx: TaskContext) -> Result<String, ToolError> {
//!     let sure: bool = ctx.elicit(format!("Delete {path}?")).await?.required()?;
//!     Ok(if sure { "deleted" } else { "kept" }.to_owned())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::builder().name("files").version("1.0.0").tool(delete).build()?;
//! for client in [TestClient::modern(&server), TestClient::legacy(&server).await?] {
//!     client.accept(json!({"value": false}));
//!     let task = client.start("delete", json!({"path": "notes.txt"})).await?;
//!     let result = task.result().await?;
//!     assert_eq!(serde_json::to_value(&result.content)?[0]["text"], "kept");
//!
//!     let wrong = client.call("delete", json!({"path": 7})).await?;
//!     assert_eq!(wrong.is_error, Some(true));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Whose task it is
//!
//! An authentication layer in front of the server puts a [`Principal`] into the request's extensions. From then on a task
//! answers to its owner; to anyone else it does not exist. The example `http_auth` shows the layer. Without principals the id
//! is the key, which is why it has 160 random bits. A function has its caller as a parameter:
//!
//! ```
//! use mcp_tasks::{Principal, task_tool};
//!
//! /// Says who is calling.
//! #[task_tool]
//! async fn who_am_i(caller: Option<Principal>) -> String {
//!     caller.map_or("nobody I know".to_owned(), |caller| caller.to_string())
//! }
//! # let _ = who_am_i;
//! ```
//!
//! # Surviving a restart
//!
//! Tasks live in memory unless [`ServerBuilder::store`] is given another [`TaskStore`](store::TaskStore), such as
//! [`SqliteStore`](store::SqliteStore). After a restart an unfinished task fails with a message that says so, or with
//! `on_restart = "rerun"` runs again, the answers it already had included. [`TaskContext::once`] keeps the value of a side
//! effect from being made twice.
//!
//! ```no_run
//! use mcp_tasks::{Server, store::SqliteStore, task_tool, tools};
//!
//! /// Copies a folder. Copying what is there already does no harm, so it may simply run again.
//! #[task_tool(on_restart = "rerun", ttl = "24h")]
//! async fn back_up(folder: String) -> String {
//!     format!("{folder} is safe")
//! }
//!
//! # fn build() -> Result<(), Box<dyn std::error::Error>> {
//! let store = SqliteStore::open("tasks.db")?;
//! let server = Server::builder().name("backups").version("1.0.0").store(store).tools(tools![back_up]).build()?;
//! # Ok(())
//! # }
//! ```
//!
//! A plain call of 2026-07-28 that asks something is no task: what it was told so far travels to the client and back, sealed
//! with the server's key. That key is random at each start unless [`ServerBuilder::key`] is given one, and a call that
//! waited for answers then has to be started again.
//!
//! # Features
//!
//! `http` (axum router and tower service), `stdio` and `sqlite` are on by default; `anyhow` lets `?` turn its errors into
//! tool errors.
// The macros write `::mcp_tasks`, here too.
extern crate self as mcp_tasks;

pub mod context;
pub mod engine;
mod gauge;
#[doc(hidden)]
pub mod private;
mod protocol;
pub mod server;
pub mod store;
pub mod task;
pub mod testing;
pub mod tool;
pub mod transport;

/// A JSON object, as it travels on the wire.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
pub use futures_core::future::BoxFuture;
pub use http::Extensions;
pub use mcp_tasks_macros::ToolError;
#[doc = include_str!("tool/task_tool.md")]
pub use mcp_tasks_macros::task_tool;
#[doc = include_str!("tool/task_tools.md")]
pub use mcp_tasks_macros::task_tools;
pub use mcp_tasks_types as types;
pub use server::{Era, FallbackRequest, Limits, RpcError, Server, ServerBuilder};
pub use task::Principal;

pub use self::{
    context::TaskContext,
    tool::{Args, Json, State, ToolError},
};

#[doc(hidden)]
pub use self::private as __private;
