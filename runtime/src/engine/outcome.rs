//! From what a tool gave to how its task ended.

use std::any::Any;

use serde_json::{Value, json};

use super::LimitKind;
use crate::{
    task::{Change, Payload, STATUS, Task, TaskFailure, shorten},
    tool::{ToolError, ToolOutput},
};

/// How a run ended.
#[allow(
    clippy::large_enum_variant,
    reason = "lives for one match; boxing would cost an allocation a call"
)]
pub(super) enum Ended {
    /// The tool returned.
    Returned(Result<ToolOutput, ToolError>),
    /// The tool panicked with this message.
    Panicked(String),
    /// The client called it off and the tool was aborted.
    Cancelled,
    /// It ran longer than the tool allows.
    TimedOut(std::time::Duration),
    /// The server stops.
    Halted,
}

/// The text of a panic's payload.
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default()
}

/// The error that takes the place of a panicking tool's result. What it said stays in the log.
pub(super) fn panic_failure(tool: &str) -> TaskFailure {
    TaskFailure::internal(format!("internal error: the tool `{tool}` panicked"))
}

/// The error that takes the place of the result of a tool that ran too long.
pub(super) fn timeout_failure(tool: &str, limit: std::time::Duration) -> TaskFailure {
    TaskFailure::internal(format!(
        "the tool `{tool}` ran longer than its limit of {limit:?}"
    ))
}

/// How a run ends its task: worked out once, and stored as often as it takes.
pub(super) struct End {
    how: How,
    /// What the tool said when it gave an error.
    said: Option<String>,
}

enum How {
    Completed {
        result: Payload,
        is_error: bool,
        /// The text of an error.
        text: Option<String>,
    },
    Failed(TaskFailure),
    Cancelled,
    Halted,
}

/// The message of a task that was called off.
pub(super) const CANCELLED: &str = "cancelled on the client's request";

impl Ended {
    /// Works out the end. Results and errors of more than `payload_bytes` become a failure that says so.
    pub(super) fn settle(self, tool: &str, payload_bytes: usize) -> End {
        let mut said = None;
        let how = match self {
            Self::Returned(Ok(output)) => complete(&output, tool, payload_bytes),
            Self::Returned(Err(ToolError::Tool(mut output))) => {
                output.is_error = true;
                said = Some(output.joined_text());
                complete(&output, tool, payload_bytes)
            }
            Self::Returned(Err(ToolError::Protocol {
                code,
                message,
                data,
            })) => {
                said = Some(message.clone());
                failed(code, message, data, tool, payload_bytes)
            }
            Self::Panicked(_) => How::Failed(panic_failure(tool)),
            Self::Cancelled => How::Cancelled,
            Self::TimedOut(limit) => How::Failed(timeout_failure(tool, limit)),
            Self::Halted => How::Halted,
        };
        let short = |mut text: String| {
            shorten(&mut text, STATUS);
            text
        };
        End {
            how,
            said: said.map(short),
        }
    }
}

impl End {
    /// The end of a task whose own end the store has no room for.
    pub(super) fn without_room(kind: LimitKind, max: u64, tool: &str) -> Self {
        let failure = TaskFailure {
            data: Some(json!({ "limit": kind.as_str(), "max": max })),
            ..TaskFailure::internal(format!(
                "what `{tool}` gave was not kept: {kind} is limited to {max}"
            ))
        };
        Self {
            how: How::Failed(failure),
            said: None,
        }
    }

    /// Applies it to a task's last change. `None` leaves the task unfinished.
    pub(super) fn apply(&self, task: &Task, mut change: Change, rerun: bool) -> Option<Task> {
        Some(match (&self.how, &self.said) {
            (How::Halted, _) if rerun => return None,
            (How::Halted, _) => change.fail(TaskFailure::internal(
                "the server was shut down before the task ended; call the tool again",
            )),
            (How::Cancelled, _) => change.cancel(CANCELLED),
            // Being asked to stop, a cooperative tool says by an error that it did.
            (_, Some(said)) if task.cancel_requested() => change.cancel(said.as_str()),
            (How::Failed(failure), _) => change.fail(failure.clone()),
            (
                How::Completed {
                    result,
                    is_error,
                    text,
                },
                _,
            ) => {
                if let Some(text) = text {
                    change.message(Some(text.as_str().into()));
                }
                change.complete(result.clone(), *is_error)
            }
        })
    }
}

fn complete(output: &ToolOutput, tool: &str, payload_bytes: usize) -> How {
    let result = match output.to_payload() {
        Ok(result) => result,
        Err(error) => {
            let message = format!("the result of `{tool}` cannot be written as JSON: {error}");
            return How::Failed(TaskFailure::internal(message));
        }
    };
    let size = result.text().len();
    if size > payload_bytes {
        return too_large("result", size, tool, payload_bytes);
    }
    let text = output
        .is_error
        .then(|| output.joined_text())
        .filter(|text| !text.is_empty());
    How::Completed {
        result,
        is_error: output.is_error,
        text,
    }
}

fn failed(code: i64, message: String, data: Option<Value>, tool: &str, most: usize) -> How {
    let more = data.as_ref().map_or(0, |data| data.to_string().len());
    let size = message.len() + more;
    if size > most {
        return too_large("error", size, tool, most);
    }
    How::Failed(TaskFailure {
        code,
        message,
        data,
    })
}

fn too_large(what: &str, size: usize, tool: &str, most: usize) -> How {
    How::Failed(TaskFailure {
        data: Some(json!({ "limit": "payloadBytes", "max": most, "found": size })),
        ..TaskFailure::internal(format!(
            "the {what} of `{tool}` has {size} bytes; at most {most} are kept"
        ))
    })
}
