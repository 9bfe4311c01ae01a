//! The legacy era on a byte stream, in one process.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::{
    Server, TaskContext, task_tool,
    transport::kit::{Gate, all, modern, server_with},
};

use super::tests::{Client, client};

pub(super) async fn initialized(
    version: &str,
    capabilities: Value,
) -> (Client, Server, Gate, Value) {
    let (client, server, gate) = client();
    let (client, welcome) = initialize(client, version, capabilities).await;
    (client, server, gate, welcome)
}

pub(super) async fn initialize(
    mut client: Client,
    version: &str,
    capabilities: Value,
) -> (Client, Value) {
    let params = json!({"protocolVersion": version, "capabilities": capabilities,
                        "clientInfo": {"name": "test", "version": "1"}});
    let welcome = client
        .reply(json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}))
        .await;
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .await;
    (client, welcome["result"].clone())
}

pub(super) fn legacy(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// covers: L-RES-2, X-STD-1
#[tokio::test(start_paused = true)]
async fn what_waits_is_given_up_some_time_after_the_input_has_ended() {
    let (mut client, server, gate, _) = initialized("2025-11-25", json!({})).await;
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}, "task": {}});
    let made = client.reply(legacy(1, "tools/call", params)).await;
    let id = made["result"]["task"]["taskId"].clone();
    gate.arrived.notified().await;
    client
        .send(legacy(2, "tasks/result", json!({"taskId": id})))
        .await;
    // A plain call waits, too, in either era.
    let plain = json!({"name": "wait_at_gate", "arguments": {"label": "y"}});
    client.send(legacy(3, "tools/call", plain.clone())).await;
    client.send(modern(4, "tools/call", plain, json!({}))).await;
    let begun = tokio::time::Instant::now();
    assert_eq!(client.hang_up().await, [] as [Value; 0]);
    assert_eq!(begun.elapsed().as_secs(), 30);
    assert_eq!(server.engine().stats().waiters, 0);
    let task = server.engine().get(id.as_str().unwrap(), None).await;
    assert!(!task.unwrap().is_terminal(), "the task goes on");
}

/// An answer to a server's request cannot be refused, so a tool must not wait on behind one that is not taken.
#[tokio::test]
async fn an_answer_that_is_too_large_ends_its_question() {
    let (server, _) = server_with(|limits| limits.payload_bytes(1000));
    let capabilities = json!({"elicitation": {}});
    let (mut client, _) = initialize(Client::of(&server), "2025-11-25", capabilities).await;
    let call = legacy(1, "tools/call", json!({"name": "ask_name", "task": {}}));
    let id = client.reply(call).await["result"]["task"]["taskId"].clone();
    client
        .send(legacy(2, "tasks/result", json!({"taskId": id})))
        .await;
    let asked = loop {
        let message = client.next().await;
        if message["method"] == "elicitation/create" {
            break message["id"].clone();
        }
    };
    let answer = json!({"action": "accept", "content": {"name": "x".repeat(2000)}});
    let answer = json!({"jsonrpc": "2.0", "id": asked, "result": answer});
    client.send(answer).await;
    let ended = async {
        loop {
            let message = client.next().await;
            if message["id"] == 2 {
                break message["result"].clone();
            }
        }
    };
    let ended = tokio::time::timeout(std::time::Duration::from_secs(30), ended);
    let result = ended.await.expect("the question ends");
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("limited to 1000"), "{text}");
}

/// covers: L-RES-2, X-STD-1
#[tokio::test(start_paused = true)]
async fn what_waits_for_an_answer_is_given_up_when_none_can_come() {
    let form = json!({"elicitation": {}});
    for (tool, task) in [("ask_name", false), ("signed", false), ("ask_name", true)] {
        let (mut client, server, _, _) = initialized("2025-11-25", form.clone()).await;
        let mut call = json!({"name": tool});
        let mut id = None;
        if task {
            call["task"] = json!({});
            let made = client.reply(legacy(1, "tools/call", call)).await;
            let made = made["result"]["task"]["taskId"].clone();
            client
                .send(legacy(2, "tasks/result", json!({"taskId": made})))
                .await;
            id = Some(made);
        } else {
            client.send(legacy(1, "tools/call", call)).await;
        }
        while client.next().await["method"] != "elicitation/create" {}
        let begun = tokio::time::Instant::now();
        let rest = client.hang_up().await;
        assert!(
            begun.elapsed() < std::time::Duration::from_secs(1),
            "{tool}"
        );
        let is_reply = |message: &&Value| message.get("id").is_some();
        let replies: Vec<_> = rest.iter().filter(is_reply).collect();
        assert_eq!(replies.len(), 1, "{rest:?}");
        let error = replies[0]["error"]["message"].as_str().unwrap();
        assert!(error.contains("the client has ended its input"), "{error}");
        assert_eq!(server.engine().stats().waiters, 0);
        if let Some(id) = id {
            let task = server.engine().get(id.as_str().unwrap(), None).await;
            assert_eq!(task.unwrap().status().as_str(), "input_required");
        }
    }
}

