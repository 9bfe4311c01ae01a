//! MCP tools that can take their time.
pub mod context;
pub mod engine;
pub mod store;
pub mod task;
pub mod tool;

/// A JSON object, as it travels on the wire.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
pub use futures_core::future::BoxFuture;
pub use mcp_tasks_types as types;
