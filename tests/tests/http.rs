//! What the HTTP transport refuses, and how.

use mcp_tasks_tests::{
    modern::{REVISION, TASKS, all_capabilities, no_tasks, request},
    serve::serve,
};
use serde_json::json;

const JSON: (&str, &str) = ("content-type", "application/json");
const BOTH: (&str, &str) = ("accept", "application/json, text/event-stream");
const VERSION: (&str, &str) = ("mcp-protocol-version", REVISION);
const LIST: (&str, &str) = ("mcp-method", "tools/list");

fn list() -> String {
    request(1, "tools/list", json!({}), &all_capabilities()).to_string()
}

/// covers: X-HTTP-2
#[tokio::test]
async fn a_body_that_is_no_json_is_400_and_a_parse_error() {
    let server = serve().await;
    let client = server.client();
    let reply = client
        .post("{\"jsonrpc\":", &[JSON, BOTH, VERSION, LIST])
        .await;
    assert_eq!(reply.error(), (400, Some(-32700)), "{reply:?}");
}

/// covers: X-HTTP-2
#[tokio::test]
async fn an_unknown_method_is_404_and_method_not_found() {
    let server = serve().await;
    let client = server.client();
    let reply = client.send("no/such", json!({})).await;
    assert_eq!(reply.error(), (404, Some(-32601)), "{reply:?}");
}

/// covers: X-HTTP-2
#[tokio::test]
async fn another_content_type_is_415() {
    let server = serve().await;
    let client = server.client();
    let reply = client
        .post(
            list(),
            &[("content-type", "text/plain"), BOTH, VERSION, LIST],
        )
        .await;
    assert_eq!(reply.status, 415, "{reply:?}");
    let reply = client
        .post(
            list(),
            &[
                ("content-type", "application/json; charset=utf-8"),
                BOTH,
                VERSION,
                LIST,
            ],
        )
        .await;
    assert_eq!(reply.status, 200, "{reply:?}");
}

/// covers: X-HTTP-2
#[tokio::test]
async fn a_client_that_takes_no_json_is_406() {
    let server = serve().await;
    let client = server.client();
    let reply = client
        .post(list(), &[JSON, ("accept", "text/html"), VERSION, LIST])
        .await;
    assert_eq!(reply.status, 406, "{reply:?}");
}

/// covers: X-HTTP-2
#[tokio::test]
async fn a_body_of_nine_megabytes_is_413() {
    let server = serve().await;
    let client = server.client();
    let reply = client
        .call("greet", json!({"name": "x".repeat(9 << 20)}))
        .await;
    assert_eq!(reply.status, 413, "{:?}", reply.status);
}

/// covers: X-HTTP-1
#[tokio::test]
async fn a_foreign_origin_or_host_is_403() {
    let server = serve().await;
    let client = server.client();
    for header in [("origin", "https://evil.example"), ("host", "evil.example")] {
        let reply = client
            .post(list(), &[JSON, BOTH, VERSION, LIST, header])
            .await;
        assert_eq!(reply.status, 403, "{header:?}: {reply:?}");
    }
    for header in [("origin", "http://localhost:3000"), ("host", "localhost")] {
        let reply = client
            .post(list(), &[JSON, BOTH, VERSION, LIST, header])
            .await;
        assert_eq!(reply.status, 200, "{header:?}: {reply:?}");
    }
}

/// covers: X-NEG-1
#[tokio::test]
async fn a_header_that_differs_from_the_body_is_a_mismatch() {
    let server = serve().await;
    let client = server.client();
    let greet = || json!({"name": "greet", "arguments": {"name": "you"}});
    for header in [
        ("mcp-method", "tasks/get"),
        ("mcp-name", "slow_compute"),
        ("mcp-name", ""),
        ("mcp-method", ""),
    ] {
        let reply = client.send_with("tools/call", greet(), &[header]).await;
        assert_eq!(reply.error(), (400, Some(-32020)), "{header:?}: {reply:?}");
    }
    let reply = client
        .send_with(
            "tools/call",
            greet(),
            &[("mcp-protocol-version", "2025-11-25")],
        )
        .await;
    assert_eq!(reply.error(), (400, Some(-32020)), "{reply:?}");
}

/// covers: X-NEG-1
#[tokio::test]
async fn an_unknown_version_is_refused_with_the_known_ones() {
    let server = serve().await;
    let client = server.client();
    let mut message = request(1, "tools/list", json!({}), &all_capabilities());
    message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let reply = client
        .post(
            message.to_string(),
            &[JSON, BOTH, LIST, ("mcp-protocol-version", "2099-01-01")],
        )
        .await;
    assert_eq!(reply.status, 400, "{reply:?}");
    let data = &reply.message["error"]["data"];
    assert_eq!(data["requested"], "2099-01-01", "{reply:?}");
    let supported = data["supported"].as_array().expect("a list");
    assert!(supported.contains(&json!(REVISION)), "{reply:?}");
}

/// covers: T22-M, M-CAP-1, F08
#[tokio::test]
async fn tasks_are_closed_to_a_request_that_does_not_declare_them() {
    let server = serve().await;
    let declaring = server.client();
    let task = declaring
        .call("slow_compute", json!({"seconds": 60, "label": "x"}))
        .await;
    let id = task.result()["taskId"]
        .as_str()
        .expect("a handle")
        .to_owned();
    let silent = server.client().declaring(no_tasks());
    for method in ["tasks/get", "tasks/cancel", "tasks/update"] {
        let reply = silent
            .send(method, json!({"taskId": id, "inputResponses": {}}))
            .await;
        assert_eq!(reply.error(), (400, Some(-32021)), "{method}: {reply:?}");
        let required = &reply.message["error"]["data"]["requiredCapabilities"];
        assert_eq!(
            required["extensions"][TASKS],
            json!({}),
            "{method}: {reply:?}"
        );
    }
    let reply = silent.call("failing_job", json!({})).await;
    assert_eq!(reply.error(), (400, Some(-32021)), "{reply:?}");
    let task = declaring.send("tasks/get", json!({"taskId": id})).await;
    assert_eq!(
        task.result()["status"],
        "working",
        "the refused cancel did nothing"
    );
    declaring.send("tasks/cancel", json!({"taskId": id})).await;
}

/// covers: T21-M, F10
#[tokio::test]
async fn a_task_request_may_leave_out_the_name_header_but_not_lie_in_it() {
    let server = serve().await;
    let client = server.client();
    let task = client.call("slow_compute", json!({"seconds": 60})).await;
    let id = task.result()["taskId"]
        .as_str()
        .expect("a handle")
        .to_owned();
    let get = || json!({"taskId": id});
    assert_eq!(
        client
            .send_with("tasks/get", get(), &[("mcp-name", "")])
            .await
            .status,
        200
    );
    let reply = client
        .send_with("tasks/get", get(), &[("mcp-name", "another")])
        .await;
    assert_eq!(reply.error(), (400, Some(-32020)), "{reply:?}");
    client.send("tasks/cancel", get()).await;
}
