//! What can happen to the file of tasks, seen by the clients of a real server process.
#![cfg(unix)]

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use mcp_tasks::store::SqliteStore;
use mcp_tasks_tests::{modern::Client, process::Process};
use serde_json::{Value, json};
use tempfile::TempDir;

const SERVER: &str = env!("CARGO_BIN_EXE_fixture-server");

/// Mounts the folder of its first argument anew, as in `$MOUNT`, and runs the rest. Nobody else sees the mount.
const READ_ONLY: &str = r#"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@""#;
const TINY: &str = r#"mount -t tmpfs -o size=1m tasks "$0" && exec "$@""#;
/// No file may be longer than 512 KiB; a write that fails says so instead of ending the process.
const SHORT_FILES: &str = r#"trap "" XFSZ && ulimit -f 1024 && exec "$0" "$@""#;

struct Place {
    folder: TempDir,
    logs: TempDir,
}

impl Place {
    fn new() -> Self {
        let folder = || tempfile::tempdir().expect("a folder");
        Self {
            folder: folder(),
            logs: folder(),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("tasks.db")
    }

    fn start(&self, wrapped: &[&str], more: &[&str]) -> Result<Process, String> {
        let log = tempfile::Builder::new()
            .tempfile_in(self.logs.path())
            .expect("a log");
        let (_, log) = log.keep().expect("a log");
        Process::start(wrapped, SERVER, &self.file(), &log, more)
    }

    /// What a server says that does not start.
    fn refusal(&self, wrapped: &[&str]) -> String {
        match self.start(wrapped, &[]) {
            Err(said) => said,
            Ok(process) => panic!("it serves: {}", process.log()),
        }
    }
}

/// Whether this user may make mounts that only its children see. Says so if not.
fn can_mount(folder: &Path) -> bool {
    let tried = Command::new("unshare")
        .args(["-rm", "mount", "-t", "tmpfs", "none"])
        .arg(folder)
        .output();
    let can = tried.as_ref().is_ok_and(|tried| tried.status.success());
    if !can {
        eprintln!("SKIPPED: this system allows no mounts to unprivileged users: {tried:?}");
    }
    can
}

async fn report(client: &Client, name: &str, questions: usize) -> Result<String, Value> {
    let arguments = json!({"name": name, "questions": questions, "pause": 0});
    let reply = client.call("durable_report", arguments).await;
    match reply.message["result"]["taskId"].as_str() {
        Some(id) => Ok(id.to_owned()),
        None => Err(reply.message["error"].clone()),
    }
}

fn text(task: &Value) -> &str {
    task["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text in {task}"))
}

#[test]
fn a_file_of_a_newer_release_is_refused_by_its_number() {
    let place = Place::new();
    drop(SqliteStore::open(place.file()).expect("a store"));
    rusqlite::Connection::open(place.file())
        .and_then(|file| file.pragma_update(None, "user_version", 99))
        .expect("a newer file");
    let said = place.refusal(&[]);
    assert!(
        said.contains("has format 99") && said.contains("use a newer release"),
        "{said}"
    );
}

#[test]
fn garbage_in_the_file_is_named() {
    let place = Place::new();
    std::fs::write(place.file(), [0xa5; 10_000]).expect("a file");
    let said = place.refusal(&[]);
    assert!(
        said.contains("tasks.db is damaged") && said.contains("restore a backup"),
        "{said}"
    );
}

#[test]
fn a_read_only_directory_is_named() {
    let place = Place::new();
    if !can_mount(place.folder.path()) {
        return;
    }
    let folder = place.folder.path().display().to_string();
    let read_only = ["unshare", "-rm", "sh", "-c", READ_ONLY, &folder];
    let new = place.refusal(&read_only);
    drop(SqliteStore::open(place.file()).expect("a store"));
    for said in [new, place.refusal(&read_only)] {
        assert!(
            said.contains("cannot be written") && said.contains("check the permissions"),
            "{said}"
        );
    }
}

