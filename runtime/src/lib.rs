//! MCP tools that can take their time.
pub mod context;
pub mod engine;
mod protocol;
pub mod server;
pub mod store;
pub mod task;
pub mod tool;
mod transport;

/// A JSON object, as it travels on the wire.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
pub use futures_core::future::BoxFuture;
pub use mcp_tasks_types as types;
pub use server::{Era, FallbackRequest, Limits, Principal, RpcError, Server, ServerBuilder};
