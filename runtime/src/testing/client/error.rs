//! What a test client can be told, or find out, instead of what it wanted.

use crate::{server::RpcError, types::v2026_07_28::CallToolResult};

use super::Question;

/// Why a [`TestClient`](super::TestClient) has no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The server answered with a JSON-RPC error.
    #[error("the server answered `{method}` with an error: {error}")]
    Rpc {
        /// What was asked.
        method: String,
        /// The server's error.
        error: Box<RpcError>,
    },
    /// The task was cancelled.
    #[error("the task {task} was cancelled")]
    Cancelled {
        /// Its id.
        task: String,
    },
    /// The tool answered at once, where a task was wanted.
    #[error("`{tool}` answered without a task; call it with `TestClient::call`")]
    NoTask {
        /// The tool's name.
        tool: String,
        /// What it answered.
        result: Box<CallToolResult>,
    },
    /// The server asks something, and the test gave no answer.
    #[error(
        "the test has no answer to {:?}; give one with `TestClient::accept`, `decline`, `answer` or `answer_with`, or \
         with `TestTask::answer` once the task has asked",
        .question.message().unwrap_or(&.question.method)
    )]
    Unanswered {
        /// The first question without an answer.
        question: Box<Question>,
    },
    /// A result is of a type that this client does not know, and so cannot be taken for complete.
    #[error("`{method}` was answered with a result of the unknown type `{kind}`")]
    UnknownResultType {
        /// What was asked.
        method: String,
        /// Its `resultType`.
        kind: String,
    },
    /// What came is not what the protocol says.
    #[error("what came for `{method}` cannot be read: {reason}")]
    Unreadable {
        /// What was asked, or the notification's name.
        method: String,
        /// What is wrong, from the member's path on.
        reason: String,
    },
    /// The connection has ended.
    #[error("the connection ended before `{method}` was answered")]
    Closed {
        /// What was waited for.
        method: String,
    },
}

impl ClientError {
    /// The JSON-RPC error, if it is one.
    pub fn rpc(&self) -> Option<&RpcError> {
        match self {
            Self::Rpc { error, .. } => Some(error),
            _ => None,
        }
    }

    /// The code of the JSON-RPC error, if it is one.
    pub fn code(&self) -> Option<i64> {
        self.rpc().map(|error| error.code)
    }

    pub(super) fn unreadable(method: &str, reason: impl ToString) -> Self {
        Self::Unreadable {
            method: method.to_owned(),
            reason: reason.to_string(),
        }
    }

    pub(super) fn closed(method: &str) -> Self {
        Self::Closed {
            method: method.to_owned(),
        }
    }
}
