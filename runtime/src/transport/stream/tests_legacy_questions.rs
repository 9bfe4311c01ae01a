//! What a legacy task asks its client on a byte stream, in one process.
#![allow(clippy::unwrap_used)]

use std::{
    future::IntoFuture,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::future::join_all;
use serde_json::json;

use crate::{
    BoxFuture, Server, TaskContext,
    store::{MemoryStore, Position, StoreError, Swap, TaskStore},
    task::{Principal, Task, Timestamp, WorkerId},
    task_tool,
    transport::kit::NameForm,
};

use super::{
    tests::{Client, ping},
    tests_legacy::{initialize, initialized, legacy},
};

/// covers: T18-L, L-INP-1, L-INP-2
#[tokio::test]
async fn a_task_asks_on_the_result_stream_and_goes_on_with_the_answer() {
    let (mut client, _, _, _) = initialized("2025-11-25", json!({"elicitation": {}})).await;
    let made = client
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "ask_name", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    client
        .send(legacy(2, "tasks/result", json!({"taskId": id})))
        .await;
    let question = loop {
        let next = client.next().await;
        if next["method"] == "elicitation/create" {
            break next;
        }
    };
    assert_eq!(
        question["params"]["_meta"],
        json!({"io.modelcontextprotocol/related-task": {"taskId": id}})
    );
    assert_eq!(question["params"]["message"], "What is your name?");
    let got = client
        .reply(legacy(3, "tasks/get", json!({"taskId": id})))
        .await;
    assert_eq!(got["result"]["status"], "input_required");
    let answer = json!({"action": "accept", "content": {"name": "Ada"}});
    client
        .send(json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}))
        .await;
    let done = loop {
        let next = client.next().await;
        if next["id"] == 2 && next.get("result").is_some() {
            break next;
        }
    };
    assert_eq!(done["result"]["content"][0]["text"], "Hello, Ada!");
}

