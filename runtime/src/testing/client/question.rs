//! What a server asks of its client, and where the answers come from.

use std::{collections::VecDeque, sync::Arc};

use serde::Deserialize;
use serde_json::{Value, json};

use crate::{JsonObject, server::rpc::RequestId, types::v2026_07_28::InputRequest};

use super::ClientError;

/// A question of the server: a form, a web page, a message for the model, the roots.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// Names the question among those of its task or call. In the legacy era it is the id of the server's request.
    pub key: String,
    /// The task that asks; `None` for a call without one.
    pub task: Option<String>,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The params as they came.
    pub params: JsonObject,
    /// The same, decoded.
    pub request: InputRequest,
}

impl Question {
    pub(super) fn read(
        key: String,
        task: Option<String>,
        request: &Value,
    ) -> Result<Self, ClientError> {
        let method = request["method"].as_str().unwrap_or_default().to_owned();
        let params = request["params"].as_object().cloned().unwrap_or_default();
        let request = InputRequest::deserialize(request)
            .map_err(|error| ClientError::unreadable(&method, error))?;
        Ok(Self {
            key,
            task,
            method,
            params,
            request,
        })
    }

    /// What the user is asked, where it is a user that is asked.
    pub fn message(&self) -> Option<&str> {
        self.params.get("message").and_then(Value::as_str)
    }
}

type Responder = Arc<dyn Fn(&Question) -> Option<Value> + Send + Sync>;

/// Answers in store: first those in line, then whatever a closure knows.
#[derive(Default)]
pub(super) struct Answers {
    line: VecDeque<Value>,
    responder: Option<Responder>,
}

impl Answers {
    pub(super) fn push(&mut self, answer: Value) {
        self.line.push_back(answer);
    }

    pub(super) fn respond_with(&mut self, responder: Responder) {
        self.responder = Some(responder);
    }

    /// The answer in line; else what to ask for one, which must not happen under a lock.
    pub(super) fn take(&mut self) -> Result<Value, Option<Responder>> {
        self.line.pop_front().ok_or_else(|| self.responder.clone())
    }
}

/// A question of a legacy server that has no answer yet.
pub(super) struct Held {
    pub(super) id: RequestId,
    pub(super) question: Question,
}

/// A form that is accepted with this content.
pub(super) fn accepted(content: Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// A form that is declined.
pub(super) fn declined() -> Value {
    json!({"action": "decline"})
}
