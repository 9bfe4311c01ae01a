//! Where tasks are kept.
//!
//! A store keeps [`Task`] snapshots and swaps one for the next. It knows nothing of runs, waiters or wire shapes, and
//! it reads no clock: the engine passes steady time in. Write your own by implementing [`TaskStore`] and running
//! [`store_contract`](crate::testing::store_contract) on it.

#[cfg(test)]
mod broken;
#[cfg(test)]
mod kit;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

use std::sync::Arc;

pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;

use crate::{
    BoxFuture,
    task::{Principal, Task, TaskId, Timestamp, WorkerId},
};

/// What became of an [`update`](TaskStore::update).
#[derive(Clone, Debug)]
pub enum Swap {
    /// The new snapshot is stored.
    Done,
    /// Someone else was faster, or the stored task is terminal; this is what is stored.
    Conflict(Arc<Task>),
    /// The task is not there any more.
    Gone,
}

/// Where a page of a listing ends: the last task seen. The task itself need not exist any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// When that task was made.
    pub created_at: Timestamp,
    /// Its id, since many tasks can be made in one millisecond.
    pub id: TaskId,
}

impl Position {
    /// The position of a task.
    pub fn of(task: &Task) -> Self {
        Self {
            created_at: task.created_at(),
            id: task.id().clone(),
        }
    }
}

/// How many tasks a store keeps, expired ones that were not removed yet included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All of them.
    pub all: u64,
    /// Those of the owner that was asked for.
    pub of_owner: u64,
}

/// Why a store could not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// A task with this id exists. Ids are random, so this is a fault of the caller.
    #[error("task {0} exists already")]
    Exists(TaskId),
    /// The update would change what never changes.
    #[error("task {id} was not updated: {reason}")]
    Refused {
        /// Which task.
        id: TaskId,
        /// Which rule.
        reason: &'static str,
    },
    /// Another process holds the store and did not let go in time. Trying again may help.
    #[error("the task store {place} is locked by another process; {detail}")]
    Locked {
        /// Which store.
        place: String,
        /// What was tried.
        detail: String,
    },
    /// There is no room left.
    #[error(
        "the task store {place} is full: {detail}; free some space or raise the limit, then try again"
    )]
    Full {
        /// Which store.
        place: String,
        /// What the system said.
        detail: String,
    },
    /// The store keeps as many bytes as it may ([`MemoryStore::limited`]).
    #[error(
        "tasks in memory may take {max} bytes{}; room comes when some expire",
        if *.of_owner { " for each owner" } else { "" }
    )]
    NoRoom {
        /// How many.
        max: u64,
        /// Whether it is those of one owner that are too many.
        of_owner: bool,
    },
    /// The store cannot be written.
    #[error(
        "the task store {place} cannot be written: {detail}; check the permissions of the file and its directory"
    )]
    ReadOnly {
        /// Which store.
        place: String,
        /// What the system said.
        detail: String,
    },
    /// What is stored makes no sense.
    #[error(
        "the task store {place} is damaged: {detail}; stop what uses it and move the file away, together with any `-wal` and \
         `-shm` file beside it, then restore a backup or start empty"
    )]
    Corrupt {
        /// Which store.
        place: String,
        /// What is wrong.
        detail: String,
    },
    /// What was opened has lost its name since, so what is written to it would be lost.
    #[error(
        "the task store {place} was deleted, moved or replaced while it was in use: {detail}; put back what was there, or \
         restart the server to go on with what is there now"
    )]
    Moved {
        /// Which store.
        place: String,
        /// What was found instead.
        detail: String,
    },
    /// There can be no store at this place.
    #[error("the task store {place} cannot be opened: {detail}")]
    Unusable {
        /// Which store.
        place: String,
        /// Why not, and what to do.
        detail: String,
    },
    /// A newer release wrote the store.
    #[error(
        "the task store {place} has format {found}, and this release knows up to {known}; use a newer release"
    )]
    Newer {
        /// Which store.
        place: String,
        /// The format found.
        found: i64,
        /// The newest format known.
        known: i64,
    },
    /// Anything else.
    #[error("the task store failed: {0}")]
    Other(String),
}

impl StoreError {
    /// The same for those who ask over the wire. Names of files, which the error itself has, are for the log alone.
    pub(crate) const fn to_clients(&self) -> &'static str {
        match self {
            Self::Locked { .. } => {
                "The server's task store is busy with another process; try again in a moment"
            }
            Self::Full { .. } => {
                "The server's task store is full; try again when its operator has made room"
            }
            _ => "The server's task store does not work at the moment; the server's log says why",
        }
    }
}

