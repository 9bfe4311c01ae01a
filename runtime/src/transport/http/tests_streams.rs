//! Streams of legacy sessions whose connections come and go, in one process.

use std::time::Duration;

use serde_json::json;

use super::tests_legacy::{Client, legacy};
use crate::{Extensions, Server, server::CallStream, task_tool, tools, transport::kit::*};

/// Lets go of its connection if it has one, and goes on for a while.
#[task_tool]
async fn let_go(extensions: Extensions) -> &'static str {
    let stream = extensions.get::<CallStream>();
    if let Some(stream) = stream {
        stream.let_go();
    }
    tokio::time::sleep(Duration::from_secs(20)).await;
    if stream.is_some() {
        "done"
    } else {
        "done as a task"
    }
}

/// covers: X-HTTP-3
#[tokio::test(start_paused = true)]
async fn a_call_that_lets_go_of_its_connection_is_fetched_by_the_client() {
    let server = Server::builder().tools(tools![let_go]).build().unwrap();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let call = || legacy(1, "tools/call", json!({"name": "let_go"}));
    let mut stream = Events::of(client.post(call()).await);
    let seen = stream.next().await.unwrap().id.unwrap();
    assert!(stream.next().await.unwrap().retry.is_some());
    assert!(stream.next().await.is_none(), "the connection is closed");
    drop(stream);
    let mut again = Events::of(client.get(Some(&seen)).await);
    assert_eq!(
        again.message().await["result"]["content"][0]["text"],
        "done"
    );

    let call_task = json!({"name": "let_go", "task": {}});
    let made = client.reply(legacy(2, "tools/call", call_task)).await;
    let id = &made["result"]["task"]["taskId"];
    let result = client
        .reply(legacy(3, "tasks/result", json!({"taskId": id})))
        .await;
    assert_eq!(result["result"]["content"][0]["text"], "done as a task");

    // Clients of earlier revisions are given no id to come back with, so they keep their connection.
    for version in ["2025-06-18", "2025-03-26"] {
        let (client, _) = Client::open_at(version, &server, None, json!({})).await;
        let reply = client.reply(call()).await;
        assert_eq!(reply["result"]["content"][0]["text"], "done", "{version}");
    }
}

/// covers: X-HTTP-3
#[tokio::test]
async fn a_client_that_lost_its_connection_fetches_the_rest() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, None, json!({"elicitation": {}})).await;
    let mut stream = Events::of(
        client
            .post(legacy(1, "tools/call", json!({"name": "ask_name"})))
            .await,
    );
    let seen = stream.next().await.unwrap().id.unwrap();
    drop(stream);
    let mut again = Events::of(client.get(Some(&seen)).await);
    let question = again.message().await;
    client
        .answer(
            &question,
            json!({"action": "accept", "content": {"name": "Ada"}}),
        )
        .await;
    assert_eq!(
        again.message().await["result"]["content"][0]["text"],
        "Hello, Ada!"
    );
    assert!(again.next().await.is_none());
    for never_sent in ["999_1", "0_1", "0_9999", "0_18446744073709551615"] {
        let status = client.get(Some(never_sent)).await.status();
        assert_eq!(status, 400, "{never_sent}");
    }
}

