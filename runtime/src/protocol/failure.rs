//! What both eras say when the engine or a tool fails.

use serde_json::{Value, json};

use crate::{
    engine::EngineError,
    server::{RpcError, error::INVALID_PARAMS},
    tool::ToolError,
};

impl From<EngineError> for RpcError {
    fn from(error: EngineError) -> Self {
        match &error {
            EngineError::NotFound => {
                Self::invalid_params("Unknown task: it never existed, is not yours, or has expired")
            }
            EngineError::Terminal(_) | EngineError::BadCursor => {
                Self::invalid_params(error.to_string())
            }
            EngineError::BadAnswer { key, problem } => Self::invalid_params(error.to_string())
                .with_data(json!({ "key": key, "path": problem.path, "reason": problem.reason })),
            EngineError::Limit { kind, .. } => Self::limit(kind.as_str(), error.to_string()),
            EngineError::ShuttingDown => {
                Self::internal("The server is shutting down; try again later")
            }
            // The details may name files of the server, so they go to the log alone.
            EngineError::Store(failed) => {
                tracing::error!(%error, "the task store failed");
                Self::internal(failed.to_clients())
            }
            EngineError::Internal(_) => {
                tracing::error!(%error, "the engine failed");
                Self::internal("Internal error: the server could not do this; its log says why")
            }
        }
    }
}

/// The error of a member that is missing or has the wrong type.
pub(crate) fn bad_member(path: &str, problem: &str) -> RpcError {
    RpcError::new(INVALID_PARAMS, format!("Invalid params: {path}: {problem}"))
}

/// The error of params that a generated type does not take; it names the member.
pub(crate) fn invalid(error: serde_json::Error) -> RpcError {
    RpcError::new(INVALID_PARAMS, format!("Invalid params: {error}"))
}

/// A question as the schemas have it.
pub(crate) fn question(
    request: &crate::context::InputRequest,
) -> Result<crate::types::ext_tasks::InputRequest, serde_json::Error> {
    serde_json::from_value(serde_json::to_value(request)?)
}

/// A result or a JSON-RPC error from what a tool gave.
pub(crate) fn from_tool(error: ToolError) -> Result<crate::tool::ToolOutput, RpcError> {
    match error {
        ToolError::Tool(output) => Ok(*output),
        ToolError::Protocol {
            code,
            message,
            data,
        } => Err(RpcError {
            code,
            message,
            data,
        }),
    }
}

/// Reads a string member of the params.
pub(crate) fn text<'a>(params: &'a crate::JsonObject, name: &str) -> Result<&'a str, RpcError> {
    match params.get(name) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(bad_member(&format!("params.{name}"), "must be a string")),
        None => Err(bad_member(&format!("params.{name}"), "is missing")),
    }
}

/// Reads an optional object member of the params.
pub(crate) fn object<'a>(
    params: &'a crate::JsonObject,
    name: &str,
) -> Result<Option<&'a crate::JsonObject>, RpcError> {
    match params.get(name) {
        Some(Value::Object(object)) => Ok(Some(object)),
        Some(_) => Err(bad_member(&format!("params.{name}"), "must be an object")),
        None => Ok(None),
    }
}
