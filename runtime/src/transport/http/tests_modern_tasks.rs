//! The modern era over HTTP, in one process: tasks and subscriptions.

use axum::body::Body;
use serde_json::{Value, json};

use crate::transport::kit::*;

const TASKS: &str = "io.modelcontextprotocol/tasks";

fn no_tasks() -> Value {
    json!({"elicitation": {}})
}

/// An empty result: nothing but what every result carries.
fn acknowledgement() -> Value {
    let server = json!({"name": "kit", "version": "1.2.3"});
    json!({"resultType": "complete", "_meta": {"io.modelcontextprotocol/serverInfo": server}})
}

/// covers: T05-M, T08-M, T20-M, M-LIFE-4, M-GET-1
#[tokio::test]
async fn a_task_goes_from_handle_to_result() {
    let (server, gate) = server();
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
    let handle = result(&server, "tools/call", params, all()).await;
    assert_eq!(
        (&handle["resultType"], &handle["status"]),
        (&json!("task"), &json!("working"))
    );
    for member in [
        "result",
        "error",
        "inputRequests",
        "requestState",
        "task",
        "ttl",
        "pollInterval",
    ] {
        assert!(handle.get(member).is_none(), "{handle}");
    }
    assert_eq!(
        (&handle["ttlMs"], &handle["pollIntervalMs"]),
        (&json!(3_600_000), &json!(1000))
    );
    let get = json!({"taskId": handle["taskId"]});
    let working = result(&server, "tasks/get", get.clone(), all()).await;
    assert_eq!(
        (&working["resultType"], &working["status"]),
        (&json!("complete"), &json!("working"))
    );
    assert_eq!(working["createdAt"], handle["createdAt"]);
    let mut events = listen(&server, json!({"taskIds": [handle["taskId"]]}), all()).await;
    events.message().await;
    events.message().await;
    gate.open();
    let told = events.message().await;
    let done = result(&server, "tasks/get", get, all()).await;
    assert_eq!(done["status"], "completed");
    assert_eq!(done["result"]["content"][0]["text"], "through: x");
    assert_eq!(told["params"]["result"], done["result"]);
    let (_, error) = failure(&server, "tasks/get", json!({"taskId": "none"}), all()).await;
    assert_eq!(error["code"], -32602);
    let (_, error) = failure(&server, "tasks/get", json!({"taskId": 5}), all()).await;
    assert_eq!(error["code"], -32602);
}

/// covers: T22-M, M-CAP-1
#[tokio::test]
async fn only_a_request_that_declares_the_extension_sees_tasks() {
    let (server, gate) = server();
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
    gate.open();
    let plain = result(&server, "tools/call", params.clone(), no_tasks()).await;
    assert_eq!(plain["content"][0]["text"], "through: x");
    let handle = result(&server, "tools/call", params, all()).await;
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({"taskId": handle["taskId"], "inputResponses": {}});
        let (status, error) = failure(&server, method, params, no_tasks()).await;
        assert_eq!((status, &error["code"]), (400, &json!(-32021)), "{method}");
        assert_eq!(
            error["data"]["requiredCapabilities"]["extensions"][TASKS],
            json!({})
        );
    }
    let (_, error) = failure(
        &server,
        "tools/call",
        json!({"name": "failing_job"}),
        no_tasks(),
    )
    .await;
    assert_eq!(error["code"], -32021);
    let (_, error) = failure(
        &server,
        "subscriptions/listen",
        json!({"notifications": {"taskIds": []}}),
        no_tasks(),
    )
    .await;
    assert_eq!(error["code"], -32021);
}

