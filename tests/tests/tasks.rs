//! The life of a task in the modern era, as a client sees it over HTTP.

use mcp_tasks::{Server, task_tool, tools};
use mcp_tasks_tests::{
    modern::{Client, Reply, TASKS, no_tasks},
    serve::{serve, serve_this},
};
use serde_json::{Value, json};

#[track_caller]
fn task_id(handle: &Reply) -> String {
    handle.result()["taskId"]
        .as_str()
        .unwrap_or_else(|| panic!("no handle: {handle:?}"))
        .to_owned()
}

/// Waits until a task asks, and gives it.
async fn asking(client: &Client, id: &str) -> Value {
    let task = client.settle(id).await;
    assert_eq!(task["status"], "input_required", "{task}");
    task
}

fn accept(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// covers: T01-M, T04-M, M-CAP-2
#[tokio::test]
async fn discovery_shows_the_extension_and_nothing_of_the_other_era() {
    let server = serve().await;
    let client = server.client();
    let discovered = client
        .send("server/discover", json!({}))
        .await
        .result()
        .clone();
    assert_eq!(discovered["capabilities"]["extensions"][TASKS], json!({}));
    assert!(
        discovered["capabilities"].get("tasks").is_none(),
        "{discovered}"
    );
    let tools = client.send("tools/list", json!({})).await.result()["tools"].clone();
    for tool in tools.as_array().expect("tools") {
        assert!(tool.get("execution").is_none(), "{tool}");
    }
}

/// covers: T05-M, T06-M, T07-M, T20-M, M-TIME-1, F18
#[tokio::test]
async fn a_handle_is_flat_and_can_be_got_at_once() {
    let server = serve().await;
    let client = server.client();
    let reply = client
        .call("slow_compute", json!({"seconds": 60, "label": "flat"}))
        .await;
    let handle = reply.result();
    assert_eq!(handle["resultType"], "task");
    assert_eq!(handle["status"], "working");
    assert!(handle["ttlMs"].is_u64(), "{handle}");
    assert!(handle["pollIntervalMs"].is_u64(), "{handle}");
    for member in [
        "task",
        "result",
        "error",
        "inputRequests",
        "ttl",
        "pollInterval",
        "requestState",
    ] {
        assert!(handle.get(member).is_none(), "{member} in {handle}");
    }
    let got = client
        .send("tasks/get", json!({"taskId": task_id(&reply)}))
        .await
        .result()
        .clone();
    assert_eq!(got["resultType"], "complete");
    assert_eq!(got["taskId"], handle["taskId"]);
    assert_eq!(got["createdAt"], handle["createdAt"]);
    client
        .send("tasks/cancel", json!({"taskId": task_id(&reply)}))
        .await;
}

/// covers: T08-M, T15-M, M-LIFE-4, M-RES-1
#[tokio::test]
async fn a_completed_task_carries_the_result_of_the_call() {
    let server = serve().await;
    let client = server.client();
    let id = task_id(
        &client
            .call("slow_compute", json!({"seconds": 0, "label": "inline"}))
            .await,
    );
    let task = client.settle(&id).await;
    assert_eq!(
        (&task["status"], &task["resultType"]),
        (&json!("completed"), &json!("complete")),
        "{task}"
    );
    let plain = server
        .client()
        .declaring(no_tasks())
        .call("slow_compute", json!({"seconds": 0, "label": "inline"}))
        .await;
    assert_eq!(task["result"]["content"], plain.result()["content"]);
    assert_eq!(plain.result()["resultType"], "complete");
    assert!(
        task["result"]["_meta"]
            .get("io.modelcontextprotocol/related-task")
            .is_none(),
        "{task}"
    );
    assert!(
        task.get("error").is_none() && task.get("inputRequests").is_none(),
        "{task}"
    );
}

/// covers: T17-M
#[tokio::test]
async fn a_tool_error_is_completed_and_a_protocol_error_is_failed() {
    let server = serve().await;
    let client = server.client();
    let (tool, protocol) = tokio::join!(
        client.call("failing_job", json!({})),
        client.call("protocol_error_job", json!({}))
    );
    let (tool, protocol) = (task_id(&tool), task_id(&protocol));
    let (tool, protocol) = tokio::join!(client.settle(&tool), client.settle(&protocol));
    assert_eq!(tool["status"], "completed", "{tool}");
    assert_eq!(tool["result"]["isError"], true, "{tool}");
    assert_eq!(protocol["status"], "failed", "{protocol}");
    assert_eq!(protocol["error"]["code"], -32603, "{protocol}");
    assert!(protocol.get("result").is_none(), "{protocol}");
    assert!(protocol["statusMessage"].is_string(), "{protocol}");
}

/// covers: T11-M, T18-M, M-LIFE-2, M-LIFE-3, M-UPD-1
#[tokio::test]
async fn a_question_is_shown_answered_and_gone() {
    let server = serve().await;
    let client = server.client();
    for (answer, text) in [(true, "confirmed: true"), (false, "confirmed: false")] {
        let id = task_id(
            &client
                .call("confirm_delete", json!({"filename": "a.txt"}))
                .await,
        );
        let task = asking(&client, &id).await;
        let open = task["inputRequests"].as_object().expect("questions");
        assert_eq!(open.len(), 1, "{task}");
        let (key, question) = open.iter().next().expect("one question");
        assert_eq!(question["method"], "elicitation/create");
        let answers = json!({key: accept(json!({"confirm": answer}))});
        let ack = client
            .send(
                "tasks/update",
                json!({"taskId": id, "inputResponses": answers}),
            )
            .await;
        assert_eq!(ack.result()["resultType"], "complete");
        for member in ["taskId", "status", "result", "error", "inputRequests"] {
            assert!(ack.result().get(member).is_none(), "{member} in {ack:?}");
        }
        let done = client.settle(&id).await;
        assert_eq!(done["status"], "completed", "{done}");
        assert!(
            done["result"]["content"][0]["text"]
                .as_str()
                .expect("text")
                .contains(text),
            "{done}"
        );
        assert!(done.get("inputRequests").is_none(), "{done}");
    }
}

/// covers: T11-M, M-UPD-2, F13
#[tokio::test]
async fn parallel_questions_are_answered_one_by_one_and_stray_answers_do_nothing() {
    let server = serve().await;
    let client = server.client();
    let id = task_id(&client.call("multi_input", json!({})).await);
    let mut task = asking(&client, &id).await;
    while task["inputRequests"].as_object().expect("questions").len() < 2 {
        task = asking(&client, &id).await;
    }
    let keys: Vec<String> = task["inputRequests"]
        .as_object()
        .expect("questions")
        .keys()
        .cloned()
        .collect();
    let content = accept(json!({"name": "me", "confirm": true}));
    let update = |answers: Value| {
        client.send(
            "tasks/update",
            json!({"taskId": id, "inputResponses": answers}),
        )
    };

    update(json!({"never asked": content})).await.result();
    update(json!({keys[0].as_str(): content})).await.result();
    update(json!({keys[0].as_str(): accept(json!({"name": "late", "confirm": false}))}))
        .await
        .result();
    let task = asking(&client, &id).await;
    let left: Vec<_> = task["inputRequests"]
        .as_object()
        .expect("questions")
        .keys()
        .collect();
    assert_eq!(left, [&keys[1]]);

    update(json!({keys[1].as_str(): content})).await.result();
    let done = client.settle(&id).await;
    assert_eq!(done["result"]["content"][0]["text"], "me: true", "{done}");
}

/// covers: M-UPD-3
#[tokio::test]
async fn an_answer_that_does_not_fit_is_refused_and_the_question_stays() {
    let server = serve().await;
    let client = server.client();
    let id = task_id(
        &client
            .call("confirm_delete", json!({"filename": "a.txt"}))
            .await,
    );
    let task = asking(&client, &id).await;
    let key = task["inputRequests"]
        .as_object()
        .and_then(|open| open.keys().next())
        .expect("a question")
        .clone();
    for wrong in [
        accept(json!({"confirm": "yes"})),
        accept(json!({})),
        json!(5),
        json!({"action": "shrug"}),
    ] {
        let reply = client
            .send(
                "tasks/update",
                json!({"taskId": id, "inputResponses": {key.as_str(): wrong}}),
            )
            .await;
        assert_eq!(reply.error().1, Some(-32602), "{reply:?}");
    }
    assert_eq!(
        asking(&client, &id).await["inputRequests"],
        task["inputRequests"]
    );
    client.send("tasks/cancel", json!({"taskId": id})).await;
}

/// covers: T12-M, T13-M, M-CAN-1, F04
#[tokio::test]
async fn cancelling_is_acknowledged_also_when_it_is_too_late() {
    let server = serve().await;
    let client = server.client();
    let running = task_id(&client.call("slow_compute", json!({"seconds": 60})).await);
    let finished = task_id(&client.call("slow_compute", json!({"seconds": 0})).await);
    let before = client.settle(&finished).await;
    for id in [&running, &finished] {
        let ack = client.send("tasks/cancel", json!({"taskId": id})).await;
        assert_eq!(ack.result()["resultType"], "complete");
        assert!(ack.result().get("status").is_none(), "{ack:?}");
    }
    assert_eq!(client.settle(&running).await["status"], "cancelled");
    let after = client.settle(&finished).await;
    assert_eq!(
        (&after["status"], &after["lastUpdatedAt"]),
        (&before["status"], &before["lastUpdatedAt"])
    );
}

/// covers: M-GET-1, T09-M, T10-M
#[tokio::test]
async fn what_is_no_task_is_refused_on_every_method_alike() {
    let server = serve().await;
    let client = server.client();
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for id in [json!("never-issued"), json!(""), json!(7), Value::Null] {
            let reply = client
                .send(method, json!({"taskId": id, "inputResponses": {}}))
                .await;
            assert_eq!(reply.error().1, Some(-32602), "{method} {id}: {reply:?}");
        }
    }
    for method in ["tasks/result", "tasks/list"] {
        let reply = client.send(method, json!({"taskId": "x"})).await;
        assert_eq!(reply.error(), (404, Some(-32601)), "{method}: {reply:?}");
    }
}

