//! What tools write to the log of their client, in both eras.

use http::StatusCode;
use serde_json::{Value, json};

use super::tests_legacy::{Client, legacy};
use crate::{
    Server, TaskContext, context::LogLevel, server::BuildError, task_tool, tools, transport::kit::*,
};

/// Writes something of every kind.
#[task_tool]
async fn chatty(ctx: TaskContext) -> String {
    ctx.log(LogLevel::Debug, "detail").await;
    ctx.log(LogLevel::Info, json!({"step": 1})).await;
    ctx.log(LogLevel::Error, "wrong").await;
    "said".to_owned()
}

fn talking() -> Server {
    Server::builder()
        .tools(tools![chatty])
        .logging()
        .build()
        .unwrap()
}

/// Levels of the log messages, after a look at the rest of them.
fn levels(messages: &[Value]) -> Vec<&str> {
    messages
        .iter()
        .filter(|message| message["method"] == "notifications/message")
        .map(|message| {
            let params = &message["params"];
            assert_eq!(params["logger"], "chatty");
            let level = params["level"].as_str().unwrap();
            let data = match level {
                "debug" => json!("detail"),
                "info" => json!({"step": 1}),
                "error" => json!("wrong"),
                other => panic!("{other}"),
            };
            assert_eq!(params["data"], data);
            level
        })
        .collect()
}

fn call(params: Value) -> Value {
    let mut params = params;
    params["name"] = "chatty".into();
    legacy(1, "tools/call", params)
}

#[tokio::test]
async fn a_legacy_session_says_how_serious_its_log_is() {
    let server = talking();
    let (client, welcome) = Client::open(&server, None, json!({})).await;
    assert_eq!(welcome["capabilities"]["logging"], json!({}));
    for (level, expected) in [
        (None, &["info", "error"][..]),
        (Some("debug"), &["debug", "info", "error"]),
        (Some("error"), &["error"]),
        (Some("critical"), &[]),
    ] {
        if let Some(level) = level {
            let set = legacy(2, "logging/setLevel", json!({"level": level}));
            assert_eq!(client.reply(set).await["result"], json!({}));
        }
        let (_, messages) = read(client.post(call(json!({}))).await).await;
        assert_eq!(levels(&messages), expected, "{level:?}");
        assert_eq!(messages.last().unwrap()["id"], 1, "the reply comes last");
    }
    for params in [json!({"level": "loud"}), json!({})] {
        let refused = client.reply(legacy(3, "logging/setLevel", params)).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
}

/// covers: T15-L
#[tokio::test]
async fn a_legacy_task_writes_to_the_log_in_its_name() {
    let server = talking();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let mut channel = Events::of(client.get(None).await);
    let made = client.reply(call(json!({"task": {}}))).await;
    let id = &made["result"]["task"]["taskId"];
    for level in ["info", "error"] {
        let message = channel.message_of("notifications/message").await;
        assert_eq!(levels(std::slice::from_ref(&message)), [level]);
        let meta = &message["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/related-task"]["taskId"], *id);
    }
}

#[tokio::test]
async fn a_modern_request_asks_for_its_log_or_gets_none() {
    let server = talking();
    let plain = json!({"elicitation": {}});
    let discovered = result(&server, "server/discover", json!({}), plain.clone()).await;
    assert_eq!(discovered["capabilities"]["logging"], json!({}));
    let call = |level: Value, capabilities: &Value| {
        let mut message = modern(
            1,
            "tools/call",
            json!({"name": "chatty"}),
            capabilities.clone(),
        );
        if !level.is_null() {
            message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = level;
        }
        message
    };
    for (level, expected) in [
        (json!(null), &[][..]),
        (json!("debug"), &["debug", "info", "error"]),
        (json!("warning"), &["error"]),
    ] {
        let (_, messages) = exchange(&server, &call(level.clone(), &plain)).await;
        assert_eq!(levels(&messages), expected, "{level}");
        assert_eq!(messages.last().unwrap()["id"], 1, "the reply comes last");
    }
    for level in [json!("loud"), json!(3)] {
        let (status, messages) = exchange(&server, &call(level.clone(), &plain)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert_eq!(messages[0]["error"]["code"], -32602, "{level}");
    }
    // A task has no stream of its own.
    let (_, messages) = exchange(&server, &call(json!("debug"), &all())).await;
    assert_eq!(messages.len(), 1, "{messages:?}");
    assert_eq!(messages[0]["result"]["resultType"], "task");
}

#[tokio::test]
async fn a_server_without_a_log_sends_none() {
    let server = Server::builder().tools(tools![chatty]).build().unwrap();
    let (client, welcome) = Client::open(&server, None, json!({})).await;
    assert!(welcome["capabilities"].get("logging").is_none());
    let refused = client
        .reply(legacy(2, "logging/setLevel", json!({"level": "debug"})))
        .await;
    assert_eq!(refused["error"]["code"], -32601);
    let (_, messages) = read(client.post(call(json!({}))).await).await;
    assert_eq!(messages.len(), 1, "{messages:?}");
    let mut message = modern(1, "tools/call", json!({"name": "chatty"}), json!({}));
    message["params"]["_meta"]["io.modelcontextprotocol/logLevel"] = json!("debug");
    let (_, messages) = exchange(&server, &message).await;
    assert_eq!(messages.len(), 1, "{messages:?}");
}

#[test]
fn the_capability_cannot_be_declared_twice() {
    let built = Server::builder()
        .logging()
        .capability("logging", json!({}))
        .build();
    assert!(matches!(built, Err(BuildError::Capability(name)) if name == "logging"));
}
