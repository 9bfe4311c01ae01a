//! Tasks of the legacy era on a byte stream, in one process.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};

use crate::transport::kit::{all, modern};

use super::tests_legacy::{initialized, legacy};

/// covers: T03-L, T05-L, T06-L, T07-L, T08-L, T09-L, T11-L, T13-L, T15-L, T17-L, T20-L, T22-L, L-TTL-1, L-RES-1, L-INP-3, L-TOL-1
#[tokio::test]
async fn a_legacy_task_goes_from_handle_to_result() {
    let (mut client, _, gate, _) = initialized("2025-11-25", json!({})).await;
    let call = |id: u64, name: &str, task: Value| {
        let arguments = match name {
            "wait_at_gate" => json!({"label": "x"}),
            "greet" => json!({"name": "x"}),
            _ => json!({}),
        };
        legacy(
            id,
            "tools/call",
            json!({"name": name, "arguments": arguments, "task": task}),
        )
    };
    let made = client
        .reply(call(1, "wait_at_gate", json!({"ttl": 5000.0})))
        .await["result"]["task"]
        .clone();
    assert_eq!(
        (&made["status"], &made["ttl"], &made["pollInterval"]),
        (&json!("working"), &json!(5000), &json!(1000))
    );
    let id = made["taskId"].clone();
    for waiter in ["a", "b"] {
        client
            .send(legacy(
                waiter,
                "tasks/result",
                json!({"taskId": id, "task": {}}),
            ))
            .await;
    }
    let got = client
        .reply(legacy(2, "tasks/get", json!({"taskId": id, "task": {}})))
        .await;
    assert_eq!(got["result"]["status"], "working");
    gate.open();
    let mut waiters = vec![];
    while waiters.len() < 2 {
        let next = client.next().await;
        if next.get("result").is_some() {
            assert_eq!(next["result"]["content"][0]["text"], "through: x");
            assert_eq!(
                next["result"]["_meta"],
                json!({"io.modelcontextprotocol/related-task": {"taskId": id}})
            );
            waiters.push(next["id"].clone());
        }
    }
    let failed =
        client.reply(call(3, "failing_job", json!({}))).await["result"]["task"]["taskId"].clone();
    let result = client
        .reply(legacy(4, "tasks/result", json!({"taskId": failed})))
        .await;
    assert_eq!(result["result"]["isError"], true);
    let got = client
        .reply(legacy(5, "tasks/get", json!({"taskId": failed})))
        .await["result"]
        .clone();
    assert_eq!(
        (&got["status"], &got["statusMessage"]),
        (&json!("failed"), &json!("the job failed"))
    );
    assert!(got.get("_meta").is_none());

    for beyond in [json!(86_400_001_u64), json!(u64::MAX), json!(1e30)] {
        let made = client
            .reply(call(16, "wait_at_gate", json!({"ttl": beyond})))
            .await;
        assert_eq!(made["result"]["task"]["ttl"], 86_400_000, "{beyond}");
    }

    for (request, code) in [
        (call(6, "greet", json!({})), -32601),
        (
            legacy(7, "tools/call", json!({"name": "failing_job"})),
            -32601,
        ),
        (call(8, "wait_at_gate", json!({"ttl": -1})), -32602),
        (call(9, "wait_at_gate", json!({"ttl": 1.5})), -32602),
        (call(10, "wait_at_gate", json!({"ttl": "1"})), -32602),
        (call(11, "wait_at_gate", json!({"ttl": null})), -32602),
        (
            legacy(12, "tasks/result", json!({"taskId": "none"})),
            -32602,
        ),
        (
            legacy(
                13,
                "tasks/update",
                json!({"taskId": failed, "inputResponses": {}}),
            ),
            -32601,
        ),
        (
            legacy(14, "tasks/cancel", json!({"taskId": failed})),
            -32602,
        ),
        (legacy(15, "server/discover", json!({})), -32601),
    ] {
        let reply = client.reply(request).await;
        assert_eq!(reply["error"]["code"], code, "{reply}");
    }
}

/// covers: X-ARG-1
#[tokio::test]
async fn a_task_with_wrong_arguments_fails_at_once_and_runs_nothing() {
    let (mut client, _, _, _) = initialized("2025-11-25", json!({})).await;
    let params = json!({"name": "wait_at_gate", "arguments": {"label": 5}});
    let plain = client.reply(legacy(1, "tools/call", params.clone())).await;
    assert_eq!(plain["result"]["isError"], true);
    let mut params = params;
    params["task"] = json!({});
    let made = client.reply(legacy(2, "tools/call", params)).await;
    let result = client
        .reply(legacy(
            3,
            "tasks/result",
            json!({"taskId": made["result"]["task"]["taskId"]}),
        ))
        .await;
    assert_eq!(result["result"]["content"], plain["result"]["content"]);
}