#[test]
fn a_read_only_file_is_named_when_the_server_starts() {
    let place = Place::new();
    if !can_mount(place.folder.path()) {
        return;
    }
    drop(SqliteStore::open(place.file()).expect("a store"));
    let file = place.file().display().to_string();
    let said = place.refusal(&["unshare", "-rm", "sh", "-c", READ_ONLY, &file]);
    assert!(
        said.contains("tasks.db cannot be written: it may only be read"),
        "{said}"
    );
}

/// What a client is told when its task is not stored. It never has the file's name, which the log has.
async fn refused(server: &Process, place: &Place) -> String {
    let error = report(&server.client(), "late", 0).await;
    let error = error.expect_err("nothing is acknowledged");
    let said = error["message"].as_str().expect("a message").to_owned();
    let name = place.file().display().to_string();
    assert!(!error.to_string().contains(&name), "{error}");
    assert!(server.log().contains(&name), "{}", server.log());
    said
}

#[tokio::test]
async fn a_file_that_is_deleted_under_a_server_takes_no_more_tasks() {
    let place = Place::new();
    let server = place.start(&[], &[]).expect("a server");
    let client = server.client();
    let id = report(&client, "early", 0).await.expect("a task");
    client.settle(&id).await;
    std::fs::remove_file(place.file()).expect("a file");
    let said = refused(&server, &place).await;
    assert!(said.contains("does not work at the moment"), "{said}");
    assert!(
        server.log().contains("was deleted, moved or replaced"),
        "{}",
        server.log()
    );
    // What it knows it still tells.
    assert_eq!(client.settle(&id).await["status"], "completed");
}

#[tokio::test]
async fn without_the_index_of_the_log_two_servers_do_not_write_over_each_other() {
    let place = Place::new();
    let one = place.start(&[], &[]).expect("a server");
    report(&one.client(), "early", 0).await.expect("a task");
    std::fs::remove_file(place.folder.path().join("tasks.db-shm")).expect("an index");
    let two = place.start(&[], &[]).expect("another one");
    let id = report(&two.client(), "late", 1).await.expect("a task");
    refused(&one, &place).await;
    two.client().settle(&id).await;
    // It is killed.
    drop(two);
    // Nor does one that ends well fold in the log as it knows it.
    assert_eq!(one.terminate(), Some(0));
    let server = place.start(&[], &["--lease=100"]).expect("a server");
    let task = server.client().settle(&id).await;
    assert_eq!(task["status"], "input_required", "{task}");
}

#[tokio::test]
async fn a_file_that_another_process_locks_is_busy() {
    let place = Place::new();
    let server = place.start(&[], &[]).expect("a server");
    let other = rusqlite::Connection::open(place.file()).expect("a file");
    other.execute_batch("BEGIN IMMEDIATE").expect("a lock");
    let said = refused(&server, &place).await;
    assert!(
        said.contains("busy") && said.contains("try again"),
        "{said}"
    );
    other.execute_batch("COMMIT").expect("no lock");
    report(&server.client(), "later", 0).await.expect("a task");
}

/// Fills the place where tasks are kept: what was acknowledged stays, and the rest is refused with a reason.
async fn fill(wrapped: &[&str], place: &Place, reason: &str) {
    let server = place.start(wrapped, &[]).expect("a server");
    let client = server.client();
    let first = report(&client, "first", 1).await.expect("a task");
    let mut made = Vec::new();
    let refused = loop {
        assert!(made.len() < 200, "the store is never full");
        match report(&client, &"x".repeat(50_000), 1).await {
            Ok(id) => made.push(id),
            Err(error) => break error,
        }
    };
    assert!(!made.is_empty());
    assert!(refused["code"].is_i64(), "{refused}");
    let said = format!("{refused} {}", server.log());
    assert!(said.contains(reason), "{said}");
    for id in made.iter().chain([&first]) {
        let reply = client.send("tasks/get", json!({"taskId": id})).await;
        // It may have ended meanwhile: a tool whose question cannot be stored is told so.
        assert_eq!(reply.result()["taskId"], *id);
    }
}

