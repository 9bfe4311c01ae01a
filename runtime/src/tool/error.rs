//! Why a call of a tool failed.

use std::{convert::Infallible, fmt};

use serde_json::Value;

use super::ToolOutput;
use crate::context::AskError;

/// JSON-RPC code for a fault of the server itself.
pub const INTERNAL_ERROR: i64 = -32603;
/// JSON-RPC code for params that do not fit.
pub const INVALID_PARAMS: i64 = -32602;

/// Why a call of a tool failed.
///
/// What the model can read and act upon is [`ToolError::Tool`]: a result with `isError: true`. A fault of the
/// protocol or of the server is [`ToolError::Protocol`]: a JSON-RPC error object. Errors of the standard library,
/// strings and boxed errors become the first by `?`; give your own error type a
/// `From<MyError> for ToolError`, or derive it with `#[derive(ToolError)]`.
///
/// ```
/// use mcp_tasks::tool::ToolError;
///
/// fn read(path: &str) -> Result<String, ToolError> {
///     if path.is_empty() {
///         return Err(ToolError::new("give a path"));
///     }
///     Ok(std::fs::read_to_string(path)?)
/// }
/// assert_eq!(read("").unwrap_err().to_string(), "give a path");
/// ```
///
/// A derived error is reported with its causes; a variant with a `code` is a JSON-RPC error:
///
/// ```
/// use mcp_tasks::ToolError;
///
/// #[derive(Debug, thiserror::Error, ToolError)]
/// enum OrderError {
///     #[error("there is no order {0}")]
///     Unknown(u32),
///     #[error("the shop is closed")]
///     #[tool_error(code = -32000)]
///     Closed,
/// }
///
/// assert_eq!(ToolError::from(OrderError::Unknown(7)), ToolError::new("there is no order 7"));
/// assert_eq!(ToolError::from(OrderError::Closed), ToolError::protocol(-32000, "the shop is closed"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ToolError {
    /// The tool ran and reports an error: a result with `isError: true`.
    Tool(Box<ToolOutput>),
    /// A JSON-RPC error object.
    Protocol {
        /// The error's number.
        code: i64,
        /// One sentence for people.
        message: String,
        /// Anything more, for programs.
        data: Option<Value>,
    },
}

impl ToolError {
    /// An error for the model to read.
    pub fn new(text: impl Into<String>) -> Self {
        ToolOutput::text(text).into_error()
    }

    /// A JSON-RPC error, which ends the call without a result.
    pub fn protocol(code: i64, message: impl Into<String>) -> Self {
        Self::Protocol {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// A JSON-RPC error for a fault of the server.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::protocol(INTERNAL_ERROR, message)
    }

    /// Adds data to a JSON-RPC error; an error for the model keeps it as `structuredContent`.
    #[must_use]
    pub fn with_data(mut self, value: impl Into<Value>) -> Self {
        match &mut self {
            Self::Tool(output) => output.structured_content = Some(value.into()),
            Self::Protocol { data, .. } => *data = Some(value.into()),
        }
        self
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool(output) => f.write_str(&output.joined_text()),
            Self::Protocol { code, message, .. } => write!(f, "{message} ({code})"),
        }
    }
}

impl std::error::Error for ToolError {}