/// Keeps tasks.
///
/// Rules that every store obeys, checked by [`store_contract`](crate::testing::store_contract):
///
/// 1. What [`create`](Self::create) and [`update`](Self::update) have answered is there for every later read, and
///    survives a crash if [`is_durable`](Self::is_durable).
/// 2. `update` stores a snapshot only if the stored one is its direct predecessor (version one less). Of two updates
///    from the same version exactly one wins.
/// 3. A terminal task never changes.
/// 4. Id, owner, call and creation time never change.
/// 5. A task whose time to live is over is absent from `get`, `list` and `claim`, and present in `expired` until it is
///    removed.
/// 6. `list` in pages visits every task that exists throughout exactly once, whatever comes and goes meanwhile.
/// 7. `count` is right, and costs the same whatever the number of tasks: it is asked before each new task.
///
/// `now` is always steady time ([`Timeline::steady`](crate::task::Timeline::steady)). Futures may be dropped at any
/// await: then the operation has either happened or not.
pub trait TaskStore: Send + Sync + 'static {
    /// Whether tasks outlive the process and can be shared with other processes.
    fn is_durable(&self) -> bool {
        false
    }

    /// Stores a new task.
    fn create(&self, task: Arc<Task>) -> BoxFuture<'_, Result<(), StoreError>>;

    /// The task with this id, unless its time is over.
    fn get<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Arc<Task>>, StoreError>>;

    /// Swaps a task's direct predecessor for it. Works on expired tasks too, so that they can be failed before they go.
    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>>;

    /// Forgets a task. False if there was none.
    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// How many tasks there are, and how many are this owner's.
    fn count<'a>(
        &'a self,
        owner: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Count, StoreError>>;

    /// Up to `limit` tasks of this owner that come after `after`, oldest first.
    fn list<'a>(
        &'a self,
        owner: Option<&'a Principal>,
        after: Option<&'a Position>,
        limit: usize,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>>;

    /// Up to `limit` tasks whose time is over, the longest overdue first.
    fn expired(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Arc<Task>>, StoreError>>;

    /// When the next task expires.
    fn next_expiry(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>>;

    /// Says that a worker is alive until then. At `now` or before, it says that the worker has gone.
    fn heartbeat<'a>(
        &'a self,
        worker: &'a WorkerId,
        until: Timestamp,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Takes up to `limit` unfinished tasks that no living worker holds, and gives them to `worker` in one step.
    /// Each is returned as it is stored now, one version on.
    fn claim<'a>(
        &'a self,
        worker: &'a WorkerId,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>>;

    /// The latest steady time that the store has been told of, so that time does not run backwards over a restart.
    fn time_floor(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>> {
        Box::pin(async { Ok(None) })
    }
}

/// Which of the things that never change an update would change.
pub(crate) fn changed_for_good(stored: &Task, next: &Task) -> Option<&'static str> {
    if stored.owner() != next.owner() {
        Some("a task's owner never changes")
    } else if stored.created_at() != next.created_at() {
        Some("a task's creation time never changes")
    } else if !std::ptr::eq(stored.call(), next.call()) && stored.call() != next.call() {
        Some("a task's call never changes")
    } else {
        None
    }
}

/// Implements methods of [`TaskStore`] by those of a field.
#[cfg(test)]
macro_rules! delegate {
    ($field:tt: $($method:ident),*) => { $(crate::store::delegate!(@$method $field);)* };
    (@create $field:tt) => {
        fn create(&self, task: Arc<Task>) -> BoxFuture<'_, Result<(), StoreError>> {
            self.$field.create(task)
        }
    };
    (@get $field:tt) => {
        fn get<'a>(
            &'a self,
            id: &'a str,
            now: Timestamp,
        ) -> BoxFuture<'a, Result<Option<Arc<Task>>, StoreError>> {
            self.$field.get(id, now)
        }
    };
    (@update $field:tt) => {
        fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
            self.$field.update(task)
        }
    };
    (@remove $field:tt) => {
        fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
            self.$field.remove(id)
        }
    };
    (@count $field:tt) => {
        fn count<'a>(
            &'a self,
            owner: Option<&'a Principal>,
        ) -> BoxFuture<'a, Result<crate::store::Count, StoreError>> {
            self.$field.count(owner)
        }
    };
    (@list $field:tt) => {
        fn list<'a>(
            &'a self,
            owner: Option<&'a Principal>,
            after: Option<&'a Position>,
            limit: usize,
            now: Timestamp,
        ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>> {
            self.$field.list(owner, after, limit, now)
        }
    };
    (@expired $field:tt) => {
        fn expired(
            &self,
            now: Timestamp,
            limit: usize,
        ) -> BoxFuture<'_, Result<Vec<Arc<Task>>, StoreError>> {
            self.$field.expired(now, limit)
        }
    };
    (@next_expiry $field:tt) => {
        fn next_expiry(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>> {
            self.$field.next_expiry()
        }
    };
    (@heartbeat $field:tt) => {
        fn heartbeat<'a>(
            &'a self,
            worker: &'a WorkerId,
            until: Timestamp,
            now: Timestamp,
        ) -> BoxFuture<'a, Result<(), StoreError>> {
            self.$field.heartbeat(worker, until, now)
        }
    };
    (@claim $field:tt) => {
        fn claim<'a>(
            &'a self,
            worker: &'a WorkerId,
            now: Timestamp,
            limit: usize,
        ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>> {
            self.$field.claim(worker, now, limit)
        }
    };
}
#[cfg(test)]
pub(crate) use delegate;
