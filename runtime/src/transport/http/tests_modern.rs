//! The modern era over HTTP, in one process: discovery, headers, plain calls.

use std::time::Duration;

use axum::body::Body;
use http::{Request, StatusCode};
use serde_json::{Value, json};

use crate::{server::CacheScope, transport::kit::*};

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
    assert_eq!(
        (&prompts["ttlMs"], &prompts["cacheScope"]),
        (&json!(0), &json!("private"))
    );
    let (_, error) = failure(&server, "prompts/get", json!({"name": "x"}), json!({})).await;
    assert_eq!(error["code"], -32603);
}

#[tokio::test]
async fn the_fallback_asks_for_input_only_where_that_may_be() {
    let server = crate::Server::builder()
        .fallback(|_: crate::FallbackRequest| async {
            let asks = json!({"resultType": "input_required", "requestState": "s"});
            Ok(asks.as_object().unwrap().clone())
        })
        .build()
        .unwrap();
    let params = json!({"name": "x", "uri": "x"});
    for method in ["prompts/get", "resources/read"] {
        let asks = result(&server, method, params.clone(), json!({})).await;
        assert_eq!(asks["resultType"], "input_required", "{method}");
        assert!(asks.get("ttlMs").is_none(), "{asks}");
    }
    for method in ["prompts/list", "completion/complete"] {
        let (_, error) = failure(&server, method, json!({}), json!({})).await;
        assert_eq!(error["code"], -32603, "{method}");
    }
}

#[tokio::test]
async fn only_what_is_the_same_for_all_is_said_to_be_cacheable() {
    let server = crate::Server::builder()
        .cache(Duration::from_secs(60), CacheScope::Public)
        .capability("resources", json!({}))
        .fallback(|request: crate::FallbackRequest| async move {
            Ok(match request.method.as_str() {
                "resources/read" => json!({"contents": [], "ttlMs": 5}),
                _ => json!({"resources": []}),
            }
            .as_object()
            .unwrap()
            .clone())
        })
        .build()
        .unwrap();
    for (method, params, ttl, scope) in [
        ("server/discover", json!({}), 60_000, "public"),
        ("tools/list", json!({}), 60_000, "public"),
        ("resources/list", json!({}), 0, "private"),
        ("resources/read", json!({"uri": "a:b"}), 5, "private"),
    ] {
        let given = result(&server, method, params, json!({})).await;
        assert_eq!(
            (&given["ttlMs"], &given["cacheScope"]),
            (&json!(ttl), &json!(scope)),
            "{method}"
        );
    }
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
        400,
        "no era, no session"
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

#[tokio::test]
async fn shutting_down_waits_for_a_plain_call() {
    let (server, gate) = server();
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
    let called = result(&server, "tools/call", params, json!({}));
    let shut_down = async {
        gate.arrived.notified().await;
        let closing = server.shutdown();
        tokio::pin!(closing);
        tokio::select! {
            biased;
            () = &mut closing => panic!("the call still runs"),
            () = tokio::task::yield_now() => gate.open(),
        }
        closing.await;
    };
    let (done, ()) = tokio::join!(called, shut_down);
    assert_eq!(done["content"][0]["text"], "through: x");
}

/// covers: X-NEG-1, X-HTTP-2
#[tokio::test]
async fn the_modern_era_has_no_streams_to_open_no_sessions_to_end_and_no_answers_to_send() {
    let (server, _) = server();
    for method in ["GET", "DELETE"] {
        let request = http::Request::builder()
            .method(method)
            .uri("/mcp")
            .header("accept", "text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .body(Body::empty())
            .unwrap();
        let response = send(&server, request).await;
        assert_eq!(response.status(), 405, "{method}");
        assert_eq!(response.headers()["allow"], "POST", "{method}");
    }
    let versioned = || post().header("mcp-protocol-version", "2026-07-28");
    let answer = json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string();
    let response = send(&server, versioned().body(Body::from(answer)).unwrap()).await;
    let (status, messages) = read(response).await;
    assert_eq!(
        (status.as_u16(), &messages[0]["error"]["code"]),
        (400, &json!(-32600))
    );
    // What it does not know it ignores, wherever the version is named.
    let told = json!({"jsonrpc": "2.0", "method": "notifications/unknown"}).to_string();
    let response = send(&server, versioned().body(Body::from(told)).unwrap()).await;
    assert_eq!(response.status(), 202);
    let told = json!({"jsonrpc": "2.0", "method": "notifications/unknown", "params": {"_meta": meta(json!({}))}});
    let response = send(&server, post().body(Body::from(told.to_string())).unwrap()).await;
    assert_eq!(response.status(), 202);
}

/// Works for a second.
#[crate::task_tool(task = "forbidden")]
async fn work_a_second() -> &'static str {
    tokio::time::sleep(Duration::from_secs(1)).await;
    "worked"
}

#[tokio::test(start_paused = true)]
async fn a_plain_call_may_end_while_the_server_shuts_down() {
    let server = crate::Server::builder()
        .tool(work_a_second)
        .build()
        .unwrap();
    let closing = server.clone();
    let shut_down = async {
        while closing.open_calls() == 0 {
            tokio::task::yield_now().await;
        }
        closing.shutdown().await;
    };
    let call = json!({"name": "work_a_second"});
    let called = result(&server, "tools/call", call, no_tasks());
    let ((), called) = tokio::join!(shut_down, called);
    assert_eq!(called["content"][0]["text"], "worked", "{called}");
}
