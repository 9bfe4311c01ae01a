//! What is refused, over HTTP: each limit by its name, and the id of the request wherever it could be read.

use std::time::Duration;

use axum::body::Body;
use http::{Request, Response};
use serde_json::{Value, json};

use crate::{Limits, Server, server::limits::names_on_the_wire, transport::kit::*};

/// A legacy request in a session, if there is one yet.
fn legacy(session: Option<&str>, method: &str, params: Value) -> Request<Body> {
    let message = json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params});
    let mut request = post();
    if let Some(session) = session {
        request = request
            .header("mcp-session-id", session)
            .header("mcp-protocol-version", "2025-11-25");
    }
    request.body(Body::from(message.to_string())).unwrap()
}

fn initialize() -> Request<Body> {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}});
    legacy(None, "initialize", params)
}

async fn open_session(server: &Server) -> String {
    session_of(&send(server, initialize()).await)
}

async fn open_session_by(server: &Server, who: &str) -> String {
    session_of(&send(server, by(who, initialize())).await)
}

fn session_of(response: &Response<Body>) -> String {
    let id = response.headers()["mcp-session-id"].to_str().unwrap();
    id.to_owned()
}

/// GET of a session's own stream.
fn channel(session: &str) -> Request<Body> {
    Request::get("/mcp")
        .header("accept", "text/event-stream")
        .header("mcp-session-id", session)
        .body(Body::empty())
        .unwrap()
}

fn modern_request(method: &str, params: Value) -> Request<Body> {
    let message = modern(method, method, params, all());
    modern_post(&message)
        .body(Body::from(message.to_string()))
        .unwrap()
}

/// A call that stays a task until the test is over.
fn gate(label: &str) -> Value {
    json!({"name": "wait_at_gate", "arguments": {"label": label}})
}

fn as_task(mut params: Value) -> Value {
    params["task"] = json!({});
    params
}

/// The status, and the only message.
async fn one(response: Response<Body>) -> (u16, Value) {
    let reading = tokio::time::timeout(Duration::from_secs(30), read(response));
    let (status, mut messages) = reading.await.expect("the response ends");
    assert_eq!(messages.len(), 1, "{messages:?}");
    (status.as_u16(), messages.remove(0))
}