/// covers: X-STD-1
#[tokio::test(start_paused = true)]
async fn an_answer_that_comes_before_the_end_of_the_input_counts() {
    for task in [false, true] {
        let (mut client, _, _, _) = initialized("2025-11-25", json!({"elicitation": {}})).await;
        let mut call = json!({"name": "ask_name"});
        if task {
            call["task"] = json!({});
            let made = client.reply(legacy(1, "tools/call", call)).await;
            let id = &made["result"]["task"]["taskId"];
            client
                .send(legacy(2, "tasks/result", json!({"taskId": id})))
                .await;
        } else {
            client.send(legacy(2, "tools/call", call)).await;
        }
        let asked = loop {
            let message = client.next().await;
            if message["method"] == "elicitation/create" {
                break message["id"].clone();
            }
        };
        let answer = json!({"action": "accept", "content": {"name": "Ada"}});
        client
            .send(json!({"jsonrpc": "2.0", "id": asked, "result": answer}))
            .await;
        let rest = client.hang_up().await;
        let reply = rest.iter().find(|message| message["id"] == 2);
        let text = &reply.expect("a reply")["result"]["content"][0]["text"];
        assert_eq!(text, "Hello, Ada!", "{rest:?}");
    }
}

/// covers: X-NEG-2, T01-L, T04-L, L-SUP-1
#[tokio::test]
async fn each_revision_gets_what_it_knows() {
    for (asked, given) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        ("2099-01-01", "2025-11-25"),
    ] {
        let (mut client, _, _, welcome) = initialized(asked, json!({})).await;
        assert_eq!(welcome["protocolVersion"], given);
        assert_eq!(welcome["serverInfo"]["name"], "kit");
        let tasks = json!({"list": {}, "cancel": {}, "requests": {"tools": {"call": {}}}});
        let has_tasks = given == "2025-11-25";
        assert_eq!(
            welcome["capabilities"].get("tasks"),
            has_tasks.then_some(&tasks)
        );
        assert!(welcome["capabilities"].get("extensions").is_none());
        let list = client.reply(legacy(1, "tools/list", json!({}))).await;
        let execution = list["result"]["tools"][0].get("execution").cloned();
        assert_eq!(
            execution,
            has_tasks.then(|| json!({"taskSupport": "forbidden"}))
        );
        assert!(list["result"].get("resultType").is_none());
        let schemas = list["result"]["tools"].as_array().unwrap().iter();
        assert!(
            schemas
                .filter_map(|tool| tool.get("outputSchema"))
                .all(|schema| schema["type"] == "object"),
            "{list}"
        );
        let params = json!({"name": "wait_at_gate", "arguments": {"label": 5}, "task": "nonsense"});
        let called = client.reply(legacy(2, "tools/call", params)).await;
        assert_eq!(called.get("error").is_some(), has_tasks, "{called}");
    }
}

#[tokio::test]
async fn a_meta_that_is_no_object_is_refused_in_either_era() {
    let (mut client, _, _) = client();
    for meta in [json!("text"), json!(5), json!([]), json!(null)] {
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "_meta": meta});
        let refused = client.reply(legacy(1, "initialize", params)).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let (mut client, _) = initialize(client, "2025-11-25", json!({})).await;
    for meta in [json!("text"), json!(5), json!([]), json!(null)] {
        for (method, more) in [
            ("ping", json!({})),
            ("tools/list", json!({})),
            (
                "tools/call",
                json!({"name": "greet", "arguments": {"name": "x"}}),
            ),
        ] {
            let mut params = more;
            params["_meta"] = meta.clone();
            let refused = client.reply(legacy(2, method, params)).await;
            assert_eq!(refused["error"]["code"], -32602, "{method}: {refused}");
            let message = refused["error"]["message"].as_str().unwrap();
            assert!(message.contains("params._meta"), "{message}");
        }
    }
}

#[tokio::test]
async fn structured_content_that_is_no_object_is_text_alone() {
    let (mut client, _, _, _) = initialized("2025-11-25", json!({})).await;
    let list = client.reply(legacy(1, "tools/list", json!({}))).await;
    let tools = list["result"]["tools"].as_array().unwrap();
    let squares = tools.iter().find(|tool| tool["name"] == "squares").unwrap();
    assert!(squares.get("outputSchema").is_none(), "{squares}");

    let plain = client
        .reply(legacy(2, "tools/call", json!({"name": "squares"})))
        .await;
    let made = client
        .reply(legacy(
            3,
            "tools/call",
            json!({"name": "squares", "task": {}}),
        ))
        .await;
    let id = &made["result"]["task"]["taskId"];
    let later = client
        .reply(legacy(4, "tasks/result", json!({"taskId": id})))
        .await;
    for reply in [plain, later] {
        let result = &reply["result"];
        assert_eq!(result["content"][0]["text"], "[1,4,9]", "{reply}");
        assert!(result.get("structuredContent").is_none(), "{reply}");
    }
}

