//! What is said of a value that breaks its schema.

use crate::tool::decode::{DecodeError, Item, Step, names, path_below};

/// Where a value breaks its schema, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::tool) struct Misfit {
    /// Innermost step first, as it travels outwards.
    path: Vec<Step>,
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Problem {
    /// The value is another than what was expected.
    Value {
        expected: Expected,
        got: String,
        /// Whether the value is at least of the right type.
        near: bool,
    },
    /// One of these members should be there.
    Missing {
        names: Vec<String>,
        expected: Option<Expected>,
    },
    /// This member should not.
    Unknown { name: String, known: Vec<String> },
}

/// What would have fitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Expected {
    /// In words.
    kinds: Vec<String>,
    /// Single values, as JSON.
    values: Vec<String>,
}

impl Expected {
    pub(super) fn kind(words: impl Into<String>) -> Self {
        Self {
            kinds: vec![words.into()],
            ..Self::default()
        }
    }

    pub(super) fn values<'v>(values: impl IntoIterator<Item = &'v serde_json::Value>) -> Self {
        Self {
            values: values.into_iter().map(ToString::to_string).collect(),
            ..Self::default()
        }
    }

    fn join(&mut self, other: Self) {
        take_new(&mut self.kinds, other.kinds);
        take_new(&mut self.values, other.values);
    }

    pub(super) fn text(&self) -> String {
        let mut parts = self.kinds.clone();
        match self.values.as_slice() {
            [] => {}
            [only] => parts.push(only.clone()),
            several => parts.push(format!("one of {}", several.join(", "))),
        }
        parts.join(" or ")
    }
}

fn take_new(all: &mut Vec<String>, more: Vec<String>) {
    for one in more {
        if !all.contains(&one) {
            all.push(one);
        }
    }
}

impl Misfit {
    fn new(problem: Problem) -> Self {
        Self {
            path: Vec::new(),
            problem,
        }
    }

    pub(super) fn value(expected: Expected, item: Item<'_>, near: bool) -> Self {
        Self::new(Problem::Value {
            expected,
            got: item.kind(),
            near,
        })
    }

    pub(super) fn missing(name: &str, expected: Option<Expected>) -> Self {
        Self::new(Problem::Missing {
            names: vec![name.to_owned()],
            expected,
        })
    }

    pub(super) fn unknown(name: &str, known: Vec<String>) -> Self {
        Self::new(Problem::Unknown {
            name: name.to_owned(),
            known,
        })
    }

    pub(super) fn within(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }

    /// How far a value got before it broke one of several schemas.
    fn nearness(&self) -> (usize, bool) {
        let near = !matches!(self.problem, Problem::Value { near: false, .. });
        (self.path.len(), near)
    }

    /// Of two schemas that a value breaks, one of which it should fit, what is to be said.
    pub(super) fn or(mut self, other: Self) -> Self {
        match self.nearness().cmp(&other.nearness()) {
            std::cmp::Ordering::Less => return other,
            std::cmp::Ordering::Greater => return self,
            std::cmp::Ordering::Equal => {}
        }
        if self.path == other.path {
            match (&mut self.problem, other.problem) {
                (
                    Problem::Value { expected, .. },
                    Problem::Value {
                        expected: other, ..
                    },
                ) => expected.join(other),
                (
                    Problem::Missing { names, expected },
                    Problem::Missing {
                        names: other_names,
                        expected: other,
                    },
                ) => {
                    match (expected.as_mut(), other) {
                        (Some(expected), Some(other)) if *names == other_names => {
                            expected.join(other);
                        }
                        _ => *expected = None,
                    }
                    take_new(names, other_names);
                }
                _ => {}
            }
        }
        self
    }

    /// Whether this says more than what decoding said of the same value.
    pub(in crate::tool) fn explains(&self, error: &DecodeError) -> bool {
        let deeper = self.path.len() > error.path().len();
        self.path.ends_with(error.path()) && (deeper || error.is_vague())
    }

    /// Whether this is a member of the root that should not be there.
    pub(in crate::tool) fn is_unknown_argument(&self) -> bool {
        self.path.is_empty() && matches!(self.problem, Problem::Unknown { .. })
    }

    /// One sentence on an argument; the caller knows it as `root`.
    pub(in crate::tool) fn describe(&self, root: &str) -> String {
        self.say("argument ", root)
    }

    /// One sentence on the result of a tool.
    pub(in crate::tool) fn describe_result(&self) -> String {
        no_such_number(self.say("", "result"))
    }

    fn say(&self, noun: &str, root: &str) -> String {
        let place = path_below(root, &self.path);
        let member = |name: &str| {
            let path = path_below(&place, &[Step::Key(name.to_owned())]);
            format!("`{path}`")
        };
        match &self.problem {
            Problem::Value { expected, got, .. } => {
                let expected = expected.text();
                if place.is_empty() {
                    format!("arguments: expected {expected}, got {got}")
                } else {
                    format!("{noun}`{place}`: expected {expected}, got {got}")
                }
            }
            Problem::Missing { names, expected } => {
                let names: Vec<String> = names.iter().map(|name| member(name)).collect();
                let expected = expected
                    .as_ref()
                    .map(|expected| format!(": expected {}", expected.text()));
                format!(
                    "{noun}{} is missing{}",
                    names.join(" or "),
                    expected.unwrap_or_default()
                )
            }
            Problem::Unknown { name, known } if known.is_empty() => {
                format!("unknown {noun}{}: there are none here", member(name))
            }
            Problem::Unknown { name, known } => {
                format!("unknown {noun}{}: known are {}", member(name), names(known))
            }
        }
    }
}

/// Says why a number of ours became null.
pub(in crate::tool) fn no_such_number(text: String) -> String {
    if text.ends_with("expected a number, got null") {
        text + "; JSON has no NaN and no infinity"
    } else {
        text
    }
}
