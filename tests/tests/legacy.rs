//! The life of a task in the legacy era, on a byte stream.

use std::path::Path;

use mcp_tasks_tests::{
    legacy::{initialize_params, request},
    stdio::StdioServer,
};
use serde_json::{Value, json};

/// A session that is past its handshake.
struct Session(StdioServer);

impl Session {
    fn open() -> Self {
        let mut server = StdioServer::start(
            Path::new(env!("CARGO_BIN_EXE_fixture-server")),
            &["--stdio"],
        );
        let reply = server.ask(&request(0, "initialize", initialize_params(json!({}))));
        let tasks = &reply["result"]["capabilities"]["tasks"];
        assert_eq!(
            tasks["requests"],
            json!({"tools": {"call": {}}}),
            "only tool calls can be tasks: {reply}"
        );
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        Self(server)
    }

    /// Sends a request and waits for its answer, past the notifications.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.0.send(&request(method, method, params));
        loop {
            let message = self.0.receive();
            if message["id"] == method {
                return message;
            }
            assert!(
                message["method"]
                    .as_str()
                    .is_some_and(|name| name.starts_with("notifications/")),
                "{message}"
            );
        }
    }

    fn start(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask(
            "tools/call",
            json!({"name": tool, "arguments": arguments, "task": {"ttl": 60_000}}),
        )["result"]
            .take()
    }

    fn ended(&mut self, id: &Value) -> Value {
        self.ask("tasks/result", json!({"taskId": id}));
        self.ask("tasks/get", json!({"taskId": id}))["result"].take()
    }
}

/// covers: T02-L, T05-L, T20-L
#[test]
fn a_handle_is_a_task_in_an_envelope_and_can_be_got_at_once() {
    let mut session = Session::open();
    let handle = session.start("slow_compute", json!({"seconds": 60}));
    let members: Vec<_> = handle
        .as_object()
        .expect("an object")
        .keys()
        .filter(|name| *name != "_meta")
        .collect();
    assert_eq!(members, ["task"]);
    let task = &handle["task"];
    assert_eq!(
        (&task["status"], &task["ttl"]),
        (&json!("working"), &json!(60_000))
    );
    let got = session.ask("tasks/get", json!({"taskId": task["taskId"]}))["result"].take();
    assert_eq!(
        (&got["taskId"], &got["createdAt"]),
        (&task["taskId"], &task["createdAt"])
    );
}

/// covers: T08-L
#[test]
fn getting_a_task_gives_its_status_and_nothing_of_its_outcome() {
    let mut session = Session::open();
    for (tool, arguments, status) in [
        ("slow_compute", json!({"seconds": 0}), "completed"),
        ("failing_job", json!({}), "failed"),
        ("protocol_error_job", json!({}), "failed"),
    ] {
        let id = session.start(tool, arguments)["task"]["taskId"].take();
        let task = session.ended(&id);
        assert_eq!(task["status"], status, "{task}");
        for member in [
            "result",
            "error",
            "inputRequests",
            "resultType",
            "ttlMs",
            "pollIntervalMs",
        ] {
            assert!(task.get(member).is_none(), "{member} in {task}");
        }
    }
}

/// covers: T11-L
#[test]
fn updating_a_task_is_no_method_of_this_era() {
    let mut session = Session::open();
    let reply = session.ask("tasks/update", json!({"taskId": "x", "inputResponses": {}}));
    assert_eq!(reply["error"]["code"], -32601, "{reply}");
}

/// covers: T13-L, F04
#[test]
fn cancelling_what_is_over_is_an_error_and_changes_nothing() {
    let mut session = Session::open();
    let id = session.start("slow_compute", json!({"seconds": 0}))["task"]["taskId"].take();
    let before = session.ended(&id);
    let reply = session.ask("tasks/cancel", json!({"taskId": id}));
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
    assert_eq!(session.ended(&id), before);

    let id = session.start("failing_job", json!({}))["task"]["taskId"].take();
    session.ended(&id);
    let reply = session.ask("tasks/cancel", json!({"taskId": id}));
    assert_eq!(
        reply["error"]["message"], "the task is already failed",
        "{reply}"
    );
}

/// covers: L-TTL-1
#[test]
fn a_ttl_is_lowered_to_the_ceiling_however_large_it_is() {
    let mut session = Session::open();
    for ttl in [json!(1e15), json!(u64::MAX), json!(1e18), json!(1e30)] {
        let reply = session.ask(
            "tools/call",
            json!({"name": "slow_compute", "arguments": {"seconds": 0}, "task": {"ttl": ttl}}),
        );
        assert_eq!(reply["result"]["task"]["ttl"], 86_400_000, "{ttl}: {reply}");
    }
    for ttl in [json!(-1), json!(0.5), json!("60000"), json!(null)] {
        let reply = session.ask(
            "tools/call",
            json!({"name": "slow_compute", "arguments": {"seconds": 0}, "task": {"ttl": ttl}}),
        );
        assert_eq!(reply["error"]["code"], -32602, "{ttl}: {reply}");
    }
}

/// covers: L-TOL-1
#[test]
fn members_that_nobody_knows_are_passed_over() {
    let mut session = Session::open();
    let id = session.start("slow_compute", json!({"seconds": 60}))["task"]["taskId"].take();
    let with_more = |id: &Value| json!({"taskId": id, "task": {}, "later": [1], "_meta": {"x": 1}});
    assert_eq!(
        session.ask("tasks/get", with_more(&id))["result"]["status"],
        "working"
    );
    assert_eq!(
        session.ask("tasks/cancel", with_more(&id))["result"]["status"],
        "cancelled"
    );
    assert!(session.ask("tasks/result", with_more(&id))["error"].is_object());
    let listed = session.ask("tasks/list", json!({"task": {}, "later": true}));
    assert_eq!(listed["result"]["tasks"][0]["taskId"], id);
}
