//! What is said of a value that does not fit: where it is, what was expected, and the kind of what was there.

use std::fmt;

use serde::de::{self, Unexpected};
use serde_json::Value;

use super::Item;

/// What does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodeError {
    /// Innermost step first, as the error travels outwards.
    path: Vec<Step>,
    message: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

impl DecodeError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            message: message.into(),
        }
    }

    pub(super) fn expected(what: impl fmt::Display, item: Item<'_>) -> Self {
        Self::new(format!("expected {what}, got {}", item.kind()))
    }

    pub(super) fn within(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }

    /// What does not fit.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Where, below `root`: `items[2].count`.
    pub(crate) fn path_below(&self, root: &str) -> String {
        let mut path = root.to_owned();
        for step in self.path.iter().rev() {
            match step {
                Step::Index(index) => path.push_str(&format!("[{index}]")),
                Step::Key(key) if path.is_empty() => path.push_str(key),
                Step::Key(key) => {
                    path.push('.');
                    path.push_str(key);
                }
            }
        }
        path
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path_below("");
        if path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{path}`: {}", self.message)
        }
    }
}

impl std::error::Error for DecodeError {}

impl de::Error for DecodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::new(format!("expected {expected}, got {}", kind_of(&unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::invalid_type(unexpected, expected)
    }

    fn invalid_length(length: usize, expected: &dyn de::Expected) -> Self {
        Self::new(format!("expected {expected}, got {length} elements"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!(
            "expected {}, got the string {variant:?}",
            one_of(expected)
        ))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        match expected {
            [] => Self::new(format!("unknown field `{field}`; there are no fields")),
            _ => Self::new(format!(
                "unknown field `{field}`; known are {}",
                names(expected)
            )),
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(format!("the field `{field}` is missing"))
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("the field `{field}` is given twice"))
    }
}

/// `a`, `b`, `c`
pub(crate) fn names<S: AsRef<str>>(names: &[S]) -> String {
    let quoted: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.as_ref()))
        .collect();
    quoted.join(", ")
}

pub(super) fn one_of(variants: &[&str]) -> String {
    let quoted: Vec<String> = variants.iter().map(|name| format!("{name:?}")).collect();
    match quoted.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", quoted.join(", ")),
    }
}

fn kind_of(unexpected: &Unexpected<'_>) -> String {
    match unexpected {
        Unexpected::Bool(value) => format!("the boolean {value}"),
        Unexpected::Unsigned(value) => format!("the number {value}"),
        Unexpected::Signed(value) => format!("the number {value}"),
        Unexpected::Float(value) => format!("the number {value}"),
        Unexpected::Char(value) => format!("the string {:?}", value.to_string()),
        Unexpected::Str(value) => text_kind(value),
        Unexpected::Unit | Unexpected::Option => "null".to_owned(),
        Unexpected::Seq | Unexpected::TupleVariant => "an array".to_owned(),
        Unexpected::Map | Unexpected::StructVariant => "an object".to_owned(),
        other => other.to_string(),
    }
}

/// What a value is, in a few words.
pub(in crate::tool) fn kind_of_value(value: &Value) -> String {
    Item::Value(value).kind()
}

/// A string of the caller, shortened.
pub(super) fn text_kind(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("the string {:?}, shortened", &text[..end]),
        None => format!("the string {text:?}"),
    }
}