/// covers: X-HTTP-3, L-RES-2
#[tokio::test]
async fn a_client_that_goes_away_leaves_nothing_behind() {
    let (server, gate) = server();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let call = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
    {
        let calling = client.post(legacy(1, "tools/call", call.clone()));
        tokio::pin!(calling);
        tokio::select! {
            _ = &mut calling => panic!("the gate is closed"),
            () = gate.arrived.notified() => {}
        }
    }
    gate.dropped.notified().await;
    let mut task = call;
    task["task"] = json!({});
    let made = client.reply(legacy(2, "tools/call", task)).await;
    gate.arrived.notified().await;
    let id = made["result"]["task"]["taskId"].clone();
    let waiters = server.engine().stats().waiters;
    {
        let waiting = client.post(legacy(3, "tasks/result", json!({"taskId": id})));
        tokio::pin!(waiting);
        while server.engine().stats().waiters == waiters {
            tokio::select! {
                _ = &mut waiting => panic!("the task still runs"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    while server.engine().stats().waiters > waiters {
        tokio::task::yield_now().await;
    }
    let got = client
        .reply(legacy(4, "tasks/get", json!({"taskId": id})))
        .await;
    assert_eq!(got["result"]["status"], "working");
}

/// covers: X-HTTP-3
#[tokio::test]
async fn the_id_of_a_request_whose_connection_is_gone_is_free_again() {
    let (server, gate) = server();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let call = |label: &str| {
        legacy(
            "c",
            "tools/call",
            json!({"name": "wait_at_gate", "arguments": {"label": label}}),
        )
    };
    // Long enough for the stream to be one that the client could resume.
    let first = Events::of(client.post(call("first")).await);
    gate.arrived.notified().await;
    let refused = client.reply(call("too soon")).await;
    assert_eq!(refused["error"]["code"], -32600, "the first one runs");
    drop(first);
    let second = client.reply(call("second"));
    tokio::pin!(second);
    tokio::select! {
        reply = &mut second => panic!("the gate is closed: {reply}"),
        () = gate.arrived.notified() => {}
    }
    gate.dropped.notified().await;
    gate.open();
    assert_eq!(
        second.await["result"]["content"][0]["text"],
        "through: second"
    );
}

/// covers: L-RES-2, X-HTTP-3
#[tokio::test(start_paused = true)]
async fn a_wait_for_a_result_shows_headers_within_a_second_or_so() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let call = json!({"name": "wait_at_gate", "arguments": {"label": "x"}, "task": {}});
    let made = client.reply(legacy(1, "tools/call", call)).await;
    let id = &made["result"]["task"]["taskId"];
    let waiters = server.engine().stats().waiters;
    let begun = tokio::time::Instant::now();
    let waiting = client.post(legacy(2, "tasks/result", json!({"taskId": id})));
    let mut waiting = Events::of(waiting.await);
    assert!(begun.elapsed() < std::time::Duration::from_secs(2));
    assert!(waiting.next().await.unwrap().id.is_some());
    assert_eq!(server.engine().stats().waiters, waiters + 1);
    // Its place is held for a client that comes back at once, and no longer.
    drop(waiting);
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!(server.engine().stats().waiters, waiters);
}

/// covers: L-RES-1, L-RES-2, X-HTTP-3
#[tokio::test(start_paused = true)]
async fn a_wait_for_a_result_is_taken_up_where_its_connection_was_lost() {
    let (server, gate) = server();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let call = json!({"name": "wait_at_gate", "arguments": {"label": "x"}, "task": {}});
    let made = client.reply(legacy(1, "tools/call", call)).await;
    gate.arrived.notified().await;
    let id = &made["result"]["task"]["taskId"];
    let watchers = server.engine().stats().waiters;
    let waits = |more: usize| assert_eq!(server.engine().stats().waiters, watchers + more);
    let wait = async |request: u64| {
        let waiting = legacy(request, "tasks/result", json!({"taskId": id}));
        let mut waiting = Events::of(client.post(waiting).await);
        waiting.next().await.unwrap().id.unwrap()
    };
    let seen = wait(2).await;
    // It holds no place while its client is away, and takes one again, as often as need be.
    for away in [1, 30, 57] {
        tokio::time::sleep(Duration::from_secs(away)).await;
        let mut again = Events::of(client.get(Some(&seen)).await);
        assert!(
            tokio::time::timeout(Duration::from_secs(5), again.next())
                .await
                .is_err()
        );
        waits(1);
        drop(again);
        tokio::time::sleep(Duration::from_secs(2)).await;
        waits(0);
    }
    // The task may end meanwhile.
    gate.open();
    tokio::time::sleep(Duration::from_secs(50)).await;
    let mut again = Events::of(client.get(Some(&seen)).await);
    let reply = again.message().await;
    assert_eq!(reply["result"]["content"][0]["text"], "through: x");
    assert!(again.next().await.is_none());
    // The reply is there for a while, and not for ever.
    tokio::time::sleep(Duration::from_secs(59)).await;
    let mut once_more = Events::of(client.get(Some(&seen)).await);
    assert_eq!(once_more.message().await["id"], 2);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(client.get(Some(&seen)).await.status(), 400);
}

/// covers: L-RES-2
#[tokio::test(start_paused = true)]
async fn a_wait_for_a_result_that_nobody_comes_back_to_is_forgotten() {
    let (server, gate) = server();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let call = json!({"name": "wait_at_gate", "arguments": {"label": "x"}, "task": {}});
    let made = client.reply(legacy(1, "tools/call", call)).await;
    gate.arrived.notified().await;
    let id = &made["result"]["task"]["taskId"];
    let waiting = legacy(2, "tasks/result", json!({"taskId": id}));
    let mut waiting = Events::of(client.post(waiting).await);
    let seen = waiting.next().await.unwrap().id.unwrap();
    drop(waiting);
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(client.get(Some(&seen)).await.status(), 400);
}

/// covers: X-HTTP-3
#[tokio::test(start_paused = true)]
async fn a_call_whose_client_is_away_counts_only_while_it_runs() {
    let (server, gate) = server_with(|limits| limits.calls(1));
    let (client, _) = Client::open(&server, None, json!({})).await;
    let call = |id: u64| {
        let params = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
        client.post(legacy(id, "tools/call", params))
    };
    let mut stream = Events::of(call(1).await);
    let seen = stream.next().await.unwrap().id.unwrap();
    drop(stream);
    tokio::time::sleep(Duration::from_secs(50)).await;
    assert_eq!(server.open_calls(), 1, "the client may come back");
    gate.open();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(server.open_calls(), 0, "the reply alone takes no place");
    // Another call finds a place, and the reply is still there.
    let mut other = Events::of(call(2).await);
    other.next().await.unwrap();
    let mut again = Events::of(client.get(Some(&seen)).await);
    assert_eq!(again.message().await["id"], 1);
    // A call that nobody comes back to is given up.
    drop(other);
    tokio::time::sleep(Duration::from_secs(59)).await;
    assert_eq!(server.open_calls(), 1);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(server.open_calls(), 0);
}

/// Gives much after a while.
#[task_tool]
async fn fill() -> String {
    tokio::time::sleep(Duration::from_secs(2)).await;
    "x".repeat(3 << 20)
}

/// covers: L-RES-2
#[tokio::test(start_paused = true)]
async fn what_was_sent_on_ended_streams_is_let_go() {
    let server = Server::builder().tools(tools![fill]).build().unwrap();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let mut streams = Vec::new();
    for id in 1..=4 {
        let call = legacy(id, "tools/call", json!({"name": "fill"}));
        let mut stream = Events::of(client.post(call).await);
        let seen = stream.next().await.unwrap().id.unwrap();
        let (number, _) = seen.split_once('_').unwrap();
        streams.push(std::sync::Arc::downgrade(&client.stream(number)));
        assert_eq!(stream.message().await["id"], id);
        assert!(stream.next().await.is_none());
    }
    let kept = || -> Vec<bool> { streams.iter().map(|kept| kept.strong_count() > 0).collect() };
    assert_eq!(kept(), [false, false, true, true]);
    tokio::time::sleep(Duration::from_secs(61)).await;
    assert_eq!(kept(), [false; 4]);
}

/// covers: X-HTTP-3
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_reply_that_comes_at_once_is_json_every_time() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, None, json!({})).await;
    for id in 0..2000 {
        let call = json!({"name": "greet", "arguments": {"name": "x"}});
        let response = client.post(legacy(id, "tools/call", call)).await;
        assert_eq!(
            response.headers()["content-type"],
            "application/json",
            "call {id}"
        );
    }
}

/// covers: X-HTTP-3
#[tokio::test]
async fn a_client_that_lost_its_connection_takes_its_own_place_again() {
    let (server, _) = server_with(|limits| limits.streams(1));
    let (client, _) = Client::open(&server, None, json!({})).await;
    let (other, _) = Client::open(&server, None, json!({})).await;
    // The server has not seen the end of the first one.
    let mut lost = Events::of(client.get(None).await);
    lost.next().await.unwrap();
    assert_eq!(other.get(None).await.status(), 429);
    let again = client.get(None).await;
    assert_eq!(again.status(), 200);
    assert!(lost.next().await.is_none(), "the first one is closed");
    drop(lost);
    assert_eq!(server.open_streams(), 1);
    assert_eq!(other.get(None).await.status(), 429);
    drop(again);
    assert_eq!(server.open_streams(), 0);
    assert_eq!(other.get(None).await.status(), 200);
}

/// Works for an hour.
#[task_tool(task = "forbidden")]
async fn work_an_hour() -> &'static str {
    tokio::time::sleep(Duration::from_secs(3600)).await;
    "worked"
}