/// The requests that a server with one limit of this name at its lowest refuses, after some that it takes, and the status.
async fn over(name: &str) -> Vec<(u16, Value)> {
    let with = |adjust: fn(Limits) -> Limits| server_with(adjust).0;
    let mut refused = Vec::new();
    match name {
        "tasks" | "tasksPerPrincipal" => {
            let server = match name {
                "tasks" => with(|limits| limits.tasks(1)),
                _ => with(|limits| limits.tasks_per_principal(1)),
            };
            let session = open_session_by(&server, "alice").await;
            let first = by("alice", modern_request("tools/call", gate("first")));
            assert!(one(send(&server, first).await).await.1["result"]["taskId"].is_string());
            let again = by("alice", modern_request("tools/call", gate("again")));
            refused.push(one(send(&server, again).await).await);
            let old = legacy(Some(&session), "tools/call", as_task(gate("old")));
            refused.push(one(send(&server, by("alice", old)).await).await);
        }
        "storedTasks" | "storedTasksPerPrincipal" => {
            let server = match name {
                "storedTasks" => with(|limits| limits.stored_tasks(1)),
                _ => with(|limits| limits.stored_tasks_per_principal(1)),
            };
            let session = open_session_by(&server, "alice").await;
            let ended = by(
                "alice",
                modern_request("tools/call", json!({"name": "failing_job"})),
            );
            assert!(one(send(&server, ended).await).await.1["result"]["taskId"].is_string());
            let again = by("alice", modern_request("tools/call", gate("again")));
            refused.push(one(send(&server, again).await).await);
            let old = legacy(Some(&session), "tools/call", as_task(gate("old")));
            refused.push(one(send(&server, by("alice", old)).await).await);
        }
        "storedBytes" | "storedBytesPerPrincipal" => {
            let server = match name {
                "storedBytes" => with(|limits| limits.stored_bytes(5000)),
                _ => with(|limits| limits.stored_bytes_per_principal(5000)),
            };
            let session = open_session_by(&server, "alice").await;
            let large = || gate(&"x".repeat(3000));
            let first = by("alice", modern_request("tools/call", large()));
            assert!(one(send(&server, first).await).await.1["result"]["taskId"].is_string());
            let again = by("alice", modern_request("tools/call", large()));
            refused.push(one(send(&server, again).await).await);
            let old = legacy(Some(&session), "tools/call", as_task(large()));
            refused.push(one(send(&server, by("alice", old)).await).await);
        }
        "calls" | "callsPerPrincipal" => {
            let (server, door) = match name {
                "calls" => server_with(|limits| limits.calls(1)),
                _ => server_with(|limits| limits.calls_per_principal(1)),
            };
            let session = open_session_by(&server, "alice").await;
            let plain = || {
                let message = modern(1, "tools/call", gate("x"), json!({}));
                let request = modern_post(&message).body(Body::from(message.to_string()));
                by("alice", request.unwrap())
            };
            let first = send(&server, plain());
            tokio::pin!(first);
            tokio::select! {
                reply = &mut first => panic!("the gate is closed: {reply:?}"),
                () = door.arrived.notified() => {}
            }
            assert_eq!(server.open_calls(), 1);
            refused.push(one(send(&server, plain()).await).await);
            let old = legacy(Some(&session), "tools/call", gate("old"));
            refused.push(one(send(&server, by("alice", old)).await).await);
            door.open();
            assert!(one(first.await).await.1["result"].is_object());
            assert_eq!(server.open_calls(), 0);
        }
        "messageBytes" => {
            let server = with(|limits| limits.message_bytes(2000));
            let long = "x".repeat(3000);
            refused.push(one(send(&server, modern_request("tools/call", gate(&long))).await).await);
        }
        "payloadBytes" => {
            let server = with(|limits| limits.payload_bytes(100));
            let session = open_session(&server).await;
            let call = gate(&"x".repeat(200));
            refused
                .push(one(send(&server, modern_request("tools/call", call.clone())).await).await);
            let old = legacy(Some(&session), "tools/call", as_task(call));
            refused.push(one(send(&server, old).await).await);
        }
        "streams" | "streamsPerPrincipal" => {
            let server = match name {
                "streams" => with(|limits| limits.streams(0)),
                _ => with(|limits| limits.streams_per_principal(0)),
            };
            let session = open_session_by(&server, "alice").await;
            let get = by("alice", channel(&session));
            refused.push(one(send(&server, get).await).await);
            let listen = modern_request("subscriptions/listen", json!({"notifications": {}}));
            refused.push(one(send(&server, by("alice", listen)).await).await);
        }
        "waiters" | "waitersPerPrincipal" => {
            let server = match name {
                "waiters" => with(|limits| limits.waiters(0)),
                _ => with(|limits| limits.waiters_per_principal(0)),
            };
            let session = open_session_by(&server, "alice").await;
            let call = by("alice", modern_request("tools/call", gate("task")));
            let made = one(send(&server, call).await).await;
            let id = made.1["result"]["taskId"].clone();
            let wait = legacy(Some(&session), "tasks/result", json!({"taskId": id}));
            refused.push(one(send(&server, by("alice", wait)).await).await);
            let filter = json!({"notifications": {"taskIds": [id]}});
            let listen = modern_request("subscriptions/listen", filter);
            refused.push(one(send(&server, by("alice", listen)).await).await);
        }
        "sessions" | "sessionsPerPrincipal" => {
            let server = match name {
                "sessions" => with(|limits| limits.sessions(1)),
                _ => with(|limits| limits.sessions_per_principal(1)),
            };
            open_session_by(&server, "alice").await;
            refused.push(one(send(&server, by("alice", initialize())).await).await);
        }
        other => panic!("nothing here goes over the limit `{other}`"),
    }
    refused
}

