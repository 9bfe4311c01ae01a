//! The client against real servers, and against one that a test plays.
#![allow(clippy::unwrap_used)]

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use super::*;
use crate::{
    TaskContext, ToolError, task_tool, tools,
    types::{
        ext_tasks::{DetailedTask, methods::NotificationsTasks},
        v2025_11_25::methods::NotificationsProgress,
        v2026_07_28::methods::PromptsGet,
    },
};

/// Greets, never as a task.
#[task_tool(task = "forbidden")]
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Always a task.
#[task_tool(task = "required")]
async fn job(ctx: TaskContext) -> String {
    ctx.progress(1, 2).await;
    "done".to_owned()
}

/// Asks twice.
#[task_tool]
async fn ask(ctx: TaskContext) -> Result<String, ToolError> {
    let first: String = ctx.elicit("First?").await?.required()?;
    let second: u8 = ctx.elicit("Second?").await?.required()?;
    Ok(format!("{first} {second}"))
}

/// Never ends.
#[task_tool]
async fn hang() -> String {
    std::future::pending().await
}

/// Fails.
#[task_tool]
async fn fail() -> Result<String, ToolError> {
    Err(ToolError::new("it broke"))
}

fn server() -> Server {
    Server::builder()
        .name("client-tests")
        .version("1")
        .tools(tools![greet, job, ask, hang, fail])
        .build()
        .unwrap()
}

async fn clients(server: &Server) -> [TestClient; 2] {
    [
        TestClient::modern(server),
        TestClient::legacy(server).await.unwrap(),
    ]
}

fn text(result: &CallToolResult) -> String {
    serde_json::to_value(&result.content).unwrap()[0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[tokio::test]
async fn tools_are_listed_and_called_to_the_end_in_either_era() {
    let server = server();
    for client in clients(&server).await {
        let tools = client.list_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["greet", "job", "ask", "hang", "fail"]);
        let result = client.call("greet", json!({"name": "Ada"})).await.unwrap();
        assert_eq!(text(&result), "Hello, Ada!");
        assert_eq!(result.result_type, "complete");
        let result = client.call("job", json!({})).await.unwrap();
        assert_eq!(text(&result), "done");
        let unknown = client.call("nothing", json!({})).await.unwrap_err();
        assert_eq!(unknown.code(), Some(-32602), "{unknown}");
        let error = client.call("fail", json!({})).await.unwrap();
        assert_eq!(
            (text(&error).as_str(), error.is_error),
            ("it broke", Some(true))
        );
    }
}

#[tokio::test]
async fn a_tool_that_answers_at_once_is_no_task() {
    let server = server();
    let error = TestClient::modern(&server)
        .start("greet", json!({"name": "Ada"}))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, ClientError::NoTask { tool, result } if tool == "greet" && text(result) == "Hello, Ada!"),
        "{error:?}"
    );
    let plain = TestClient::modern(&server)
        .call_plain("job", json!({}))
        .await
        .unwrap_err();
    assert_eq!(plain.code(), Some(-32021), "{plain}");
}

#[tokio::test]
async fn answers_come_from_the_line_then_from_the_closure() {
    let server = server();
    for client in clients(&server).await {
        client.answer_with(|question| {
            assert_eq!(question.message(), Some("Second?"));
            Some(json!({"action": "accept", "content": {"value": 2}}))
        });
        for plain in [true, false] {
            client.accept(json!({"value": "one"}));
            let result = if plain {
                client.call_plain("ask", json!({})).await
            } else {
                client.start("ask", json!({})).await.unwrap().result().await
            };
            assert_eq!(text(&result.unwrap()), "one 2");
        }
    }
}

#[tokio::test]
async fn a_question_without_an_answer_is_an_error_that_names_it() {
    let server = server();
    for client in clients(&server).await {
        client.accept(json!({"value": "one"}));
        let error = client.call_plain("ask", json!({})).await.unwrap_err();
        assert!(
            error.to_string().contains("no answer to \"Second?\""),
            "{error}"
        );

        let task = client.start("ask", json!({})).await.unwrap();
        let error = task.result().await.unwrap_err();
        assert!(
            error.to_string().contains("no answer to \"First?\""),
            "{error}"
        );
        assert_eq!(
            task.settled().await.unwrap().status.as_str(),
            "input_required"
        );
        let questions = task.questions().await.unwrap();
        assert_eq!(questions.len(), 1, "{questions:?}");
        assert_eq!(questions[0].task.as_deref(), Some(task.id()));
        task.accept(&questions[0], json!({"value": "uno"}))
            .await
            .unwrap();
        client.accept(json!({"value": 7}));
        assert_eq!(text(&task.result().await.unwrap()), "uno 7");
    }
}

#[tokio::test]
async fn a_task_is_cancelled_and_says_so() {
    let server = server();
    for client in clients(&server).await {
        let task = client.start("hang", json!({})).await.unwrap();
        assert_eq!(task.get().await.unwrap().status.as_str(), "working");
        task.cancel().await.unwrap();
        assert_eq!(task.settled().await.unwrap().status.as_str(), "cancelled");
        let error = task.result().await.unwrap_err();
        assert!(
            matches!(&error, ClientError::Cancelled { task: id } if id == task.id()),
            "{error}"
        );
    }
}

