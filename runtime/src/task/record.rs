//! The stored form of a task: plain data that a store can take apart and put together again.

use std::{fmt, sync::Arc};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use super::{
    Journal, Outcome, Principal, Status, Task, TaskFailure, TaskId, Timestamp, WorkerId,
    machine::{Inner, State},
};
use crate::{JsonObject, context::InputKinds};

/// A piece of JSON kept as text: cheap to clone, to measure and to send on.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Payload(Arc<RawValue>);

impl Payload {
    /// Writes a value as JSON.
    ///
    /// # Errors
    /// When the value cannot be written as JSON, such as a map with keys that are no strings.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::value::to_raw_value(value).map(|raw| Self(raw.into()))
    }

    /// Takes JSON text.
    ///
    /// # Errors
    /// When the text is not one JSON value.
    pub fn from_text(text: String) -> Result<Self, serde_json::Error> {
        RawValue::from_string(text).map(|raw| Self(raw.into()))
    }

    /// The JSON text.
    pub fn text(&self) -> &str {
        self.0.get()
    }

    /// Reads the JSON.
    ///
    /// # Errors
    /// When the JSON is not a `T`.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(self.0.get())
    }

    /// Reads the JSON as an object; anything else gives an empty one.
    pub fn to_object(&self) -> JsonObject {
        self.read().unwrap_or_default()
    }
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// The call that a task runs. It never changes, so that the task can be run again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Name of the tool.
    pub tool: String,
    /// Arguments as the client sent them, an object.
    pub arguments: Payload,
    /// Answers to the questions asked before the task was made, by name, an object.
    pub answers: Payload,
    /// What the client can be asked.
    pub can_ask: InputKinds,
    /// Whether the tool itself decides what cancelling does.
    #[serde(default)]
    pub cooperative: bool,
}

/// Every fact of a task, as data. [`Task::to_record`] and [`Task::from_record`] go there and back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskRecord {
    /// Its id.
    pub id: TaskId,
    /// Whom it belongs to.
    pub owner: Option<Principal>,
    /// What it runs.
    pub call: Arc<Call>,
    /// Where it stands; must fit the other fields.
    pub status: Status,
    /// A sentence for people.
    pub status_message: Option<Arc<str>>,
    /// When it was made, by the wall clock.
    pub created_at: Timestamp,
    /// When it last changed, by the wall clock, never running backwards.
    pub last_updated_at: Timestamp,
    /// Milliseconds from creation that it is kept; `None` is for ever.
    pub ttl_ms: Option<u64>,
    /// When it expires, in steady time.
    pub expires_at: Option<Timestamp>,
    /// Milliseconds a client should wait between looks.
    pub poll_interval_ms: Option<u64>,
    /// Counts the changes, from 1.
    pub version: u64,
    /// Who runs it, while it is unfinished.
    pub worker: Option<WorkerId>,
    /// Whether the client wants it to stop.
    pub cancel_requested: bool,
    /// Questions and kept values; empty once terminal.
    pub journal: Arc<Journal>,
    /// The result of a completed task.
    pub result: Option<Payload>,
    /// Whether that result is a tool's error.
    pub is_error: bool,
    /// The JSON-RPC error of a failed task.
    pub error: Option<TaskFailure>,
}

/// A record that no task can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("task {id} is stored wrongly: {reason}")]
pub struct InvalidRecord {
    /// Which task.
    pub id: TaskId,
    /// What is wrong.
    pub reason: String,
}

impl Task {
    /// The task as plain data.
    pub fn to_record(&self) -> TaskRecord {
        let inner = self.inner();
        let (journal, result, is_error, error) = match &inner.state {
            State::Active(journal) => (Arc::clone(journal), None, false, None),
            State::Done(Outcome::Completed { result, is_error }) => {
                (Arc::default(), Some(result.clone()), *is_error, None)
            }
            State::Done(Outcome::Failed(error)) => {
                (Arc::default(), None, false, Some(error.clone()))
            }
            State::Done(Outcome::Cancelled) => (Arc::default(), None, false, None),
        };
        TaskRecord {
            id: inner.id.clone(),
            owner: inner.owner.clone(),
            call: Arc::clone(&inner.call),
            status: self.status(),
            status_message: inner.status_message.clone(),
            created_at: inner.created_at,
            last_updated_at: inner.last_updated_at,
            ttl_ms: inner.ttl_ms,
            expires_at: inner.expires_at,
            poll_interval_ms: inner.poll_interval_ms,
            version: inner.version,
            worker: inner.worker.clone(),
            cancel_requested: inner.cancel_requested,
            journal,
            result,
            is_error,
            error,
        }
    }

    /// The task that a record describes.
    ///
    /// # Errors
    /// When the record's parts contradict each other.
    pub fn from_record(record: TaskRecord) -> Result<Self, InvalidRecord> {
        let invalid = |reason: &str| InvalidRecord {
            id: record.id.clone(),
            reason: reason.to_owned(),
        };
        let state = match (record.status, record.result, record.error) {
            (Status::Completed, Some(result), None) => State::Done(Outcome::Completed {
                result,
                is_error: record.is_error,
            }),
            (Status::Completed, ..) => {
                return Err(invalid("a completed task has a result and no error"));
            }
            (Status::Failed, None, Some(error)) => State::Done(Outcome::Failed(error)),
            (Status::Failed, ..) => {
                return Err(invalid("a failed task has an error and no result"));
            }
            (Status::Cancelled, None, None) => State::Done(Outcome::Cancelled),
            (Status::Working | Status::InputRequired, None, None) => State::Active(record.journal),
            _ => {
                return Err(invalid(
                    "only a completed task has a result, only a failed one an error",
                ));
            }
        };
        if let State::Active(journal) = &state
            && journal.has_open() != (record.status == Status::InputRequired)
        {
            return Err(invalid(
                "a task is input_required exactly while a question is open",
            ));
        }
        Ok(Self::from_inner(Inner {
            id: record.id,
            owner: record.owner,
            call: record.call,
            created_at: record.created_at,
            last_updated_at: record.last_updated_at,
            ttl_ms: record.ttl_ms,
            expires_at: record.expires_at,
            poll_interval_ms: record.poll_interval_ms,
            version: record.version,
            worker: record.worker,
            cancel_requested: record.cancel_requested,
            status_message: record.status_message,
            state,
        }))
    }
}