#[tokio::test]
async fn each_limit_refuses_by_its_name() {
    let names = names_on_the_wire();
    assert_eq!(names.len(), 16, "{names:?}");
    for name in names {
        for (status, refusal) in over(&name).await {
            let error = &refusal["error"];
            assert_eq!(error["code"], -31900, "{name}: {refusal}");
            assert_eq!(error["data"]["limit"], json!(name), "{refusal}");
            let without_id = match name.as_str() {
                // Not read, or no request.
                "messageBytes" => Some(413),
                "streams" | "streamsPerPrincipal" if refusal["id"].is_null() => Some(429),
                _ => None,
            };
            assert_eq!(status, without_id.unwrap_or(200), "{name}: {refusal}");
            assert_eq!(refusal["id"].is_null(), without_id.is_some(), "{refusal}");
        }
    }
}

#[tokio::test]
async fn clients_that_cannot_be_told_apart_do_not_share_one_clients_limit() {
    let (server, _) = server_with(|limits| {
        limits
            .streams(4)
            .streams_per_principal(1)
            .tasks(4)
            .tasks_per_principal(1)
            .sessions(3)
            .sessions_per_principal(1)
    });
    let mut open = Vec::new();
    for _ in 0..2 {
        let session = open_session(&server).await;
        open.push(Events::of(send(&server, channel(&session)).await));
        let listen = modern_request("subscriptions/listen", json!({"notifications": {}}));
        open.push(Events::of(send(&server, listen).await));
        let made = one(send(&server, modern_request("tools/call", gate("task"))).await).await;
        assert!(made.1["result"]["taskId"].is_string(), "{made:?}");
    }
    let session = open_session(&server).await;
    let full = one(send(&server, channel(&session)).await).await;
    assert_eq!(full.1["error"]["data"]["limit"], "streams");
    let full = one(send(&server, initialize()).await).await;
    assert_eq!(full.1["error"]["data"]["limit"], "sessions");
    open.clear();
}

#[tokio::test]
async fn one_clients_sessions_leave_room_for_the_others() {
    let (server, _) = server_with(|limits| limits.sessions(3).sessions_per_principal(2));
    let first = open_session_by(&server, "bob").await;
    let _second = open_session_by(&server, "bob").await;
    let full = one(send(&server, by("bob", initialize())).await).await;
    let error = &full.1["error"];
    assert_eq!(error["data"], json!({"limit": "sessionsPerPrincipal"}));
    assert_eq!(
        error["message"],
        "you have 2 sessions open, which is the limit; close one first"
    );
    let alices = open_session_by(&server, "alice").await;
    let list = legacy(Some(&alices), "tools/list", json!({}));
    let listed = one(send(&server, by("alice", list)).await).await;
    assert!(listed.1["result"]["tools"].is_array(), "{listed:?}");
    let full = one(send(&server, by("carol", initialize())).await).await;
    assert_eq!(full.1["error"]["data"]["limit"], "sessions");

    let end = Request::delete("/mcp").header("mcp-session-id", &first);
    let end = by("bob", end.body(Body::empty()).unwrap());
    assert_eq!(send(&server, end).await.status(), 204);
    open_session_by(&server, "bob").await;
}