impl From<String> for ToolError {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for ToolError {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl From<ToolOutput> for ToolError {
    fn from(output: ToolOutput) -> Self {
        output.into_error()
    }
}

impl From<Infallible> for ToolError {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}

#[cfg(feature = "anyhow")]
impl From<anyhow::Error> for ToolError {
    /// The error and its causes, in one line.
    fn from(error: anyhow::Error) -> Self {
        Self::new(format!("{error:#}"))
    }
}

/// The error's text and that of its causes.
pub(crate) fn describe(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let part = cause.to_string();
        // Many errors already print their cause.
        if !text.contains(&part) {
            text.push_str(": ");
            text.push_str(&part);
        }
        next = cause.source();
    }
    text
}

macro_rules! reported {
    ($($error:ty),* $(,)?) => {$(
        impl From<$error> for ToolError {
            fn from(error: $error) -> Self {
                Self::new(describe(&error))
            }
        }
    )*};
}

reported!(
    AskError,
    std::array::TryFromSliceError,
    std::char::CharTryFromError,
    std::char::ParseCharError,
    std::collections::TryReserveError,
    std::env::JoinPathsError,
    std::ffi::FromBytesUntilNulError,
    std::ffi::FromBytesWithNulError,
    std::ffi::FromVecWithNulError,
    std::ffi::IntoStringError,
    std::ffi::NulError,
    std::fmt::Error,
    std::io::Error,
    std::net::AddrParseError,
    std::num::ParseIntError,
    std::num::ParseFloatError,
    std::num::TryFromIntError,
    std::path::StripPrefixError,
    std::str::ParseBoolError,
    std::str::Utf8Error,
    std::string::FromUtf16Error,
    std::string::FromUtf8Error,
    std::sync::mpsc::RecvError,
    std::sync::mpsc::RecvTimeoutError,
    std::sync::mpsc::TryRecvError,
    std::thread::AccessError,
    std::time::SystemTimeError,
    std::time::TryFromFloatSecsError,
    std::env::VarError,
    serde_json::Error,
    tokio::task::JoinError,
    tokio::time::error::Elapsed,
    tokio::sync::AcquireError,
    tokio::sync::TryAcquireError,
    tokio::sync::TryLockError,
    tokio::sync::broadcast::error::RecvError,
    tokio::sync::broadcast::error::TryRecvError,
    tokio::sync::mpsc::error::TryRecvError,
    tokio::sync::oneshot::error::RecvError,
    tokio::sync::oneshot::error::TryRecvError,
    tokio::sync::watch::error::RecvError,
);

macro_rules! reported_of_any {
    ($($($error:ident)::+),* $(,)?) => {$(
        impl<T> From<$($error)::+<T>> for ToolError {
            /// The error's text; what it carries is dropped.
            fn from(error: $($error)::+<T>) -> Self {
                Self::new(error.to_string())
            }
        }
    )*};
}

reported_of_any!(
    std::sync::PoisonError,
    std::sync::TryLockError,
    std::sync::mpsc::SendError,
    std::sync::mpsc::TrySendError,
    tokio::sync::SetError,
    tokio::sync::broadcast::error::SendError,
    tokio::sync::mpsc::error::SendError,
    tokio::sync::mpsc::error::SendTimeoutError,
    tokio::sync::mpsc::error::TrySendError,
    tokio::sync::watch::error::SendError,
);

impl From<Box<dyn std::error::Error + Send + Sync>> for ToolError {
    fn from(error: Box<dyn std::error::Error + Send + Sync>) -> Self {
        match error.downcast::<ToolError>() {
            Ok(error) => *error,
            Err(error) => Self::new(describe(&*error)),
        }
    }
}

impl From<Box<dyn std::error::Error>> for ToolError {
    fn from(error: Box<dyn std::error::Error>) -> Self {
        match error.downcast::<ToolError>() {
            Ok(error) => *error,
            Err(error) => Self::new(describe(&*error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<u8, ToolError> {
        Ok(text.parse::<u8>()?)
    }

    #[test]
    fn question_mark_turns_a_standard_error_into_a_report() {
        let ToolError::Tool(output) = parse("x").unwrap_err() else {
            panic!("not a report")
        };
        assert!(output.is_error);
        assert_eq!(output.joined_text(), "invalid digit found in string");
    }

    #[test]
    fn errors_that_users_meet_convert() {
        fn text<E: Into<ToolError>>(error: E) -> String {
            let ToolError::Tool(output) = error.into() else {
                panic!("not a report")
            };
            output.joined_text()
        }
        assert_eq!(
            text("x".parse::<std::net::IpAddr>().unwrap_err()),
            "invalid IP address syntax"
        );
        assert_eq!(
            text("ab".parse::<char>().unwrap_err()),
            "too many characters in string"
        );
        assert!(text(std::ffi::CString::new("a\0").unwrap_err()).contains("nul byte"));
        assert!(text(<[u8; 2]>::try_from(&[1_u8][..]).unwrap_err()).contains("slice"));
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        drop(receiver);
        assert_eq!(text(sender.try_send(1).unwrap_err()), "channel closed");
    }

    #[test]
    fn a_boxed_tool_error_stays_what_it_was() {
        let error = ToolError::protocol(-32000, "busy");
        let boxed: Box<dyn std::error::Error + Send + Sync> = Box::new(error.clone());
        assert_eq!(ToolError::from(boxed), error);
    }

    #[test]
    fn causes_are_told_once() {
        #[derive(Debug, thiserror::Error)]
        #[error("cannot read the index")]
        struct Outer(#[source] std::io::Error);
        let error = Outer(std::io::Error::other("disk gone"));
        assert_eq!(describe(&error), "cannot read the index: disk gone");
    }
}
