//! MCP tools that can take their time.
// The macros write `::mcp_tasks`, here too.
extern crate self as mcp_tasks;

pub mod context;
pub mod engine;
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