/// covers: L-RES-2
#[tokio::test(start_paused = true)]
async fn one_clients_waits_leave_room_for_the_others() {
    // For each of two clients, a task that its session watches and one wait for its result.
    let (server, door) = server_with(|limits| limits.waiters(4).waiters_per_principal(2));
    let start = async |who, session: &str| {
        let call = legacy(Some(session), "tools/call", as_task(gate(who)));
        let made = one(send(&server, by(who, call)).await).await;
        door.arrived.notified().await;
        made.1["result"]["task"]["taskId"].clone()
    };
    let wait = async |who, session: &str, id: &Value| {
        let wait = legacy(Some(session), "tasks/result", json!({"taskId": id}));
        send(&server, by(who, wait)).await
    };
    let (bobs, alices) = (
        open_session_by(&server, "bob").await,
        open_session_by(&server, "alice").await,
    );
    let task = start("bob", &bobs).await;
    let dropped = Events::of(wait("bob", &bobs, &task).await);
    let elsewhere = open_session_by(&server, "bob").await;
    let full = one(wait("bob", &elsewhere, &task).await).await;
    let error = &full.1["error"];
    assert_eq!(error["data"], json!({"limit": "waitersPerPrincipal"}));
    assert_eq!(
        error["message"],
        "the number of open waits and subscriptions of one principal is limited to 2"
    );

    // A wait whose client is gone makes room, after the time that it has to come back.
    drop(dropped);
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut waiting = Events::of(wait("bob", &bobs, &task).await);
    door.open();
    let text = |reply: Value| reply["result"]["content"][0]["text"].clone();
    assert_eq!(text(waiting.message().await), "through: bob");

    // So does an answered one.
    assert_eq!(server.engine().stats().waiters, 0);
    let task = start("bob", &bobs).await;
    let mut waiting = Events::of(wait("bob", &bobs, &task).await);
    let again = wait("bob", &elsewhere, &task).await;
    assert_eq!(
        one(again).await.1["error"]["data"]["limit"],
        "waitersPerPrincipal"
    );
    // The other client waits beside it.
    let alices_task = start("alice", &alices).await;
    let mut beside = Events::of(wait("alice", &alices, &alices_task).await);
    door.open();
    assert_eq!(text(waiting.message().await), "through: bob");
    door.open();
    assert_eq!(text(beside.message().await), "through: alice");
}

/// covers: L-RES-2
#[tokio::test(start_paused = true)]
async fn a_refused_wait_takes_no_place_from_others() {
    for places in [1, 2] {
        let (server, door) = server_with(|limits| limits.waiters(10).waiters_per_principal(places));
        let made = modern_request("tools/call", gate("x"));
        let made = one(send(&server, by("bob", made)).await).await;
        door.arrived.notified().await;
        let id = &made.1["result"]["taskId"];
        let session = open_session_by(&server, "bob").await;
        let wait = || legacy(Some(&session), "tasks/result", json!({"taskId": id}));
        if places == 1 {
            // The session would have to watch the task as well, for its questions.
            let refused = one(send(&server, by("bob", wait())).await).await;
            let data = &refused.1["error"]["data"];
            assert_eq!(*data, json!({"limit": "waitersPerPrincipal"}));
            assert_eq!(server.engine().stats().waiters, 0);
        } else {
            let mut waiting = Events::of(send(&server, by("bob", wait())).await);
            let again = open_session_by(&server, "bob").await;
            let refused = legacy(Some(&again), "tasks/result", json!({"taskId": id}));
            let refused = one(send(&server, by("bob", refused)).await).await;
            assert!(refused.1["error"].is_object(), "{refused:?}");
            assert_eq!(server.engine().stats().waiters, 2);
            door.open();
            let reply = waiting.message().await;
            assert_eq!(reply["result"]["content"][0]["text"], "through: x");
        }
    }
}

/// covers: X-HTTP-2
#[tokio::test]
async fn a_request_that_belongs_to_no_session_is_refused_by_its_id() {
    let (server, _) = server();
    let nameless = one(send(&server, legacy(None, "tools/list", json!({}))).await).await;
    assert_eq!((nameless.0, &nameless.1["id"]), (400, &json!("tools/list")));
    let ended = legacy(Some("ended"), "tools/list", json!({}));
    let ended = one(send(&server, ended).await).await;
    assert_eq!((ended.0, &ended.1["id"]), (404, &json!("tools/list")));
}

