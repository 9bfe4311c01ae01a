//! The state machine: a task's snapshot, and the steps from one snapshot to the next.
//!
//! `input_required` is not stored anywhere: a task is in it exactly while a question is open. A terminal task has no
//! questions and gives out no [`Change`], so that it stays as it is by construction.

use std::{collections::BTreeMap, fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    Answer, AskRefused, Asked, Call, Journal, Payload, Principal, Question, QuestionState, TaskId,
    Timestamp, WorkerId,
    text::{STATUS, shorten},
};
use crate::context::InputRequest;

/// Where a task stands. The last three are terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The work runs.
    Working,
    /// The work waits for at least one answer.
    InputRequired,
    /// The tool gave a result, an error of its own included.
    Completed,
    /// A JSON-RPC error took the result's place.
    Failed,
    /// The client called it off.
    Cancelled,
}

impl Status {
    /// The name on the wire, the same in both eras.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::InputRequired => "input_required",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }

    /// Whether nothing can change any more.
    pub const fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Working, Self::InputRequired, Self::Completed, Self::Failed, Self::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| {
                format!("`{text}` is no task status; known: working, input_required, completed, failed, cancelled")
            })
    }
}

/// A JSON-RPC error object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskFailure {
    /// JSON-RPC error code.
    pub code: i64,
    /// What went wrong, in a sentence.
    pub message: String,
    /// More about it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "present")]
    pub data: Option<Value>,
}

/// A member that may be null is not the same as one that is absent.
mod present {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    pub(super) fn serialize<S: Serializer>(
        value: &Option<Value>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Value>, D::Error> {
        Value::deserialize(deserializer).map(Some)
    }
}

impl TaskFailure {
    /// An internal error (-32603).
    pub fn internal(message: impl Into<String>) -> Self {
        Self {
            code: -32603,
            message: message.into(),
            data: None,
        }
    }
}

/// How a task ended. Each era maps its own shapes from this.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The tool's result: the `CallToolResult` object without `resultType`.
    Completed {
        /// The object as JSON.
        result: Payload,
        /// Whether it says `isError: true`. The legacy era shows such a task as `failed`.
        is_error: bool,
    },
    /// A JSON-RPC error in the result's place.
    Failed(TaskFailure),
    /// Called off.
    Cancelled,
}

/// What a task is made of.
#[derive(Clone, Debug)]
pub struct NewTask {
    /// Its id.
    pub id: TaskId,
    /// Whom it belongs to.
    pub owner: Option<Principal>,
    /// What it runs.
    pub call: Call,
    /// The wall clock's time.
    pub created_at: Timestamp,
    /// Milliseconds it is kept.
    pub ttl_ms: Option<u64>,
    /// When that is over, in steady time.
    pub expires_at: Option<Timestamp>,
    /// Milliseconds between a client's looks.
    pub poll_interval_ms: Option<u64>,
    /// Who runs it.
    pub worker: Option<WorkerId>,
    /// A sentence for people.
    pub status_message: Option<Arc<str>>,
    /// Values kept by `once` so far.
    pub kept: BTreeMap<String, Value>,
}

/// A task as it stands at one moment. Cheap to clone, never changed in place.
#[derive(Clone, Debug, PartialEq)]
pub struct Task(Inner);

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Inner {
    pub(super) id: TaskId,
    pub(super) owner: Option<Principal>,
    pub(super) call: Arc<Call>,
    pub(super) created_at: Timestamp,
    pub(super) last_updated_at: Timestamp,
    pub(super) ttl_ms: Option<u64>,
    pub(super) expires_at: Option<Timestamp>,
    pub(super) poll_interval_ms: Option<u64>,
    pub(super) version: u64,
    pub(super) worker: Option<WorkerId>,
    pub(super) cancel_requested: bool,
    pub(super) status_message: Option<Arc<str>>,
    pub(super) state: State,
}

/// The two halves of a task's life.
#[derive(Clone, Debug, PartialEq)]
pub enum State {
    /// Working, or waiting for input while the journal has an open question.
    Active(Arc<Journal>),
    /// Over.
    Done(Outcome),
}

/// A status message as it is kept: it is stored with each step, and sent with each look.
fn short(message: Arc<str>) -> Arc<str> {
    if message.len() <= STATUS {
        return message;
    }
    let mut text = (*message).to_owned();
    shorten(&mut text, STATUS);
    text.into()
}

/// A terminal task was asked to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the task is already {0}")]
pub struct Terminal(pub Status);

