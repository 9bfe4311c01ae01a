//! What is said of a value that does not fit: where it is, what was expected, and the kind of what was there.

use std::fmt;

use serde::de::{self, Unexpected};

use super::Item;

/// What does not fit, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DecodeError {
    /// Innermost step first, as the error travels outwards.
    path: Vec<Step>,
    message: String,
    /// Whether the message leaves out what was expected.
    vague: bool,
    /// Whether the message leaves out what was there.
    bare: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tool) enum Step {
    Key(String),
    Index(usize),
}

impl DecodeError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self {
            path: Vec::new(),
            message: message.into(),
            vague: false,
            bare: false,
        }
    }

    /// Says that more could be said of what was expected.
    pub(super) fn vaguely(self) -> Self {
        Self {
            vague: true,
            ..self
        }
    }

    pub(super) fn expected(what: impl fmt::Display, item: Item<'_>) -> Self {
        Self::new(format!("expected {what}, got {}", item.kind()))
    }

    /// Adds what was there, if a type of the user's or of the standard library has judged it and does not say so.
    pub(super) fn of(mut self, item: Item<'_>) -> Self {
        let told = !self.bare || !self.path.is_empty() || self.message.contains("got ");
        if !told && item.is_plain() {
            self.message = format!("{}, got {}", self.message, item.kind());
        }
        self.bare = false;
        self
    }

    pub(super) fn within(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }

    /// What does not fit.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// Where, innermost step first.
    pub(in crate::tool) fn path(&self) -> &[Step] {
        &self.path
    }

    /// Whether the message leaves out what was expected.
    pub(in crate::tool) fn is_vague(&self) -> bool {
        self.vague
    }

    /// Where, below `root`: `items[2].count`.
    pub(crate) fn path_below(&self, root: &str) -> String {
        path_below(root, &self.path)
    }
}

/// `root.items[2].count`, of steps of which the innermost comes first.
pub(in crate::tool) fn path_below(root: &str, path: &[Step]) -> String {
    let mut text = root.to_owned();
    for step in path.iter().rev() {
        match step {
            Step::Index(index) => text.push_str(&format!("[{index}]")),
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => {
                text.push('.');
                text.push_str(key);
            }
        }
    }
    text
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
        let message = message.to_string();
        let error = Self::new(&message);
        if is_of_serde(&message) {
            error.vaguely()
        } else {
            Self {
                bare: true,
                ..error
            }
        }
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        let expected = expected.to_string();
        let error = Self::new(format!("expected {expected}, got {}", kind_of(&unexpected)));
        if is_of_serde(&expected) {
            error.vaguely()
        } else {
            error
        }
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
        Self::new(format!("the field `{field}` is missing")).vaguely()
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new(format!("the field `{field}` is given twice"))
    }
}

/// Whether serde's derived code said this, in the words of Rust.
fn is_of_serde(text: &str) -> bool {
    const BEGINNINGS: [&str; 10] = [
        "a nonzero ",
        "adjacently tagged enum",
        "data did not match any variant",
        "enum ",
        "internally tagged enum",
        "no variant of enum",
        "struct ",
        "tuple ",
        "unit ",
        "variant ",
    ];
    BEGINNINGS
        .iter()
        .any(|beginning| text.starts_with(beginning))
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

/// A string of the caller, shortened.
pub(super) fn text_kind(text: &str) -> String {
    const SHOWN: usize = 40;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("the string {:?}, shortened", &text[..end]),
        None => format!("the string {text:?}"),
    }
}
