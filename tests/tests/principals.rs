//! What layers put around a request, and what becomes of it.
//!
//! A task belongs to whom it was made for: to all others it does not exist, in either era.

use std::sync::Arc;

use axum::{
    extract::Request,
    middleware::{Next, from_fn},
};
use mcp_tasks_tests::{
    fixture, legacy,
    serve::{serve_app, serve_with_owners},
};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// What an answer about a task gives away, without the id that was asked for.
fn told(message: &Value, id: &str) -> String {
    message["error"].to_string().replace(id, "ID")
}

/// covers: T24-M, M-TIME-3
#[tokio::test]
async fn a_modern_task_answers_to_its_owner_only() {
    let server = serve_with_owners().await;
    let (alice, bob) = (
        server.client().bearing("alice"),
        server.client().bearing("bob"),
    );
    let made = alice.call("slow_compute", json!({"seconds": 60})).await;
    let id = made.result()["taskId"]
        .as_str()
        .expect("a handle")
        .to_owned();
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        for stranger in [&bob, &server.client()] {
            let foreign = stranger
                .send(method, json!({"taskId": id, "inputResponses": {}}))
                .await;
            let unknown = stranger
                .send(
                    method,
                    json!({"taskId": "never-issued", "inputResponses": {}}),
                )
                .await;
            assert_eq!(foreign.error().1, Some(-32602), "{method}: {foreign:?}");
            assert_eq!(foreign.status, unknown.status, "{method}");
            assert_eq!(
                told(&foreign.message, &id),
                told(&unknown.message, "never-issued"),
                "{method}"
            );
        }
    }
    let task = alice.send("tasks/get", json!({"taskId": id})).await;
    assert_eq!(
        task.result()["status"],
        "working",
        "the foreign cancel did nothing"
    );
    alice
        .send("tasks/cancel", json!({"taskId": id}))
        .await
        .result();
}

/// covers: T24-L, F16
#[tokio::test]
async fn a_legacy_task_answers_to_its_owner_only() {
    let server = serve_with_owners().await;
    let alice = legacy::Client::open(&server.url, Some("alice")).await;
    let bob = legacy::Client::open(&server.url, Some("bob")).await;
    let id = alice.start("slow_compute", json!({"seconds": 60})).await;
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let foreign = bob.send(method, json!({"taskId": id})).await;
        let unknown = bob.send(method, json!({"taskId": "never-issued"})).await;
        assert_eq!(
            foreign.error(),
            (200, Some(-32602)),
            "{method}: {foreign:?}"
        );
        assert_eq!(
            told(&foreign.message, &id),
            told(&unknown.message, "never-issued"),
            "{method}"
        );
    }
    assert_eq!(
        bob.send("tasks/list", json!({})).await.result()["tasks"],
        json!([])
    );
    let listed = alice.send("tasks/list", json!({})).await.result()["tasks"].clone();
    assert_eq!(listed[0]["taskId"], json!(id));
    assert_eq!(
        listed[0]["status"], "working",
        "the foreign cancel did nothing"
    );
    alice
        .send("tasks/cancel", json!({"taskId": id}))
        .await
        .result();
}

/// covers: T27-L, T27-M
#[tokio::test]
async fn an_owner_finds_a_task_in_either_era_and_a_stranger_in_neither() {
    let server = serve_with_owners().await;
    let (new, old) = (
        server.client().bearing("alice"),
        legacy::Client::open(&server.url, Some("alice")).await,
    );
    let stranger = legacy::Client::open(&server.url, Some("bob")).await;

    let made = new
        .call("slow_compute", json!({"seconds": 0, "label": "both"}))
        .await;
    let id = made.result()["taskId"]
        .as_str()
        .expect("a handle")
        .to_owned();
    let modern = new.settle(&id).await;
    let legacy = old
        .send("tasks/get", json!({"taskId": id}))
        .await
        .result()
        .clone();
    assert_eq!(
        (&legacy["status"], &legacy["ttl"]),
        (&modern["status"], &modern["ttlMs"])
    );
    assert!(
        legacy.get("ttlMs").is_none() && legacy.get("result").is_none(),
        "{legacy}"
    );
    let result = old
        .send("tasks/result", json!({"taskId": id}))
        .await
        .result()
        .clone();
    assert_eq!(result["content"], modern["result"]["content"]);
    assert_eq!(
        stranger
            .send("tasks/get", json!({"taskId": id}))
            .await
            .error()
            .1,
        Some(-32602)
    );

    let id = old
        .start("slow_compute", json!({"seconds": 0, "label": "both"}))
        .await;
    let modern = new.settle(&id).await;
    assert_eq!(modern["status"], "completed");
    assert!(
        modern.get("ttl").is_none() && modern["result"]["content"].is_array(),
        "{modern}"
    );
}

/// covers: X-RPC-2
#[tokio::test]
async fn clients_may_use_the_same_request_ids() {
    // Every request of these clients has the id 1.
    let server = serve_with_owners().await;
    let clients = [
        server.client(),
        server.client(),
        server.client().bearing("alice"),
    ];
    let calls = clients
        .iter()
        .enumerate()
        .map(|(number, client)| async move {
            let arguments = json!({"seconds": 0.2, "label": format!("client {number}")});
            let made = client.call("slow_compute", arguments).await;
            let id = made.result()["taskId"]
                .as_str()
                .expect("a handle")
                .to_owned();
            client.settle(&id).await["result"]["content"][0]["text"].to_string()
        });
    for (number, text) in futures_util::future::join_all(calls)
        .await
        .into_iter()
        .enumerate()
    {
        assert!(text.contains(&format!("client {number}")), "{text}");
    }
}

/// Says when the last copy of it is dropped.
struct Permit(mpsc::UnboundedSender<()>);

impl Drop for Permit {
    fn drop(&mut self) {
        // The test may be over.
        let _ = self.0.send(());
    }
}

/// covers: F17
#[tokio::test]
async fn what_a_layer_lends_to_a_request_is_given_back_with_the_handle() {
    let (sender, mut given_back) = mpsc::unbounded_channel();
    let server = fixture::server().expect("the fixture is a server");
    let lend = move |mut request: Request, next: Next| {
        request
            .extensions_mut()
            .insert(Arc::new(Permit(sender.clone())));
        next.run(request)
    };
    let app = server.router().layer(from_fn(lend));
    let served = serve_app(server, app).await;
    let client = served.client();
    let made = client.call("slow_compute", json!({"seconds": 60})).await;
    let id = made.result()["taskId"]
        .as_str()
        .expect("a handle")
        .to_owned();
    given_back.recv().await.expect("a permit");
    let task = client.send("tasks/get", json!({"taskId": id})).await;
    assert_eq!(
        task.result()["status"],
        "working",
        "the task goes on without it"
    );
    client
        .send("tasks/cancel", json!({"taskId": id}))
        .await
        .result();
}
