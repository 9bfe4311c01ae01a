//! Tasks and results as the legacy era writes them.

use crate::{
    JsonObject,
    task::{Outcome, Status, Task},
    tool::ToolDescriptor,
};

/// The longest text of a tool's error that is repeated as the status message.
const MESSAGE: usize = 2_000;

/// The member of a tool's `_meta` with the text that the model gets while the task runs.
pub(crate) const IMMEDIATE: &str = "io.modelcontextprotocol/model-immediate-response";

/// A task: its state without the result.
pub(super) fn task(task: &Task) -> JsonObject {
    let mut object = JsonObject::new();
    object.insert("taskId".into(), task.id().as_str().into());
    object.insert("status".into(), status(task).as_str().into());
    if let Some(message) = message(task) {
        object.insert("statusMessage".into(), message.into());
    }
    object.insert("createdAt".into(), task.created_at().to_string().into());
    object.insert(
        "lastUpdatedAt".into(),
        task.last_updated_at().to_string().into(),
    );
    object.insert("ttl".into(), task.ttl_ms().into());
    if let Some(interval) = task.poll_interval_ms() {
        object.insert("pollInterval".into(), interval.into());
    }
    object
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
    if text.len() > MESSAGE {
        let end = (0..=MESSAGE)
            .rev()
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(0);
        text.truncate(end);
        text.push('…');
    }
    text
}

/// `CreateTaskResult`.
pub(super) fn created(created: &Task, tool: &ToolDescriptor) -> JsonObject {
    let mut object = JsonObject::new();
    object.insert("task".into(), task(created).into());
    if let Some(text) = tool.meta.as_ref().and_then(|meta| meta.get(IMMEDIATE)) {
        let mut meta = JsonObject::new();
        meta.insert(IMMEDIATE.into(), text.clone());
        object.insert("_meta".into(), meta.into());
    }
    object
}
