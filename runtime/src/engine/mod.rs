//! Runs a call as a task.
//!
//! The engine starts futures, stores what becomes of them and tells those who wait. It holds no wire shapes: both
//! eras' front ends call the same methods and map what they get.
//!
//! A task is always what the store says. Every change is one compare-and-set of its snapshot, so that of two that
//! race (a cancel and a result, two answers) exactly one wins, here and between processes.

mod admission;
mod asking;
mod backend;
mod core;
mod cursor;
mod error;
mod expiry;
mod launch;
mod limits;
mod live;
mod outcome;
mod recovery;
mod run;
mod watch;

#[cfg(test)]
mod tests;

use std::{
    sync::{Arc, atomic::AtomicI64},
    time::Duration,
};

use serde_json::Value;
use tokio::sync::OnceCell;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use error::{EngineError, LimitKind};
pub use launch::{Cancel, Launch, Page, Progress, Recovery, Report, ReportSink, Started, Stats};
pub use limits::Limits;
pub use watch::Subscription;

use self::core::Core;
use crate::{
    context::check_answer,
    store::{Position, TaskStore},
    task::{Answer, Clock, Principal, SystemClock, Task, Timeline, WorkerId},
    tool::{Tool, ToolCall, ToolError, ToolOutput},
};

/// Ids are shorter than this; a longer one is not even looked up.
const LONGEST_ID: usize = 256;

/// Runs calls as tasks. Cheap to clone; all clones are the same engine.
#[derive(Clone)]
pub struct Engine {
    core: Arc<Core>,
}

/// Settings of an [`Engine`].
#[must_use]
pub struct EngineBuilder {
    store: Arc<dyn TaskStore>,
    limits: Limits,
    clock: Arc<dyn Clock>,
    lease: Duration,
}

impl EngineBuilder {
    /// Sets the limits.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the clock; the machine's by default.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// How long after the last sign of life the tasks of a process may be taken up by another. 10 s by default.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }

    /// Makes the engine. Needs no runtime yet.
    ///
    /// # Errors
    /// When the operating system has no random numbers to give.
    pub fn build(self) -> Result<Engine, EngineError> {
        let stopped = CancellationToken::new();
        let worker = WorkerId::random();
        Ok(Engine {
            core: Arc::new(Core {
                store: self.store,
                time: Timeline::new(self.clock),
                limits: self.limits,
                worker: worker.map_err(|error| EngineError::Internal(error.to_string()))?,
                lease: self.lease,
                live: Default::default(),
                admission: Arc::default(),
                alarm: Arc::default(),
                tracker: TaskTracker::new(),
                plain: TaskTracker::new(),
                closing: CancellationToken::new(),
                halt: CancellationToken::new(),
                stopped: stopped.clone(),
                alive_until: AtomicI64::new(i64::MIN),
                background: OnceCell::new(),
                _drop: stopped.drop_guard(),
            }),
        })
    }
}

impl Engine {
    /// Settings for an engine over this store.
    pub fn builder(store: Arc<dyn TaskStore>) -> EngineBuilder {
        EngineBuilder {
            store,
            limits: Limits::default(),
            clock: Arc::new(SystemClock::default()),
            lease: Duration::from_secs(10),
        }
    }

    /// An engine with default settings.
    ///
    /// # Errors
    /// When the operating system has no random numbers to give.
    pub fn new(store: Arc<dyn TaskStore>) -> Result<Self, EngineError> {
        Self::builder(store).build()
    }

    /// The limits in force.
    pub fn limits(&self) -> &Limits {
        &self.core.limits
    }

    /// Runs a call as a task, or to its end if that comes within [`Launch::inline_for`].
    ///
    /// A returned task is stored. Dropping the future before there is a task drops the call.
    ///
    /// # Errors
    /// [`EngineError::Limit`], [`EngineError::ShuttingDown`], or the store's.
    pub async fn start(&self, launch: Launch) -> Result<Started, EngineError> {
        self.core.awake().await?;
        run::start(&self.core, launch).await
    }

    /// Runs a plain call: within the tool's concurrency and timeout, and with a panic as an internal error. Dropping the
    /// future drops the call. `call.context` says what stands behind the context.
    ///
    /// # Errors
    /// What the tool gives, or -32603 for a panic and a timeout.
    pub async fn run(&self, tool: &Tool, call: ToolCall) -> Result<ToolOutput, ToolError> {
        run::run_plain(&self.core, tool, call).await
    }

    /// A task as it stands.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] for unknown, expired and foreign ids alike, here and below.
    pub async fn get(&self, id: &str, owner: Option<&Principal>) -> Result<Arc<Task>, EngineError> {
        if id.len() > LONGEST_ID {
            return Err(EngineError::NotFound);
        }
        self.core.awake().await?;
        self.core.load(id, owner).await
    }

    /// Answers open questions. Keys that are not open are ignored. If one answer does not fit its question, none is
    /// taken and all questions stay open.
    ///
    /// # Errors
    /// [`EngineError::BadAnswer`], [`EngineError::Limit`] for a too large answer.
    pub async fn answer(
        &self,
        id: &str,
        owner: Option<&Principal>,
        answers: impl IntoIterator<Item = (String, Value)> + Send,
    ) -> Result<Arc<Task>, EngineError> {
        let answers: Vec<(String, Value)> = answers.into_iter().collect();
        let task = self.get(id, owner).await?;
        let (core, wall) = (&self.core, self.core.wall());
        let step = core.step(task, |task| {
            let Ok(mut change) = task.change(wall) else {
                return (None, Ok(()));
            };
            for (key, answer) in &answers {
                let Some(question) = task.input_requests().find(|question| question.key == *key)
                else {
                    continue;
                };
                if let Err(problem) = check_answer(&question.request, answer) {
                    return (
                        None,
                        Err(EngineError::BadAnswer {
                            key: key.clone(),
                            problem,
                        }),
                    );
                }
                let (found, max) = (answer.to_string().len(), core.limits.payload_bytes);
                if found > max {
                    let (max, found) = (max as u64, Some(found as u64));
                    let kind = LimitKind::PayloadBytes;
                    return (None, Err(EngineError::Limit { kind, max, found }));
                }
                change.answer(key, Answer::Result(answer.clone()));
            }
            (change.commit(), Ok(()))
        });
        let (task, taken) = step.await?.ok_or(EngineError::NotFound)?;
        taken.map(|()| task)
    }

