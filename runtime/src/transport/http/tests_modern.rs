//! The modern era over HTTP, in one process.

use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::{Value, json};

use crate::transport::kit::*;

const TASKS: &str = "io.modelcontextprotocol/tasks";

fn no_tasks() -> Value {
    json!({"elicitation": {}})
}

/// covers: T01-M, M-CAP-2
#[tokio::test]
async fn discovery_tells_versions_capabilities_and_who_we_are() {
    let (server, _) = server();
    let found = result(&server, "server/discover", json!({}), json!({})).await;
    assert_eq!(
        found["supportedVersions"],
        json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"])
    );
    assert_eq!(
        found["capabilities"],
        json!({"tools": {}, "prompts": {}, "extensions": {TASKS: {}}})
    );
    assert_eq!(
        found["_meta"]["io.modelcontextprotocol/serverInfo"],
        json!({"name": "kit", "version": "1.2.3"})
    );
    assert_eq!(found["instructions"], "Be kind.");
    assert_eq!(
        (&found["ttlMs"], &found["cacheScope"]),
        (&json!(0), &json!("public"))
    );
}

/// covers: T01-M, M-RES-1
#[tokio::test]
async fn tools_are_listed_without_execution() {
    let (server, _) = server();
    let list = result(&server, "tools/list", json!({}), json!({})).await;
    assert_eq!(list["resultType"], "complete");
    assert_eq!(
        (&list["ttlMs"], &list["cacheScope"]),
        (&json!(0), &json!("public"))
    );
    let tools = list["tools"].as_array().unwrap();
    assert_eq!(tools[0]["name"], "greet");
    assert_eq!(tools[0]["inputSchema"]["type"], "object");
    assert!(tools.iter().all(|tool| tool.get("execution").is_none()));
    let (_, error) = failure(&server, "tools/list", json!({"cursor": "x"}), json!({})).await;
    assert_eq!(error["code"], -32602);
}

#[tokio::test]
async fn what_every_request_must_carry_is_checked() {
    let (server, _) = server();
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    for (params, part) in [
        (json!({}), "_meta"),
        (json!({"_meta": {capabilities: {}}}), "protocolVersion"),
        (
            json!({"_meta": {version: "2026-07-28"}}),
            "clientCapabilities",
        ),
        (
            json!({"_meta": {version: "2026-07-28", capabilities: []}}),
            "clientCapabilities",
        ),
        (json!({"_meta": 5}), "_meta"),
    ] {
        let message =
            json!({"jsonrpc": "2.0", "id": "x", "method": "server/discover", "params": params});
        let (status, replies) = exchange(&server, &message).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{message}");
        assert_eq!(replies[0]["error"]["code"], -32602);
        assert_eq!(replies[0]["id"], "x");
        assert!(
            replies[0]["error"]["message"]
                .as_str()
                .unwrap()
                .contains(part),
            "{replies:?}"
        );
    }
}