/// covers: T03-M, F09
#[tokio::test]
async fn the_other_eras_task_member_changes_nothing() {
    let server = serve().await;
    let client = server.client();
    let reply = client
        .send(
            "tools/call",
            json!({"name": "greet", "arguments": {"name": "you"}, "task": {"ttl": 60000}}),
        )
        .await;
    assert_eq!(reply.result()["resultType"], "complete");
    assert!(reply.result().get("taskId").is_none(), "{reply:?}");
}

/// covers: T26-M, F05
#[tokio::test]
async fn questions_before_a_task_come_first_and_then_the_handle() {
    let server = serve().await;
    let client = server.client();
    let first = client.call("test_tool_with_task", json!({})).await;
    assert_eq!(first.result()["resultType"], "input_required", "{first:?}");
    assert!(first.result().get("taskId").is_none(), "{first:?}");
    let key = first.result()["inputRequests"]
        .as_object()
        .and_then(|open| open.keys().next())
        .expect("a question")
        .clone();
    let second = client
        .send(
            "tools/call",
            json!({
                "name": "test_tool_with_task",
                "arguments": {},
                "inputResponses": {key: accept(json!({"name": "Alice"}))},
                "requestState": first.result()["requestState"],
            }),
        )
        .await;
    assert_eq!(second.result()["resultType"], "task", "{second:?}");
    assert!(second.result().get("requestState").is_none(), "{second:?}");
    let done = client.settle(&task_id(&second)).await;
    assert_eq!(
        done["result"]["content"][0]["text"], "Task done for Alice",
        "{done}"
    );
}