/// covers: L-INP-2
#[tokio::test]
async fn a_task_asks_a_client_that_only_polls_once_it_has_named_the_task() {
    let (mut client, server, _, _) = initialized("2025-11-25", json!({"elicitation": {}})).await;
    let made = client
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "ask_name", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    let mut watched = server
        .engine()
        .subscribe(id.as_str().unwrap(), None)
        .await
        .unwrap();
    while watched.current().status().as_str() != "input_required" {
        watched.next().await;
    }
    let pong = client.reply(ping(2)).await;
    assert!(pong.get("result").is_some());
    client
        .send(legacy(3, "tasks/get", json!({"taskId": id})))
        .await;
    let mut methods = vec![];
    let question = loop {
        let next = client.next().await;
        methods.push(next["method"].clone());
        if next["method"] == "elicitation/create" {
            break next;
        }
    };
    assert_eq!(
        methods
            .iter()
            .filter(|method| **method == "elicitation/create")
            .count(),
        1
    );
    client
        .send(json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no user here"}}))
        .await;
    let result = client
        .reply(legacy(4, "tasks/result", json!({"taskId": id})))
        .await;
    assert!(
        result["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("no user here"),
        "{result}"
    );
}

/// Asks four things at once.
#[task_tool]
async fn ask_at_once(ctx: TaskContext) -> String {
    let ask = |text: &str| ctx.elicit::<NameForm>(text);
    let answers = tokio::join!(ask("1"), ask("2"), ask("3"), ask("4"));
    format!(
        "{:?}",
        [answers.0, answers.1, answers.2, answers.3].map(|answer| answer.is_ok())
    )
}

/// One worker thread runs what was spawned last before all else, so that what is spawned for each question would not keep
/// the order.
///
/// covers: L-INP-2
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn questions_that_are_asked_at_once_arrive_in_their_order() {
    let served = tokio::spawn(async {
        let server = Server::builder()
            .name("kit")
            .version("1")
            .tool(ask_at_once)
            .build()
            .unwrap();
        let capabilities = json!({"elicitation": {}});
        let (mut client, _) = initialize(Client::of(&server), "2025-11-25", capabilities).await;
        let call = legacy(1, "tools/call", json!({"name": "ask_at_once", "task": {}}));
        let id = client.reply(call).await["result"]["task"]["taskId"].clone();
        let id = id.as_str().unwrap();
        let mut watched = server.engine().subscribe(id, None).await.unwrap();
        while watched.current().input_requests().count() < 4 {
            watched.next().await;
        }
        client
            .send(legacy(2, "tasks/result", json!({"taskId": id})))
            .await;
        let mut asked = vec![];
        while asked.len() < 4 {
            let next = client.next().await;
            if next["method"] == "elicitation/create" {
                asked.push(next["params"]["message"].clone());
            }
        }
        asked
    });
    assert_eq!(served.await.unwrap(), ["1", "2", "3", "4"]);
}

/// Counts updates, and lets others come between the look at a task and its update.
#[derive(Clone)]
struct Counting(Arc<MemoryStore>, Arc<AtomicUsize>);

impl TaskStore for Counting {
    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
        Box::pin(async move {
            self.1.fetch_add(1, Ordering::Relaxed);
            for _ in 0..20 {
                tokio::task::yield_now().await;
            }
            self.0.update(task).await
        })
    }

    crate::store::delegate!(0: create, get, remove, list, count, expired, next_expiry, heartbeat, claim);
}

/// Asks twenty things at once.
#[task_tool]
async fn ask_twenty(ctx: TaskContext) -> String {
    let asks = (0..20).map(|_| ctx.elicit::<NameForm>("?").into_future());
    join_all(asks).await.len().to_string()
}

#[tokio::test]
async fn answers_that_come_at_once_are_stored_once_each() {
    let store = Counting(Arc::default(), Arc::default());
    let server = Server::builder()
        .name("kit")
        .version("1")
        .store(store.clone())
        .tool(ask_twenty)
        .build()
        .unwrap();
    let capabilities = json!({"elicitation": {}});
    let (mut client, _) = initialize(Client::of(&server), "2025-11-25", capabilities).await;
    let call = legacy(1, "tools/call", json!({"name": "ask_twenty", "task": {}}));
    let id = client.reply(call).await["result"]["task"]["taskId"].clone();
    client
        .send(legacy(2, "tasks/result", json!({"taskId": id})))
        .await;
    let mut asked = vec![];
    while asked.len() < 20 {
        let next = client.next().await;
        if next["method"] == "elicitation/create" {
            asked.push(next["id"].clone());
        }
    }
    let before = store.1.load(Ordering::Relaxed);
    for id in asked {
        let answer = json!({"jsonrpc": "2.0", "id": id, "result": {"action": "decline"}});
        client.send(answer).await;
    }
    while client.next().await["id"] != 2 {}
    // One for each answer, and one for the end of the task.
    assert_eq!(store.1.load(Ordering::Relaxed) - before, 21);
}

#[tokio::test]
async fn a_call_that_asks_when_the_server_shuts_down_is_told_so() {
    let server = Server::builder()
        .name("kit")
        .version("1")
        .tool(ask_at_once)
        .build()
        .unwrap();
    let capabilities = json!({"elicitation": {}});
    let (mut client, _) = initialize(Client::of(&server), "2025-11-25", capabilities).await;
    client
        .send(legacy("call", "tools/call", json!({"name": "ask_at_once"})))
        .await;
    assert_eq!(client.next().await["method"], "elicitation/create");
    let stopping = tokio::spawn(async move { server.shutdown().await });
    let reply = loop {
        let next = client.next().await;
        if next["id"] == "call" {
            break next;
        }
    };
    let said = reply["error"]["message"].as_str().unwrap();
    assert!(said.contains("shutting down"), "{said}");
    stopping.await.unwrap();
}

#[tokio::test]
async fn who_waits_for_a_task_that_asks_is_told_what_a_shutdown_made_of_it() {
    let server = Server::builder()
        .name("kit")
        .version("1")
        // So that the end of the task takes its time.
        .store(Counting(Arc::default(), Arc::default()))
        .tool(ask_at_once)
        .build()
        .unwrap();
    let capabilities = json!({"elicitation": {}});
    let (mut client, _) = initialize(Client::of(&server), "2025-11-25", capabilities).await;
    let call = legacy(1, "tools/call", json!({"name": "ask_at_once", "task": {}}));
    let id = client.reply(call).await["result"]["task"]["taskId"].clone();
    client
        .send(legacy("end", "tasks/result", json!({"taskId": id})))
        .await;
    while client.next().await["method"] != "elicitation/create" {}
    let stopping = tokio::spawn(async move { server.shutdown().await });
    let reply = loop {
        let next = client.next().await;
        if next["id"] == "end" {
            break next;
        }
    };
    let said = reply["error"]["message"].as_str().unwrap();
    assert!(said.contains("shut down before the task ended"), "{said}");
    stopping.await.unwrap();
}
