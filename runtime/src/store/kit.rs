//! What the tests of the stores have in common.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use serde_json::json;

use crate::task::{Call, NewTask, Payload, Principal, Task, TaskId, Timestamp};

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

/// A new task with so many bytes of arguments.
pub(super) fn task(id: &str, owner: Option<&str>, bytes: usize) -> Arc<Task> {
    Arc::new(Task::new(NewTask {
        id: TaskId::from(id),
        owner: owner.map(Principal::from),
        call: Call {
            tool: "t".into(),
            arguments: Payload::of(&json!({"text": "x".repeat(bytes)})).unwrap(),
            answers: Payload::of(&json!({})).unwrap(),
            can_ask: Default::default(),
            cooperative: false,
        },
        created_at: NOW,
        ttl_ms: None,
        expires_at: None,
        poll_interval_ms: None,
        worker: Some("w".into()),
        status_message: None,
        kept: Default::default(),
    }))
}