#[tokio::test]
async fn a_full_disk_refuses_new_tasks_and_keeps_the_old_ones() {
    let place = Place::new();
    if !can_mount(place.folder.path()) {
        return;
    }
    let folder = place.folder.path().display().to_string();
    let tiny = ["unshare", "-rm", "sh", "-c", TINY, &folder];
    fill(&tiny, &place, "is full: database or disk is full").await;
}

#[tokio::test]
async fn a_limit_to_the_files_size_refuses_new_tasks_and_keeps_the_old_ones() {
    let place = Place::new();
    let limited = ["sh", "-c", SHORT_FILES];
    fill(&limited, &place, "the file has reached a size limit").await;
    // Without the limit the next server takes up what was acknowledged, and there is room again.
    let server = place.start(&[], &["--lease=100"]).expect("a server");
    report(&server.client(), &"x".repeat(600_000), 1)
        .await
        .expect("a task");
}

#[tokio::test]
async fn two_servers_on_one_file_serve_each_others_tasks() {
    let place = Place::new();
    let one = place.start(&[], &["--lease=300"]).expect("a server");
    let two = place.start(&[], &["--lease=300"]).expect("another one");
    let (here, there) = (one.client(), two.client());
    for round in 0..5 {
        let name = format!("report-{round}");
        let id = report(&here, &name, 1).await.expect("a task");
        let asked = there.settle(&id).await;
        assert_eq!(asked["status"], "input_required", "{asked}");
        let requests = asked["inputRequests"].as_object().expect("questions");
        let key = requests.keys().next().expect("a question").clone();
        let answer = json!({"action": "accept", "content": {"value": "yes"}});
        let answers = json!({"taskId": id, "inputResponses": {key: answer}});
        there.send("tasks/update", answers).await.result();
        let task = there.settle(&id).await;
        let said: Vec<&str> = text(&task).split(' ').collect();
        assert_eq!(said[0], name);
        assert_eq!(said[2], one.pid().to_string(), "it ran where it began");
        assert_eq!(said[3], "yes");
    }
    let id = report(&here, "called off", 1).await.expect("a task");
    let cancel = there.send("tasks/cancel", json!({"taskId": id})).await;
    cancel.result();
    for client in [&here, &there] {
        assert_eq!(client.settle(&id).await["status"], "cancelled");
    }
}

#[tokio::test]
async fn a_server_that_is_asked_to_end_leaves_one_file_and_what_it_said() {
    let place = Place::new();
    let server = place.start(&[], &[]).expect("a server");
    let client = server.client();
    let over = report(&client, "over", 0).await.expect("a task");
    let over_as = client.settle(&over).await;
    let waits = report(&client, "waits", 1).await.expect("a task");
    client.settle(&waits).await;
    assert_eq!(server.terminate(), Some(0));
    let left = std::fs::read_dir(place.folder.path()).expect("a folder");
    let left: Vec<_> = left.map(|file| file.expect("a file").file_name()).collect();
    assert_eq!(left, ["tasks.db"]);

    let server = place.start(&[], &[]).expect("a server");
    let client = server.client();
    assert_eq!(client.settle(&over).await["result"], over_as["result"]);
    // Its lease was given back, so that nobody waits for it to run out.
    let asked = client.settle(&waits).await;
    assert_eq!(asked["status"], "input_required", "{asked}");
    let key = asked["inputRequests"]
        .as_object()
        .expect("questions")
        .keys()
        .next();
    let answer = json!({"action": "accept", "content": {"value": "yes"}});
    let answers =
        json!({"taskId": waits, "inputResponses": {key.expect("a question").as_str(): answer}});
    client.send("tasks/update", answers).await.result();
    let task = client.settle(&waits).await;
    assert!(text(&task).starts_with("waits "), "{task}");
}
