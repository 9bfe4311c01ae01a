//! What a running tool can do: report, ask, notice that it is cancelled.
//!
//! [`TaskContext`] is the user's handle; [`ContextBackend`] is what stands behind it: a task of the engine, a plain
//! call that replays its answers (MRTR), a legacy call that asks on its stream, or a script in a unit test.

use std::sync::Arc;

use serde_json::Value;

use crate::{BoxFuture, JsonObject};

/// A question to the client: method (`elicitation/create`, `sampling/createMessage`, `roots/list`) and params.
#[derive(Clone, Debug, PartialEq)]
pub struct InputRequest {
    pub method: String,
    pub params: Option<JsonObject>,
}

/// Why a question got no answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AskError {
    #[error("the client did not declare {0}, so it cannot be asked")]
    NotSupported(&'static str),
    #[error("the call was cancelled before the client answered")]
    Cancelled,
    #[error("{0}")]
    Failed(String),
}

/// What stands behind a [`TaskContext`].
pub trait ContextBackend: Send + Sync + 'static {
    /// The task's id, if the call is one.
    fn task_id(&self) -> Option<&str>;
    /// Sets the status message.
    fn status(&self, message: String) -> BoxFuture<'_, ()>;
    /// Reports progress.
    fn progress(&self, done: f64, total: Option<f64>, message: Option<String>)
    -> BoxFuture<'_, ()>;
    /// Asks the client and waits for the raw result object.
    fn ask(&self, request: InputRequest) -> BoxFuture<'_, Result<Value, AskError>>;
    /// Fires when the call is cancelled.
    fn cancellation(&self) -> tokio_util::sync::CancellationToken;
}

/// What a running tool can do. Cheap to clone.
#[derive(Clone)]
pub struct TaskContext {
    backend: Arc<dyn ContextBackend>,
}

impl TaskContext {
    /// A context over any backend.
    pub fn new(backend: Arc<dyn ContextBackend>) -> Self {
        Self { backend }
    }
    /// The backend.
    pub fn backend(&self) -> &Arc<dyn ContextBackend> {
        &self.backend
    }
}
