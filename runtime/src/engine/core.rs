//! The engine's inside: one step of one task, stored and made known.

use std::{
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    task::Poll,
    time::Duration,
};

use tokio::sync::OnceCell;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::TaskTracker,
};

use super::{
    EngineError, Limits,
    admission::Admission,
    expiry::{self, Alarm},
    live::LiveMap,
    recovery,
};
use crate::{
    store::{StoreError, Swap, TaskStore},
    task::{Principal, Task, Timeline, Timestamp, WorkerId},
};

pub(super) struct Core {
    pub(super) store: Arc<dyn TaskStore>,
    pub(super) time: Timeline,
    pub(super) limits: Limits,
    pub(super) worker: WorkerId,
    pub(super) lease: Duration,
    pub(super) live: LiveMap,
    pub(super) admission: Arc<Admission>,
    pub(super) alarm: Arc<Alarm>,
    /// Runs and what they left behind.
    pub(super) tracker: TaskTracker,
    /// Calls that run and are no tasks.
    pub(super) plain: TaskTracker,
    /// New tasks are refused.
    pub(super) closing: CancellationToken,
    /// Runs stop.
    pub(super) halt: CancellationToken,
    /// Everyone stops, those who wait included.
    pub(super) stopped: CancellationToken,
    /// Until when the store thinks us alive.
    pub(super) alive_until: AtomicI64,
    pub(super) background: OnceCell<()>,
    /// Ends the background work when the last clone of the engine goes.
    pub(super) _drop: DropGuard,
}

impl Core {
    pub(super) fn wall(&self) -> Timestamp {
        self.time.wall()
    }

    pub(super) fn now(&self) -> Timestamp {
        self.time.steady()
    }

    /// Starts the background jobs once, inside the caller's runtime.
    pub(super) async fn awake(self: &Arc<Self>) -> Result<(), StoreError> {
        let start = || async {
            if let Some(floor) = self.store.time_floor().await? {
                self.time.raise(floor);
            }
            self.tracker.spawn(expiry::run(Arc::downgrade(self)));
            if self.store.is_durable() {
                self.tracker
                    .spawn(recovery::stay_alive(Arc::downgrade(self)));
            }
            Ok(())
        };
        self.background.get_or_try_init(start).await.copied()
    }

    /// A task of this owner, as it is stored.
    pub(super) async fn load(
        &self,
        id: &str,
        owner: Option<&Principal>,
    ) -> Result<Arc<Task>, EngineError> {
        let task = self.store.get(id, self.now()).await?;
        task.filter(|task| task.owner() == owner)
            .ok_or(EngineError::NotFound)
    }

    /// Makes one step of a task: `decide` says from a snapshot what the next one is, if any, and is asked again when
    /// another step came first. Steps of a task that is live here wait for each other. Gives the newest snapshot; `None`
    /// if the task is gone.
    pub(super) async fn step<T>(
        self: &Arc<Self>,
        mut task: Arc<Task>,
        mut decide: impl FnMut(&Task) -> (Option<Task>, T),
    ) -> Result<Option<(Arc<Task>, T)>, StoreError> {
        let live = self.live.get(task.id().as_str());
        let _turn = match &live {
            Some(live) => Some(live.steps.lock().await),
            None => None,
        };
        if let Some(newest) = live.as_ref().map(|live| live.task())
            && newest.version() > task.version()
        {
            task = newest;
        }
        loop {
            let (next, out) = decide(&task);
            let Some(next) = next else {
                return Ok(Some((task, out)));
            };
            let next = Arc::new(next);
            match self.swap(Arc::clone(&next)).await? {
                Swap::Done => return Ok(Some((next, out))),
                Swap::Conflict(stored) => {
                    self.publish(&stored);
                    task = stored;
                }
                Swap::Gone => return Ok(None),
            }
        }
    }

    /// Stores a snapshot and makes it known. Goes on to the end even if the caller is dropped, so that what is stored
    /// is always made known.
    async fn swap(self: &Arc<Self>, next: Arc<Task>) -> Result<Swap, StoreError> {
        let core = Arc::clone(self);
        see_through(async move {
            let swap = core.store.update(Arc::clone(&next)).await?;
            if matches!(swap, Swap::Done) {
                if next.is_terminal() {
                    metrics::counter!("mcp_tasks_ended_total", "status" => next.status().as_str())
                        .increment(1);
                }
                core.publish(&next);
            }
            Ok(swap)
        })
        .await
        .unwrap_or_else(|| {
            Err(StoreError::Other(
                "the runtime stopped during an update".to_owned(),
            ))
        })
    }

    /// Makes a stored snapshot known in this process.
    pub(super) fn publish(&self, task: &Arc<Task>) {
        if let Some(live) = self.live.get(task.id().as_str()) {
            live.show(task);
            if task.is_terminal() {
                self.live.remove(task.id().as_str());
            }
        }
    }

    /// Tells the store that we are alive, if it is about to forget.
    pub(super) async fn stay_alive(&self) -> Result<(), StoreError> {
        let now = self.now();
        let lease = u64::try_from(self.lease.as_millis()).unwrap_or(u64::MAX);
        let until = if self.store.is_durable() {
            now.after_millis(lease)
        } else {
            // The store ends with us, so there is no need to say it again.
            Timestamp::from_millis(i64::MAX)
        };
        let known = Timestamp::from_millis(self.alive_until.load(Ordering::Acquire));
        if now.until(known) < self.lease / 2 {
            self.store.heartbeat(&self.worker, until, now).await?;
            self.alive_until
                .fetch_max(until.as_millis(), Ordering::AcqRel);
        }
        Ok(())
    }
}

/// Runs a future to its end even if the caller goes away. `None` if the runtime stopped.
///
/// The future is boxed out here, so that those who wait for this one, all runs among them, do not hold room for it.
pub(super) fn see_through<F>(future: F) -> impl Future<Output = Option<F::Output>> + Send
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let mut future = Box::pin(future);
    async move {
        match futures_util::poll!(&mut future) {
            // The usual case of a store in memory: nothing to wait for.
            Poll::Ready(output) => Some(output),
            Poll::Pending => tokio::spawn(future).await.ok(),
        }
    }
}

/// Starts a future here and lets it run on by itself if it has to wait. Boxed as in [`see_through`].
pub(super) fn start_off<F>(future: F) -> impl Future<Output = ()> + Send
where
    F: Future<Output = ()> + Send + 'static,
{
    let mut future = Box::pin(future);
    async move {
        if futures_util::poll!(&mut future).is_pending() {
            tokio::spawn(future);
        }
    }
}
