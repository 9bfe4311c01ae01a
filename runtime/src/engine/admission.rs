//! Who may start: counts of running tasks, of waiters, and each tool's concurrency.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::{EngineError, LimitKind, Limits};
use crate::{task::Principal, tool::Tool};

#[derive(Default)]
pub(super) struct Admission {
    counts: Mutex<Counts>,
    waiters: AtomicUsize,
    tools: Mutex<HashMap<String, Arc<Semaphore>>>,
    /// Told when a running task ends.
    pub(super) freed: Notify,
}

#[derive(Default)]
struct Counts {
    total: usize,
    by_owner: HashMap<Principal, usize>,
}

/// One running task's place. Given back on drop.
pub(super) struct Place {
    admission: Arc<Admission>,
    owner: Option<Principal>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut counts = self.admission.counts.lock();
        counts.total -= 1;
        if let Some(owner) = &self.owner
            && let Some(count) = counts.by_owner.get_mut(owner)
        {
            *count -= 1;
            if *count == 0 {
                counts.by_owner.remove(owner);
            }
        }
        drop(counts);
        self.admission.freed.notify_waiters();
    }
}

/// One waiter's place. Given back on drop.
pub(super) struct Ticket(Arc<Admission>);

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.waiters.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Admission {
    /// A place for a new task.
    pub(super) fn admit(
        self: &Arc<Self>,
        owner: Option<&Principal>,
        limits: &Limits,
    ) -> Result<Place, EngineError> {
        let mut counts = self.counts.lock();
        let full = |kind, max: usize| EngineError::Limit {
            kind,
            max: max as u64,
            found: None,
        };
        if counts.total >= limits.tasks {
            return Err(full(LimitKind::Tasks, limits.tasks));
        }
        // Callers without a principal cannot be told apart: one of them must not use up what is meant for one.
        if let Some(owner) = owner
            && counts.by_owner.get(owner).copied().unwrap_or(0) >= limits.tasks_per_principal
        {
            return Err(full(
                LimitKind::TasksPerPrincipal,
                limits.tasks_per_principal,
            ));
        }
        Ok(self.place(&mut counts, owner.cloned()))
    }

    /// A place for a task that was admitted before a restart.
    pub(super) fn readmit(self: &Arc<Self>, owner: Option<&Principal>) -> Place {
        let mut counts = self.counts.lock();
        self.place(&mut counts, owner.cloned())
    }

    fn place(self: &Arc<Self>, counts: &mut Counts, owner: Option<Principal>) -> Place {
        counts.total += 1;
        if let Some(owner) = &owner {
            *counts.by_owner.entry(owner.clone()).or_default() += 1;
        }
        Place {
            admission: Arc::clone(self),
            owner,
        }
    }

    pub(super) fn running(&self) -> usize {
        self.counts.lock().total
    }

    /// A place for a waiter.
    pub(super) fn wait(self: &Arc<Self>, limits: &Limits) -> Result<Ticket, EngineError> {
        let ticket = Ticket(Arc::clone(self));
        if self.waiters.fetch_add(1, Ordering::Relaxed) >= limits.waiters {
            let max = limits.waiters as u64;
            return Err(EngineError::Limit {
                kind: LimitKind::Waiters,
                max,
                found: None,
            });
        }
        Ok(ticket)
    }

    pub(super) fn waiters(&self) -> usize {
        self.waiters.load(Ordering::Relaxed)
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