/// covers: X-NEG-1, X-HTTP-2
#[tokio::test]
async fn versions_and_headers_must_agree() {
    let (server, _) = server();
    let mut message = modern(1, "tools/list", json!({}), json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("v999");
    let unknown = modern_post(&message).header("x", "y");
    let request = Request::from_parts(
        {
            let mut parts = unknown.body(()).unwrap().into_parts().0;
            parts
                .headers
                .insert("mcp-protocol-version", "v999".parse().unwrap());
            parts
        },
        Body::from(message.to_string()),
    );
    let (status, replies) = read(send(&server, request).await).await;
    assert_eq!(
        (status, &replies[0]["error"]["code"]),
        (StatusCode::BAD_REQUEST, &json!(-32022))
    );
    assert_eq!(replies[0]["error"]["data"]["requested"], "v999");

    let (status, replies) = exchange(&server, &message).await;
    assert_eq!(
        (status, &replies[0]["error"]["code"]),
        (StatusCode::BAD_REQUEST, &json!(-32020))
    );

    let plain = modern(1, "tools/list", json!({}), json!({}));
    for request in [
        post().header("mcp-protocol-version", "2026-07-28"),
        post().header("mcp-method", "tools/list"),
        post()
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call"),
    ] {
        let response = send(
            &server,
            request.body(Body::from(plain.to_string())).unwrap(),
        )
        .await;
        let (status, replies) = read(response).await;
        assert_eq!(
            (status, &replies[0]["error"]["code"]),
            (StatusCode::BAD_REQUEST, &json!(-32020)),
            "{replies:?}"
        );
        assert_eq!(replies[0]["id"], 1);
    }
}

/// covers: X-HTTP-2, T09-M, T10-M, T25-M
#[tokio::test]
async fn methods_of_no_one_and_of_the_other_era_are_not_found() {
    let (server, _) = server();
    for method in [
        "no/such",
        "tasks/result",
        "tasks/list",
        "initialize",
        "ping",
        "tools/other",
        "resources/list",
    ] {
        let (status, error) = failure(&server, method, json!({"taskId": "x"}), all()).await;
        assert_eq!((status, &error["code"]), (404, &json!(-32601)), "{method}");
    }
}

/// covers: T02-M, T25-M
#[tokio::test]
async fn the_fallback_answers_the_rest_but_may_not_hand_out_tasks() {
    let (server, _) = server();
    let prompts = result(&server, "prompts/list", json!({}), json!({})).await;
    assert_eq!(prompts["prompts"], json!([]));
    assert_eq!(prompts["resultType"], "complete");
    assert_eq!(prompts["cacheScope"], "public");
    let (_, error) = failure(&server, "prompts/get", json!({"name": "x"}), json!({})).await;
    assert_eq!(error["code"], -32603);
}

/// covers: X-HTTP-1, X-HTTP-2, X-RPC-1
#[tokio::test]
async fn http_itself_is_checked_first() {
    let (server, _) = server();
    let text = || modern(1, "tools/list", json!({}), json!({})).to_string();
    let status = |request: Request<Body>| {
        let server = server.clone();
        async move { send(&server, request).await.status().as_u16() }
    };
    let json_post = |kind: &str, accept: &str, body: String| {
        Request::post("/mcp")
            .header("content-type", kind)
            .header("accept", accept)
            .body(Body::from(body))
            .unwrap()
    };
    assert_eq!(status(json_post("text/plain", "*/*", text())).await, 415);
    assert_eq!(
        status(json_post("application/json", "text/html", text())).await,
        406
    );
    assert_eq!(
        status(json_post("application/json", "*/*", "x".repeat(65 << 10))).await,
        413
    );
    assert_eq!(
        status(json_post("application/json", "*/*", "{".into())).await,
        400
    );
    assert_eq!(
        status(json_post("application/json", "*/*", "[]".into())).await,
        400
    );
    let evil = Request::post("/mcp")
        .header("host", "evil.example.com")
        .body(Body::empty())
        .unwrap();
    assert_eq!(status(evil).await, 403);
    assert_eq!(
        status(Request::put("/mcp").body(Body::empty()).unwrap()).await,
        405
    );
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/whatever"}).to_string();
    assert_eq!(
        status(json_post("application/json", "*/*", notification)).await,
        202
    );
}

/// covers: T03-M, M-RES-1
#[tokio::test]
async fn a_plain_tool_answers_at_once_whatever_the_old_task_member_says() {
    let (server, _) = server();
    let params = json!({"name": "greet", "arguments": {"name": "Ada"}, "task": {"ttl": 1}});
    let done = result(&server, "tools/call", params, all()).await;
    assert_eq!(done["content"][0]["text"], "Hello, Ada!");
    assert_eq!(done["resultType"], "complete");
    assert!(done.get("taskId").is_none());
}

/// covers: X-ARG-1
#[tokio::test]
async fn wrong_arguments_are_the_tools_error_and_unknown_tools_are_not() {
    let (server, _) = server();
    let wrong = result(
        &server,
        "tools/call",
        json!({"name": "greet", "arguments": {"name": 5}}),
        all(),
    )
    .await;
    assert_eq!(wrong["isError"], true);
    assert!(
        wrong["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("name"),
        "{wrong}"
    );
    for params in [
        json!({"name": "nobody"}),
        json!({"arguments": {}}),
        json!({"name": "greet", "arguments": []}),
    ] {
        let (_, error) = failure(&server, "tools/call", params, all()).await;
        assert_eq!(error["code"], -32602);
    }
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
        let mut acknowledged = result(&server, "tasks/cancel", id.clone(), all()).await;
        acknowledged.as_object_mut().unwrap().remove("_meta");
        assert_eq!(acknowledged, json!({"resultType": "complete"}));
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
    let mut acknowledged = result(&server, "tasks/update", right, all()).await;
    acknowledged.as_object_mut().unwrap().remove("_meta");
    assert_eq!(acknowledged, json!({"resultType": "complete"}));
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

#[tokio::test]
async fn a_plain_call_asks_in_rounds_and_keeps_what_it_was_told() {
    let (server, _) = server();
    let accept = |name: &str| json!({"action": "accept", "content": {"name": name}});
    let first = result(
        &server,
        "tools/call",
        json!({"name": "ask_often"}),
        no_tasks(),
    )
    .await;
    assert_eq!(
        first["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["first"]
    );
    let retry = |state: &Value, responses: Value| json!({"name": "ask_often", "requestState": state, "inputResponses": responses});
    let second = result(
        &server,
        "tools/call",
        retry(&first["requestState"], json!({"first": accept("a")})),
        no_tasks(),
    )
    .await;
    assert_eq!(
        second["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["second", "third"]
    );
    let partly = result(
        &server,
        "tools/call",
        retry(&second["requestState"], json!({"third": accept("c")})),
        no_tasks(),
    )
    .await;
    assert_eq!(
        partly["inputRequests"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["second"]
    );
    let last = retry(&partly["requestState"], json!({"second": accept("b")}));
    let done = result(&server, "tools/call", last.clone(), no_tasks()).await;
    assert_eq!(done["content"][0]["text"], "a b c");

    let wrong = retry(&partly["requestState"], json!({"second": 12345}));
    let (_, error) = failure(&server, "tools/call", wrong, no_tasks()).await;
    assert_eq!(
        (&error["code"], &error["data"]["key"]),
        (&json!(-32602), &json!("second"))
    );
    let mut other = last;
    other["arguments"] = json!({"x": 1});
    let (_, error) = failure(&server, "tools/call", other, no_tasks()).await;
    assert_eq!(error["code"], -32602);
    let nulls = json!({"name": "ask_often", "inputResponses": null});
    let (_, error) = failure(&server, "tools/call", nulls, no_tasks()).await;
    assert_eq!(error["code"], -32602);
}

/// covers: M-UPD-4
#[tokio::test]
async fn what_the_client_cannot_answer_is_not_asked() {
    let (server, _) = server();
    let (status, error) = failure(
        &server,
        "tools/call",
        json!({"name": "ask_often"}),
        json!({}),
    )
    .await;
    assert_eq!((status, &error["code"]), (400, &json!(-32021)));
    assert_eq!(
        error["data"]["requiredCapabilities"],
        json!({"elicitation": {}})
    );
}

#[tokio::test]
async fn progress_is_sent_on_the_calls_stream_when_it_was_asked_for() {
    let (server, _) = server();
    let mut message = modern(1, "tools/call", json!({"name": "count"}), json!({}));
    let (_, quiet) = exchange(&server, &message).await;
    assert_eq!(quiet.len(), 1);
    message["params"]["_meta"]["progressToken"] = json!("t");
    let (_, told) = exchange(&server, &message).await;
    let params: Vec<_> = told[..3]
        .iter()
        .map(|message| message["params"].clone())
        .collect();
    assert_eq!(
        params[0],
        json!({"progressToken": "t", "progress": 1, "total": 3})
    );
    assert_eq!(
        params[2],
        json!({"progressToken": "t", "progress": 3, "total": 3})
    );
    assert_eq!(told[3]["result"]["content"][0]["text"], "counted");
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

#[tokio::test]
async fn arguments_with_a_header_are_compared_with_it() {
    let (server, _) = server();
    let message = modern(
        1,
        "tools/call",
        json!({"name": "in_region", "arguments": {"region": "eu"}}),
        json!({}),
    );
    for (header, expected) in [
        (Some("eu"), 200),
        (Some("=?base64?ZXU=?="), 200),
        (Some("us"), 400),
        (None, 400),
    ] {
        let mut request = modern_post(&message);
        if let Some(header) = header {
            request = request.header("mcp-param-region", header);
        }
        let response = send(
            &server,
            request.body(Body::from(message.to_string())).unwrap(),
        )
        .await;
        assert_eq!(response.status().as_u16(), expected, "{header:?}");
    }
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
    server.shutdown().await;
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
    let mine = post_as(
        "alice",
        modern(1, "tasks/get", json!({"taskId": id}), all()),
    )
    .await;
    assert!(mine["result"]["status"].is_string());
    let (_, error) = failure(&server, "tasks/get", json!({"taskId": id}), all()).await;
    assert_eq!(error["code"], -32602);
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

/// A method that an official schema has and we serve is answered; this fails when a schema gains one.
#[tokio::test]
async fn every_method_of_the_schemas_is_known() {
    use crate::types::{
        ext_tasks,
        method::{MethodKind, Sender},
        v2026_07_28,
    };
    let (server, _) = server();
    let others = ["completion/", "prompts/", "resources/"];
    for info in v2026_07_28::methods::ALL
        .iter()
        .chain(ext_tasks::methods::ALL)
    {
        if info.kind != MethodKind::Request || info.sender == Sender::Server {
            continue;
        }
        if others.iter().any(|prefix| info.name.starts_with(prefix))
            || info.name == "subscriptions/listen"
        {
            continue;
        }
        let (status, reply) = call(&server, info.name, json!({}), all()).await;
        assert_ne!(status, 404, "{}: {reply}", info.name);
    }
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_takes_long_becomes_a_stream_that_shows_life() {
    let (server, gate) = server();
    let message = modern(
        1,
        "tools/call",
        json!({"name": "wait_at_gate", "arguments": {"label": "x"}}),
        json!({}),
    );
    let request = modern_post(&message)
        .body(Body::from(message.to_string()))
        .unwrap();
    let response = send(&server, request).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    gate.open();
    let (status, messages) = read(response).await;
    assert_eq!(
        (
            status.as_u16(),
            &messages[0]["result"]["content"][0]["text"]
        ),
        (200, &json!("through: x"))
    );
}