#[tokio::test]
async fn an_answer_that_is_no_object_is_refused_in_plain_words() {
    let (server, _) = server();
    let round = result(&server, "tools/call", json!({"name": "signed"}), all()).await;
    let state = &round["requestState"];
    let retry = json!({"name": "signed", "requestState": state, "inputResponses": {"signer": 5}});
    let (_, error) = failure(&server, "tools/call", retry, all()).await;
    assert_eq!(
        error["message"],
        "the answer to `signer` does not fit the question: expected an object"
    );
}

/// covers: M-UPD-3
#[tokio::test]
async fn only_what_was_asked_is_answered() {
    let (server, _) = server();
    let accept = |name: &str| json!({"action": "accept", "content": {"name": name}});
    let all_three = json!({"first": accept("a"), "second": accept("b"), "third": accept("c")});
    let call = json!({"name": "ask_often"});
    let round = result(&server, "tools/call", call, all()).await;
    let retry = json!({"name": "ask_often", "arguments": {}, "requestState": round["requestState"],
                       "inputResponses": all_three});
    let next = result(&server, "tools/call", retry, all()).await;
    let open: Vec<_> = next["inputRequests"].as_object().unwrap().keys().collect();
    assert_eq!(open, ["second", "third"], "they had not been asked");
    // A call that nothing came before brings its answers along.
    let at_once = json!({"name": "ask_often", "inputResponses": all_three});
    let done = result(&server, "tools/call", at_once, all()).await;
    assert_eq!(done["content"][0]["text"], "a b c");
}

#[tokio::test]
async fn a_plain_call_asks_as_often_as_it_may_and_no_more() {
    let (server, _) = server_with(|limits| limits.inputs_per_task(1));
    let answer = json!({"action": "accept", "content": {"name": "a"}});
    let told = |result: &Value| {
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    };

    let call = json!({"name": "ask_often", "inputResponses": {"first": answer}});
    let new = told(&result(&server, "tools/call", call, json!({"elicitation": {}})).await);

    let session = open_session(&server).await;
    let call = legacy(Some(&session), "tools/call", json!({"name": "ask_often"}));
    let mut events = Events::of(send(&server, call).await);
    let question = events.message_of("elicitation/create").await;
    let message = json!({"jsonrpc": "2.0", "id": question["id"], "result": answer});
    let answering = post()
        .header("mcp-session-id", &session)
        .body(Body::from(message.to_string()))
        .unwrap();
    assert_eq!(send(&server, answering).await.status(), 202);
    let old = told(&events.message().await["result"]);

    assert_eq!(new, "the call has asked 1 questions, which is the limit");
    assert_eq!(old, new);
}

#[tokio::test]
async fn headers_that_say_where_a_message_belongs_are_given_once() {
    let (server, _) = server();
    let session = open_session(&server).await;
    let (version, id) = ("mcp-protocol-version", "mcp-session-id");
    let again = |mut request: Request<Body>, name: &'static str, value: &str| {
        request.headers_mut().append(name, value.parse().unwrap());
        request
    };
    let end = |session: &str| {
        let request = Request::delete("/mcp").header(id, session);
        request.body(Body::empty()).unwrap()
    };
    let ping = || legacy(Some(&session), "ping", json!({}));
    let discover = || modern_request("server/discover", json!({}));
    for (request, code) in [
        (again(ping(), version, "2025-11-25"), -32600),
        (again(ping(), id, &session), -32600),
        (again(channel(&session), id, "other"), -32600),
        (again(end(&session), id, "other"), -32600),
        (again(ping(), version, "2026-07-28"), -32020),
        (again(discover(), version, "2026-07-28"), -32020),
        (again(discover(), version, "2025-11-25"), -32020),
    ] {
        let is_request = request.method() == http::Method::POST;
        let (status, refusal) = one(send(&server, request).await).await;
        assert_eq!(status, 400, "{refusal}");
        assert_eq!(refusal["error"]["code"], code, "{refusal}");
        assert_eq!(refusal["id"].is_null(), !is_request, "{refusal}");
    }
    let (status, pong) = one(send(&server, ping()).await).await;
    assert_eq!(
        (status, &pong["result"]),
        (200, &json!({})),
        "the session lives"
    );
}
