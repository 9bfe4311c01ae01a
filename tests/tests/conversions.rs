//! A task of one revision as a task of the other, by the conversions that the generator writes.

use mcp_tasks_types::{ext_tasks, v2025_11_25};
use serde_json::{Value, json};

fn legacy(task: Value) -> v2025_11_25::Task {
    serde_json::from_value(task).expect("a task of 2025-11-25")
}

#[test]
fn a_task_goes_to_the_other_revision_and_back_unchanged() {
    let task = json!({
        "createdAt": "2026-01-02T03:04:05Z", "lastUpdatedAt": "2026-01-02T03:04:06Z", "taskId": "t1",
        "status": "working", "statusMessage": "half way", "ttl": 60000, "pollInterval": 500, "x-note": [1],
    });
    let modern = ext_tasks::Task::try_from(legacy(task.clone())).expect("it fits");
    assert_eq!(
        (modern.ttl_ms, modern.poll_interval_ms),
        (Some(60_000), Some(500))
    );
    let wire = serde_json::to_value(&modern).expect("it is encoded");
    assert_eq!(wire["ttlMs"], 60000);
    assert!(wire.get("ttl").is_none(), "{wire}");
    let back = v2025_11_25::Task::from(modern);
    assert_eq!(serde_json::to_value(back).expect("it is encoded"), task);
}

#[test]
fn a_lifetime_without_end_stays_one() {
    let task = json!({
        "createdAt": "2026-01-02T03:04:05Z", "lastUpdatedAt": "2026-01-02T03:04:05Z", "taskId": "t1",
        "status": "completed", "ttl": null,
    });
    let modern = ext_tasks::Task::try_from(legacy(task)).expect("it fits");
    let wire = serde_json::to_value(&modern).expect("it is encoded");
    assert_eq!(wire.get("ttlMs"), Some(&Value::Null));
    assert!(wire.get("pollIntervalMs").is_none(), "{wire}");
}

#[test]
fn a_number_that_the_other_revision_does_not_take_is_named() {
    let task = json!({
        "createdAt": "2026-01-02T03:04:05Z", "lastUpdatedAt": "2026-01-02T03:04:05Z", "taskId": "t1",
        "status": "working", "ttl": 9_007_199_254_740_993_i64,
    });
    let error = ext_tasks::Task::try_from(legacy(task)).expect_err("past 2^53");
    assert_eq!(error.member(), "ttl");
    assert!(
        error.to_string().contains("at most 9007199254740991"),
        "{error}"
    );
}
