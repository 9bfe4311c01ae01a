//! Questions of legacy tasks over HTTP, while connections come and go.

use mcp_tasks_tests::{
    legacy::{Client, Stream},
    serve::serve_with_owners,
};
use serde_json::{Value, json};

const ASKS: &str = "elicitation/create";

/// Starts a task that asks, and waits for its question on a `tasks/result` stream.
async fn asked(client: &Client) -> (String, Stream, Value) {
    let id = client
        .start("confirm_delete", json!({"filename": "x"}))
        .await;
    let mut waiting = client
        .stream(2, "tasks/result", json!({"taskId": id}))
        .await;
    let question = waiting.message_of(ASKS).await;
    (id, waiting, question)
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirm": true}})
}

/// What the task has come to, once it has ended.
async fn outcome(client: &Client, id: &str) -> Value {
    let reply = client.send("tasks/result", json!({"taskId": id})).await;
    reply.result()["content"][0]["text"].clone()
}

/// covers: L-INP-2
#[tokio::test]
async fn a_question_whose_connection_died_is_asked_again_on_the_next_result_stream() {
    let server = serve_with_owners().await;
    let client = Client::open(&server.url, Some("alice")).await;
    let (id, waiting, first) = asked(&client).await;
    drop(waiting);
    let mut waiting = client
        .stream(3, "tasks/result", json!({"taskId": id}))
        .await;
    let second = waiting.message_of(ASKS).await;
    assert_ne!(second["id"], first["id"]);
    assert_eq!(second["params"], first["params"]);
    client.answer(&second, yes()).await;
    let result = waiting.last().await;
    assert_eq!(
        result["result"]["content"][0]["text"],
        "confirmed: true; deleted x"
    );
}

/// covers: L-INP-2
#[tokio::test]
async fn a_question_whose_connection_died_is_asked_again_on_a_new_stream_of_the_session() {
    let server = serve_with_owners().await;
    let client = Client::open(&server.url, Some("alice")).await;
    let (id, waiting, _) = asked(&client).await;
    let mut channel = client.listen(None).await;
    drop(waiting);
    let second = channel.message_of(ASKS).await;
    // The session's stream dies, too, and begins anew.
    drop(channel);
    let mut channel = client.listen(None).await;
    let third = channel.message_of(ASKS).await;
    assert_ne!(third["id"], second["id"]);
    client.answer(&third, yes()).await;
    assert_eq!(outcome(&client, &id).await, "confirmed: true; deleted x");
}

/// covers: L-INP-2
#[tokio::test]
async fn a_late_answer_to_a_question_that_was_asked_again_counts() {
    let server = serve_with_owners().await;
    let client = Client::open(&server.url, Some("alice")).await;
    let (id, waiting, first) = asked(&client).await;
    drop(waiting);
    let mut waiting = client
        .stream(3, "tasks/result", json!({"taskId": id}))
        .await;
    let second = waiting.message_of(ASKS).await;
    client.answer(&first, yes()).await;
    let taken_back = waiting.message_of("notifications/cancelled").await;
    assert_eq!(taken_back["params"]["requestId"], second["id"]);
    let result = waiting.last().await;
    assert_eq!(
        result["result"]["content"][0]["text"],
        "confirmed: true; deleted x"
    );
    // An answer to what is over changes nothing.
    client.answer(&second, json!({"action": "decline"})).await;
    assert_eq!(outcome(&client, &id).await, "confirmed: true; deleted x");
}

/// covers: L-INP-2
#[tokio::test]
async fn a_question_whose_connection_died_is_asked_in_another_session_of_the_owner() {
    let server = serve_with_owners().await;
    let one = Client::open(&server.url, Some("alice")).await;
    let two = Client::open(&server.url, Some("alice")).await;
    let (id, waiting, first) = asked(&one).await;
    let mut other = two.stream(2, "tasks/result", json!({"taskId": id})).await;
    drop(waiting);
    let second = other.message_of(ASKS).await;
    assert_eq!(second["params"], first["params"]);
    // Both may answer, and the first answer counts.
    one.answer(&first, yes()).await;
    let taken_back = other.message_of("notifications/cancelled").await;
    assert_eq!(taken_back["params"]["requestId"], second["id"]);
    assert_eq!(
        other.last().await["result"]["content"][0]["text"],
        "confirmed: true; deleted x"
    );
}

/// covers: L-INP-2, X-HTTP-3
#[tokio::test]
async fn a_client_that_resumes_its_stream_is_not_asked_twice() {
    let server = serve_with_owners().await;
    let client = Client::open(&server.url, Some("alice")).await;
    let id = client
        .start("confirm_delete", json!({"filename": "x"}))
        .await;
    client.send("tasks/get", json!({"taskId": id})).await;
    let mut channel = client.listen(None).await;
    let question = channel.message_of(ASKS).await;
    let seen = channel.last_event.clone();
    drop(channel);
    let mut channel = client.listen(seen.as_deref()).await;
    let mut waiting = client
        .stream(3, "tasks/result", json!({"taskId": id}))
        .await;
    client.answer(&question, yes()).await;
    let result = waiting.message().await.expect("the result comes first");
    assert_eq!(
        result["result"]["content"][0]["text"],
        "confirmed: true; deleted x"
    );
    loop {
        let told = channel.message().await.expect("the stream goes on");
        assert_eq!(told["method"], "notifications/tasks/status", "{told}");
        if told["params"]["status"] == "completed" {
            break;
        }
    }
}
