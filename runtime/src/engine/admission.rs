//! Who may start: counts of running and of stored tasks, of waiters, and each tool's concurrency.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::{EngineError, LimitKind, Limits};
use crate::{
    gauge::{Full, Gauge, Permit, Room},
    store::TaskStore,
    task::Principal,
    tool::Tool,
};

#[derive(Default)]
pub(super) struct Admission {
    tasks: Gauge,
    /// Tasks that are about to be stored.
    storing: Gauge,
    waiters: Gauge,
    tools: Mutex<HashMap<String, Arc<Semaphore>>>,
    /// Told when a running task ends.
    pub(super) freed: Notify,
}

/// One running task's place. Given back on drop.
pub(super) struct Place {
    /// Dropped before what follows.
    _permit: Permit,
    _freed: Freed,
}

/// Tells of a place that has become free.
struct Freed(Arc<Admission>);

impl Drop for Freed {
    fn drop(&mut self) {
        self.0.freed.notify_waiters();
    }
}

impl Admission {
    /// A place for a new task.
    pub(super) fn admit(
        self: &Arc<Self>,
        owner: Option<&Principal>,
        limits: &Limits,
    ) -> Result<Place, EngineError> {
        let room = Room {
            all: limits.tasks,
            each: limits.tasks_per_principal,
        };
        match self.tasks.enter(owner, room) {
            Ok(permit) => Ok(self.place(permit)),
            Err(full) => Err(refusal(
                full,
                LimitKind::Tasks,
                LimitKind::TasksPerPrincipal,
            )),
        }
    }

    /// A place for a task that was admitted before a restart.
    pub(super) fn readmit(self: &Arc<Self>, owner: Option<&Principal>) -> Place {
        self.place(self.tasks.enter_anyway(owner))
    }

    fn place(self: &Arc<Self>, permit: Permit) -> Place {
        Place {
            _permit: permit,
            _freed: Freed(Arc::clone(self)),
        }
    }

    /// Room in the store for one more task. Held until the task is stored, so that those that come together do not take
    /// the same room.
    pub(super) async fn make_room(
        &self,
        store: &dyn TaskStore,
        owner: Option<&Principal>,
        limits: &Limits,
    ) -> Result<Permit, EngineError> {
        let room = self.storing.enter_anyway(owner);
        // Counted after the room is taken: what is stored meanwhile may count twice, but nothing is missed.
        let (all, each) = self.storing.count(owner);
        let stored = store.count(owner).await?;
        let over = |stored: u64, storing: usize, max: usize| stored + storing as u64 > max as u64;
        let full = if over(stored.all, all, limits.stored_tasks) {
            Full::All(limits.stored_tasks)
        } else if owner.is_some() && over(stored.of_owner, each, limits.stored_tasks_per_principal)
        {
            Full::Each(limits.stored_tasks_per_principal)
        } else {
            return Ok(room);
        };
        Err(refusal(
            full,
            LimitKind::StoredTasks,
            LimitKind::StoredTasksPerPrincipal,
        ))
    }

    pub(super) fn running(&self) -> usize {
        self.tasks.open()
    }

    /// A place for a waiter.
    pub(super) fn wait(
        &self,
        owner: Option<&Principal>,
        limits: &Limits,
    ) -> Result<Permit, EngineError> {
        let room = Room {
            all: limits.waiters,
            each: limits.waiters_per_principal,
        };
        self.waiters
            .enter(owner, room)
            .map_err(|full| refusal(full, LimitKind::Waiters, LimitKind::WaitersPerPrincipal))
    }

    pub(super) fn waiters(&self) -> usize {
        self.waiters.open()
    }

    /// The semaphore of a tool that limits its concurrency.
    fn semaphore(&self, tool: &Tool) -> Option<Arc<Semaphore>> {
        let limit = tool.descriptor.options.concurrency?;
        let mut tools = self.tools.lock();
        let semaphore = tools
            .entry(tool.descriptor.name.clone())
            .or_insert_with(|| Arc::new(Semaphore::new(limit.clamp(1, Semaphore::MAX_PERMITS))));
        Some(Arc::clone(semaphore))
    }

    /// A permit to run the tool now; `None` if all are taken.
    pub(super) fn try_permit(&self, tool: &Tool) -> Option<Option<OwnedSemaphorePermit>> {
        match self.semaphore(tool) {
            None => Some(None),
            Some(semaphore) => semaphore.try_acquire_owned().ok().map(Some),
        }
    }

    /// A permit to run the tool, in order of arrival.
    pub(super) async fn permit(&self, tool: &Tool) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed, so there is no error to speak of.
        self.semaphore(tool)?.acquire_owned().await.ok()
    }
}

fn refusal(full: Full, all: LimitKind, each: LimitKind) -> EngineError {
    let (kind, max) = match full {
        Full::All(max) => (all, max),
        Full::Each(max) => (each, max),
    };
    EngineError::Limit {
        kind,
        max: max as u64,
        found: None,
    }
}
