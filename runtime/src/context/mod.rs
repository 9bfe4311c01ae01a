//! What a running tool can do: report, ask, notice that it is cancelled.
//!
//! [`TaskContext`] is the user's handle; [`ContextBackend`] is what stands behind it: a task of the engine, a plain
//! call that replays its answers (MRTR), a legacy call that asks on its stream, or a script in a unit test.

mod ask;
mod log;
mod question;
mod script;

use std::{future::Future, sync::Arc};

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub use ask::{Elicit, Elicited, Question};
pub(crate) use log::LogRate;
pub use log::{LogLevel, LogRecord};
pub use question::{AskError, BadAnswer, InputKinds, InputRequest, SlotNames, check_answer};
pub use script::{ScriptedContext, TestContext};

use crate::{
    BoxFuture,
    task::{STATUS, shorten},
};

/// What stands behind a [`TaskContext`].
pub trait ContextBackend: Send + Sync + 'static {
    /// The task's id, if the call is one.
    fn task_id(&self) -> Option<&str>;

    /// Sets the status message.
    fn status(&self, message: String) -> BoxFuture<'_, ()>;

    /// Reports progress.
    fn progress(&self, done: f64, total: Option<f64>, message: Option<String>)
    -> BoxFuture<'_, ()>;

    /// Writes to the log of the client. Does nothing unless a backend has a way to it.
    fn log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        let _ = (level, data);
        Box::pin(std::future::ready(()))
    }

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

    /// Keeps a value for later runs. The first value of a key stays.
    fn keep<'a>(&'a self, key: &'a str, value: Value) -> BoxFuture<'a, Result<(), AskError>>;

    /// Fires when the call is cancelled.
    fn cancellation(&self) -> CancellationToken;
}

/// What a running tool can do. Cheap to clone; a parameter of this type makes it available to a tool.
///
/// ```
/// use mcp_tasks::{TaskContext, ToolError};
///
/// async fn count(lines: Vec<String>, ctx: TaskContext) -> Result<String, ToolError> {
///     for (index, line) in lines.iter().enumerate() {
///         ctx.status(format!("reading {line}")).await;
///         ctx.progress(index + 1, lines.len()).await;
///     }
///     Ok(format!("{} lines", lines.len()))
/// }
/// ```
#[derive(Clone)]
pub struct TaskContext {
    backend: Arc<dyn ContextBackend>,
}

impl std::fmt::Debug for TaskContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TaskContext")
            .field("id", &self.id())
            .finish_non_exhaustive()
    }
}

/// A count for [`TaskContext::progress`]: any integer or float.
pub trait Amount {
    /// The count.
    fn amount(self) -> f64;
}

macro_rules! amounts {
    ($($from:ty),*) => {$(
        impl Amount for $from {
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless, reason = "progress is for people")]
            fn amount(self) -> f64 {
                self as f64
            }
        }
    )*};
}

amounts!(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);

impl TaskContext {
    /// A context over any backend.
    pub fn new(backend: Arc<dyn ContextBackend>) -> Self {
        Self { backend }
    }

    /// The backend.
    pub fn backend(&self) -> &Arc<dyn ContextBackend> {
        &self.backend
    }

    /// The task's id; `None` when the call is not a task.
    pub fn id(&self) -> Option<&str> {
        self.backend.task_id()
    }

    /// Says in a sentence what is being done. Clients show it to people. May be called as often as you like: what comes
    /// faster than it can be stored is left out. A message of more than 4 KiB is cut.
    pub async fn status(&self, message: impl Into<String>) {
        let mut message = message.into();
        shorten(&mut message, STATUS);
        self.backend.status(message).await;
    }

    /// Says how much is done, and of how much, in any unit. A task's status message says `3 of 10`; a client that gave a
    /// progress token and can be told is sent a notification, unless `done` has not grown. A `done` that is NaN or
    /// infinite says nothing.
    pub async fn progress(&self, done: impl Amount, total: impl Amount) {
        let (done, total) = (done.amount(), total.amount());
        if done.is_finite() {
            let total = total.is_finite().then_some(total);
            self.backend.progress(done, total, None).await;
        }
    }

    /// Waits until the call is cancelled. Only a tool with `cancel = "cooperative"` gets to see it; others are dropped.
    pub async fn cancelled(&self) {
        self.backend.cancellation().cancelled_owned().await;
    }

    /// Whether the call is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.backend.cancellation().is_cancelled()
    }

    /// Runs a side effect once in the life of the call: if the function is run again, after a restart or because a
    /// question was answered, the value of the first run is given back and the future is not polled.
    ///
    /// # Errors
    /// When the value could not be kept, or an earlier value is of another type.
    pub async fn once<T, F>(&self, key: &str, future: F) -> Result<T, AskError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = T>,
    {
        if let Some(value) = self.backend.recall(key).await? {
            return serde_json::from_value(value).map_err(|error| {
                AskError::NotDeterministic(format!(
                    "the value that an earlier run kept as `{key}` is of another type: {error}"
                ))
            });
        }
        let value = future.await;
        let json = serde_json::to_value(&value).map_err(|error| {
            AskError::Failed(format!(
                "the value of `{key}` cannot be kept as JSON: {error}"
            ))
        })?;
        self.backend.keep(key, json).await?;
        Ok(value)
    }

    /// Runs blocking work on a thread for such work. It gets a [`BlockingContext`] to report with. A panic in it is the
    /// tool's panic. If the call is dropped, the work goes on unnoticed: look at
    /// [`is_cancelled`](BlockingContext::is_cancelled) now and then.
    pub async fn spawn_blocking<T, F>(&self, work: F) -> T
    where
        T: Send + 'static,
        F: FnOnce(BlockingContext) -> T + Send + 'static,
    {
        let token = CancellationToken::new();
        let context = BlockingContext {
            context: self.clone(),
            runtime: tokio::runtime::Handle::current(),
            dropped: token.clone(),
        };
        let _dropped = token.drop_guard();
        match tokio::task::spawn_blocking(move || work(context)).await {
            Ok(value) => value,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // Only at the end of the runtime; the call is about to be dropped too.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

/// [`TaskContext`] for blocking code.
#[derive(Clone, Debug)]
pub struct BlockingContext {
    context: TaskContext,
    runtime: tokio::runtime::Handle,
    dropped: CancellationToken,
}

impl BlockingContext {
    /// As [`TaskContext::status`].
    pub fn status(&self, message: impl Into<String>) {
        self.runtime.block_on(self.context.status(message));
    }

    /// As [`TaskContext::progress`].
    pub fn progress(&self, done: impl Amount, total: impl Amount) {
        self.runtime.block_on(self.context.progress(done, total));
    }

    /// Waits for an async call of the context, such as a question.
    pub fn wait<F: Future>(&self, call: impl FnOnce(TaskContext) -> F) -> F::Output {
        self.runtime.block_on(call(self.context.clone()))
    }

    /// Whether the call is cancelled or nobody waits for this work any more.
    pub fn is_cancelled(&self) -> bool {
        self.dropped.is_cancelled() || self.context.is_cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_long_status_message_is_cut_between_characters() {
        let (context, test) = TaskContext::for_test();
        let (short, long) = ("x".repeat(STATUS), format!("x{}", "é".repeat(STATUS)));
        context.status(short.as_str()).await;
        context.status(long.as_str()).await;
        let seen = test.statuses();
        assert_eq!(seen[0], short);
        assert!(seen[1].len() <= STATUS && seen[1].len() > STATUS - 5);
        assert!(long.starts_with(seen[1].strip_suffix('…').unwrap()));
    }
}
