//! Asking the client: forms, links, its model, its directories.

use std::{
    future::{Future, IntoFuture},
    marker::PhantomData,
    pin::Pin,
};

use serde_json::{Value, json};

use super::{AskError, InputRequest, TaskContext};
use crate::{
    JsonObject,
    tool::{ToolArgument, ToolError, form::Form},
    types::ext_tasks::methods::{ElicitationCreate, Method, RootsList, SamplingCreateMessage},
};

/// What a person did with a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elicited<T> {
    /// Answered it.
    Accepted(T),
    /// Said no.
    Declined,
    /// Closed it without an answer.
    Cancelled,
}

impl<T> Elicited<T> {
    /// The answer, if there is one.
    pub fn accepted(self) -> Option<T> {
        match self {
            Self::Accepted(value) => Some(value),
            Self::Declined | Self::Cancelled => None,
        }
    }

    /// The answer, or a tool error that says that there is none.
    ///
    /// # Errors
    /// When the question was declined or closed.
    pub fn required(self) -> Result<T, ToolError> {
        match self {
            Self::Accepted(value) => Ok(value),
            Self::Declined => Err(ToolError::new("the question was declined")),
            Self::Cancelled => Err(ToolError::new("the question was closed without an answer")),
        }
    }

    /// The same outcome with another answer.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Elicited<U> {
        match self {
            Self::Accepted(value) => Elicited::Accepted(f(value)),
            Self::Declined => Elicited::Declined,
            Self::Cancelled => Elicited::Cancelled,
        }
    }
}

/// A question about to be asked; `.await` asks it.
#[must_use = "a question is asked by awaiting it"]
pub struct Question<'a, R> {
    context: &'a TaskContext,
    name: String,
    request: Result<InputRequest, AskError>,
    read: Reader<R>,
}

type Reader<R> = Box<dyn FnOnce(Value) -> Result<R, AskError> + Send>;

/// A form about to be shown; `.await` shows it.
#[must_use = "a form is shown by awaiting it"]
pub struct Elicit<'a, T> {
    context: &'a TaskContext,
    name: String,
    message: String,
    answer: PhantomData<fn() -> T>,
}

impl<R> Question<'_, R> {
    /// Gives the question a name: its key on the wire. Without one, questions are named by kind and counted. A named
    /// question keeps its answer over a restart even when questions before it come and go.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

impl<T> Elicit<'_, T> {
    /// As [`Question::named`].
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }
}

type Asking<'a, R> = Pin<Box<dyn Future<Output = Result<R, AskError>> + Send + 'a>>;

impl<'a, R: 'a> IntoFuture for Question<'a, R> {
    type Output = Result<R, AskError>;
    type IntoFuture = Asking<'a, R>;

    fn into_future(self) -> Self::IntoFuture {
        let Self {
            context,
            name,
            request,
            read,
        } = self;
        Box::pin(async move { read(context.backend.ask(&name, request?).await?) })
    }
}

impl<'a, T: ToolArgument> IntoFuture for Elicit<'a, T> {
    type Output = Result<Elicited<T>, AskError>;
    type IntoFuture = Asking<'a, Elicited<T>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let form = Form::of::<T>(VALUE).map_err(|error| AskError::Failed(error.to_string()))?;
            let request = form_request(&self.message, form.schema().clone());
            let answer = self.context.backend.ask(&self.name, request).await?;
            match elicited(answer)? {
                Elicited::Accepted(content) => form
                    .read::<T>(&content)
                    .map(Elicited::Accepted)
                    .map_err(|error| {
                        AskError::Failed(format!("the client's answer does not fit: {error}"))
                    }),
                Elicited::Declined => Ok(Elicited::Declined),
                Elicited::Cancelled => Ok(Elicited::Cancelled),
            }
        })
    }
}

/// The member of a form that asks for a single value.
const VALUE: &str = "value";

fn form_request(message: &str, schema: JsonObject) -> InputRequest {
    let mut params = JsonObject::new();
    params.insert("mode".to_owned(), json!("form"));
    params.insert("message".to_owned(), json!(message));
    params.insert("requestedSchema".to_owned(), Value::Object(schema));
    InputRequest {
        method: ElicitationCreate::NAME.to_owned(),
        params: Some(params),
    }
}

