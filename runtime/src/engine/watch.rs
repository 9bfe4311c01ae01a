//! Seeing a task change.

use std::{
    sync::{Arc, Weak},
    time::Duration,
};

use tokio::sync::watch;

use super::{EngineError, core::Core};
use crate::{
    gauge::Permit,
    task::{Principal, Task},
};

/// How often to look at a watched task that runs in another process.
const LOOK: Duration = Duration::from_millis(200);

/// Sees a task's changes.
///
/// Starts with the state at the time of subscribing ([`current`](Self::current)). [`next`](Self::next) waits for a
/// newer one; states may be skipped, the last one never is.
pub struct Subscription {
    core: Arc<Core>,
    /// `None` when there is nothing more to wait for.
    newer: Option<watch::Receiver<Arc<Task>>>,
    current: Arc<Task>,
    /// The task was terminal on subscribing and that was not reported yet.
    late: bool,
    _place: Permit,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if self.newer.take().is_some() {
            self.core.live.release(self.current.id().as_str());
        }
    }
}

impl std::fmt::Debug for Subscription {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription")
            .field("current", &self.current)
            .finish_non_exhaustive()
    }
}

impl Subscription {
    /// The newest state seen so far.
    pub fn current(&self) -> Arc<Task> {
        Arc::clone(&self.current)
    }

    /// The next newer state; for a task that was terminal on subscribing, that state once. `None` after the terminal
    /// state, or when the task has been removed or the engine has shut down. May be dropped and called again.
    pub async fn next(&mut self) -> Option<Arc<Task>> {
        if std::mem::take(&mut self.late) {
            return Some(self.current());
        }
        loop {
            if self.current.is_terminal() {
                return None;
            }
            let newer = self.newer.as_mut()?;
            tokio::select! {
                biased;
                changed = newer.changed() => if changed.is_err() {
                    self.newer = None;
                    return None;
                },
                () = self.core.stopped.cancelled() => return None,
            }
            let task = Arc::clone(&newer.borrow_and_update());
            if task.version() <= self.current.version() {
                continue;
            }
            let same = task.looks_like(&self.current);
            self.current = task;
            if !same {
                return Some(self.current());
            }
        }
    }

    /// Waits for the terminal state.
    ///
    /// # Errors
    /// [`EngineError::ShuttingDown`] if the engine stops before the task, [`EngineError::NotFound`] if the task is removed.
    pub async fn end(self) -> Result<Arc<Task>, EngineError> {
        let core = Arc::clone(&self.core);
        match self.last().await {
            Some(task) => Ok(task),
            None if core.closing.is_cancelled() => Err(EngineError::ShuttingDown),
            None => Err(EngineError::NotFound),
        }
    }

    /// Waits for the terminal state. `None` as for [`next`](Self::next).
    pub async fn last(mut self) -> Option<Arc<Task>> {
        if self.current.is_terminal() {
            return Some(self.current());
        }
        while let Some(task) = self.next().await {
            if task.is_terminal() {
                return Some(task);
            }
        }
        None
    }
}

pub(super) async fn subscribe(
    core: &Arc<Core>,
    id: &str,
    owner: Option<&Principal>,
) -> Result<Subscription, EngineError> {
    let place = core.admission.wait(owner, &core.limits)?;
    let current = core.load(id, owner).await?;
    if current.is_terminal() {
        return Ok(Subscription {
            core: Arc::clone(core),
            newer: None,
            current,
            late: true,
            _place: place,
        });
    }
    let (live, newer, new) = core.live.watch(&current);
    live.show(&current);
    let mut subscription = Subscription {
        core: Arc::clone(core),
        newer: Some(newer),
        current,
        late: false,
        _place: place,
    };
    if new {
        // Nobody here runs it; or it ended between our look and our entry. Looking again tells.
        match core.load(id, owner).await {
            Ok(task) => core.publish(&task),
            Err(error) => {
                core.live.remove(id);
                return Err(error);
            }
        }
        core.tracker
            .spawn(look_after(Arc::downgrade(core), id.to_owned()));
    }
    if let Some(newer) = &mut subscription.newer {
        let newest = Arc::clone(&newer.borrow_and_update());
        if newest.version() > subscription.current.version() {
            subscription.late = newest.is_terminal();
            subscription.current = newest;
        }
    }
    Ok(subscription)
}

/// Keeps the entry of a watched task that runs in another process, or in none yet, up to date.
async fn look_after(core: Weak<Core>, id: String) {
    loop {
        let Some(strong) = core.upgrade() else { return };
        let stopped = strong.stopped.clone();
        drop(strong);
        tokio::select! {
            () = stopped.cancelled() => return,
            () = tokio::time::sleep(LOOK) => {}
        }
        let Some(core) = core.upgrade() else { return };
        if core.live.release(&id) || core.live.get(&id).is_none_or(|live| live.runs()) {
            return;
        }
        match core.store.get(&id, core.now()).await {
            Ok(Some(task)) => core.publish(&task),
            // Dropping the entry ends what waits for it.
            Ok(None) => core.live.remove(&id),
            Err(error) => tracing::warn!(task = %id, %error, "a watched task could not be read"),
        }
    }
}
