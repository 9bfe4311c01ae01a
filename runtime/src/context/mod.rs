//! What a running tool can do: report, ask, notice that it is cancelled.
//!
//! [`TaskContext`] is the user's handle; [`ContextBackend`] is what stands behind it: a task of the engine, a plain
//! call that replays its answers (MRTR), a legacy call that asks on its stream, or a script in a unit test.

mod question;

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use question::{AskError, BadAnswer, InputKinds, InputRequest, SlotNames, check_answer};

use crate::BoxFuture;

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
    ///
    /// `name` is what the function calls the question; [`SlotNames`] turns names into slots that are the same in
    /// every run of the function. A backend that replays answers looks them up by slot.
    fn ask<'a>(
        &'a self,
        name: &'a str,
        request: InputRequest,
    ) -> BoxFuture<'a, Result<Value, AskError>>;

    /// The value that an earlier run kept under this key.
    fn recall<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Value>, AskError>>;

    /// Keeps a value for later runs.
    fn keep<'a>(&'a self, key: &'a str, value: Value) -> BoxFuture<'a, Result<(), AskError>>;

    /// Fires when the call is cancelled.
    fn cancellation(&self) -> CancellationToken;
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
