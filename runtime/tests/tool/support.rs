//! Runs tools without a server.

use std::sync::Arc;

use mcp_tasks::{
    BoxFuture, JsonObject, TaskContext,
    context::{AskError, ContextBackend, InputRequest},
    tool::{IntoTool, Tool, ToolCall, ToolError, ToolOutput},
};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// A context in which nothing can be asked.
struct Alone;

impl ContextBackend for Alone {
    fn task_id(&self) -> Option<&str> {
        None
    }

    fn status(&self, _: String) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn progress(&self, _: f64, _: Option<f64>, _: Option<String>) -> BoxFuture<'_, ()> {
        Box::pin(async {})
    }

    fn ask<'a>(&'a self, _: &'a str, _: InputRequest) -> BoxFuture<'a, Result<Value, AskError>> {
        Box::pin(async { Err(AskError::NotSupported("elicitation")) })
    }

    fn recall<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Value>, AskError>> {
        Box::pin(async { Ok(None) })
    }

    fn keep<'a>(&'a self, _: &'a str, _: Value) -> BoxFuture<'a, Result<(), AskError>> {
        Box::pin(async { Ok(()) })
    }

    fn cancellation(&self) -> CancellationToken {
        CancellationToken::new()
    }
}

pub(crate) fn context() -> TaskContext {
    TaskContext::new(Arc::new(Alone))
}

pub(crate) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        other => panic!("not an object: {other}"),
    }
}

pub(crate) fn call(arguments: Value) -> ToolCall {
    ToolCall::new(object(arguments), context())
}

pub(crate) fn tool<M>(tool: impl IntoTool<M>) -> Tool {
    tool.into_tool()
}

/// Runs a call to its end.
pub(crate) async fn run(tool: &Tool, call: ToolCall) -> Result<ToolOutput, ToolError> {
    tool.handler.start(call)?.await
}

/// The text that a tool answers with.
pub(crate) async fn text(tool: &Tool, arguments: Value) -> String {
    run(tool, call(arguments))
        .await
        .expect("the tool failed")
        .joined_text()
}

/// What the tool says of wrong arguments, which is the same whether it is asked or started.
pub(crate) fn complaint(tool: &Tool, arguments: Value) -> String {
    let arguments = object(arguments);
    let checked = tool
        .handler
        .check(&arguments)
        .expect_err("the arguments fit");
    let ToolError::Tool(output) = &checked else {
        panic!("not a tool error: {checked}")
    };
    assert!(output.is_error);
    assert!(
        tool.handler
            .start(ToolCall::new(arguments, context()))
            .is_err(),
        "started in spite of {checked}"
    );
    checked.to_string()
}

pub(crate) fn schema(tool: &Tool) -> Value {
    Value::Object(tool.descriptor.input_schema.clone())
}
