//! Runs a call as a task.
//!
//! The engine starts futures, stores what becomes of them and tells those who wait. It holds no wire shapes: both
//! eras' front ends call the same methods and map what they get.

mod error;
mod limits;

use std::{sync::Arc, time::Duration};

use serde_json::Value;

pub use error::{EngineError, LimitKind};
pub use limits::Limits;

use crate::{
    JsonObject,
    context::InputKinds,
    store::TaskStore,
    task::{Clock, Principal, Task},
    tool::{StateMap, Tool, ToolCall, ToolError, ToolOutput},
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

/// Takes progress reports of one call until it ends; the legacy era's progress token.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

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
    /// The time to live that the client asked for, in milliseconds; else the tool's, else the default. In each case at
    /// most the ceiling.
    pub ttl_ms: Option<u64>,
    /// Wait this long for a result before a task is made. `None` makes the task at once.
    pub inline_for: Option<Duration>,
    /// Shared state.
    pub state: StateMap,
    /// Where progress goes besides the status message.
    pub progress: Option<ProgressSink>,
}

/// What starting a call gave.
#[derive(Clone, Debug)]
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
    /// [`EngineError::Terminal`].
    Now,
    /// Modern: the wish is noted. A tool that is aborted ends as `cancelled`, a cooperative one decides itself. A terminal
    /// task is returned as it is.
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
    /// Subscriptions and waits that are open.
    pub waiters: usize,
}

/// Runs calls as tasks. Cheap to clone; all clones are the same engine.
#[derive(Clone)]
pub struct Engine;

/// Settings of an [`Engine`].
pub struct EngineBuilder;

impl EngineBuilder {
    /// Sets the limits.
    pub fn limits(self, _limits: Limits) -> Self {
        self
    }
    /// Sets the clock; the machine's by default.
    pub fn clock(self, _clock: Arc<dyn Clock>) -> Self {
        self
    }
    /// How long after the last sign of life the tasks of a process may be taken up by another. 10 s by default.
    pub fn lease(self, _lease: Duration) -> Self {
        self
    }
    /// Makes the engine. Needs no runtime yet.
    pub fn build(self) -> Engine {
        Engine
    }
}

/// Sees a task's changes.
///
/// Starts with the state at the time of subscribing ([`current`](Self::current)). [`next`](Self::next) waits for a newer
/// one; states may be skipped, the last one never is.
pub struct Subscription;

impl Subscription {
    /// The newest state seen so far.
    pub fn current(&self) -> Arc<Task> {
        unimplemented!()
    }
    /// The next newer state; for a task that was terminal on subscribing, that state once. `None` after the terminal
    /// state, or when the task has been removed or the engine has shut down.
    pub async fn next(&mut self) -> Option<Arc<Task>> {
        unimplemented!()
    }
}

impl Engine {
    /// Settings for an engine over this store.
    pub fn builder(_store: Arc<dyn TaskStore>) -> EngineBuilder {
        EngineBuilder
    }
    /// An engine with default settings.
    pub fn new(store: Arc<dyn TaskStore>) -> Self {
        Self::builder(store).build()
    }
    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        unimplemented!()
    }
    /// Runs a call as a task, or to its end if that comes within [`Launch::inline_for`].
    ///
    /// A returned task is stored. Dropping the future before a task is made drops the call.
    pub async fn start(&self, _launch: Launch) -> Result<Started, EngineError> {
        unimplemented!()
    }
    /// Runs a plain call: the tool's concurrency and timeout, and a panic as an internal error. Dropping the future drops
    /// the call. `call.context` says what stands behind the context.
    pub async fn run(&self, _tool: &Tool, _call: ToolCall) -> Result<ToolOutput, ToolError> {
        unimplemented!()
    }
    /// A task as it stands. Unknown, expired and foreign ids are all [`EngineError::NotFound`], here and below.
    pub async fn get(
        &self,
        _id: &str,
        _owner: Option<&Principal>,
    ) -> Result<Arc<Task>, EngineError> {
        unimplemented!()
    }
    /// Answers open questions. Keys that are not open are ignored. If one answer does not fit its question, none is
    /// taken and all questions stay open.
    pub async fn answer(
        &self,
        _id: &str,
        _owner: Option<&Principal>,
        _answers: impl IntoIterator<Item = (String, Value)> + Send,
    ) -> Result<Arc<Task>, EngineError> {
        unimplemented!()
    }
    /// Says that the client would not answer a question (a JSON-RPC error to a server's request); the tool gets
    /// [`AskError::Failed`](crate::context::AskError::Failed).
    pub async fn refuse(
        &self,
        _id: &str,
        _owner: Option<&Principal>,
        _key: &str,
        _reason: &str,
    ) -> Result<Arc<Task>, EngineError> {
        unimplemented!()
    }
    /// Cancels a task.
    pub async fn cancel(
        &self,
        _id: &str,
        _owner: Option<&Principal>,
        _how: Cancel,
    ) -> Result<Arc<Task>, EngineError> {
        unimplemented!()
    }
    /// Waits until a task is terminal. Dropping the future frees everything.
    pub async fn wait(
        &self,
        _id: &str,
        _owner: Option<&Principal>,
    ) -> Result<Arc<Task>, EngineError> {
        unimplemented!()
    }
    /// Watches a task.
    pub async fn subscribe(
        &self,
        _id: &str,
        _owner: Option<&Principal>,
    ) -> Result<Subscription, EngineError> {
        unimplemented!()
    }
    /// The owner's tasks, a page at a time.
    pub async fn list(
        &self,
        _owner: Option<&Principal>,
        _cursor: Option<&str>,
    ) -> Result<Page, EngineError> {
        unimplemented!()
    }
    /// Takes up the unfinished tasks of processes that are gone, now and later, in the background and within the limits.
    pub fn recover(&self, _decide: impl Fn(&Task) -> Recovery + Send + Sync + 'static) {}
    /// Refuses new tasks, gives working ones `grace` to end, then fails what cannot be taken up again, and answers all
    /// who wait.
    pub async fn shutdown(&self, _grace: Duration) {}
    /// How busy it is.
    pub fn stats(&self) -> Stats {
        Stats::default()
    }
}
