//! Tasks and results as the modern era writes them.

use serde_json::{Value, json};

use crate::{
    JsonObject,
    context::InputRequest,
    task::{Outcome, Question, Task},
};

/// The members that every form of a task has.
fn base(task: &Task) -> JsonObject {
    let mut object = JsonObject::new();
    object.insert("taskId".into(), task.id().as_str().into());
    object.insert("status".into(), task.status().as_str().into());
    if let Some(message) = task.status_message() {
        object.insert("statusMessage".into(), message.into());
    }
    object.insert("createdAt".into(), task.created_at().to_string().into());
    object.insert(
        "lastUpdatedAt".into(),
        task.last_updated_at().to_string().into(),
    );
    object.insert("ttlMs".into(), task.ttl_ms().into());
    if let Some(interval) = task.poll_interval_ms() {
        object.insert("pollIntervalMs".into(), interval.into());
    }
    object
}

/// The handle: `CreateTaskResult`, which holds neither questions nor outcome.
pub(super) fn handle(task: &Task) -> JsonObject {
    let mut object = base(task);
    object.insert("resultType".into(), "task".into());
    object
}

/// The whole task, as `tasks/get` and `notifications/tasks` give it.
pub(super) fn detailed(task: &Task) -> JsonObject {
    let mut object = base(task);
    match task.outcome() {
        None => {
            let requests = questions(task.input_requests());
            if !requests.is_empty() {
                object.insert("inputRequests".into(), requests.into());
            }
        }
        Some(Outcome::Completed { result, .. }) => {
            let mut result = result.to_object();
            result
                .entry("resultType")
                .or_insert_with(|| "complete".into());
            object.insert("result".into(), result.into());
        }
        Some(Outcome::Failed(error)) => {
            let mut shown = json!({ "code": error.code, "message": error.message });
            if let Some(data) = &error.data {
                shown["data"] = data.clone();
            }
            object.insert("error".into(), shown);
        }
        Some(Outcome::Cancelled) => {}
    }
    object
}

/// `inputRequests` of some questions.
pub(super) fn questions<'a>(questions: impl Iterator<Item = &'a Question>) -> JsonObject {
    questions
        .map(|question| (question.key.clone(), request(&question.request)))
        .collect()
}

fn request(request: &InputRequest) -> Value {
    let params = request.params.clone().unwrap_or_default();
    json!({ "method": request.method, "params": params })
}

/// The result that asks for input before the call can go on.
pub(super) fn input_required(requests: JsonObject, state: String) -> JsonObject {
    let mut object = JsonObject::new();
    object.insert("resultType".into(), "input_required".into());
    object.insert("inputRequests".into(), requests.into());
    object.insert("requestState".into(), state.into());
    object
}
