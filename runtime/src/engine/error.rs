//! Why the engine refused.

use std::{fmt, sync::Arc};

use crate::{context::BadAnswer, store::StoreError, task::Task};

/// Why the engine could not do what was asked. Front ends map it to their era's error codes.
#[derive(Debug, Clone, thiserror::Error)]
pub enum EngineError {
    /// No such task for this principal: never issued, expired, removed, or someone else's. The four cannot be told apart.
    #[error("no task has this id")]
    NotFound,
    /// The task is terminal and cannot be cancelled ([`Cancel::Now`](super::Cancel::Now)).
    #[error("the task is already {}", .0.status())]
    Terminal(Arc<Task>),
    /// An answer does not fit its question, which stays open.
    #[error("the answer to `{key}` does not fit the question: {problem}")]
    BadAnswer {
        /// The question's key.
        key: String,
        /// What is wrong.
        problem: BadAnswer,
    },
    /// The cursor was not made by this server.
    #[error("the cursor is not one that this server has given out")]
    BadCursor,
    /// A limit is reached.
    #[error("{kind} is limited to {max}{}", .found.map(|found| format!(", and this would be {found}")).unwrap_or_default())]
    Limit {
        /// Which one.
        kind: LimitKind,
        /// The limit.
        max: u64,
        /// What was asked for, where that helps.
        found: Option<u64>,
    },
    /// The engine is shutting down.
    #[error("the server is shutting down")]
    ShuttingDown,
    /// The store failed.
    #[error(transparent)]
    Store(StoreError),
    /// Anything else: a fault of ours.
    #[error("internal error: {0}")]
    Internal(String),
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NoRoom { max, of_owner } => Self::Limit {
                kind: LimitKind::bytes(of_owner),
                max,
                found: None,
            },
            other => Self::Store(other),
        }
    }
}

/// The limits that can refuse a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LimitKind {
    /// [`Limits::tasks`](super::Limits::tasks).
    Tasks,
    /// [`Limits::tasks_per_principal`](super::Limits::tasks_per_principal).
    TasksPerPrincipal,
    /// [`Limits::stored_tasks`](super::Limits::stored_tasks).
    StoredTasks,
    /// [`Limits::stored_tasks_per_principal`](super::Limits::stored_tasks_per_principal).
    StoredTasksPerPrincipal,
    /// Of a [`MemoryStore::limited`](crate::store::MemoryStore::limited).
    StoredBytes,
    /// The same for one principal.
    StoredBytesPerPrincipal,
    /// [`Limits::payload_bytes`](super::Limits::payload_bytes).
    PayloadBytes,
    /// [`Limits::waiters`](super::Limits::waiters).
    Waiters,
    /// [`Limits::waiters_per_principal`](super::Limits::waiters_per_principal).
    WaitersPerPrincipal,
}

impl LimitKind {
    /// The limit on bytes in memory, of all or of one principal.
    pub(super) const fn bytes(of_owner: bool) -> Self {
        if of_owner {
            Self::StoredBytesPerPrincipal
        } else {
            Self::StoredBytes
        }
    }

    /// The name for machines, for `error.data.limit`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tasks => "tasks",
            Self::TasksPerPrincipal => "tasksPerPrincipal",
            Self::StoredTasks => "storedTasks",
            Self::StoredTasksPerPrincipal => "storedTasksPerPrincipal",
            Self::StoredBytes => "storedBytes",
            Self::StoredBytesPerPrincipal => "storedBytesPerPrincipal",
            Self::PayloadBytes => "payloadBytes",
            Self::Waiters => "waiters",
            Self::WaitersPerPrincipal => "waitersPerPrincipal",
        }
    }
}

impl fmt::Display for LimitKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tasks => "the number of running tasks",
            Self::TasksPerPrincipal => "the number of running tasks of one principal",
            Self::StoredTasks => {
                "the number of tasks that are kept until their time to live is over"
            }
            Self::StoredTasksPerPrincipal => {
                "the number of tasks of one principal that are kept until their time to live is over"
            }
            Self::StoredBytes => {
                "the bytes of all tasks that are kept until their time to live is over"
            }
            Self::StoredBytesPerPrincipal => {
                "the bytes of one principal's tasks that are kept until their time to live is over"
            }
            Self::PayloadBytes => "the size of one payload in bytes",
            Self::Waiters => "the number of open waits and subscriptions",
            Self::WaitersPerPrincipal => {
                "the number of open waits and subscriptions of one principal"
            }
        })
    }
}
