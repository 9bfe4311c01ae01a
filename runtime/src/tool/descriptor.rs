//! What a client and the engine may know of a tool without running it.

use std::time::Duration;

use super::{Icon, StateKey, ToolAnnotations};
use crate::JsonObject;

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
    /// Leave the outcome to the function, which watches `TaskContext::cancelled`.
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

/// How calls of a tool behave as tasks. `None` leaves a choice to the server's settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskOptions {
    /// Whether calls become tasks.
    pub task: TaskSupport,
    /// How long a task is kept, counted from its creation.
    pub ttl: Option<Duration>,
    /// How often clients should ask for the task's state.
    pub poll_interval: Option<Duration>,
    /// Wait this long for a result before handing out a handle.
    pub inline_for: Option<Duration>,
    /// Fail the call when it runs longer than this.
    pub timeout: Option<Duration>,
    /// What cancelling does.
    pub cancel: CancelMode,
    /// What a restart of the server does.
    pub on_restart: OnRestart,
    /// Calls of this tool that may run at once.
    pub concurrency: Option<usize>,
}

/// A question that is asked before the function runs (`#[ask]`).
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// The parameter's name; also the key of the input request.
    pub name: String,
    /// What the user reads.
    pub message: String,
    /// `requestedSchema` of the form.
    pub schema: JsonObject,
    /// Whether the function cannot run without an answer.
    pub required: bool,
}

/// Everything about a tool but its code.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ToolDescriptor {
    /// The name by which clients call it.
    pub name: String,
    /// A name for people.
    pub title: Option<String>,
    /// What it does, for the model.
    pub description: Option<String>,
    /// JSON Schema (2020-12) of the arguments; an object without references at its root.
    pub input_schema: JsonObject,
    /// JSON Schema of `structuredContent`.
    pub output_schema: Option<JsonObject>,
    /// Hints about its effects.
    pub annotations: Option<ToolAnnotations>,
    /// Pictures for user interfaces.
    pub icons: Vec<Icon>,
    /// The tool's `_meta`.
    pub meta: Option<JsonObject>,
    /// Questions to put before the function runs, in this order.
    pub asks: Vec<Ask>,
    /// How calls behave as tasks.
    pub options: TaskOptions,
    /// Types of shared state that calls need ([`StateMap`](super::StateMap)).
    pub state: Vec<StateKey>,
    /// Where the tool was defined, for error messages (`file:line`); empty if unknown.
    pub location: &'static str,
}

impl ToolDescriptor {
    /// A tool of this name that takes no arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            input_schema: super::schema::no_arguments(),
            ..Self::default()
        }
    }
}
