//! A published client of 2026-07-28 against fixture-server: `mcp-tasks-interop URL`.
//! One line a check; the last line is `N passed, M failed`.

use std::{process::ExitCode, time::Duration};

use futures::{FutureExt, future::BoxFuture, future::join_all};
use rmcp::{
    ClientLifecycleMode, ClientServiceExt, RoleClient,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, ClientConfig, GetTaskParams,
        Implementation, InputResponses, ProtocolVersion, UpdateTaskParams,
    },
    service::{RunningService, ServiceError},
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error + Send + Sync>;
type Check = fn(String) -> BoxFuture<'static, Result<(), Failure>>;

const CHECKS: [(&str, Check); 8] = [
    ("a task goes from handle to status to result", |url| {
        to_result(url).boxed()
    }),
    ("a question is found by polling and answered", |url| {
        question(url).boxed()
    }),
    ("two questions at once are answered one by one", |url| {
        two_questions(url).boxed()
    }),
    (
        "questions before a task come first and then the handle",
        |url| asked_first(url).boxed(),
    ),
    (
        "a tool error is a completed task whose result is an error",
        |url| tool_error(url).boxed(),
    ),
    ("a protocol error is a failed task with that error", |url| {
        protocol_error(url).boxed()
    }),
    ("a cancelled task ends as cancelled", |url| {
        cancel(url).boxed()
    }),
    (
        "who does not declare tasks gets a result, or an error that says what is missing",
        |url| undeclared(url).boxed(),
    ),
];

#[tokio::main]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1) else {
        eprintln!("usage: mcp-tasks-interop URL");
        return ExitCode::from(2);
    };
    let run = |(name, check): (&'static str, Check)| {
        let url = url.clone();
        async move {
            let outcome = check(url).await;
            match &outcome {
                Ok(()) => println!("ok      modern: {name}"),
                Err(error) => println!("FAILED  modern: {name}\n        {error}"),
            }
            outcome.is_ok()
        }
    };
    let outcomes = join_all(CHECKS.map(run)).await;
    let passed = outcomes.iter().filter(|ok| **ok).count();
    let failed = outcomes.len() - passed;
    println!("{passed} passed, {failed} failed");
    ExitCode::from(u8::from(failed > 0))
}

/// A client that declares these capabilities on every request.
struct Client(RunningService<RoleClient, ClientConfig>);

impl Client {
    async fn connect(url: String, capabilities: Value) -> Result<Self, Failure> {
        let config = ClientConfig::new(
            serde_json::from_value(capabilities)?,
            Implementation::new("interop", "1"),
        );
        let transport = StreamableHttpClientTransport::from_config(
            StreamableHttpClientTransportConfig::with_uri(url),
        );
        let lifecycle = ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        };
        Ok(Self(
            config.serve_with_lifecycle(transport, lifecycle).await?,
        ))
    }

    async fn with_tasks(url: String) -> Result<Self, Failure> {
        Self::connect(
            url,
            json!({"elicitation": {}, "extensions": {"io.modelcontextprotocol/tasks": {}}}),
        )
        .await
    }

    async fn call(
        &self,
        tool: &'static str,
        arguments: Value,
    ) -> Result<CallToolResponse, ServiceError> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        self.0
            .call_tool_once(CallToolRequestParams::new(tool).with_arguments(arguments))
            .await
    }

    /// Calls a tool and gives the task's id.
    async fn start(&self, tool: &'static str, arguments: Value) -> Result<String, Failure> {
        match self.call(tool, arguments).await? {
            CallToolResponse::Task(handle) => Ok(handle.task.task_id.clone()),
            other => Err(format!("expected a task, got {other:?}").into()),
        }
    }

    /// Polls until the task is no longer working, and gives it as it was on the wire.
    async fn settle(&self, id: &str) -> Result<Value, Failure> {
        loop {
            let task = serde_json::to_value(self.0.get_task(GetTaskParams::new(id)).await?)?;
            if task["status"] != "working" {
                return Ok(task);
            }
            let pause = task["pollIntervalMs"].as_u64().unwrap_or(100);
            tokio::time::sleep(Duration::from_millis(pause)).await; // the pace the server asks for
        }
    }

    async fn answer(&self, id: &str, key: &str, content: Value) -> Result<(), Failure> {
        let answers = InputResponses::from([(
            key.to_owned(),
            json!({"action": "accept", "content": content}),
        )]);
        Ok(self
            .0
            .update_task(UpdateTaskParams::new(id, answers))
            .await?)
    }
}

fn same(what: &str, found: &Value, expected: impl Into<Value>) -> Result<(), Failure> {
    let expected = expected.into();
    if *found == expected {
        Ok(())
    } else {
        Err(format!("{what}: expected {expected}, found {found}").into())
    }
}

fn open_keys(task: &Value) -> Vec<String> {
    task["inputRequests"]
        .as_object()
        .map(|open| open.keys().cloned().collect())
        .unwrap_or_default()
}