/// covers: T12-M, T13-M, M-CAN-1, M-UPD-1
#[tokio::test]
async fn cancelling_is_acknowledged_and_only_that() {
    let (server, gate) = server();
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
    let handle = result(&server, "tools/call", params, all()).await;
    gate.arrived.notified().await;
    let id = json!({"taskId": handle["taskId"]});
    for _ in 0..2 {
        let acknowledged = result(&server, "tasks/cancel", id.clone(), all()).await;
        assert_eq!(acknowledged, acknowledgement());
        gate.dropped.notify_one();
        gate.dropped.notified().await;
    }
    let mut events = listen(&server, json!({"taskIds": [handle["taskId"]]}), all()).await;
    events.message().await;
    let mut told = events.message().await;
    while told["params"]["status"] == "working" {
        told = events.message().await;
    }
    assert_eq!(told["params"]["status"], "cancelled");
}

/// covers: T11-M, T18-M, M-LIFE-3, M-UPD-1, M-UPD-3
#[tokio::test]
async fn a_task_asks_and_is_answered_with_an_update() {
    let (server, _) = server();
    let handle = result(&server, "tools/call", json!({"name": "ask_name"}), all()).await;
    let mut events = listen(&server, json!({"taskIds": [handle["taskId"]]}), all()).await;
    events.message().await;
    let mut task = events.message().await;
    while task["params"]["status"] != "input_required" {
        task = events.message().await;
    }
    let question = &task["params"]["inputRequests"]["name"];
    assert_eq!(question["method"], "elicitation/create");
    let update = |content: Value| json!({"taskId": handle["taskId"], "inputResponses": {"name": content, "other": {}}});
    let wrong = update(json!({"action": "accept", "content": {"name": 5}}));
    let (_, error) = failure(&server, "tasks/update", wrong, all()).await;
    assert_eq!(error["code"], -32602);
    let right = update(json!({"action": "accept", "content": {"name": "Ada"}}));
    let acknowledged = result(&server, "tasks/update", right, all()).await;
    assert_eq!(acknowledged, acknowledgement());
    while task["params"]["status"] != "completed" {
        task = events.message().await;
    }
    assert_eq!(
        task["params"]["result"]["content"][0]["text"],
        "Hello, Ada!"
    );
}

/// covers: T26-M
#[tokio::test]
async fn questions_before_a_task_are_settled_first() {
    let (server, _) = server();
    let call = json!({"name": "signed"});
    let round = result(&server, "tools/call", call.clone(), all()).await;
    assert_eq!(round["resultType"], "input_required");
    assert!(round.get("taskId").is_none() && round.get("ttlMs").is_none());
    assert_eq!(
        round["inputRequests"]["signer"]["params"]["message"],
        "Who signs?"
    );
    let answer = json!({"signer": {"action": "accept", "content": {"name": "Ada"}}});
    for state in [Some(round["requestState"].clone()), None] {
        let mut retry = json!({"name": "signed", "inputResponses": answer});
        if let Some(state) = state {
            retry["requestState"] = state;
        }
        let handle = result(&server, "tools/call", retry, all()).await;
        assert_eq!(handle["resultType"], "task");
        assert!(handle.get("requestState").is_none());
    }
    let (status, error) = failure(
        &server,
        "tools/call",
        call,
        json!({"extensions": {TASKS: {}}}),
    )
    .await;
    assert_eq!((status, &error["code"]), (400, &json!(-32021)));
    assert_eq!(
        error["data"]["requiredCapabilities"],
        json!({"elicitation": {}})
    );
}

/// covers: X-HTTP-3
#[tokio::test]
async fn a_client_that_goes_away_ends_its_plain_call_and_no_task() {
    let (server, gate) = server();
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
    let message = modern(1, "tools/call", params.clone(), json!({}));
    let request = modern_post(&message)
        .body(Body::from(message.to_string()))
        .unwrap();
    {
        let sending = send(&server, request);
        tokio::pin!(sending);
        tokio::select! {
            _ = &mut sending => panic!("the gate is closed"),
            () = gate.arrived.notified() => {}
        }
    }
    gate.dropped.notified().await;
    let handle = result(&server, "tools/call", params, all()).await;
    gate.arrived.notified().await;
    gate.open();
    let mut events = listen(&server, json!({"taskIds": [handle["taskId"]]}), all()).await;
    events.message().await;
    let mut told = events.message().await;
    while told["params"]["status"] == "working" {
        told = events.message().await;
    }
    assert_eq!(told["params"]["status"], "completed");
}

