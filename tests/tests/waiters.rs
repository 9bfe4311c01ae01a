//! Clients that wait cost the others nothing.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use mcp_tasks::{Server, State, task_tool, tools};
use mcp_tasks_tests::{
    legacy,
    modern::{all_capabilities, request},
    wire::Wire,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

const WAITERS: usize = 500;

/// Lets calls end, one for each permit.
type Gate = Arc<Semaphore>;

/// Ends behind the gate.
#[task_tool]
async fn wait(State(gate): State<Gate>) -> &'static str {
    gate.acquire().await.expect("the gate stays").forget();
    "through"
}

fn server(gate: &Gate) -> Server {
    Server::builder()
        .tools(tools![wait])
        .state(gate.clone())
        .build()
        .expect("a server")
}

/// Makes a task as a modern client, and gives its id.
async fn start(wire: &mut Wire) -> Value {
    let call = request(
        "call",
        "tools/call",
        json!({"name": "wait", "arguments": {}}),
        &all_capabilities(),
    );
    wire.ask(&call).await.0["result"]["taskId"].clone()
}

/// Legacy clients that have asked for the task's result.
async fn waiting_clients(server: &Server, id: &Value) -> Vec<Wire> {
    let before = server.engine().stats().waiters;
    let mut clients = Vec::new();
    for _ in 0..WAITERS {
        let mut wire = Wire::connect(server);
        wire.open_session().await;
        wire.send(&legacy::request(
            "result",
            "tasks/result",
            json!({"taskId": id}),
        ))
        .await;
        clients.push(wire);
    }
    while server.engine().stats().waiters < before + WAITERS {
        tokio::task::yield_now().await;
    }
    clients
}

/// The time that one `tasks/get` takes at best, over several rounds.
async fn time_of_get(wire: &mut Wire, id: &Value) -> Duration {
    const ROUNDS: u32 = 10;
    const GETS: u32 = 50;
    let get = request(
        "get",
        "tasks/get",
        json!({"taskId": id}),
        &all_capabilities(),
    );
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..GETS {
            let (reply, _) = wire.ask(&get).await;
            assert_eq!(reply["result"]["status"], "working", "{reply}");
        }
        best = best.min(start.elapsed() / GETS);
    }
    best
}

/// covers: L-RES-1, L-RES-2, F11
#[tokio::test]
async fn many_waiting_clients_slow_no_one_and_are_all_answered() {
    let gate = Gate::new(Semaphore::new(0));
    let server = server(&gate);
    let mut modern = Wire::connect(&server);
    let id = start(&mut modern).await;
    let alone = time_of_get(&mut modern, &id).await;
    let clients = waiting_clients(&server, &id).await;
    let beside = time_of_get(&mut modern, &id).await;
    assert!(
        beside < 5 * alone,
        "a get took {beside:?} beside {WAITERS} waiters, {alone:?} alone"
    );

    gate.add_permits(1);
    let answers = join_all(clients.into_iter().map(|mut wire| async move {
        loop {
            let message = wire.receive().await;
            if message["id"] == "result" {
                return message["result"]["content"][0]["text"].clone();
            }
        }
    }));
    for text in answers.await {
        assert_eq!(text, "through");
    }
    while server.engine().stats().waiters > 0 {
        tokio::task::yield_now().await;
    }
}

/// covers: F12
#[tokio::test]
async fn getting_one_task_costs_the_same_beside_thousands() {
    let gate = Gate::new(Semaphore::new(0));
    let server = server(&gate);
    let mut wire = Wire::connect(&server);
    let id = start(&mut wire).await;
    let alone = time_of_get(&mut wire, &id).await;
    for _ in 1..1_000 {
        start(&mut wire).await;
    }
    assert_eq!(server.engine().stats().running, 1_000);
    let beside = time_of_get(&mut wire, &id).await;
    assert!(
        beside < 5 * alone,
        "a get took {beside:?} beside 1,000 tasks, {alone:?} alone"
    );
}
