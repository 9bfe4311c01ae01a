//! Tasks and results as the legacy era writes them.

use crate::{
    JsonObject,
    protocol::{millis, wire_status},
    task::{Outcome, Status, Task, shorten},
    tool::ToolDescriptor,
    types::v2025_11_25::{
        CancelTaskResult, CreateTaskResult, GetTaskResult, Task as WireTask,
        TaskStatusNotificationParams, keys::MODEL_IMMEDIATE_RESPONSE,
    },
};

/// The longest text of a tool's error that is repeated as the status message.
const MESSAGE: usize = 2_000;

/// Makes one of the types that hold a task and nothing else.
macro_rules! form {
    ($form:ident, $task:expr) => {{
        let task: &Task = $task;
        let mut form = $form::new(
            task.created_at().to_string(),
            task.last_updated_at().to_string(),
            wire_status(status(task)),
            task.id().as_str(),
            task.ttl_ms().map(millis),
        );
        form.poll_interval = task.poll_interval_ms().map(millis);
        form.status_message = message(task);
        form
    }};
}

/// A call's result. This era allows only objects as `structuredContent`; another value is in the text already.
pub(super) fn result(mut members: JsonObject) -> JsonObject {
    if members
        .get("structuredContent")
        .is_some_and(|content| !content.is_object())
    {
        members.remove("structuredContent");
    }
    members
}

/// A task: its state without the result.
pub(super) fn task(task: &Task) -> WireTask {
    form!(WireTask, task)
}

/// What `tasks/get` gives.
pub(super) fn got(task: &Task) -> GetTaskResult {
    form!(GetTaskResult, task)
}

/// What `tasks/cancel` gives.
pub(super) fn cancelled(task: &Task) -> CancelTaskResult {
    form!(CancelTaskResult, task)
}

/// What `notifications/tasks/status` holds.
pub(super) fn told(task: &Task) -> TaskStatusNotificationParams {
    form!(TaskStatusNotificationParams, task)
}

/// The status: a tool's error makes a task `failed` here.
pub(super) fn status(task: &Task) -> Status {
    match task.outcome() {
        Some(Outcome::Completed { is_error: true, .. }) => Status::Failed,
        _ => task.status(),
    }
}

/// The status message. Clients stop at `failed` and show it, so it holds the text of a tool's error.
fn message(task: &Task) -> Option<String> {
    if let Some(Outcome::Completed {
        is_error: true,
        result,
    }) = task.outcome()
    {
        let text = error_text(&result.to_object());
        if !text.is_empty() {
            return Some(text);
        }
    }
    task.status_message().map(str::to_owned)
}

fn error_text(result: &JsonObject) -> String {
    let blocks = result.get("content").and_then(|content| content.as_array());
    let texts: Vec<&str> = blocks
        .into_iter()
        .flatten()
        .filter_map(|block| block.get("text").and_then(|text| text.as_str()))
        .collect();
    let mut text = texts.join("\n");
    shorten(&mut text, MESSAGE);
    text
}

/// The handle.
pub(super) fn created(created: &Task, tool: &ToolDescriptor) -> CreateTaskResult {
    let mut result = CreateTaskResult::new(task(created));
    if let Some(text) = tool
        .meta
        .as_ref()
        .and_then(|meta| meta.get(MODEL_IMMEDIATE_RESPONSE))
    {
        let mut meta = JsonObject::new();
        meta.insert(MODEL_IMMEDIATE_RESPONSE.into(), text.clone());
        result.meta = Some(meta);
    }
    result
}