/// covers: T21-M
#[tokio::test]
async fn the_name_header_of_tasks_may_be_missing_but_not_differ() {
    let (server, _) = server();
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
    let handle = result(&server, "tools/call", params, all()).await;
    let message = modern(1, "tasks/get", json!({"taskId": handle["taskId"]}), all());
    let send_with = |name: Option<&str>| {
        let mut request = post()
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tasks/get");
        if let Some(name) = name {
            request = request.header("mcp-name", name);
        }
        send(
            &server,
            request.body(Body::from(message.to_string())).unwrap(),
        )
    };
    assert_eq!(send_with(None).await.status(), 200);
    assert_eq!(send_with(Some("other")).await.status(), 400);
    let call = modern(
        1,
        "tools/call",
        json!({"name": "greet", "arguments": {"name": "x"}}),
        all(),
    );
    let nameless = post()
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call");
    let (status, replies) = read(
        send(
            &server,
            nameless.body(Body::from(call.to_string())).unwrap(),
        )
        .await,
    )
    .await;
    assert_eq!(
        (status.as_u16(), &replies[0]["error"]["code"]),
        (400, &json!(-32020))
    );
}

async fn listen(server: &crate::Server, filter: Value, capabilities: Value) -> Events {
    let message = modern(
        "sub",
        "subscriptions/listen",
        json!({"notifications": filter}),
        capabilities,
    );
    let request = modern_post(&message)
        .body(Body::from(message.to_string()))
        .unwrap();
    Events::of(send(server, request).await)
}

/// covers: T14-M, M-LSN-1, M-LSN-2
#[tokio::test]
async fn a_subscription_begins_with_what_it_grants_and_ends_cleanly() {
    let (server, _) = server();
    let handle = result(&server, "tools/call", json!({"name": "failing_job"}), all()).await;
    let filter = json!({"taskIds": [handle["taskId"], "unknown"], "toolsListChanged": true});
    let mut events = listen(&server, filter, all()).await;
    let first = events.message().await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        first["params"]["notifications"],
        json!({"taskIds": [handle["taskId"]]})
    );
    let tag = json!({"io.modelcontextprotocol/subscriptionId": "sub"});
    assert_eq!(first["params"]["_meta"], tag);
    let mut told = events.message().await;
    while told["params"]["status"] == "working" {
        told = events.message().await;
    }
    assert_eq!(told["method"], "notifications/tasks");
    assert_eq!(told["params"]["_meta"], tag);
    let mut got = result(
        &server,
        "tasks/get",
        json!({"taskId": handle["taskId"]}),
        all(),
    )
    .await;
    for object in [
        told["params"].as_object_mut().unwrap(),
        got.as_object_mut().unwrap(),
    ] {
        object.remove("_meta");
        object.remove("resultType");
    }
    assert_eq!(told["params"], got);
    assert_eq!(server.open_streams(), 1);
    let closing = server.clone();
    let closing = tokio::spawn(async move { closing.shutdown().await });
    let cancelled = events.message().await;
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &json!("sub"))
    );
    let last = events.message().await;
    assert_eq!(
        (&last["id"], &last["result"]["resultType"]),
        (&json!("sub"), &json!("complete"))
    );
    assert_eq!(
        last["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        "sub"
    );
    assert!(events.next().await.is_none());
    closing.await.unwrap();
    assert_eq!(server.open_streams(), 0);
}

