//! From what a tool gave to how its task ended.

use std::any::Any;

use serde_json::json;

use crate::{
    task::{Change, Payload, Task, TaskFailure},
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

/// Applies the end of a run to a task's last change. `None` leaves the task unfinished.
pub(super) fn apply(
    ended: &Ended,
    task: &Task,
    change: Change,
    payload_bytes: usize,
    rerun: bool,
) -> Option<Task> {
    let tool = task.call().tool.as_str();
    let next = match ended {
        Ended::Returned(Ok(output)) => complete(output.clone(), change, tool, payload_bytes),
        // Being asked to stop, a cooperative tool says by an error that it did.
        Ended::Returned(Err(error)) if task.cancel_requested() => change.cancel(match error {
            ToolError::Tool(output) => output.joined_text(),
            ToolError::Protocol { message, .. } => message.clone(),
        }),
        Ended::Returned(Err(ToolError::Tool(output))) => {
            let output = ToolOutput {
                is_error: true,
                ..(**output).clone()
            };
            complete(output, change, tool, payload_bytes)
        }
        Ended::Returned(Err(ToolError::Protocol {
            code,
            message,
            data,
        })) => change.fail(TaskFailure {
            code: *code,
            message: message.clone(),
            data: data.clone(),
        }),
        Ended::Panicked(_) => change.fail(panic_failure(tool)),
        Ended::Cancelled => change.cancel(CANCELLED),
        Ended::TimedOut(limit) => change.fail(timeout_failure(tool, *limit)),
        Ended::Halted if rerun => return None,
        Ended::Halted => change.fail(TaskFailure::internal(
            "the server was shut down before the task ended; call the tool again",
        )),
    };
    Some(next)
}

/// The message of a task that was called off.
pub(super) const CANCELLED: &str = "cancelled on the client's request";

fn complete(output: ToolOutput, mut change: Change, tool: &str, payload_bytes: usize) -> Task {
    let is_error = output.is_error;
    let text = is_error
        .then(|| output.joined_text())
        .filter(|text| !text.is_empty());
    let payload = match Payload::of(&output.into_object()) {
        Ok(payload) => payload,
        Err(error) => {
            let message = format!("the result of `{tool}` cannot be written as JSON: {error}");
            return change.fail(TaskFailure::internal(message));
        }
    };
    let size = payload.text().len();
    if size > payload_bytes {
        let message =
            format!("the result of `{tool}` has {size} bytes; at most {payload_bytes} are kept");
        return change.fail(TaskFailure {
            data: Some(json!({ "limit": "payloadBytes", "max": payload_bytes, "found": size })),
            ..TaskFailure::internal(message)
        });
    }
    if let Some(text) = text {
        change.message(Some(text.into()));
    }
    change.complete(payload, is_error)
}
