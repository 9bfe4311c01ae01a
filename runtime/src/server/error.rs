//! A JSON-RPC error object.

use serde_json::Value;

/// A JSON-RPC error object.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
#[non_exhaustive]
pub struct RpcError {
    /// The code.
    pub code: i64,
    /// One sentence on what happened and what to do.
    pub message: String,
    /// More, for programs.
    pub data: Option<Value>,
}

impl RpcError {
    /// An error with no data.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// The same error with data.
    #[must_use]
    pub fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }

    /// The method is not known (-32601).
    pub fn method_not_found(method: &str) -> Self {
        Self::new(-32601, format!("Method not found: {method}"))
    }

    /// The params are wrong (-32602).
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }

    /// Something went wrong that is not the client's fault (-32603).
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(-32603, message)
    }
}