/// covers: T24-M
#[tokio::test]
async fn a_task_is_its_owners_alone() {
    let (server, _) = server();
    let post_as = |who: &'static str, message: Value| {
        let request = modern_post(&message)
            .body(Body::from(message.to_string()))
            .unwrap();
        let server = server.clone();
        async move {
            read(send(&server, by(who, request)).await)
                .await
                .1
                .remove(0)
        }
    };
    let made = post_as(
        "alice",
        modern(1, "tools/call", json!({"name": "ask_name"}), all()),
    )
    .await;
    let id = made["result"]["taskId"].clone();
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let params = json!({"taskId": id, "inputResponses": {}});
        let foreign = post_as("bob", modern(1, method, params, all())).await;
        let unknown = post_as(
            "bob",
            modern(
                1,
                method,
                json!({"taskId": "no", "inputResponses": {}}),
                all(),
            ),
        )
        .await;
        assert_eq!(foreign, unknown, "{method}");
        assert_eq!(foreign["error"]["code"], -32602);
    }
    let filter = json!({"notifications": {"taskIds": [id]}});
    let listen = modern(1, "subscriptions/listen", filter, all());
    let request = modern_post(&listen)
        .body(Body::from(listen.to_string()))
        .unwrap();
    let mut told = Events::of(send(&server, by("bob", request)).await);
    let granted = &told.message().await["params"]["notifications"];
    assert_eq!(granted, &json!({"taskIds": []}), "nothing is told of it");
    let mine = post_as(
        "alice",
        modern(1, "tasks/get", json!({"taskId": id}), all()),
    )
    .await;
    assert!(mine["result"]["status"].is_string());
    let (_, error) = failure(&server, "tasks/get", json!({"taskId": id}), all()).await;
    assert_eq!(error["code"], -32602);
}

/// covers: T24-M
#[tokio::test]
async fn a_round_of_questions_is_its_callers_alone() {
    let (server, _) = server();
    let call_as = async |who: &str, params: Value| {
        let message = modern(1, "tools/call", params, json!({"elicitation": {}}));
        let request = modern_post(&message)
            .body(Body::from(message.to_string()))
            .unwrap();
        let (_, mut replies) = read(send(&server, by(who, request)).await).await;
        replies.remove(0)
    };
    let round = call_as("alice", json!({"name": "signed"})).await;
    let answer = json!({"signer": {"action": "accept", "content": {"name": "Ada"}}});
    let retry = json!({"name": "signed", "inputResponses": answer,
                       "requestState": round["result"]["requestState"]});
    let stolen = call_as("bob", retry.clone()).await;
    assert_eq!(stolen["error"]["code"], -32602, "{stolen}");
    let own = call_as("alice", retry).await;
    assert_eq!(own["result"]["content"][0]["text"], "signed by Ada");
}

/// covers: T16-M, T19-M
#[tokio::test]
async fn a_task_sends_neither_progress_nor_what_the_legacy_era_adds() {
    let (server, gate) = server();
    let list = result(&server, "tools/list", json!({}), json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    let listed = tools
        .iter()
        .find(|tool| tool["name"] == "count_slowly")
        .unwrap();
    assert!(listed.get("_meta").is_none());
    let mut message = modern(1, "tools/call", json!({"name": "count_slowly"}), all());
    message["params"]["_meta"]["progressToken"] = json!("t");
    let (_, messages) = exchange(&server, &message).await;
    assert_eq!(messages.len(), 1);
    let handle = &messages[0]["result"];
    assert_eq!(handle["_meta"].as_object().unwrap().len(), 1, "{handle}");
    gate.open();
    let mut events = listen(&server, json!({"taskIds": [handle["taskId"]]}), all()).await;
    events.message().await;
    loop {
        let told = events.message().await;
        assert_eq!(told["method"], "notifications/tasks");
        if told["params"]["status"] == "completed" {
            break;
        }
    }
}

/// covers: M-RACE-1
#[tokio::test]
async fn a_call_that_is_quick_enough_answers_itself_and_leaves_no_task() {
    let (server, _) = server();
    let done = result(&server, "tools/call", json!({"name": "quick"}), all()).await;
    assert_eq!(
        (&done["resultType"], &done["content"][0]["text"]),
        (&json!("complete"), &json!("done"))
    );
    assert_eq!(server.engine().stats().running, 0);
    assert!(
        server
            .engine()
            .list(None, None)
            .await
            .unwrap()
            .tasks
            .is_empty()
    );
}
