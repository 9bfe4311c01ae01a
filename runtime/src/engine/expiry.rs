//! Tasks whose time is over: failed if they still run, told to those who wait, removed.
//!
//! Reads never wait for this: the store shows no expired task. One background job sleeps until the next deadline and
//! does nothing while there is none.

use std::{
    sync::{
        Arc, Weak,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use futures_util::future::try_join_all;
use tokio::sync::Notify;

use super::core::Core;
use crate::{
    store::StoreError,
    task::{Task, TaskFailure, Timestamp},
};

/// Tasks taken at once.
const BATCH: usize = 256;
/// How long to wait after the store failed.
const PAUSE: Duration = Duration::from_secs(1);
/// How often to look in a store that others change too.
const LOOK: Duration = Duration::from_secs(60);

/// Wakes the job when a deadline comes before the one it sleeps for.
pub(super) struct Alarm {
    next: AtomicI64,
    sooner: Notify,
}

impl Default for Alarm {
    fn default() -> Self {
        // Until the job has looked, every deadline is sooner.
        Self {
            next: AtomicI64::new(i64::MAX),
            sooner: Notify::new(),
        }
    }
}

impl Alarm {
    pub(super) fn set(&self, at: Timestamp) {
        if at.as_millis() < self.next.load(Ordering::SeqCst) {
            self.sooner.notify_one();
        }
    }
}

/// The job. Ends when the engine goes.
pub(super) async fn run(core: Weak<Core>) {
    loop {
        let Some(strong) = core.upgrade() else { return };
        let alarm = Arc::clone(&strong.alarm);
        let stopped = strong.stopped.clone();
        // While we look, every new deadline must wake us again.
        alarm.next.store(i64::MAX, Ordering::SeqCst);
        let sleep = match round(&strong).await {
            Ok(Some(at)) => {
                alarm.next.store(at.as_millis(), Ordering::SeqCst);
                Some(strong.now().until(at))
            }
            Ok(None) => None,
            Err(error) => {
                tracing::error!(%error, "expired tasks were not removed; trying again");
                Some(PAUSE)
            }
        };
        let look = strong.store.is_durable().then_some(LOOK);
        drop(strong);
        let sleep = match (sleep, look) {
            (Some(sleep), Some(look)) => Some(sleep.min(look)),
            (sleep, look) => sleep.or(look),
        };
        tokio::select! {
            () = stopped.cancelled() => return,
            () = alarm.sooner.notified() => {}
            () = async { tokio::time::sleep(sleep.unwrap_or_default()).await }, if sleep.is_some() => {}
        }
    }
}

/// Removes everything that is due. Gives the next deadline.
async fn round(core: &Arc<Core>) -> Result<Option<Timestamp>, StoreError> {
    loop {
        let due = core.store.expired(core.now(), BATCH).await?;
        // Side by side, so that a store that groups its writes can do so.
        try_join_all(due.iter().map(|task| expire(core, task))).await?;
        if due.len() < BATCH {
            return core.store.next_expiry().await;
        }
        tokio::task::yield_now().await;
    }
}

async fn expire(core: &Arc<Core>, task: &Arc<Task>) -> Result<(), StoreError> {
    let wall = core.wall();
    core.step(Arc::clone(task), |task| {
        let ttl = task.ttl_ms().unwrap_or_default();
        let next = task.change(wall).ok().map(|change| {
            change.fail(TaskFailure::internal(format!(
                "the task's time to live of {ttl} ms was over before its work"
            )))
        });
        (next, ())
    })
    .await?;
    if core.store.remove(task.id().as_str()).await? {
        metrics::counter!("mcp_tasks_expired_total").increment(1);
    }
    Ok(())
}
