//! Staying alive, taking up what dead processes left, and stopping well.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use futures_util::future::join_all;

use super::{Recovery, core::Core, outcome, run};
use crate::{
    store::StoreError,
    task::{Status, Task, TaskFailure, Timestamp},
};

/// Pauses between tries to store that a task is not run again.
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MOST: Duration = Duration::from_secs(5);

/// Tasks taken up at once.
const BATCH: usize = 64;

pub(super) type Decide = Arc<dyn Fn(&Task) -> Recovery + Send + Sync>;

/// Renews the lease while something runs, and looks whether other processes changed what runs here.
pub(super) async fn stay_alive(core: Weak<Core>) {
    loop {
        let Some(strong) = core.upgrade() else { return };
        let (stopped, pause) = (strong.stopped.clone(), strong.lease / 3);
        drop(strong);
        tokio::select! {
            () = stopped.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        let Some(core) = core.upgrade() else { return };
        if core.admission.running() == 0 {
            continue;
        }
        if let Err(error) = core.stay_alive().await {
            tracing::error!(%error, "the lease on running tasks was not renewed");
        }
        for live in core.live.runs() {
            match core.store.get(live.id.as_str(), core.now()).await {
                Ok(Some(task)) if task.is_terminal() || task.worker() == Some(&core.worker) => {
                    core.publish(&task);
                }
                // Another process has taken it up, because we were thought dead.
                Ok(Some(_)) => live.abort.cancel(),
                // Expired, or not stored yet: others see to it.
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(task = %live.id, %error, "a running task could not be read")
                }
            }
        }
    }
}

/// Takes up abandoned tasks as long as the engine lives.
pub(super) async fn take_up(core: Weak<Core>, decide: Decide) {
    loop {
        let Some(strong) = core.upgrade() else { return };
        let (closing, admission) = (strong.closing.clone(), Arc::clone(&strong.admission));
        let freed = admission.freed.notified();
        let room = strong
            .limits
            .tasks
            .saturating_sub(strong.admission.running())
            .min(BATCH);
        let pause = if room == 0 {
            None
        } else {
            match batch(&strong, &decide, room).await {
                Ok(0) if !strong.store.is_durable() => return,
                Ok(0) => Some(strong.lease / 2),
                Ok(_) => Some(Duration::ZERO),
                Err(error) => {
                    tracing::error!(%error, "abandoned tasks were not taken up; trying again");
                    Some(strong.lease / 2)
                }
            }
        };
        drop(strong);
        match pause {
            Some(pause) if pause.is_zero() => tokio::task::yield_now().await,
            Some(pause) => tokio::select! {
                () = closing.cancelled() => {}
                () = tokio::time::sleep(pause) => {}
            },
            None => tokio::select! {
                () = closing.cancelled() => {}
                () = freed => {}
            },
        }
        if closing.is_cancelled() {
            return;
        }
    }
}

/// Takes up to `room` tasks; gives how many it took.
async fn batch(core: &Arc<Core>, decide: &Decide, room: usize) -> Result<usize, StoreError> {
    core.awake().await?;
    core.stay_alive().await?;
    let tasks = core.store.claim(&core.worker, core.now(), room).await?;
    let count = tasks.len();
    let mut ends = Vec::new();
    for task in tasks {
        metrics::counter!("mcp_tasks_recovered_total").increment(1);
        match decide(&task) {
            Recovery::Rerun { tool, state } if !task.cancel_requested() => {
                core.publish(&task);
                run::resume(core, task, tool, state);
            }
            Recovery::Rerun { .. } => ends.push(end(core, task, String::new())),
            Recovery::Fail(message) => ends.push(end(core, task, message)),
        }
    }
    // Side by side, so that a store that groups its writes can do so.
    join_all(ends).await;
    Ok(count)
}

/// Ends a task that is not run again, however long that takes: it is ours, so nobody else does it while we live.
async fn end(core: &Arc<Core>, task: Arc<Task>, failure: String) {
    let mut pause = RETRY_FIRST;
    loop {
        let wall = core.wall();
        let step = core.step(Arc::clone(&task), |task| {
            let next = task.change(wall).ok().map(|change| {
                if task.cancel_requested() {
                    change.cancel(outcome::CANCELLED)
                } else {
                    change.fail(TaskFailure::internal(failure.clone()))
                }
            });
            (next, ())
        });
        let Err(error) = step.await else { return };
        tracing::error!(task = %task.id(), %error, "the end of an abandoned task is not stored yet; trying again");
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            // The next process takes it up.
            () = core.closing.cancelled() => return,
        }
        pause = (pause * 2).min(RETRY_MOST);
    }
}

/// Stops: see [`Engine::shutdown`](super::Engine::shutdown).
pub(super) async fn shut_down(core: &Arc<Core>, grace: Duration) {
    core.closing.cancel();
    let drained = async {
        for live in core.live.runs() {
            let mut newest = live.newest.subscribe();
            drop(live);
            // Err is a run that has ended.
            let _ = newest
                .wait_for(|task| task.status() != Status::Working)
                .await;
        }
        core.plain.close();
        core.plain.wait().await;
    };
    if tokio::time::timeout(grace, drained).await.is_err() {
        tracing::warn!("calls still work at the end of the grace period");
    }
    core.halt.cancel();
    while core.admission.running() > 0 {
        let freed = core.admission.freed.notified();
        if core.admission.running() > 0 {
            freed.await;
        }
    }
    if core.alive_until.load(std::sync::atomic::Ordering::Acquire) > core.now().as_millis() {
        let now = core.now();
        let gone = Timestamp::from_millis(now.as_millis());
        if let Err(error) = core.store.heartbeat(&core.worker, gone, now).await {
            tracing::warn!(%error, "the lease was not given back; it runs out by itself");
        }
    }
    core.stopped.cancel();
    core.tracker.close();
    core.tracker.wait().await;
}