/// Reads an `ElicitResult`.
fn elicited(answer: Value) -> Result<Elicited<JsonObject>, AskError> {
    let Value::Object(mut answer) = answer else {
        return Err(odd("an object"));
    };
    match answer.get("action").and_then(Value::as_str) {
        Some("accept") => match answer.remove("content") {
            Some(Value::Object(content)) => Ok(Elicited::Accepted(content)),
            None | Some(Value::Null) => Ok(Elicited::Accepted(JsonObject::new())),
            Some(_) => Err(odd("`content` to be an object")),
        },
        Some("decline") => Ok(Elicited::Declined),
        Some("cancel") => Ok(Elicited::Cancelled),
        _ => Err(odd("`action` to be accept, decline or cancel")),
    }
}

fn odd(expected: &str) -> AskError {
    AskError::Failed(format!(
        "the client's answer makes no sense: expected {expected}"
    ))
}

impl TaskContext {
    /// Shows a person a form for a `T`: a struct of strings, numbers, booleans and choices, or one such value.
    ///
    /// ```
    /// # use mcp_tasks::{TaskContext, ToolError};
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Address {
    ///     /// Street and number
    ///     street: String,
    ///     express: bool,
    /// }
    ///
    /// async fn ship(ctx: TaskContext) -> Result<String, ToolError> {
    ///     let to = ctx.elicit::<Address>("Where to?").await?.required()?;
    ///     let sure = ctx.elicit::<bool>("Really?").named("sure").await?;
    ///     Ok(format!("to {}: {:?}", to.street, sure.accepted()))
    /// }
    /// ```
    ///
    /// # Errors
    /// [`AskError`]; a `T` that nests cannot be asked for.
    pub fn elicit<T: ToolArgument>(&self, message: impl Into<String>) -> Elicit<'_, T> {
        Elicit {
            context: self,
            name: "elicitation".to_owned(),
            message: message.into(),
            answer: PhantomData,
        }
    }

    /// Shows a form whose `requestedSchema` you write yourself.
    pub fn elicit_raw(
        &self,
        message: &str,
        requested_schema: JsonObject,
    ) -> Question<'_, Elicited<JsonObject>> {
        self.question(
            "elicitation",
            Ok(form_request(message, requested_schema)),
            elicited,
        )
    }

    /// Asks a person to open a link. Accepting it says that the link was opened, not that what is behind it is done.
    pub fn elicit_url(&self, message: &str, url: &str) -> Question<'_, Elicited<()>> {
        let mut params = JsonObject::new();
        params.insert("mode".to_owned(), json!("url"));
        params.insert("message".to_owned(), json!(message));
        params.insert("url".to_owned(), json!(url));
        let request = InputRequest {
            method: ElicitationCreate::NAME.to_owned(),
            params: Some(params),
        };
        self.question("elicitation", Ok(request), |answer| {
            elicited(answer).map(|elicited| elicited.map(drop))
        })
    }

    /// Has the client's model write a message. Params and result are those of `sampling/createMessage`: anything that is
    /// an object as JSON, such as the generated types.
    ///
    /// # Errors
    /// [`AskError`]; params that are no object.
    pub fn sample(&self, params: impl serde::Serialize) -> Question<'_, JsonObject> {
        let request = match serde_json::to_value(params) {
            Ok(Value::Object(params)) => Ok(InputRequest {
                method: SamplingCreateMessage::NAME.to_owned(),
                params: Some(params),
            }),
            Ok(_) => Err(AskError::Failed(
                "the params of a model call are an object".to_owned(),
            )),
            Err(error) => Err(AskError::Failed(format!("the params are no JSON: {error}"))),
        };
        self.question("sampling", request, |answer| match answer {
            Value::Object(message) => Ok(message),
            _ => Err(odd("an object")),
        })
    }

    /// The URIs of the directories that the client works with.
    pub fn roots(&self) -> Question<'_, Vec<String>> {
        let request = InputRequest {
            method: RootsList::NAME.to_owned(),
            params: None,
        };
        self.question("roots", Ok(request), |answer| {
            let uri = |root: &Value| root.get("uri").and_then(Value::as_str).map(str::to_owned);
            let roots = answer.get("roots").and_then(Value::as_array);
            let uris = roots.and_then(|roots| roots.iter().map(uri).collect::<Option<Vec<_>>>());
            uris.ok_or_else(|| odd("`roots` with a `uri` each"))
        })
    }

    fn question<R>(
        &self,
        name: &str,
        request: Result<InputRequest, AskError>,
        read: impl FnOnce(Value) -> Result<R, AskError> + Send + 'static,
    ) -> Question<'_, R> {
        Question {
            context: self,
            name: name.to_owned(),
            request,
            read: Box::new(read),
        }
    }
}