    /// Says that the client would not answer a question (a JSON-RPC error to a server's request); the tool gets
    /// [`AskError::Failed`](crate::context::AskError::Failed). A key that is not open is ignored.
    ///
    /// # Errors
    /// As for [`get`](Self::get).
    pub async fn refuse(
        &self,
        id: &str,
        owner: Option<&Principal>,
        key: &str,
        reason: &str,
    ) -> Result<Arc<Task>, EngineError> {
        let task = self.get(id, owner).await?;
        let wall = self.core.wall();
        let step = self.core.step(task, |task| {
            let next = task.change(wall).ok().and_then(|mut change| {
                change.answer(key, Answer::Refused(reason.to_owned()));
                change.commit()
            });
            (next, ())
        });
        step.await?
            .map(|(task, ())| task)
            .ok_or(EngineError::NotFound)
    }

    /// Cancels a task.
    ///
    /// # Errors
    /// [`EngineError::Terminal`] for a terminal task and [`Cancel::Now`].
    pub async fn cancel(
        &self,
        id: &str,
        owner: Option<&Principal>,
        how: Cancel,
    ) -> Result<Arc<Task>, EngineError> {
        let task = self.get(id, owner).await?;
        let wall = self.core.wall();
        let step = self.core.step(task, |task| match task.change(wall) {
            Err(_) => (None, how == Cancel::Request),
            Ok(mut change) if how == Cancel::Request && task.call().cooperative => {
                change.request_cancel();
                (change.commit(), true)
            }
            Ok(change) => (Some(change.cancel(outcome::CANCELLED)), true),
        });
        let (task, done) = step.await?.ok_or(EngineError::NotFound)?;
        if done {
            Ok(task)
        } else {
            Err(EngineError::Terminal(task))
        }
    }

    /// Waits until a task is terminal. Dropping the future frees everything.
    ///
    /// # Errors
    /// [`EngineError::Limit`] for too many waiters, [`EngineError::ShuttingDown`] if the engine stops before the task.
    pub async fn wait(
        &self,
        id: &str,
        owner: Option<&Principal>,
    ) -> Result<Arc<Task>, EngineError> {
        self.subscribe(id, owner).await?.end().await
    }

    /// Watches a task.
    ///
    /// # Errors
    /// [`EngineError::Limit`] for too many waiters.
    pub async fn subscribe(
        &self,
        id: &str,
        owner: Option<&Principal>,
    ) -> Result<Subscription, EngineError> {
        if id.len() > LONGEST_ID {
            return Err(EngineError::NotFound);
        }
        self.core.awake().await?;
        watch::subscribe(&self.core, id, owner).await
    }

    /// The owner's tasks, a page at a time.
    ///
    /// # Errors
    /// [`EngineError::BadCursor`].
    pub async fn list(
        &self,
        owner: Option<&Principal>,
        cursor: Option<&str>,
    ) -> Result<Page, EngineError> {
        self.core.awake().await?;
        let after = cursor.map(cursor::decode).transpose()?;
        let size = self.core.limits.page_size.max(1);
        let now = self.core.now();
        let mut tasks = self
            .core
            .store
            .list(owner, after.as_ref(), size + 1, now)
            .await?;
        let more = tasks.len() > size;
        tasks.truncate(size);
        let next_cursor = tasks
            .last()
            .filter(|_| more)
            .map(|task| cursor::encode(&Position::of(task)));
        Ok(Page { tasks, next_cursor })
    }

    /// Does what comes before the function of a call. A shutdown gives it time and then stops it, as it does with the call.
    pub(crate) async fn before_call<T>(
        &self,
        work: impl Future<Output = T>,
    ) -> Result<T, EngineError> {
        let _open = self.core.plain.token();
        tokio::select! {
            biased;
            done = work => Ok(done),
            () = self.core.halt.cancelled() => Err(EngineError::ShuttingDown),
        }
    }

    /// Takes up the unfinished tasks of processes that are gone, now and later, in the background and within the
    /// limits. `decide` is asked for each; a task whose client wanted it cancelled is cancelled instead of run again.
    /// Call it once, inside a runtime.
    pub fn recover(&self, decide: impl Fn(&Task) -> Recovery + Send + Sync + 'static) {
        let core = Arc::downgrade(&self.core);
        self.core
            .tracker
            .spawn(recovery::take_up(core, Arc::new(decide)));
    }

    /// Stops: refuses new tasks, gives the working ones and plain calls `grace` to end, then drops what still runs. What can be run
    /// again from a durable store is left for the next process, the rest is failed. All who wait are answered.
    pub async fn shutdown(&self, grace: Duration) {
        recovery::shut_down(&self.core, grace).await;
    }

    /// How busy it is.
    pub fn stats(&self) -> Stats {
        Stats {
            running: self.core.admission.running(),
            waiters: self.core.admission.waiters(),
            live: self.core.live.len(),
        }
    }
}