async fn to_result(url: String) -> Result<(), Failure> {
    let client = Client::with_tasks(url).await?;
    let id = client
        .start("slow_compute", json!({"seconds": 0.5, "label": "interop"}))
        .await?;
    let working = serde_json::to_value(client.0.get_task(GetTaskParams::new(&id)).await?)?;
    same("status", &working["status"], "working")?;
    let done = client.settle(&id).await?;
    same("status", &done["status"], "completed")?;
    let text = done["result"]["content"][0]["text"]
        .as_str()
        .unwrap_or_default();
    if text.contains("interop") {
        Ok(())
    } else {
        Err(format!("no label in {text:?}").into())
    }
}

async fn question(url: String) -> Result<(), Failure> {
    let client = Client::with_tasks(url).await?;
    for confirm in [true, false] {
        let id = client
            .start("confirm_delete", json!({"filename": "a.txt"}))
            .await?;
        let asking = client.settle(&id).await?;
        same("status", &asking["status"], "input_required")?;
        let key = open_keys(&asking).pop().ok_or("no question")?;
        client
            .answer(&id, &key, json!({"confirm": confirm}))
            .await?;
        let done = client.settle(&id).await?;
        let text = done["result"]["content"][0]["text"]
            .as_str()
            .unwrap_or_default();
        if !text.contains(&format!("confirmed: {confirm}")) {
            return Err(format!("answered {confirm}, got {text:?}").into());
        }
    }
    Ok(())
}

async fn two_questions(url: String) -> Result<(), Failure> {
    let client = Client::with_tasks(url).await?;
    let id = client.start("multi_input", json!({})).await?;
    let mut asking = client.settle(&id).await?;
    while open_keys(&asking).len() < 2 {
        asking = client.settle(&id).await?;
    }
    for key in open_keys(&asking) {
        client
            .answer(&id, &key, json!({"name": "me", "confirm": true}))
            .await?;
    }
    same(
        "text",
        &client.settle(&id).await?["result"]["content"][0]["text"],
        "me: true",
    )
}

async fn asked_first(url: String) -> Result<(), Failure> {
    let client = Client::with_tasks(url).await?;
    let CallToolResponse::InputRequired(asking) =
        client.call("test_tool_with_task", json!({})).await?
    else {
        return Err("expected a question first".into());
    };
    let key = asking
        .input_requests
        .and_then(|open| open.keys().next().cloned())
        .ok_or("no question")?;
    let answers = InputResponses::from([(
        key,
        json!({"action": "accept", "content": {"name": "Alice"}}),
    )]);
    let again =
        CallToolRequestParams::new("test_tool_with_task").with_arguments(serde_json::Map::new());
    let mut again = again.with_input_responses(answers);
    if let Some(state) = asking.request_state {
        again = again.with_request_state(state);
    }
    let CallToolResponse::Task(handle) = client.0.call_tool_once(again).await? else {
        return Err("expected a task after the answer".into());
    };
    let done = client.settle(&handle.task.task_id).await?;
    same(
        "text",
        &done["result"]["content"][0]["text"],
        "Task done for Alice",
    )
}

async fn tool_error(url: String) -> Result<(), Failure> {
    let client = Client::with_tasks(url).await?;
    let id = client.start("failing_job", json!({})).await?;
    let done = client.settle(&id).await?;
    same("status", &done["status"], "completed")?;
    same("isError", &done["result"]["isError"], true)
}

async fn protocol_error(url: String) -> Result<(), Failure> {
    let client = Client::with_tasks(url).await?;
    let id = client.start("protocol_error_job", json!({})).await?;
    let failed = client.settle(&id).await?;
    same("status", &failed["status"], "failed")?;
    same("code", &failed["error"]["code"], -32603)
}

async fn cancel(url: String) -> Result<(), Failure> {
    let client = Client::with_tasks(url).await?;
    let id = client
        .start("slow_compute", json!({"seconds": 60, "label": "never"}))
        .await?;
    client.0.cancel_task(CancelTaskParams::new(&id)).await?;
    same("status", &client.settle(&id).await?["status"], "cancelled")?;
    client.0.cancel_task(CancelTaskParams::new(&id)).await?;
    match client.0.get_task(GetTaskParams::new("never-issued")).await {
        Err(ServiceError::McpError(error)) if error.code.0 == -32602 => Ok(()),
        other => Err(format!("an unknown id: expected -32602, got {other:?}").into()),
    }
}

async fn undeclared(url: String) -> Result<(), Failure> {
    let client = Client::connect(url, json!({"elicitation": {}})).await?;
    match client
        .call("slow_compute", json!({"seconds": 0, "label": "plain"}))
        .await?
    {
        CallToolResponse::Complete(_) => {}
        other => return Err(format!("expected a result, got {other:?}").into()),
    }
    match client.call("failing_job", json!({})).await {
        Err(ServiceError::McpError(error)) if error.code.0 == -32021 => Ok(()),
        other => Err(format!("expected -32021, got {other:?}").into()),
    }
}
