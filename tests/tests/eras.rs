//! What one era has and the other has not, seen by both on one connection.

use std::sync::Arc;

use mcp_tasks::{Server, State, TaskContext, ToolError, task_tool, tools};
use mcp_tasks_tests::{
    legacy,
    modern::{self, all_capabilities},
    wire::Wire,
};
use serde_json::{Value, json};
use tokio::sync::Notify;

const IMMEDIATE: &str = "io.modelcontextprotocol/model-immediate-response";
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// Lets a tool go on.
type Gate = Arc<Notify>;

/// Reports progress on both sides of a gate, and ends behind another.
#[task_tool(meta = json!({IMMEDIATE: "I have started."}))]
async fn report(State(gate): State<Gate>, ctx: TaskContext) -> Result<String, ToolError> {
    ctx.progress(1, 2).await;
    gate.notified().await;
    ctx.progress(2, 2).await;
    gate.notified().await;
    Ok("reported".to_owned())
}

fn connect(gate: &Gate) -> Wire {
    let server = Server::builder()
        .tools(tools![report])
        .state(gate.clone())
        .build()
        .expect("a server");
    Wire::connect(&server)
}

fn call(token: &str) -> Value {
    json!({"name": "report", "arguments": {}, "_meta": {"progressToken": token}})
}

fn modern_request(id: &str, method: &str, params: Value) -> Value {
    let mut message = modern::request(id, method, json!({}), &all_capabilities());
    let meta = message["params"]["_meta"].take();
    message["params"] = params;
    let asked = message["params"]["_meta"].take();
    message["params"]["_meta"] = meta;
    if let Some(asked) = asked.as_object() {
        for (name, value) in asked {
            message["params"]["_meta"][name] = value.clone();
        }
    }
    message
}

fn is_progress(message: &Value) -> bool {
    message["method"] == "notifications/progress"
}

/// covers: T16-L, T19-L
#[tokio::test]
async fn a_legacy_task_keeps_the_progress_token_of_its_call_until_it_is_over() {
    let gate = Gate::default();
    let mut wire = connect(&gate);
    wire.open_session().await;
    let mut params = call("mine");
    params["task"] = json!({});
    let (handle, mut told) = wire
        .ask(&legacy::request("call", "tools/call", params))
        .await;
    assert_eq!(
        handle["result"]["_meta"][IMMEDIATE], "I have started.",
        "{handle}"
    );
    let id = handle["result"]["task"]["taskId"].clone();

    while told.iter().filter(|message| is_progress(message)).count() < 1 {
        told.push(wire.receive().await);
    }
    gate.notify_one();
    while told.iter().filter(|message| is_progress(message)).count() < 2 {
        told.push(wire.receive().await);
    }
    gate.notify_one();
    let result = legacy::request("result", "tasks/result", json!({"taskId": id}));
    let (result, _) = wire.ask(&result).await;
    assert_eq!(result["result"]["content"][0]["text"], "reported");
    // Whatever is sent after the end of the task would come before this answer.
    let (_, after) = wire.ask(&legacy::request("ping", "ping", json!({}))).await;
    assert!(!after.iter().any(is_progress), "{after:?}");
    for message in told.iter().filter(|message| is_progress(message)) {
        assert_eq!(message["params"]["progressToken"], "mine");
        assert_eq!(
            message["params"]["_meta"][RELATED]["taskId"], id,
            "{message}"
        );
    }
}

/// covers: T16-M, T19-M
#[tokio::test]
async fn a_modern_task_reports_by_its_status_and_sends_nothing() {
    let gate = Gate::default();
    let mut wire = connect(&gate);
    let (handle, mut told) = wire
        .ask(&modern_request("call", "tools/call", call("mine")))
        .await;
    assert!(!handle.to_string().contains(IMMEDIATE), "{handle}");
    let id = handle["result"]["taskId"].clone();
    loop {
        gate.notify_one();
        let (task, more) = wire
            .ask(&modern_request("get", "tasks/get", json!({"taskId": id})))
            .await;
        told.extend(more);
        if task["result"]["status"] == "completed" {
            break;
        }
    }
    assert_eq!(told, Vec::<Value>::new());
    let (tools, _) = wire
        .ask(&modern_request("list", "tools/list", json!({})))
        .await;
    assert!(!tools.to_string().contains(IMMEDIATE), "{tools}");
}

/// covers: T02-M
#[tokio::test]
async fn only_a_tool_call_is_answered_with_a_task() {
    let mut wire = connect(&Gate::default());
    for method in ["tools/list", "server/discover", "tasks/get", "prompts/list"] {
        let params = json!({"task": {"ttl": 1000}, "taskId": "none"});
        let (reply, _) = wire.ask(&modern_request("x", method, params)).await;
        assert_ne!(reply["result"]["resultType"], "task", "{method}: {reply}");
        assert!(reply["result"].get("taskId").is_none(), "{method}: {reply}");
    }
}
