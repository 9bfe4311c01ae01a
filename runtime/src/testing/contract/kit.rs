//! What the cases share: tasks, steps and the way to say what went wrong.

use std::sync::Arc;

use serde_json::json;

use crate::{
    context::{InputKinds, InputRequest},
    store::{StoreError, Swap, TaskStore},
    task::{Call, NewTask, Payload, Principal, Task, TaskId, Timestamp, WorkerId},
};

/// Passed, or what happened instead.
pub(super) type Case = Result<(), String>;

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

pub(super) fn later(millis: u64) -> Timestamp {
    NOW.after_millis(millis)
}

pub(super) fn oops(error: StoreError) -> String {
    format!("it fails with \"{error}\"")
}

pub(super) fn ensure(holds: bool, otherwise: impl Into<String>) -> Case {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

pub(super) fn request(message: &str) -> InputRequest {
    let params =
        json!({"message": message, "requestedSchema": {"type": "object", "properties": {}}});
    InputRequest {
        method: "elicitation/create".to_owned(),
        params: params.as_object().cloned(),
    }
}

/// A task in which every member has a value.
pub(super) fn task(id: &str, owner: Option<&str>, created: Timestamp, ttl: Option<u64>) -> Task {
    let text = r#"{"text":"snow \u2603 \" \\ 雪","n":1.50,"big":9007199254740993,"null":null}"#;
    // Constant JSON, and numbers that a careless store would change.
    let payload =
        |text: &str| Payload::from_text(text.to_owned()).unwrap_or_else(|e| panic!("{e}"));
    Task::new(NewTask {
        id: TaskId::from(id),
        owner: owner.map(Principal::from),
        call: Call {
            tool: "tool with 'quotes'".to_owned(),
            arguments: payload(text),
            answers: payload(r#"{"name":{"first":"A"}}"#),
            can_ask: InputKinds {
                form: true,
                roots: true,
                ..InputKinds::default()
            },
            cooperative: true,
        },
        created_at: created,
        ttl_ms: ttl,
        expires_at: ttl.map(|ttl| created.after_millis(ttl)),
        poll_interval_ms: Some(1500),
        worker: Some(WorkerId::from("worker-1")),
        status_message: Some("began".into()),
        kept: [("seed".to_owned(), json!(7))].into(),
    })
}

pub(super) async fn put(store: &Arc<dyn TaskStore>, task: Task) -> Result<Arc<Task>, String> {
    let task = Arc::new(task);
    store.create(Arc::clone(&task)).await.map_err(oops)?;
    Ok(task)
}

pub(super) async fn get(
    store: &Arc<dyn TaskStore>,
    id: &str,
    now: Timestamp,
) -> Result<Option<Arc<Task>>, String> {
    store.get(id, now).await.map_err(oops)
}

pub(super) async fn update(store: &Arc<dyn TaskStore>, task: Task) -> Result<Swap, String> {
    store.update(Arc::new(task)).await.map_err(oops)
}

pub(super) fn message(task: &Task, text: &str) -> Result<Task, String> {
    let mut change = task
        .change(later(5))
        .map_err(|terminal| terminal.to_string())?;
    change.message(Some(text.into()));
    change
        .commit()
        .ok_or_else(|| "the message did not change".to_owned())
}

pub(super) fn cancelled(task: &Task) -> Result<Task, String> {
    Ok(task
        .change(later(9))
        .map_err(|terminal| terminal.to_string())?
        .cancel("called off"))
}

pub(super) fn completed(task: &Task) -> Result<Task, String> {
    let result =
        Payload::of(&json!({"content": [], "n": 1.5})).map_err(|error| error.to_string())?;
    Ok(task
        .change(later(9))
        .map_err(|terminal| terminal.to_string())?
        .complete(result, true))
}