/// covers: T12-L, L-RES-3, L-RES-4
#[tokio::test]
async fn a_legacy_task_is_cancelled_before_the_reply_and_its_waiters_are_told() {
    let (mut client, _, _, _) = initialized("2025-11-25", json!({})).await;
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}, "task": {}});
    let id =
        client.reply(legacy(1, "tools/call", params)).await["result"]["task"]["taskId"].clone();
    client
        .send(legacy("w", "tasks/result", json!({"taskId": id})))
        .await;
    client
        .reply(legacy(2, "tasks/get", json!({"taskId": id})))
        .await;
    client
        .send(legacy(3, "tasks/cancel", json!({"taskId": id})))
        .await;
    let mut seen = vec![];
    while seen.len() < 2 {
        let next = client.next().await;
        match next["id"].clone() {
            Value::Null => {}
            waiter if waiter == "w" => {
                assert!(
                    next["error"]["message"]
                        .as_str()
                        .unwrap()
                        .contains("cancelled"),
                    "{next}"
                );
                seen.push(waiter);
            }
            id => {
                assert_eq!(next["result"]["status"], "cancelled");
                seen.push(id);
            }
        }
    }
    let late = client
        .reply(legacy(4, "tasks/result", json!({"taskId": id})))
        .await;
    assert!(late.get("error").is_some());
}

/// covers: T10-L, L-LIST-1
#[tokio::test]
async fn tasks_are_listed_by_pages() {
    let (mut client, _, _, _) = initialized("2025-11-25", json!({})).await;
    for id in 1..=3 {
        client
            .reply(legacy(
                id,
                "tools/call",
                json!({"name": "failing_job", "task": {}}),
            ))
            .await;
    }
    let list = client.reply(legacy(9, "tasks/list", json!({}))).await;
    assert_eq!(list["result"]["tasks"].as_array().unwrap().len(), 3);
    let bad = client
        .reply(legacy(10, "tasks/list", json!({"cursor": "nonsense"})))
        .await;
    assert_eq!(bad["error"]["code"], -32602);
}

/// covers: T14-L
#[tokio::test]
async fn changes_of_status_are_told_to_the_session() {
    let (mut client, _, gate, _) = initialized("2025-11-25", json!({})).await;
    let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}, "task": {}});
    let id =
        client.reply(legacy(1, "tools/call", params)).await["result"]["task"]["taskId"].clone();
    gate.open();
    let told = client.next().await;
    assert_eq!(told["method"], "notifications/tasks/status");
    assert_eq!(
        (&told["params"]["taskId"], &told["params"]["status"]),
        (&id, &json!("completed"))
    );
    assert!(told["params"].get("_meta").is_none());
}

/// covers: T16-L, T19-L
#[tokio::test]
async fn a_task_tells_its_progress_by_the_calls_token_and_what_the_model_gets_meanwhile() {
    let (mut client, _, gate, _) = initialized("2025-11-25", json!({})).await;
    let params = json!({"name": "count_slowly", "task": {}, "_meta": {"progressToken": 7}});
    let made = client.reply(legacy(1, "tools/call", params)).await["result"].clone();
    assert_eq!(
        made["_meta"],
        json!({"io.modelcontextprotocol/model-immediate-response": "It is being counted."})
    );
    let id = made["task"]["taskId"].clone();
    client
        .send(legacy(2, "tasks/result", json!({"taskId": id})))
        .await;
    gate.open();
    let mut reported = vec![];
    loop {
        let next = client.next().await;
        if next["method"] == "notifications/progress" {
            reported.push(next["params"].clone());
        } else if next["id"] == 2 {
            assert_eq!(next["result"]["content"][0]["text"], "counted");
            break;
        }
    }
    for params in &reported {
        assert_eq!(params["progressToken"], 7);
        assert_eq!(
            params["_meta"]["io.modelcontextprotocol/related-task"]["taskId"],
            id
        );
    }
    let told: Vec<_> = reported.iter().map(|params| &params["progress"]).collect();
    assert_eq!(told, [&json!(1), &json!(2), &json!(3)]);
}

/// covers: M-TIME-3
#[tokio::test(start_paused = true)]
async fn a_task_whose_time_is_over_is_unknown_to_every_method() {
    let (mut client, _, _, _) = initialized("2025-11-25", json!({})).await;
    let params =
        json!({"name": "wait_at_gate", "arguments": {"label": "x"}, "task": {"ttl": 1000}});
    let id =
        client.reply(legacy(1, "tools/call", params)).await["result"]["task"]["taskId"].clone();
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    for (number, method) in ["tasks/get", "tasks/result", "tasks/cancel"]
        .into_iter()
        .enumerate()
    {
        let mut old = client
            .reply(legacy(number as u64 + 10, method, json!({"taskId": id})))
            .await;
        let mut none = client
            .reply(legacy(
                number as u64 + 20,
                method,
                json!({"taskId": "none"}),
            ))
            .await;
        assert_eq!(old["error"]["code"], -32602);
        assert_eq!(old["error"].take(), none["error"].take(), "{method}");
    }
    for (number, method) in ["tasks/get", "tasks/update", "tasks/cancel"]
        .into_iter()
        .enumerate()
    {
        let params = json!({"taskId": id, "inputResponses": {}});
        let old = client
            .reply(modern(number as u64 + 30, method, params, all()))
            .await;
        assert_eq!(old["error"]["code"], -32602, "{method}");
    }
}