impl Task {
    /// Makes a working task.
    pub fn new(new: NewTask) -> Self {
        Self(Inner {
            id: new.id,
            owner: new.owner,
            call: Arc::new(new.call),
            created_at: new.created_at,
            last_updated_at: new.created_at,
            ttl_ms: new.ttl_ms,
            expires_at: new.expires_at,
            poll_interval_ms: new.poll_interval_ms,
            version: 1,
            worker: new.worker,
            cancel_requested: false,
            status_message: new.status_message.map(short),
            state: State::Active(Arc::new(Journal {
                kept: new.kept,
                ..Journal::default()
            })),
        })
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.0
    }

    pub(super) fn from_inner(inner: Inner) -> Self {
        Self(inner)
    }

    /// Its id.
    pub fn id(&self) -> &TaskId {
        &self.0.id
    }

    /// Whom it belongs to.
    pub fn owner(&self) -> Option<&Principal> {
        self.0.owner.as_ref()
    }

    /// What it runs.
    pub fn call(&self) -> &Call {
        &self.0.call
    }

    /// When it was made, by the wall clock.
    pub fn created_at(&self) -> Timestamp {
        self.0.created_at
    }

    /// When it last changed. Never runs backwards, even if the wall clock does.
    pub fn last_updated_at(&self) -> Timestamp {
        self.0.last_updated_at
    }

    /// Milliseconds from creation that it is kept; `None` is for ever.
    pub fn ttl_ms(&self) -> Option<u64> {
        self.0.ttl_ms
    }

    /// When it expires, in steady time.
    pub fn expires_at(&self) -> Option<Timestamp> {
        self.0.expires_at
    }

    /// Whether its time to live is over at this steady time.
    pub fn is_expired(&self, steady: Timestamp) -> bool {
        self.0.expires_at.is_some_and(|at| at <= steady)
    }

    /// Milliseconds a client should wait between looks.
    pub fn poll_interval_ms(&self) -> Option<u64> {
        self.0.poll_interval_ms
    }

    /// Counts the changes, from 1.
    pub fn version(&self) -> u64 {
        self.0.version
    }

    /// Who runs it, while it is unfinished.
    pub fn worker(&self) -> Option<&WorkerId> {
        self.0.worker.as_ref()
    }

    /// Whether the client wants it to stop.
    pub fn cancel_requested(&self) -> bool {
        self.0.cancel_requested
    }

    /// A sentence for people about how it stands.
    pub fn status_message(&self) -> Option<&str> {
        self.0.status_message.as_deref()
    }

    /// Where it stands.
    pub fn status(&self) -> Status {
        match &self.0.state {
            State::Active(journal) if journal.has_open() => Status::InputRequired,
            State::Active(_) => Status::Working,
            State::Done(Outcome::Completed { .. }) => Status::Completed,
            State::Done(Outcome::Failed(_)) => Status::Failed,
            State::Done(Outcome::Cancelled) => Status::Cancelled,
        }
    }

    /// Whether it is over.
    pub fn is_terminal(&self) -> bool {
        matches!(self.0.state, State::Done(_))
    }

    /// Journal or outcome.
    pub fn state(&self) -> &State {
        &self.0.state
    }

    /// How it ended, once it has.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.0.state {
            State::Done(outcome) => Some(outcome),
            State::Active(_) => None,
        }
    }

    /// Its questions and kept values, while it is unfinished.
    pub fn journal(&self) -> Option<&Journal> {
        match &self.0.state {
            State::Active(journal) => Some(journal),
            State::Done(_) => None,
        }
    }

    /// The questions that wait for the client, in the order asked. Empty unless `input_required`.
    pub fn input_requests(&self) -> impl Iterator<Item = &Question> {
        self.journal().into_iter().flat_map(Journal::open)
    }

    /// Whether a client sees no difference between two snapshots of one task.
    pub fn looks_like(&self, other: &Self) -> bool {
        let open = |task: &Self| {
            task.input_requests()
                .map(|question| question.key.clone())
                .collect::<Vec<_>>()
        };
        self.status() == other.status()
            && self.last_updated_at() == other.last_updated_at()
            && self.status_message() == other.status_message()
            && self.poll_interval_ms() == other.poll_interval_ms()
            && self.ttl_ms() == other.ttl_ms()
            && open(self) == open(other)
    }

    /// Opens a change at this wall time.
    ///
    /// # Errors
    /// When the task is terminal: such a task never changes again.
    pub fn change(&self, wall: Timestamp) -> Result<Change, Terminal> {
        let mut next = self.0.clone();
        match std::mem::replace(&mut next.state, State::Done(Outcome::Cancelled)) {
            State::Active(journal) => Ok(Change {
                next,
                journal,
                wall,
                seen: false,
                kept: false,
            }),
            State::Done(_) => Err(Terminal(self.status())),
        }
    }
}

