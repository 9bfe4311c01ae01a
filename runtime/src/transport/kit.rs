//! What the transports' tests share: a few tools, and clients of both eras in one process.
#![allow(clippy::unwrap_used)]

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use futures_util::StreamExt;
use http::{Request, Response, StatusCode};
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{
    Limits, Principal, Server, TaskContext, ToolError, task_tool,
    tool::{Tool, ToolDescriptor},
};

/// Greets. Never a task.
#[task_tool(task = "forbidden")]
async fn greet(name: String) -> String {
    format!("Hello, {name}!")
}

/// Waits until the gate of the test opens.
#[task_tool(poll_interval = "1s")]
async fn wait_at_gate(crate::State(gate): crate::State<Gate>, label: String) -> String {
    gate.pass().await;
    format!("through: {label}")
}

/// Gives a list, which only the modern era takes as structured content.
#[task_tool]
async fn squares() -> crate::Json<Vec<u32>> {
    crate::Json(vec![1, 4, 9])
}

/// Always fails, always as a task.
#[task_tool(task = "required")]
async fn failing_job() -> Result<String, ToolError> {
    Err(ToolError::new("the job failed"))
}

/// Asks for a name in the middle.
#[task_tool]
async fn ask_name(ctx: TaskContext) -> Result<String, ToolError> {
    let name: NameForm = ctx
        .elicit("What is your name?")
        .named("name")
        .await?
        .required()?;
    Ok(format!("Hello, {}!", name.name))
}

/// Asks twice, then twice at once.
#[task_tool(task = "forbidden")]
async fn ask_often(ctx: TaskContext) -> Result<String, ToolError> {
    let first: NameForm = ctx.elicit("First?").named("first").await?.required()?;
    let (second, third) = tokio::join!(
        ctx.elicit::<NameForm>("Second?").named("second"),
        ctx.elicit::<NameForm>("Third?").named("third"),
    );
    Ok(format!(
        "{} {} {}",
        first.name,
        second?.required()?.name,
        third?.required()?.name
    ))
}

/// Asks before it begins.
#[task_tool]
async fn signed(#[ask("Who signs?")] signer: NameForm) -> String {
    format!("signed by {}", signer.name)
}

/// Reports how far it is.
#[task_tool(task = "forbidden")]
async fn count(ctx: TaskContext) -> String {
    for step in 1..=3 {
        ctx.progress(step, 3).await;
    }
    "counted".to_owned()
}

/// Reports how far it is, as a task if that may be.
#[task_tool(meta = json!({"io.modelcontextprotocol/model-immediate-response": "It is being counted."}))]
async fn count_slowly(crate::State(gate): crate::State<Gate>, ctx: TaskContext) -> String {
    gate.pass().await;
    // What does not grow, or is no number, is not told.
    for step in [1.0, f64::NAN, 1.0, 2.0, 1.5, 3.0] {
        ctx.progress(step, 3).await;
    }
    "counted".to_owned()
}

/// Is quick enough to need no task.
#[task_tool(inline_for = "1h")]
async fn quick() -> String {
    "done".to_owned()
}

/// A filled form.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
pub(super) struct NameForm {
    name: String,
}

/// Holds calls until it is opened, and counts those that were dropped.
#[derive(Clone, Default)]
pub(super) struct Gate {
    open: Arc<tokio::sync::Notify>,
    pub(super) arrived: Arc<tokio::sync::Notify>,
    pub(super) dropped: Arc<tokio::sync::Notify>,
}

impl Gate {
    async fn pass(&self) {
        struct Leaving(Arc<tokio::sync::Notify>, bool);
        impl Drop for Leaving {
            fn drop(&mut self) {
                if !self.1 {
                    self.0.notify_one();
                }
            }
        }
        let mut leaving = Leaving(Arc::clone(&self.dropped), false);
        self.arrived.notify_one();
        self.open.notified().await;
        leaving.1 = true;
    }

    pub(super) fn open(&self) {
        self.open.notify_one();
    }
}

/// A server with the tools above, and the gate that one of them waits at.
pub(super) fn server() -> (Server, Gate) {
    server_with(|limits| limits)
}

/// The same with other limits.
pub(super) fn server_with(adjust: impl FnOnce(Limits) -> Limits) -> (Server, Gate) {
    let gate = Gate::default();
    let limits = Limits::default()
        .message_bytes(64 << 10)
        .keep_alive(Duration::from_secs(600));
    let limits = adjust(limits);
    let mut headers = ToolDescriptor::new("in_region");
    headers.input_schema = json!({"type": "object", "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"}}})
    .as_object()
    .unwrap()
    .clone();
    let server = Server::builder()
        .name("kit")
        .version("1.2.3")
        .instructions("Be kind.")
        .tool(greet)
        .tool(wait_at_gate)
        .tool(failing_job)
        .tool(ask_name)
        .tool(ask_often)
        .tool(signed)
        .tool(count)
        .tool(count_slowly)
        .tool(quick)
        .tool(squares)
        .tool(Tool::new(headers, Echo))
        .state(gate.clone())
        .limits(limits)
        .key([7; 32])
        .capability("prompts", json!({}))
        .fallback(|request: crate::FallbackRequest| async move {
            match request.method.as_str() {
                "prompts/list" => Ok(json!({"prompts": []}).as_object().unwrap().clone()),
                "prompts/get" => Ok(json!({"messages": [], "resultType": "task"})
                    .as_object()
                    .unwrap()
                    .clone()),
                method => Err(crate::RpcError::method_not_found(method)),
            }
        })
        .build()
        .unwrap();
    (server, gate)
}

struct Echo;

impl crate::tool::ToolHandler for Echo {
    fn check(&self, _: &crate::JsonObject) -> Result<(), ToolError> {
        Ok(())
    }