/// covers: T23-M
#[tokio::test]
async fn ids_are_long_random_and_safe_in_urls() {
    let server = serve().await;
    let client = server.client();
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20 {
        let id = task_id(&client.call("slow_compute", json!({"seconds": 0})).await);
        // 128 random bits take 22 characters of base64 or more.
        assert!(id.len() >= 22, "{id}");
        assert!(
            id.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte)),
            "{id}"
        );
        assert!(seen.insert(id.clone()), "{id} was given twice");
    }
}

#[tokio::test]
async fn twelve_tasks_run_at_a_time() {
    let server = serve().await;
    let client = server.client();
    let mut ids = Vec::new();
    for number in 0..12 {
        ids.push(task_id(
            &client
                .call(
                    "slow_compute",
                    json!({"seconds": 60, "label": number.to_string()}),
                )
                .await,
        ));
    }
    for id in &ids {
        assert_eq!(
            client
                .send("tasks/get", json!({"taskId": id}))
                .await
                .result()["status"],
            "working"
        );
        client
            .send("tasks/cancel", json!({"taskId": id}))
            .await
            .result();
    }
}

/// Over at once, and soon forgotten.
#[task_tool(ttl = "100ms")]
async fn fleeting() -> &'static str {
    "gone soon"
}

/// covers: M-TIME-3, F06
#[tokio::test]
async fn an_expired_task_is_unknown_on_every_method_alike() {
    let server = Server::builder()
        .tools(tools![fleeting])
        .build()
        .expect("a server");
    let served = serve_this(server).await;
    let client = served.client();
    let id = task_id(&client.call("fleeting", json!({})).await);
    let get = || client.send("tasks/get", json!({"taskId": id}));
    while get().await.error().1.is_none() {
        tokio::task::yield_now().await;
    }
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let ask = |id: &str| client.send(method, json!({"taskId": id, "inputResponses": {}}));
        let (expired, unknown) = (ask(&id).await, ask("never-issued").await);
        assert_eq!(expired.error().1, Some(-32602), "{method}: {expired:?}");
        let told = |reply: &Reply, id: &str| reply.message.to_string().replace(id, "ID");
        assert_eq!(
            told(&expired, &id),
            told(&unknown, "never-issued"),
            "{method}"
        );
    }
}