/// The next snapshot of an unfinished task in the making.
///
/// Ends with [`commit`](Self::commit), or with one of [`complete`](Self::complete), [`fail`](Self::fail) and
/// [`cancel`](Self::cancel), which use it up.
#[derive(Debug)]
pub struct Change {
    next: Inner,
    journal: Arc<Journal>,
    wall: Timestamp,
    /// Something changed that a client can see.
    seen: bool,
    /// Something changed that only we can see.
    kept: bool,
}

impl Change {
    /// Sets the sentence for people. One of more than 4 KiB is cut.
    pub fn message(&mut self, message: Option<Arc<str>>) {
        let message = message.map(short);
        if self.next.status_message != message {
            self.next.status_message = message;
            self.seen = true;
        }
    }

    /// Suggests another time between looks.
    pub fn poll_interval_ms(&mut self, millis: Option<u64>) {
        if self.next.poll_interval_ms != millis {
            self.next.poll_interval_ms = millis;
            self.seen = true;
        }
    }

    /// Asks a question, or finds that it was asked before.
    ///
    /// # Errors
    /// When an earlier run asked something else in this slot, or `limit` questions have been asked already.
    pub fn ask(
        &mut self,
        slot: &str,
        request: &InputRequest,
        limit: usize,
    ) -> Result<Asked, AskRefused> {
        if let Some(asked) = self.journal.look_up(slot, request)? {
            return Ok(asked);
        }
        if self.journal.questions.len() >= limit {
            return Err(AskRefused::TooMany { limit });
        }
        self.seen = true;
        Ok(Asked::Open(
            Arc::make_mut(&mut self.journal).open_new(slot, request.clone()),
        ))
    }

    /// Answers an open question. Unknown, answered and withdrawn keys change nothing and give false.
    pub fn answer(&mut self, key: &str, answer: Answer) -> bool {
        self.close(key, QuestionState::Answered(answer))
    }

    /// Takes an open question back.
    pub fn withdraw(&mut self, key: &str) -> bool {
        self.close(key, QuestionState::Withdrawn)
    }

    fn close(&mut self, key: &str, state: QuestionState) -> bool {
        let open = self
            .journal
            .question(key)
            .is_some_and(|question| question.state == QuestionState::Open);
        if open {
            Arc::make_mut(&mut self.journal).close(key, state);
            self.seen = true;
        }
        open
    }

    /// Keeps a value for later runs. The first value of a key stays. False if `limit` values are kept already.
    pub fn keep(&mut self, key: &str, value: Value, limit: usize) -> bool {
        if self.journal.kept.contains_key(key) {
            return true;
        }
        if self.journal.kept.len() >= limit {
            return false;
        }
        Arc::make_mut(&mut self.journal)
            .kept
            .insert(key.to_owned(), value);
        self.kept = true;
        true
    }

    /// Notes that the client wants the task to stop.
    pub fn request_cancel(&mut self) {
        if !self.next.cancel_requested {
            self.next.cancel_requested = true;
            self.kept = true;
        }
    }

    /// Hands the task to a worker, or to none.
    pub fn assign(&mut self, worker: Option<WorkerId>) {
        if self.next.worker != worker {
            self.next.worker = worker;
            self.kept = true;
        }
    }

    /// The new snapshot, or `None` when nothing changed.
    pub fn commit(mut self) -> Option<Task> {
        if !self.seen && !self.kept {
            return None;
        }
        self.next.state = State::Active(Arc::clone(&self.journal));
        Some(self.stamp())
    }

    /// Ends the task with the tool's result.
    pub fn complete(self, result: Payload, is_error: bool) -> Task {
        self.end(Outcome::Completed { result, is_error })
    }

    /// Ends the task with a JSON-RPC error, whose message becomes the task's.
    pub fn fail(mut self, error: TaskFailure) -> Task {
        self.message(Some(error.message.as_str().into()));
        self.end(Outcome::Failed(error))
    }

    /// Ends the task because it was called off.
    pub fn cancel(mut self, message: impl Into<Arc<str>>) -> Task {
        self.message(Some(message.into()));
        self.end(Outcome::Cancelled)
    }

    fn end(mut self, outcome: Outcome) -> Task {
        self.next.state = State::Done(outcome);
        self.next.worker = None;
        self.seen = true;
        self.stamp()
    }

    fn stamp(mut self) -> Task {
        self.next.version += 1;
        if self.seen {
            self.next.last_updated_at = self.next.last_updated_at.max(self.wall);
        }
        Task(self.next)
    }
}
