//! The questions a task has asked and what it must remember to be run again.
//!
//! A question has a *slot* (which question of the function it is, stable between runs) and a *key* (its name on the
//! wire, used once in the task's life). They differ only when a question that was withdrawn is asked again.

use std::{collections::BTreeMap, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::context::InputRequest;

/// What came back for a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The client's result object.
    Result(Value),
    /// The client could not or would not answer; what it said.
    Refused(String),
}

/// Where a question stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionState {
    /// Waiting for the client.
    Open,
    /// Answered, once.
    Answered(Answer),
    /// No longer of interest; a late answer is ignored.
    Withdrawn,
}

/// A question of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Question {
    /// Its name on the wire.
    pub key: String,
    /// Which question of the function it is.
    pub slot: String,
    /// What is asked.
    pub request: InputRequest,
    /// Where it stands.
    pub state: QuestionState,
}

/// All questions of an unfinished task in the order asked, and the values kept by `once`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Journal {
    pub(super) questions: Vec<Arc<Question>>,
    pub(crate) kept: BTreeMap<String, Value>,
}

/// What became of asking.
#[derive(Clone, Debug, PartialEq)]
pub enum Asked {
    /// The question is open under this key.
    Open(String),
    /// It was answered in an earlier run.
    Answered(Answer),
}

/// Why a question was not accepted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AskRefused {
    /// An earlier run asked something else in this place.
    #[error(
        "question `{slot}` differs from the one that was asked in an earlier run of this call; a function that is run \
         again must ask the same questions in the same order"
    )]
    Differs {
        /// Which question.
        slot: String,
    },
    /// The task has asked as often as it may.
    #[error("the task has asked {limit} questions, which is the limit")]
    TooMany {
        /// The limit.
        limit: usize,
    },
}

impl Journal {
    /// Every question ever asked, in order.
    pub fn questions(&self) -> impl Iterator<Item = &Question> {
        self.questions.iter().map(Arc::as_ref)
    }

    /// The questions that wait for the client.
    pub fn open(&self) -> impl Iterator<Item = &Question> {
        self.questions()
            .filter(|question| question.state == QuestionState::Open)
    }

    /// The question with this key.
    pub fn question(&self, key: &str) -> Option<&Question> {
        self.questions().find(|question| question.key == key)
    }

    /// A value kept by `once`.
    pub fn kept(&self, key: &str) -> Option<&Value> {
        self.kept.get(key)
    }

    /// Whether at least one question waits for the client.
    pub fn has_open(&self) -> bool {
        self.open().next().is_some()
    }

    /// What asking in `slot` would give without a change; `None` when it must be opened.
    pub(crate) fn look_up(
        &self,
        slot: &str,
        request: &InputRequest,
    ) -> Result<Option<Asked>, AskRefused> {
        let Some(known) = self
            .questions()
            .filter(|question| question.slot == slot)
            .last()
        else {
            return Ok(None);
        };
        if known.request != *request {
            return Err(AskRefused::Differs {
                slot: slot.to_owned(),
            });
        }
        Ok(match &known.state {
            QuestionState::Open => Some(Asked::Open(known.key.clone())),
            QuestionState::Answered(answer) => Some(Asked::Answered(answer.clone())),
            QuestionState::Withdrawn => None,
        })
    }

    /// Opens a question under a key that was never used.
    pub(crate) fn open_new(&mut self, slot: &str, request: InputRequest) -> String {
        let mut key = slot.to_owned();
        let mut round = 1;
        while self.question(&key).is_some() {
            round += 1;
            key = format!("{slot}~{round}");
        }
        self.questions.push(Arc::new(Question {
            key: key.clone(),
            slot: slot.to_owned(),
            request,
            state: QuestionState::Open,
        }));
        key
    }

    /// Moves an open question on; false when it is not open.
    pub(crate) fn close(&mut self, key: &str, state: QuestionState) -> bool {
        let open = self
            .questions
            .iter_mut()
            .find(|question| question.key == key && question.state == QuestionState::Open);
        match open {
            Some(question) => {
                Arc::make_mut(question).state = state;
                true
            }
            None => false,
        }
    }
}
