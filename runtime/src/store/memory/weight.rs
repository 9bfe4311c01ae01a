//! How much memory a task takes: about, and rather too much than too little.

use serde_json::Value;

use crate::{
    JsonObject,
    task::{Answer, Journal, Outcome, Question, QuestionState, State, Task},
};

/// A task without its JSON, with its places in the indexes.
const TASK: usize = 1 << 10;
/// A question without what it asks.
const QUESTION: usize = 256;
/// A member of an object without its name and value.
const MEMBER: usize = 48;
/// A failure of this size or less is stored even where nothing else has room: a task must be able to end.
const LIGHT: usize = 4 << 10;

/// The weight of one task, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Weight {
    /// The call, and what is needed of every task.
    base: usize,
    /// Questions, answers and kept values; or the result.
    load: usize,
}

impl Weight {
    pub(super) fn of(task: &Task) -> Self {
        let load = match task.state() {
            State::Active(journal) => journal_weight(journal),
            State::Done(outcome) => outcome_weight(outcome),
        };
        Self {
            base: base_weight(task),
            load,
        }
    }

    /// The weight of a task that was `before` and weighed this.
    pub(super) fn after(self, before: &Task, next: &Task) -> Self {
        match (before.state(), next.state()) {
            // The same journal need not be weighed again.
            (State::Active(old), State::Active(new)) if std::sync::Arc::ptr_eq(old, new) => Self {
                base: base_weight(next),
                ..self
            },
            _ => Self::of(next),
        }
    }

    pub(super) fn total(self) -> usize {
        self.base + self.load
    }

    /// Whether a step to this weight needs room: a status message does not, and neither does a failure in a sentence.
    pub(super) fn needs_room(self, before: Self, next: &Task) -> bool {
        let light = matches!(next.outcome(), Some(Outcome::Failed(_))) && self.load <= LIGHT;
        self.load > before.load && !light
    }
}

fn base_weight(task: &Task) -> usize {
    let call = task.call();
    let message = task.status_message().map_or(0, str::len);
    TASK + call.arguments.text().len() + call.answers.text().len() + message
}

fn journal_weight(journal: &Journal) -> usize {
    let kept = journal
        .kept
        .iter()
        .map(|(key, value)| MEMBER + key.len() + weight_of(value));
    journal.questions().map(question_weight).sum::<usize>() + kept.sum::<usize>()
}

fn question_weight(question: &Question) -> usize {
    let answer = match &question.state {
        QuestionState::Answered(Answer::Result(value)) => weight_of(value),
        QuestionState::Answered(Answer::Refused(reason)) => reason.len(),
        QuestionState::Open | QuestionState::Withdrawn => 0,
    };
    let params = question.request.params.as_ref().map_or(0, members_weight);
    QUESTION + question.key.len() + question.slot.len() + params + answer
}

fn outcome_weight(outcome: &Outcome) -> usize {
    match outcome {
        Outcome::Completed { result, .. } => result.text().len(),
        Outcome::Failed(failure) => {
            failure.message.len() + failure.data.as_ref().map_or(0, weight_of)
        }
        Outcome::Cancelled => 0,
    }
}

/// A value that was read takes more than its text: `[0,0]` has five bytes, and each number takes the place of a value.
fn weight_of(value: &Value) -> usize {
    let inside = match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(weight_of).sum(),
        Value::Object(object) => members_weight(object),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    };
    size_of::<Value>() + inside
}

fn members_weight(object: &JsonObject) -> usize {
    let members = object.iter();
    members
        .map(|(name, value)| MEMBER + name.len() + weight_of(value))
        .sum()
}
