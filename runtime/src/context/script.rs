//! A context for unit tests: answers come from a script, reports are written down.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    AskError, ContextBackend, InputKinds, InputRequest, LogLevel, LogRecord, SlotNames,
    TaskContext, check_answer,
};
use crate::BoxFuture;

/// The other side of a context made by [`TaskContext::for_test`].
///
/// ```
/// use mcp_tasks::{TaskContext, context::LogLevel};
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let (ctx, test) = TaskContext::for_test();
/// test.accept(json!({"value": true}));
/// ctx.status("thinking").await;
/// let sure = ctx.elicit::<bool>("Sure?").await.unwrap();
/// assert_eq!(sure.accepted(), Some(true));
/// ctx.log(LogLevel::Info, "it is sure").await;
/// assert_eq!(test.statuses(), ["thinking"]);
/// assert_eq!(test.logged()[0].data, "it is sure");
/// assert_eq!(test.asked()[0].method, "elicitation/create");
/// # }
/// ```
#[derive(Clone)]
pub struct TestContext(Arc<ScriptedContext>);

/// The backend of a [`TestContext`].
#[derive(Default)]
pub struct ScriptedContext {
    kinds: Mutex<Option<InputKinds>>,
    answers: Mutex<VecDeque<Result<Value, AskError>>>,
    seen: Mutex<Seen>,
    slots: SlotNames,
    kept: Mutex<BTreeMap<String, Value>>,
    cancel: CancellationToken,
}

#[derive(Default)]
struct Seen {
    statuses: Vec<String>,
    progress: Vec<(f64, Option<f64>)>,
    logged: Vec<LogRecord>,
    asked: Vec<(String, InputRequest)>,
}

impl TaskContext {
    /// A context for unit tests, and what controls it. Every kind of question may be asked.
    pub fn for_test() -> (Self, TestContext) {
        let script = Arc::new(ScriptedContext::default());
        (
            Self::new(Arc::clone(&script) as Arc<dyn ContextBackend>),
            TestContext(script),
        )
    }
}

impl TestContext {
    /// The next question gets this result object.
    pub fn answer(&self, result: Value) -> &Self {
        self.0.answers.lock().push_back(Ok(result));
        self
    }

    /// The next form is accepted with this content: the members of the struct that is asked for, or of a single value
    /// `{"value": ..}`.
    pub fn accept(&self, content: Value) -> &Self {
        self.answer(json!({"action": "accept", "content": content}))
    }

    /// The next form is declined.
    pub fn decline(&self) -> &Self {
        self.answer(json!({"action": "decline"}))
    }

    /// The next question fails.
    pub fn fail(&self, error: AskError) -> &Self {
        self.0.answers.lock().push_back(Err(error));
        self
    }

    /// What can be asked; everything by default.
    pub fn can_ask(&self, kinds: InputKinds) -> &Self {
        *self.0.kinds.lock() = Some(kinds);
        self
    }

    /// Cancels the call.
    pub fn cancel(&self) {
        self.0.cancel.cancel();
    }

    /// The status messages so far.
    pub fn statuses(&self) -> Vec<String> {
        self.0.seen.lock().statuses.clone()
    }

    /// The progress reports so far: done, and of how much.
    pub fn progress(&self) -> Vec<(f64, Option<f64>)> {
        self.0.seen.lock().progress.clone()
    }

    /// What was written to the client's log so far.
    pub fn logged(&self) -> Vec<LogRecord> {
        self.0.seen.lock().logged.clone()
    }

    /// The questions so far.
    pub fn asked(&self) -> Vec<InputRequest> {
        self.0
            .seen
            .lock()
            .asked
            .iter()
            .map(|(_, request)| request.clone())
            .collect()
    }

    /// The keys of the questions so far.
    pub fn keys(&self) -> Vec<String> {
        self.0
            .seen
            .lock()
            .asked
            .iter()
            .map(|(key, _)| key.clone())
            .collect()
    }
}

impl ContextBackend for ScriptedContext {
    fn task_id(&self) -> Option<&str> {
        None
    }

    fn status(&self, message: String) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.seen.lock().statuses.push(message) })
    }

    fn progress(
        &self,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            let mut seen = self.seen.lock();
            seen.progress.push((done, total));
            seen.statuses.extend(message);
        })
    }

    fn log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.seen.lock().logged.push(LogRecord { level, data }) })
    }

    fn ask<'a>(
        &'a self,
        name: &'a str,
        request: InputRequest,
    ) -> BoxFuture<'a, Result<Value, AskError>> {
        Box::pin(async move {
            self.kinds
                .lock()
                .unwrap_or(InputKinds::ALL)
                .permit(&request)?;
            let key = self.slots.next(name);
            self.seen.lock().asked.push((key.clone(), request.clone()));
            let Some(answer) = self.answers.lock().pop_front() else {
                return Err(AskError::Failed(format!(
                    "the test has no answer for `{key}` ({}); script one with `TestContext::answer` first",
                    request.method
                )));
            };
            let answer = answer?;
            check_answer(&request, &answer).map_err(|bad| {
                AskError::Failed(format!(
                    "the scripted answer for `{key}` does not fit: {bad}"
                ))
            })?;
            Ok(answer)
        })
    }

    fn recall<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Value>, AskError>> {
        Box::pin(async move { Ok(self.kept.lock().get(key).cloned()) })
    }

    fn keep<'a>(&'a self, key: &'a str, value: Value) -> BoxFuture<'a, Result<(), AskError>> {
        Box::pin(async move {
            self.kept.lock().entry(key.to_owned()).or_insert(value);
            Ok(())
        })
    }

    fn cancellation(&self) -> CancellationToken {
        self.cancel.clone()
    }
}
