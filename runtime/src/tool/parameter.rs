//! The parameters of a tool function as values: each knows its type's schema and how to read it from a call.
//!
//! They hold function pointers, so that code that handles them is compiled once for each type, not for each tool.

use schemars::SchemaGenerator;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Ask, FromCall, StateKey, ToolArgument, ToolCall, ToolError,
    decode::{self, DecodeError, Kinds},
    fit::words_for,
    form::Form,
    schema,
};
use crate::JsonObject;

/// One argument of a tool, of type `T`.
pub struct Argument<T> {
    pub(super) name: &'static str,
    pub(super) schema: fn(&mut SchemaGenerator) -> JsonObject,
    pub(super) decode: fn(&Value) -> Result<T, DecodeError>,
    pub(super) kinds: fn() -> Kinds,
    pub(super) keywords: JsonObject,
    pub(super) default: Option<fn() -> T>,
    pub(super) fault: Option<String>,
    absent: fn() -> Option<T>,
}

/// An argument of this name.
pub fn argument<T: ToolArgument>(name: &'static str) -> Argument<T> {
    Argument {
        name,
        schema: schema::of_part::<T>,
        decode: decode::from_value::<T>,
        kinds: decode::kinds_of::<T>,
        keywords: JsonObject::new(),
        default: None,
        fault: None,
        absent: decode::from_nothing::<T>,
    }
}

impl<T> Argument<T> {
    /// Says what the argument is for.
    #[must_use]
    pub fn description(mut self, text: &str) -> Self {
        let text = schema::tidy(text);
        self.keywords.insert("description".to_owned(), json!(text));
        self
    }

    /// Adds keywords to the argument's schema, in place of those of the same name.
    #[must_use]
    pub fn schema(mut self, keywords: impl Into<Value>) -> Self {
        match keywords.into() {
            Value::Object(keywords) => self.keywords.extend(keywords),
            other => {
                self.fault = Some(format!(
                    "the schema of the argument `{}` is no object: {other}",
                    self.name
                ))
            }
        }
        self
    }

    /// Makes the argument optional, with this value when it is left out.
    #[must_use]
    pub fn default(mut self, value: fn() -> T) -> Self
    where
        T: DefaultValue,
    {
        match serde_json::to_value(value()) {
            Ok(shown) => drop(self.keywords.insert("default".to_owned(), shown)),
            Err(e) => {
                self.fault = Some(format!(
                    "the default of the argument `{}` is no JSON: {e}",
                    self.name
                ))
            }
        }
        self.default = Some(value);
        self
    }

    /// What is wrong with a schema whose `type` no value has that the argument's own type takes.
    pub(super) fn contradiction(&self, schema: &JsonObject) -> Option<String> {
        let said = Kinds::of_type(schema.get("type")?)?;
        let taken = (self.kinds)();
        if said.meet(taken) {
            return None;
        }
        let words = |kinds: Kinds| words_for(&kinds.to_type());
        Some(format!(
            "the schema of the argument `{}` says {}, and its type takes {}: no call that gives it could be right; leave `type` out of the \
             schema, or change one of the two",
            self.name,
            words(said),
            words(taken)
        ))
    }

    /// The value of an argument that is not there, if it can do without.
    pub(super) fn absent(&self) -> Option<T> {
        self.default
            .map_or_else(self.absent, |default| Some(default()))
    }
}

/// Types of arguments that can have a default.
#[diagnostic::on_unimplemented(
    message = "an argument of type `{Self}` cannot have a default",
    label = "its default cannot be shown to clients",
    note = "the default stands in the tool's schema: add `#[derive(serde::Serialize)]` to the type"
)]
pub trait DefaultValue: Serialize {}

#[diagnostic::do_not_recommend]
impl<T: Serialize> DefaultValue for T {}

/// All arguments of a tool as one type (`Args<T>`).
pub struct Arguments<T> {
    pub(super) schema: fn(&mut SchemaGenerator) -> JsonObject,
    pub(super) decode: fn(&JsonObject) -> Result<T, DecodeError>,
}

/// All arguments as `T`.
pub fn arguments<T: ToolArgument>() -> Arguments<T> {
    Arguments {
        schema: schema::of_part::<T>,
        decode: decode::from_object::<T>,
    }
}

/// A parameter that the user is asked for before the function runs (`#[ask]`).
pub struct Question<T> {
    pub(super) ask: Ask,
    pub(super) form: Result<Form, String>,
    decode: fn(&Value) -> Result<T, DecodeError>,
    decode_object: fn(&JsonObject) -> Result<T, DecodeError>,
    absent: fn() -> Option<T>,
}

/// A question of this key and text.
pub fn question<T: ToolArgument>(name: &str, message: impl Into<String>) -> Question<T> {
    let form = Form::of::<T>(name);
    let schema = form
        .as_ref()
        .map_or_else(|_| JsonObject::new(), |form| form.schema().clone());
    Question {
        ask: Ask {
            name: name.to_owned(),
            message: message.into(),
            schema,
            required: decode::from_nothing::<T>().is_none(),
        },
        form: form.map_err(|error| error.to_string()),
        decode: decode::from_value::<T>,
        decode_object: decode::from_object::<T>,
        absent: decode::from_nothing::<T>,
    }
}

impl<T> Question<T> {
    /// Reads the answer.
    pub(super) fn read(&self, answers: &JsonObject) -> Result<T, String> {
        let name = &self.ask.name;
        let form = self.form.as_ref().map_err(String::clone)?;
        match answers.get(name) {
            Some(Value::Object(content)) => form
                .read_as(content, self.decode, self.decode_object)
                .map_err(|error| {
                    format!("the answer to the question `{name}` does not fit: {error}")
                }),
            Some(_) => Err(format!("the answer to the question `{name}` is no object")),
            None => (self.absent)().ok_or_else(|| {
                format!("the question `{name}` was not answered, so the tool did not run")
            }),
        }
    }
}

/// A parameter taken from what surrounds the call: context, state, principal, extensions.
pub struct Extract<T> {
    pub(super) take: fn(&ToolCall) -> Result<T, ToolError>,
    pub(super) state: Option<StateKey>,
}

/// Takes a `T`.
pub fn extract<T: FromCall>() -> Extract<T> {
    Extract {
        take: T::from_call,
        state: T::state(),
    }
}

/// Types whose default can be written as a string.
#[diagnostic::on_unimplemented(
    message = "an argument of type `{Self}` cannot have a string as its default",
    label = "its default is a string",
    note = "write the default as a value of the type: `#[arg(default = 10)]`, `#[arg(default = Color::Red)]`, for an \
            `Option` `#[arg(default = Some(\"..\".into()))]`"
)]
pub trait FromText {
    /// The value.
    fn from_text(text: &'static str) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: From<&'static str>> FromText for T {
    fn from_text(text: &'static str) -> Self {
        Self::from(text)
    }
}

/// The value that a string stands for.
pub fn from_text<T: FromText>(text: &'static str) -> T {
    T::from_text(text)
}