/// covers: L-SUP-1
#[tokio::test]
async fn a_tool_that_must_be_a_task_is_not_shown_where_there_are_none() {
    for (version, shown) in [
        ("2025-11-25", true),
        ("2025-06-18", false),
        ("2025-03-26", false),
    ] {
        let (mut client, _, _, _) = initialized(version, json!({})).await;
        let list = client.reply(legacy(1, "tools/list", json!({}))).await;
        let tools = list["result"]["tools"].as_array().unwrap();
        let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
        assert_eq!(has("failing_job"), shown, "{version}");
        assert!(has("squares"), "{version}");
        let call = legacy(2, "tools/call", json!({"name": "failing_job"}));
        assert_eq!(client.reply(call).await["error"]["code"], -32601);
    }
}

/// covers: T26-L, M-UPD-4
#[tokio::test]
async fn a_plain_legacy_call_asks_on_its_own_way() {
    let (mut client, _, _, _) = initialized("2025-06-18", json!({"elicitation": {}})).await;
    client
        .send(legacy(1, "tools/call", json!({"name": "signed"})))
        .await;
    let question = client.next().await;
    assert_eq!(
        (&question["method"], &question["params"]["message"]),
        (&json!("elicitation/create"), &json!("Who signs?"))
    );
    assert!(question["params"].get("mode").is_none() && question["params"].get("_meta").is_none());
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    client
        .send(json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}))
        .await;
    assert_eq!(
        client.next().await["result"]["content"][0]["text"],
        "signed by Ada"
    );

    let (mut client, _, _, _) = initialized("2025-11-25", json!({})).await;
    let refused = client
        .reply(legacy(1, "tools/call", json!({"name": "ask_name"})))
        .await;
    assert_eq!(refused["result"]["isError"], true);
    assert!(
        refused["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("elicitation")
    );
}

/// Counts the calls of [`until_called_off`] that run.
static RUNNING: tokio::sync::Semaphore = tokio::sync::Semaphore::const_new(0);

/// Does not let go before it is called off, and then returns at once.
#[task_tool]
async fn until_called_off(ctx: TaskContext) -> &'static str {
    RUNNING.add_permits(1);
    while !ctx.is_cancelled() {
        std::thread::yield_now();
    }
    "too late"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_ends_because_it_was_called_off_gets_no_reply() {
    let server = Server::builder()
        .name("kit")
        .version("1")
        .tool(until_called_off)
        .build()
        .unwrap();
    let (mut client, _) = initialize(Client::of(&server), "2025-11-25", json!({})).await;
    client
        .send(legacy(1, "tools/call", json!({"name": "until_called_off"})))
        .await;
    RUNNING.acquire().await.unwrap().forget();
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    assert_eq!(client.hang_up().await, [] as [Value; 0]);
}

/// covers: T27-L, T27-M, X-NEG-1, L-TOL-2, F25
#[tokio::test]
async fn one_connection_may_speak_both_ways_and_sees_one_task_in_two_shapes() {
    let (mut client, _, _, _) = initialized("2025-11-25", all()).await;
    let made = client
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "failing_job", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    client
        .reply(legacy(2, "tasks/result", json!({"taskId": id})))
        .await;
    let old = client
        .reply(legacy(3, "tasks/get", json!({"taskId": id})))
        .await["result"]
        .clone();
    let new = client
        .reply(modern(4, "tasks/get", json!({"taskId": id}), all()))
        .await["result"]
        .clone();
    assert_eq!(
        (&old["status"], &new["status"]),
        (&json!("failed"), &json!("completed"))
    );
    assert_eq!(old["ttl"], new["ttlMs"]);
    assert!(old.get("ttlMs").is_none() && new.get("ttl").is_none());
    // A client that declares the extension in `initialize` still gets legacy shapes.
    let plain = client
        .reply(legacy(
            5,
            "tools/call",
            json!({"name": "greet", "arguments": {"name": "x"}}),
        ))
        .await;
    assert!(plain["result"].get("resultType").is_none());
    // Nor is it given a task that it did not ask for, even by a tool that would make one in the modern era.
    let plain = client
        .reply(legacy(6, "tools/call", json!({"name": "failing_job"})))
        .await;
    assert_eq!(plain["error"]["code"], -32601, "{plain}");
}
