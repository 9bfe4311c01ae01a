//! Questions to the client: what can be asked, how a question keeps its name between runs, what answers fit.

use std::collections::HashSet;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    JsonObject,
    tool::form,
    types::ext_tasks::methods::{ElicitationCreate, Method, RootsList, SamplingCreateMessage},
};

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
#[error("{}{reason}", place(.path))]
pub struct BadAnswer {
    /// Where, as a path from the answer's root (`content.age`); empty when it is the answer as a whole.
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
    /// Names the capability that the client would have to declare, or says what is wrong with the question.
    pub fn permit(self, request: &InputRequest) -> Result<(), AskError> {
        let param = |name: &str| request.params.as_ref().and_then(|params| params.get(name));
        let (allowed, capability) = match request.method.as_str() {
            ElicitationCreate::NAME if param("mode").is_some_and(|mode| mode == "url") => {
                (self.url, "elicitation.url")
            }
            ElicitationCreate::NAME => (self.form, "elicitation"),
            SamplingCreateMessage::NAME
                if param("tools").is_some() || param("toolChoice").is_some() =>
            {
                (self.sampling && self.sampling_tools, "sampling.tools")
            }
            SamplingCreateMessage::NAME => (self.sampling, "sampling"),
            RootsList::NAME => (self.roots, "roots"),
            _ => {
                return Err(AskError::Failed(format!(
                    "`{}` is no question to a client",
                    request.method
                )));
            }
        };
        if !allowed {
            return Err(AskError::NotSupported(capability));
        }
        // A question that fits no schema would only fail on its way to the client, where the tool cannot be told.
        serde_json::to_value(request)
            .and_then(serde_json::from_value::<crate::types::ext_tasks::InputRequest>)
            .map(drop)
            .map_err(|error| AskError::Failed(format!("the question is malformed: {error}")))
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

/// Says whether an answer fits its question: the result's shape, and for a form the asked members too.
///
/// # Errors
/// Where it does not fit, and why.
pub fn check_answer(request: &InputRequest, answer: &Value) -> Result<(), BadAnswer> {
    let object = answer
        .as_object()
        .ok_or_else(|| bad("", "expected an object"))?;
    match request.method.as_str() {
        ElicitationCreate::NAME => check_elicitation(request, object),
        SamplingCreateMessage::NAME => check_sampling(object),
        RootsList::NAME => check_roots(object),
        _ => Ok(()),
    }
}

/// How a place is named before what is wrong there.
fn place(path: &str) -> String {
    if path.is_empty() {
        String::new()
    } else {
        format!("{path}: ")
    }
}

fn bad(path: &str, reason: impl Into<String>) -> BadAnswer {
    BadAnswer {
        path: path.to_owned(),
        reason: reason.into(),
    }
}

fn check_elicitation(request: &InputRequest, answer: &JsonObject) -> Result<(), BadAnswer> {
    let accepted = match answer.get("action").and_then(Value::as_str) {
        Some("accept") => true,
        Some("decline" | "cancel") => false,
        _ => {
            return Err(bad(
                "action",
                "expected one of \"accept\", \"decline\", \"cancel\"",
            ));
        }
    };
    let params = request.params.as_ref();
    let schema = params
        .and_then(|params| params.get("requestedSchema"))
        .and_then(Value::as_object);
    let (true, Some(schema)) = (accepted, schema) else {
        return Ok(());
    };
    let content = match answer.get("content") {
        Some(Value::Object(content)) => content,
        Some(_) => return Err(bad("content", "expected an object")),
        None => return Err(bad("content", "an accepted form has content")),
    };
    form::check(schema, content).map_err(|reason| bad("content", reason))
}

fn check_sampling(answer: &JsonObject) -> Result<(), BadAnswer> {
    for name in ["role", "model"] {
        if !answer.get(name).is_some_and(Value::is_string) {
            return Err(bad(name, "expected a string"));
        }
    }
    match answer.get("content") {
        Some(Value::Object(_) | Value::Array(_)) => Ok(()),
        _ => Err(bad(
            "content",
            "expected a content block or an array of them",
        )),
    }
}

fn check_roots(answer: &JsonObject) -> Result<(), BadAnswer> {
    let roots = answer.get("roots").and_then(Value::as_array);
    let roots = roots.ok_or_else(|| bad("roots", "expected an array"))?;
    for (index, root) in roots.iter().enumerate() {
        if !root.get("uri").is_some_and(Value::is_string) {
            return Err(bad(&format!("roots[{index}].uri"), "expected a string"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(method: &str, params: Value) -> InputRequest {
        InputRequest {
            method: method.to_owned(),
            params: params.as_object().cloned(),
        }
    }

    fn form() -> InputRequest {
        let schema = json!({
            "type": "object",
            "properties": {"age": {"type": "integer", "minimum": 0}},
            "required": ["age"],
        });
        request(
            "elicitation/create",
            json!({"message": "?", "requestedSchema": schema}),
        )
    }

    #[test]
    fn an_answer_must_fit_the_form_it_answers() {
        let check = |answer: Value| check_answer(&form(), &answer).map_err(|bad| bad.to_string());
        assert_eq!(
            check(json!({"action": "accept", "content": {"age": 3}})),
            Ok(())
        );
        assert_eq!(check(json!({"action": "decline"})), Ok(()));
        assert_eq!(check(json!({"action": "cancel", "content": null})), Ok(()));
        for (answer, part) in [
            (json!([]), "expected an object"),
            (json!({}), "action: expected one of"),
            (json!({"action": "maybe"}), "action"),
            (json!({"action": "accept"}), "content"),
            (json!({"action": "accept", "content": []}), "content"),
            (
                json!({"action": "accept", "content": {}}),
                "content: `age` is missing",
            ),
            (
                json!({"action": "accept", "content": {"age": "3"}}),
                "content: `age`",
            ),
            (
                json!({"action": "accept", "content": {"age": -1}}),
                "content: `age`",
            ),
        ] {
            let error = check(answer.clone()).expect_err("must not fit");
            assert!(error.starts_with(part), "{answer}: {error}");
        }
    }

    #[test]
    fn answers_of_other_kinds_must_have_their_shape() {
        let sampling = request("sampling/createMessage", json!({}));
        let message =
            json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "x"}});
        assert_eq!(check_answer(&sampling, &message), Ok(()));
        assert!(check_answer(&sampling, &json!({"role": "assistant"})).is_err());
        let roots = request("roots/list", json!({}));
        assert_eq!(
            check_answer(&roots, &json!({"roots": [{"uri": "file:///a"}]})),
            Ok(())
        );
        let error = check_answer(&roots, &json!({"roots": [{}]})).expect_err("no uri");
        assert_eq!(error.path, "roots[0].uri");
    }

    /// covers: M-UPD-4
    #[test]
    fn only_declared_kinds_are_permitted_and_the_error_names_the_capability() {
        let url = request(
            "elicitation/create",
            json!({"mode": "url", "url": "https://x", "message": "?"}),
        );
        let tools = request(
            "sampling/createMessage",
            json!({"tools": [], "messages": [], "maxTokens": 1}),
        );
        let only_forms = InputKinds {
            form: true,
            ..InputKinds::default()
        };
        assert_eq!(only_forms.permit(&form()), Ok(()));
        assert_eq!(
            only_forms.permit(&url),
            Err(AskError::NotSupported("elicitation.url"))
        );
        let plain_sampling = InputKinds {
            sampling: true,
            ..InputKinds::default()
        };
        assert_eq!(
            plain_sampling.permit(&tools),
            Err(AskError::NotSupported("sampling.tools"))
        );
        assert_eq!(InputKinds::ALL.permit(&tools), Ok(()));
        assert_eq!(
            InputKinds::default().permit(&request("roots/list", json!({}))),
            Err(AskError::NotSupported("roots"))
        );
        assert!(matches!(
            InputKinds::ALL.permit(&request("ping", json!({}))),
            Err(AskError::Failed(_))
        ));
    }

    #[test]
    fn a_malformed_question_is_not_permitted() {
        let nameless = request("sampling/createMessage", json!({"messages": []}));
        let Err(AskError::Failed(reason)) = InputKinds::ALL.permit(&nameless) else {
            panic!("a question without `maxTokens` was permitted");
        };
        assert!(reason.contains("maxTokens"), "{reason}");
    }

    #[test]
    fn slots_are_the_same_in_every_run() {
        let run = || {
            let names = SlotNames::default();
            ["a", "b", "a", "a-2", "a"].map(|name| names.next(name))
        };
        assert_eq!(run(), ["a", "b", "a-2", "a-2-2", "a-3"]);
        assert_eq!(run(), run());
    }
}
