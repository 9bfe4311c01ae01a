//! What goes into the engine and what comes out.

use std::{sync::Arc, time::Duration};

use http::Extensions;

use crate::{
    JsonObject,
    context::{InputKinds, LogRecord},
    task::{Principal, Task},
    tool::{StateMap, Tool, ToolError, ToolOutput},
};

/// A report of progress, as the tool gave it.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How much is done; grows.
    pub done: f64,
    /// Of how much.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// What a running call says beside its status.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Report {
    /// How far it is.
    Progress(Progress),
    /// A message for the client's log.
    Log(LogRecord),
}

/// Takes the reports of one call until it ends. Must not block.
pub type ReportSink = Arc<dyn Fn(Report) + Send + Sync>;

/// A call to be run as a task.
#[derive(Clone)]
pub struct Launch {
    /// The tool.
    pub tool: Tool,
    /// Its arguments, already [checked](crate::tool::ToolHandler::check).
    pub arguments: JsonObject,
    /// Answers to the tool's [`Ask`](crate::tool::Ask)s.
    pub answers: JsonObject,
    /// Whom the task belongs to.
    pub owner: Option<Principal>,
    /// What the client can be asked.
    pub can_ask: InputKinds,
    /// The time to live that the client asked for, in milliseconds; else the tool's, else the default. In each case
    /// at most the ceiling.
    pub ttl_ms: Option<u64>,
    /// Wait this long for a result before a task is made. `None` makes the task at once.
    pub inline_for: Option<Duration>,
    /// Shared state.
    pub state: StateMap,
    /// What the transport attached to the request. Not there any more when the call is taken up after a restart.
    pub extensions: Extensions,
    /// Where reports go. Progress goes into the status message as well.
    pub reports: Option<ReportSink>,
}

impl Launch {
    /// A call of a tool with no arguments, no owner and the tool's own settings, by a client that can be asked nothing.
    pub fn new(tool: Tool) -> Self {
        Self {
            inline_for: tool.descriptor.options.inline_for,
            tool,
            arguments: JsonObject::new(),
            answers: JsonObject::new(),
            owner: None,
            can_ask: InputKinds::default(),
            ttl_ms: None,
            state: StateMap::default(),
            extensions: Extensions::new(),
            reports: None,
        }
    }
}

/// What starting a call gave.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "lives for one match; boxing would cost an allocation a call"
)]
pub enum Started {
    /// It ended within [`Launch::inline_for`]; there is no task.
    Inline(Result<ToolOutput, ToolError>),
    /// It is a task now, and stored.
    Task(Arc<Task>),
}

/// How much a client means by cancelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancel {
    /// Legacy: the task is `cancelled` when the call returns and stays so, whatever the tool does. A terminal task is
    /// [`EngineError::Terminal`](super::EngineError::Terminal).
    Now,
    /// Modern: the wish is noted. A tool that is aborted ends as `cancelled`, a cooperative one decides itself. A
    /// terminal task is returned as it is.
    Request,
}

/// One page of a listing.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The tasks, oldest first.
    pub tasks: Vec<Arc<Task>>,
    /// Opaque; where the next page starts, if there are more.
    pub next_cursor: Option<String>,
}

/// What to do with an unfinished task of an earlier run.
#[derive(Clone)]
pub enum Recovery {
    /// Run it again with its stored arguments and answers.
    Rerun {
        /// The tool.
        tool: Tool,
        /// Shared state.
        state: StateMap,
    },
    /// Fail it with this message.
    Fail(String),
}

/// How busy the engine is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Calls that run as tasks, those that wait for input included.
    pub running: usize,
    /// Waits and subscriptions that are open.
    pub waiters: usize,
    /// Tasks that are held in memory because they run here or someone watches them.
    pub live: usize,
}
