//! What is wrong with the arguments of a call, one line an argument.

use serde_json::Value;

use super::{
    ToolError,
    decode::{DecodeError, Step, names},
    fit::{self, Misfit},
};
use crate::JsonObject;

pub(super) type Check<V> = Box<dyn Fn(&V) -> Result<(), DecodeError> + Send + Sync>;

/// Unknown arguments that are told; a call may have any number of them.
const MOST_UNKNOWN: usize = 10;

/// What is checked of one argument.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) expects: Option<String>,
    pub(super) optional: bool,
    pub(super) has_default: bool,
    pub(super) check: Check<Value>,
}

impl Field {
    /// What is wrong with the argument's value.
    pub(super) fn problem(&self, root: &JsonObject, value: &Value) -> Option<String> {
        let misfit = property(root, self.name).and_then(|schema| fit::find(root, schema, value));
        problem(self.name, (self.check)(value).err(), misfit)
    }
}

/// `Args<T>`.
pub(super) struct Whole {
    pub(super) root: JsonObject,
    pub(super) check: Check<JsonObject>,
}

pub(super) enum Checks {
    Fields(Vec<Field>),
    Whole {
        known: Option<Vec<String>>,
        check: Check<JsonObject>,
    },
}

impl Checks {
    fn knows(&self, name: &str) -> bool {
        match self {
            Self::Fields(fields) => fields.iter().any(|field| field.name == name),
            Self::Whole { known, .. } => known
                .as_ref()
                .is_none_or(|known| known.iter().any(|k| k == name)),
        }
    }

    fn known(&self) -> String {
        match self {
            Self::Fields(fields) => {
                names(&fields.iter().map(|field| field.name).collect::<Vec<_>>())
            }
            Self::Whole { known, .. } => names(known.as_deref().unwrap_or_default()),
        }
    }

    fn unknown(&self, arguments: &JsonObject, problems: &mut Vec<String>) {
        let mut unknown = arguments.keys().filter(|name| !self.knows(name));
        let known = match self.known() {
            known if known.is_empty() => "this tool takes none".to_owned(),
            known => format!("known are {known}"),
        };
        let told = unknown.by_ref().take(MOST_UNKNOWN);
        problems.extend(told.map(|name| format!("unknown argument `{name}`: {known}")));
        match unknown.count() {
            0 => {}
            more => problems.push(format!("and {more} more that are unknown")),
        }
    }

    pub(super) fn problems(&self, root: &JsonObject, arguments: &JsonObject) -> Vec<String> {
        let mut problems = Vec::new();
        match self {
            Self::Fields(fields) => {
                for field in fields {
                    match arguments.get(field.name) {
                        None if field.optional => {}
                        None => problems.push(missing(field.name, field.expects.as_deref())),
                        Some(value) => problems.extend(field.problem(root, value)),
                    }
                }
            }
            Self::Whole { check, .. } => {
                let misfit = fit::find_in_arguments(root, arguments);
                // Those are all told below.
                let misfit = misfit.filter(|misfit| !misfit.is_unknown_argument());
                let unknown = |error: &DecodeError| matches!(error.path(), [Step::Key(name)] if !self.knows(name));
                let error = check(arguments).err().filter(|error| !unknown(error));
                problems.extend(problem("", error, misfit));
            }
        }
        self.unknown(arguments, &mut problems);
        problems
    }
}

/// What is wrong with a value, of what decoding said and of how it breaks its schema.
fn problem(name: &str, error: Option<DecodeError>, misfit: Option<Misfit>) -> Option<String> {
    match (error, misfit) {
        (Some(error), Some(misfit)) if misfit.explains(&error) => Some(misfit.describe(name)),
        (Some(error), _) => Some(unreadable(name, &error)),
        (None, misfit) => misfit.map(|misfit| misfit.describe(name)),
    }
}

pub(super) fn missing(name: &str, expects: Option<&str>) -> String {
    match expects {
        None => format!("argument `{name}` is missing"),
        Some(expects) => format!("argument `{name}` is missing: expected {expects}"),
    }
}

pub(super) fn unreadable(name: &str, error: &DecodeError) -> String {
    match error.path_below(name) {
        path if path.is_empty() => format!("arguments: {}", error.message()),
        path => format!("argument `{path}`: {}", error.message()),
    }
}

pub(super) fn refusal(problems: Vec<String>) -> Option<ToolError> {
    (!problems.is_empty()).then(|| ToolError::new(problems.join("\n")))
}

pub(super) fn property<'s>(root: &'s JsonObject, name: &str) -> Option<&'s Value> {
    root.get("properties")?.get(name)
}
