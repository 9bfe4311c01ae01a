//! What a tool is: its description, how it is called, and what it gives back.
//!
//! Knows nothing of tasks' storage, of eras' wire shapes or of transports. `#[task_tool]` expands to an
//! implementation of [`ToolHandler`] and a [`ToolDescriptor`]; both can also be written by hand.

use std::{any::Any, sync::Arc, time::Duration};

use serde_json::Value;

use crate::{BoxFuture, JsonObject, context::TaskContext};

/// Whether calls of a tool may, must or must not become tasks (`execution.taskSupport`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum TaskSupport {
    /// The server decides, per call and per client.
    #[default]
    Optional,
    /// Every call becomes a task; clients that cannot follow a task are refused.
    Required,
    /// Never a task.
    Forbidden,
}

/// What cancelling does to a running tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum CancelMode {
    /// Drop the future at its next await.
    #[default]
    Abort,
    /// Leave the outcome to the function, which watches [`TaskContext::cancelled`].
    Cooperative,
}

/// What happens to an unfinished task when the server starts again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum OnRestart {
    /// Fail it with a message that says so.
    #[default]
    Fail,
    /// Run the function again with its stored arguments and answers.
    Rerun,
}

/// How calls of a tool behave as tasks.
#[derive(Clone, Debug, Default)]
pub struct TaskOptions {
    pub task: TaskSupport,
    pub ttl: Option<Duration>,
    pub poll_interval: Option<Duration>,
    /// Wait this long for a result before handing out a handle.
    pub inline_for: Option<Duration>,
    /// Fail the call when it runs longer than this.
    pub timeout: Option<Duration>,
    pub cancel: CancelMode,
    pub on_restart: OnRestart,
    /// Calls of this tool that may run at once.
    pub concurrency: Option<usize>,
}

/// A question that is asked before the function runs (`#[ask]`).
#[derive(Clone, Debug)]
pub struct Ask {
    /// Parameter name; also the key of the input request.
    pub name: String,
    pub message: String,
    /// `requestedSchema` of the form.
    pub schema: JsonObject,
}

/// Everything about a tool but its code.
#[derive(Clone, Debug, Default)]
pub struct ToolDescriptor {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub input_schema: JsonObject,
    pub output_schema: Option<JsonObject>,
    pub annotations: Option<JsonObject>, // becomes the generated `ToolAnnotations`
    pub icons: Vec<Value>,               // becomes the generated `Icon`
    pub meta: Option<JsonObject>,
    pub asks: Vec<Ask>,
    pub options: TaskOptions,
    /// Where the tool was defined, for error messages (`file:line`).
    pub location: &'static str,
}

/// One call: arguments as sent, answers to the tool's [`Ask`]s, and what surrounds the call.
pub struct ToolCall {
    pub arguments: JsonObject,
    /// Accepted form content by ask name.
    pub answers: JsonObject,
    pub context: TaskContext,
    /// Shared state, by type (`State<T>`).
    pub state: StateMap,
}

/// Values shared by all calls, one for each type.
#[derive(Clone, Default)]
pub struct StateMap(Arc<Vec<Arc<dyn Any + Send + Sync>>>);

/// What a tool gave back: the era-neutral content of a `CallToolResult`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolOutput {
    pub content: Vec<Value>, // becomes the generated `ContentBlock`
    pub structured_content: Option<Value>,
    pub is_error: bool,
    pub meta: Option<JsonObject>,
}

/// Why a call failed.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolError {
    /// The tool ran and reports an error: a result with `isError: true`.
    Tool(Box<ToolOutput>),
    /// A JSON-RPC error object.
    Protocol {
        code: i64,
        message: String,
        data: Option<Value>,
    },
}

/// The future of a started call.
pub type ToolFuture = BoxFuture<'static, Result<ToolOutput, ToolError>>;

/// The code of a tool. Object-safe; `#[task_tool]` implements it.
pub trait ToolHandler: Send + Sync + 'static {
    /// Decodes the arguments (not the answers) and says what is wrong with them. Runs nothing.
    fn check(&self, arguments: &JsonObject) -> Result<(), ToolError>;
    /// Decodes everything and returns the call's future without polling it.
    fn start(&self, call: ToolCall) -> Result<ToolFuture, ToolError>;
}

/// A registered tool.
#[derive(Clone)]
pub struct Tool {
    pub descriptor: Arc<ToolDescriptor>,
    pub handler: Arc<dyn ToolHandler>,
}
