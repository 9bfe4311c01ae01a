//! What is counted and printed of a run.

use std::collections::BTreeMap;
use std::fmt;

use super::mutate::Fault;
use super::run::Verdict;

/// How the types and the validator disagree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Problem {
    /// A valid message is refused.
    RefusesValid,
    /// A valid message comes back as another value.
    NotEqual,
    /// An invalid message is accepted.
    AcceptsInvalid,
    /// The refusal does not name the member.
    PathNotNamed,
    /// The decoder panics.
    Panicked,
    /// There is no type of this name.
    NoType,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RefusesValid => "refuses a valid message",
            Self::NotEqual => "comes back as another value",
            Self::AcceptsInvalid => "accepts an invalid message",
            Self::PathNotNamed => "refuses without naming the member",
            Self::Panicked => "panics",
            Self::NoType => "has no Rust type",
        })
    }
}

/// One message on which the types and the validator disagree.
#[derive(Debug, Clone)]
pub struct Mismatch {
    /// The definition.
    pub definition: String,
    /// How they disagree.
    pub problem: Problem,
    /// The message, made as small as it goes.
    pub json: String,
    /// What the types said: an error, or the text again.
    pub got: String,
    /// What the validator said.
    pub reason: String,
    /// The path that the error was expected to name.
    pub expected: Option<String>,
}

/// What a run found.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// The document.
    pub name: String,
    /// Valid messages tried, declared deviations not counted.
    pub valid: usize,
    /// Of these: accepted.
    pub accepted: usize,
    /// Of these: back as an equal value.
    pub equal: usize,
    /// Invalid messages tried, declared deviations not counted.
    pub invalid: usize,
    /// Of these: refused.
    pub refused: usize,
    /// Of these: with the member's path in the error.
    pub named: usize,
    /// Mutants that are valid after all; they count as valid messages.
    pub still_valid: usize,
    /// Invalid messages by kind of fault.
    pub faults: BTreeMap<Fault, usize>,
    /// Declared deviations, by name.
    pub declared: BTreeMap<String, usize>,
    /// Definitions without a Rust type.
    pub without_type: Vec<String>,
    /// Samples that the validator refused: mistakes of the sampler (definition, text, reason).
    pub bad_samples: Vec<(String, String, String)>,
    /// All disagreements.
    pub mismatches: Vec<Mismatch>,
}

impl Report {
    /// An empty report about a document.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            ..Self::default()
        }
    }

    /// Counts one message.
    pub fn count(&mut self, is_valid: bool, verdict: &Verdict) {
        let problem = match verdict {
            Verdict::Declared(name) => {
                *self.declared.entry(name.clone()).or_default() += 1;
                return;
            }
            Verdict::Agrees => None,
            Verdict::Mismatch(problem, _) => Some(*problem),
        };
        if is_valid {
            self.valid += 1;
            self.accepted += usize::from(matches!(problem, None | Some(Problem::NotEqual)));
            self.equal += usize::from(problem.is_none());
        } else {
            self.invalid += 1;
            self.refused += usize::from(matches!(problem, None | Some(Problem::PathNotNamed)));
            self.named += usize::from(problem.is_none());
        }
    }

    /// Whether everything agrees.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.mismatches.is_empty() && self.without_type.is_empty() && self.bad_samples.is_empty()
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    #[allow(clippy::cast_precision_loss)] // counts are small
    let share = part as f64 * 100.0 / whole.max(1) as f64;
    share
}

const SHOWN_PER_DEFINITION: usize = 3;
const SHOWN_BYTES: usize = 1500;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{}: valid {} (accepted {:.2} %, equal {:.2} %), invalid {} (refused {:.2} %, named {:.2} %)",
            self.name,
            self.valid,
            percent(self.accepted, self.valid),
            percent(self.equal, self.valid),
            self.invalid,
            percent(self.refused, self.invalid),
            percent(self.named, self.invalid),
        )?;
        let faults: Vec<_> = self
            .faults
            .iter()
            .map(|(fault, n)| format!("{fault:?} {n}"))
            .collect();
        writeln!(
            f,
            "  faults: {}; mutants still valid: {}",
            faults.join(", "),
            self.still_valid
        )?;
        for (name, count) in &self.declared {
            writeln!(f, "  declared deviation, counted apart: {name}: {count}")?;
        }
        if !self.without_type.is_empty() {
            writeln!(f, "  without a Rust type: {}", self.without_type.join(", "))?;
        }
        for (definition, text, reason) in self.bad_samples.iter().take(5) {
            writeln!(
                f,
                "  sampler's mistake in {definition}: {}\n    {reason}",
                cut(text, SHOWN_BYTES)
            )?;
        }
        let mut groups: BTreeMap<(&str, Problem), Vec<&Mismatch>> = BTreeMap::new();
        for mismatch in &self.mismatches {
            groups
                .entry((&mismatch.definition, mismatch.problem))
                .or_default()
                .push(mismatch);
        }
        for ((definition, problem), all) in groups {
            writeln!(f, "  {definition} {problem} ({} times)", all.len())?;
            let mut shown: Vec<&str> = Vec::new();
            for mismatch in all {
                if shown.len() < SHOWN_PER_DEFINITION && !shown.contains(&mismatch.json.as_str()) {
                    shown.push(&mismatch.json);
                    writeln!(f, "    json:      {}", cut(&mismatch.json, SHOWN_BYTES))?;
                    writeln!(f, "    validator: {}", mismatch.reason)?;
                    if let Some(path) = &mismatch.expected {
                        writeln!(f, "    path:      {path:?}")?;
                    }
                    writeln!(f, "    types:     {}", cut(&mismatch.got, SHOWN_BYTES))?;
                }
            }
        }
        Ok(())
    }
}

/// The first `most` bytes of a text, or a little less, and how long it is.
pub(super) fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most)
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0);
    format!("{}... ({} bytes)", &text[..end], text.len())
}