/// Many at once and on several threads, since what is lost is lost between two of them. In real time for that reason.
///
/// covers: X-HTTP-3
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn all_calls_that_are_stopped_by_a_shutdown_are_answered() {
    let server = Server::builder().tool(work_an_hour).build().unwrap();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let mut calls = Vec::new();
    for id in 0..200 {
        let call = legacy(id, "tools/call", json!({"name": "work_an_hour"}));
        calls.push(client.post(call));
    }
    let streams = futures_util::future::join_all(calls).await;
    let read: Vec<_> = streams
        .into_iter()
        .map(|stream| tokio::spawn(async { read(stream).await.1 }))
        .collect();
    server.shutdown().await;
    for (id, read) in read.into_iter().enumerate() {
        let reply = read.await.unwrap().pop();
        let reply = reply.unwrap_or_else(|| panic!("the reply to {id} was lost"));
        assert_eq!(reply["error"]["code"], -32603, "{reply}");
    }
}

/// covers: X-HTTP-3
#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_an_answer_is_answered_by_a_shutdown() {
    for tool in ["signed", "ask_name"] {
        let (server, _) = server();
        let (client, _) = Client::open(&server, None, json!({"elicitation": {}})).await;
        let call = legacy(1, "tools/call", json!({"name": tool}));
        let mut stream = Events::of(client.post(call).await);
        stream.message_of("elicitation/create").await;
        let last = async {
            let mut last = None;
            while let Some(event) = stream.next().await {
                last = event.message;
            }
            last.unwrap_or_else(|| panic!("the reply of {tool} was lost"))
        };
        let (reply, ()) = tokio::join!(last, server.shutdown());
        assert_eq!(reply["error"]["code"], -32603, "{tool}: {reply}");
    }
}