    fn start(&self, call: crate::tool::ToolCall) -> Result<crate::tool::ToolFuture, ToolError> {
        Ok(Box::pin(async move {
            Ok(crate::tool::ToolOutput::text(
                Value::from(call.arguments).to_string(),
            ))
        }))
    }
}

/// `_meta` of a modern request.
pub(super) fn meta(capabilities: Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// Everything a client may declare.
pub(super) fn all() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {},
           "extensions": {"io.modelcontextprotocol/tasks": {}}})
}

/// A modern message with the given capabilities.
pub(super) fn modern(
    id: impl Into<Value>,
    method: &str,
    mut params: Value,
    capabilities: Value,
) -> Value {
    params["_meta"] = meta(capabilities);
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// The HTTP request that carries a modern message.
pub(super) fn modern_post(message: &Value) -> http::request::Builder {
    let method = message["method"].as_str().unwrap_or("");
    let params = &message["params"];
    let mut request = post()
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method);
    let name = ["name", "uri", "taskId"]
        .iter()
        .find_map(|member| params[*member].as_str());
    if let Some(name) = name {
        request = request.header("mcp-name", name);
    }
    request
}

/// A POST with nothing of an era in it.
pub(super) fn post() -> http::request::Builder {
    Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
}

/// Sends a request to a server.
pub(super) async fn send(server: &Server, request: Request<Body>) -> Response<Body> {
    server.http_service().oneshot(request).await.unwrap()
}

/// Sends a modern message, and reads all that comes back.
pub(super) async fn exchange(server: &Server, message: &Value) -> (StatusCode, Vec<Value>) {
    let request = modern_post(message)
        .body(Body::from(message.to_string()))
        .unwrap();
    read(send(server, request).await).await
}

/// Sends a modern message whose only answer is one reply.
pub(super) async fn call(
    server: &Server,
    method: &str,
    params: Value,
    capabilities: Value,
) -> (StatusCode, Value) {
    let (status, mut messages) = exchange(server, &modern(1, method, params, capabilities)).await;
    assert_eq!(messages.len(), 1, "{messages:?}");
    (status, messages.remove(0))
}

/// The result of a modern request that must succeed.
pub(super) async fn result(
    server: &Server,
    method: &str,
    params: Value,
    capabilities: Value,
) -> Value {
    let (status, reply) = call(server, method, params, capabilities).await;
    assert_eq!(status, StatusCode::OK, "{reply}");
    assert!(reply.get("error").is_none(), "{reply}");
    reply["result"].clone()
}

/// Status and error of a modern request that must fail.
pub(super) async fn failure(
    server: &Server,
    method: &str,
    params: Value,
    capabilities: Value,
) -> (u16, Value) {
    let (status, reply) = call(server, method, params, capabilities).await;
    assert!(reply.get("result").is_none(), "{reply}");
    (status.as_u16(), reply["error"].clone())
}

/// All messages of a response, from JSON or from a stream to its end.
pub(super) async fn read(response: Response<Body>) -> (StatusCode, Vec<Value>) {
    let status = response.status();
    let kind = response
        .headers()
        .get("content-type")
        .map(|kind| kind.to_str().unwrap().to_owned());
    match kind.as_deref() {
        Some("application/json") => {
            let text = axum::body::to_bytes(response.into_body(), usize::MAX)
                .await
                .unwrap();
            (status, vec![serde_json::from_slice(&text).unwrap()])
        }
        Some("text/event-stream") => {
            let mut events = Events::of(response);
            let mut messages = Vec::new();
            while let Some(event) = events.next().await {
                messages.extend(event.message);
            }
            (status, messages)
        }
        None => (status, Vec::new()),
        other => panic!("{other:?}"),
    }
}

/// One event of a stream.
#[derive(Debug, Default)]
pub(super) struct Event {
    pub(super) id: Option<String>,
    pub(super) retry: Option<String>,
    pub(super) message: Option<Value>,
}

/// The events of a stream, as they come.
pub(super) struct Events {
    body: axum::body::BodyDataStream,
    text: String,
}

impl Events {
    pub(super) fn of(response: Response<Body>) -> Self {
        assert_eq!(
            response.headers()["content-type"],
            "text/event-stream",
            "{response:?}"
        );
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        Self {
            body: response.into_body().into_data_stream(),
            text: String::new(),
        }
    }

    /// The next event that is no comment.
    pub(super) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let block: String = self.text.drain(..end + 2).collect();
                let mut event = Event::default();
                for line in block.lines() {
                    match line.split_once(": ").unwrap_or((line, "")) {
                        ("id", id) => event.id = Some(id.to_owned()),
                        ("retry", retry) => event.retry = Some(retry.to_owned()),
                        ("data", "") => {}
                        ("data", data) => event.message = Some(serde_json::from_str(data).unwrap()),
                        _ => {}
                    }
                }
                if event.id.is_some() || event.retry.is_some() || event.message.is_some() {
                    return Some(event);
                }
                continue;
            }
            self.text
                .push_str(std::str::from_utf8(&self.body.next().await?.unwrap()).unwrap());
        }
    }

    /// The next message.
    pub(super) async fn message(&mut self) -> Value {
        loop {
            if let Some(message) = self.next().await.expect("the stream has ended").message {
                return message;
            }
        }
    }

    /// The next message of a method, whatever was said before it.
    pub(super) async fn message_of(&mut self, method: &str) -> Value {
        loop {
            let message = self.message().await;
            if message["method"] == method {
                return message;
            }
        }
    }
}

/// Makes the server see a principal, as an authentication layer would.
pub(super) fn by(principal: &str, mut request: Request<Body>) -> Request<Body> {
    request.extensions_mut().insert(Principal::new(principal));
    request
}
