//! A JSON-RPC error object and the codes in use.

use serde_json::{Value, json};

use crate::types::v2026_07_28::{
    HeaderMismatchErrorError, InternalError, InvalidParamsError, InvalidRequestError,
    MethodNotFoundError, MissingRequiredClientCapabilityErrorError, ParseError,
    UnsupportedProtocolVersionErrorError,
};

pub(crate) const PARSE_ERROR: i64 = ParseError::CODE;
pub(crate) const INVALID_REQUEST: i64 = InvalidRequestError::CODE;
pub(crate) const METHOD_NOT_FOUND: i64 = MethodNotFoundError::CODE;
pub(crate) const INVALID_PARAMS: i64 = InvalidParamsError::CODE;
pub(crate) const INTERNAL_ERROR: i64 = InternalError::CODE;
pub(crate) const HEADER_MISMATCH: i64 = HeaderMismatchErrorError::CODE;
pub(crate) const MISSING_CLIENT_CAPABILITY: i64 = MissingRequiredClientCapabilityErrorError::CODE;
pub(crate) const UNSUPPORTED_VERSION: i64 = UnsupportedProtocolVersionErrorError::CODE;
/// Ours, outside of the range that JSON-RPC and MCP reserve.
pub(crate) const LIMIT_EXCEEDED: i64 = -31900;

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
        Self::new(METHOD_NOT_FOUND, format!("Method not found: {method}"))
    }

    /// The params are wrong (-32602).
    pub fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, message)
    }

    /// Something went wrong that is not the client's fault (-32603).
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, message)
    }

    /// More was asked than [`Limits`](super::Limits) allows (-31900); `limit` is the field's name.
    pub fn limit(limit: &str, message: impl Into<String>) -> Self {
        Self::new(LIMIT_EXCEEDED, message).with_data(json!({ "limit": limit }))
    }

    pub(crate) fn parse_error(message: impl Into<String>) -> Self {
        Self::new(PARSE_ERROR, message)
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, message)
    }

    /// A header is missing, malformed, or says something else than the body (-32020).
    pub(crate) fn header_mismatch(message: impl Into<String>) -> Self {
        Self::new(HEADER_MISMATCH, message)
    }

    /// The client did not declare what it takes to serve the request (-32021).
    pub(crate) fn missing_capability(required: Value, message: impl Into<String>) -> Self {
        Self::new(MISSING_CLIENT_CAPABILITY, message)
            .with_data(json!({ "requiredCapabilities": required }))
    }
}
