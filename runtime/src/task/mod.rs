//! What a task is: its id, its owner, its record and the only place where its status changes.
//!
//! Everything here is pure: no clock is read, nothing is stored, nothing is awaited. [`Task`] is an immutable
//! snapshot; [`Task::change`] opens a [`Change`], which is all there is to make the next snapshot, and a terminal
//! task does not give one out.

mod clock;
mod id;
mod journal;
mod machine;
mod record;
mod text;

#[cfg(test)]
mod tests;

pub use clock::{Clock, SystemClock, Timeline, Timestamp};
pub use id::{Principal, TaskId, WorkerId};
pub use journal::{Answer, AskRefused, Asked, Journal, Question, QuestionState};
pub use machine::{Change, NewTask, Outcome, State, Status, Task, TaskFailure, Terminal};
pub use record::{Call, InvalidRecord, Payload, TaskRecord};
pub(crate) use text::{STATUS, shorten};
