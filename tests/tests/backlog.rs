//! A server that starts with very many unfinished tasks in its file.
#![cfg(target_os = "linux")]

use std::{sync::Arc, time::Duration};

use futures_util::future::join_all;
use mcp_tasks::{
    store::{SqliteStore, TaskStore},
    task::{Call, NewTask, Payload, Task, TaskId, Timestamp},
};
use mcp_tasks_tests::process::Process;
use rusqlite::Connection;
use serde_json::json;

const SERVER: &str = env!("CARGO_BIN_EXE_fixture-server");
const TASKS: usize = 100_000;
const RUNNING: i64 = 50;
const ENDED: i64 = 200;
/// Linux counts processor time in hundredths of a second.
const TICKS: f64 = 100.0;

/// A task that a process of the past began and did not end.
fn abandoned(number: usize) -> Arc<Task> {
    let json = |value| Payload::of(&value).expect("JSON");
    Arc::new(Task::new(NewTask {
        id: TaskId::random().expect("random bytes"),
        owner: None,
        call: Call {
            tool: "durable_report".to_owned(),
            arguments: json(json!({"name": format!("{number}"), "questions": 0, "pause": 5})),
            answers: json(json!({})),
            can_ask: Default::default(),
            cooperative: false,
        },
        created_at: Timestamp::from_millis(1_800_000_000_000),
        ttl_ms: None,
        expires_at: None,
        poll_interval_ms: None,
        worker: Some("gone".into()),
        status_message: None,
        kept: Default::default(),
    }))
}

/// Seconds of processor time that a process has had.
fn processor_time(pid: u32) -> f64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process lives");
    // Behind the name, which may hold blanks.
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    let ticks = |at| {
        fields
            .split_whitespace()
            .nth(at)
            .and_then(|n| n.parse::<f64>().ok())
    };
    (ticks(11).expect("user time") + ticks(12).expect("system time")) / TICKS
}

/// Taken up and unfinished; ended.
fn counts(file: &Connection) -> (i64, i64) {
    let (left, unfinished): (i64, i64) = file
        .query_row(
            "SELECT count(*) FILTER (WHERE worker = 'gone'), count(*) FROM tasks WHERE status IN ('working', 'input_required')",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .expect("counts");
    (unfinished - left, TASKS as i64 - unfinished)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_unfinished_tasks_do_not_hold_up_the_first_request() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tasks.db");
    let last = {
        let store = SqliteStore::open(&path).expect("a store");
        let tasks: Vec<_> = (0..TASKS).map(abandoned).collect();
        let last = tasks[TASKS - 1].id().to_string();
        for stored in join_all(tasks.into_iter().map(|task| store.create(task))).await {
            stored.expect("stored");
        }
        last
    };

    let running = format!("--running={RUNNING}");
    let log = folder.path().join("log");
    let server = Process::start(&[], SERVER, &path, &log, &[&running]).expect("a server");
    let reply = server
        .client()
        .send("tasks/get", json!({"taskId": last}))
        .await;
    let used = processor_time(server.pid());
    assert_eq!(reply.result()["taskId"], last);
    assert!(
        used < 2.0,
        "{used} s of processor time before the first answer"
    );
    eprintln!("first answer after {used} s of processor time");

    let file = Connection::open(&path).expect("the file");
    loop {
        let (running, ended) = counts(&file);
        assert!(running <= RUNNING, "{running} tasks run at once");
        if ended >= ENDED {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await; // the pace of looking at another process
    }
    let ended: i64 = file
        .query_row(
            "SELECT count(*) FROM tasks WHERE status NOT IN ('working', 'input_required', 'completed')",
            [],
            |row| row.get(0),
        )
        .expect("a count");
    assert_eq!(ended, 0, "all that ended were completed");
}