#[tokio::test]
async fn a_tools_error_shows_as_each_era_has_it() {
    let server = server();
    for (client, status) in clients(&server)
        .await
        .into_iter()
        .zip(["completed", "failed"])
    {
        let task = client.start("fail", json!({})).await.unwrap();
        assert_eq!(task.settled().await.unwrap().status.as_str(), status);
        assert_eq!(task.result().await.unwrap().is_error, Some(true));
    }
}

#[tokio::test]
async fn a_task_is_there_for_its_owner_alone() {
    let server = server();
    let ada = TestClient::builder().principal("ada").modern(&server);
    let task = ada.start("hang", json!({})).await.unwrap();
    let again = TestClient::builder()
        .principal("ada")
        .legacy(&server)
        .await
        .unwrap();
    assert_eq!(
        again.task(task.id()).get().await.unwrap().task_id,
        task.id()
    );
    assert_eq!(again.list_tasks().await.unwrap().len(), 1);
    let bob = TestClient::builder()
        .principal("bob")
        .legacy(&server)
        .await
        .unwrap();
    assert!(bob.list_tasks().await.unwrap().is_empty());
    let error = bob.task(task.id()).get().await.unwrap_err();
    assert_eq!(error.code(), Some(-32602), "{error}");
    let error = ada.list_tasks().await.unwrap_err();
    assert_eq!(error.code(), Some(-32601), "{error}");
}

#[tokio::test]
async fn notifications_are_kept_and_given_out_once() {
    let server = server();
    let legacy = TestClient::legacy(&server).await.unwrap();
    legacy.call("job", json!({})).await.unwrap();
    let progress = legacy
        .notification::<NotificationsProgress>()
        .await
        .unwrap();
    assert_eq!((progress.progress, progress.total), (1.0, Some(2.0)));

    let modern = TestClient::modern(&server);
    let task = modern.start("hang", json!({})).await.unwrap();
    let listening = modern.listen([task.id(), "unknown"]).await.unwrap();
    assert_eq!(listening.accepted(), [task.id()]);
    task.cancel().await.unwrap();
    loop {
        let told = modern.notification::<NotificationsTasks>().await.unwrap();
        if let DetailedTask::Cancelled(cancelled) = told.task {
            assert_eq!(cancelled.task_id, task.id());
            break;
        }
    }
    let methods: Vec<_> = modern
        .notifications()
        .into_iter()
        .map(|said| said.method)
        .collect();
    assert_eq!(methods[0], "notifications/subscriptions/acknowledged");
}

#[tokio::test]
async fn what_the_client_cannot_do_is_not_asked() {
    let server = server();
    let client = TestClient::builder()
        .capabilities(ClientCapabilities::new())
        .modern(&server);
    let error = client.call("ask", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Some(-32021), "{error}");
}

/// Plays a server that gives these results, in turn.
fn played(results: &'static [&'static str]) -> TestClient {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (input, output) = tokio::io::split(ours);
    tokio::spawn(async move {
        let (read, mut write) = tokio::io::split(theirs);
        let mut lines = BufReader::new(read).lines();
        for result in results {
            let request = loop {
                let line = lines.next_line().await.unwrap().unwrap();
                let message: Value = serde_json::from_str(&line).unwrap();
                if message.get("id").is_some() {
                    break message;
                }
            };
            let reply = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n",
                request["id"]
            );
            write.write_all(reply.as_bytes()).await.unwrap();
        }
    });
    TestClient::builder().modern_over(input, output)
}

/// covers: F14
#[tokio::test]
async fn a_result_without_a_type_is_complete_and_one_of_an_unknown_type_is_refused() {
    let client = played(&[
        r#"{"content": []}"#,
        r#"{"content": [], "resultType": "surprise"}"#,
        r#"{"messages": [], "resultType": "task"}"#,
    ]);
    let result = client.call("any", json!({})).await.unwrap();
    assert_eq!(result.result_type, "complete");
    let error = client.call("any", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, ClientError::UnknownResultType { kind, .. } if kind == "surprise"),
        "{error}"
    );
    let error = client
        .send(PromptsGet::NAME, json!({"name": "x"}))
        .await
        .unwrap_err();
    assert!(
        matches!(error, ClientError::UnknownResultType { .. }),
        "{error}"
    );
    let error = client.send("ping", json!({})).await.unwrap_err();
    assert!(matches!(error, ClientError::Closed { .. }), "{error}");
}

/// covers: F14
#[tokio::test]
async fn the_type_of_a_tasks_result_is_looked_at_like_any_other() {
    macro_rules! task {
        ($members:literal) => {
            concat!(
                r#"{"taskId": "t", "ttlMs": null, "createdAt": "2026-07-28T00:00:00Z", "#,
                r#""lastUpdatedAt": "2026-07-28T00:00:00Z", "#,
                $members,
                "}"
            )
        };
    }
    const HANDLE: &str = task!(r#""status": "working", "resultType": "task""#);
    const PLAIN: &str = task!(r#""status": "completed", "result": {"content": []}"#);
    const ODD: &str = task!(
        r#""status": "completed", "result": {"content": [], "resultType": "input_required"}"#
    );
    // The call, the subscription to the task, the task as it is watched, the task again for its result.
    let client = played(&[HANDLE, "{}", PLAIN, PLAIN]);
    let result = client.call("any", json!({})).await.unwrap();
    assert_eq!(result.result_type, "complete");
    let client = played(&[HANDLE, "{}", ODD, ODD]);
    let error = client.call("any", json!({})).await.unwrap_err();
    assert!(
        matches!(&error, ClientError::UnknownResultType { kind, .. } if kind == "input_required"),
        "{error}"
    );
}
