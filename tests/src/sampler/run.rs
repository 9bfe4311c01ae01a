//! The loop: for every definition, valid messages and mutants go to the decoder
//! under test and to the oracle, and what they disagree on is kept.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};

use fastrand::Rng;
use serde_json::Value;

use super::json::{Equality, compare};
use super::mutate::{Fault, mutate};
use super::oracle::Oracle;
use super::relax::{Limit, Relaxation, relax};
use super::report::{Mismatch, Problem, Report};
use super::schema::Document;
use super::shrink::shrink;
use super::spell::spell;
use super::valid::{Step, sample};

/// The decoder under test: definition and text in; no type of that name, an error, or the text again.
pub type Reencode<'f> = &'f dyn Fn(&str, &str) -> Option<Result<String, String>>;

/// How much to try, and where deviations are declared.
#[derive(Debug, Clone)]
pub struct Plan {
    /// Start of all randomness; the same seed makes the same messages.
    pub seed: u64,
    /// Valid messages a definition.
    pub valid: usize,
    /// Mutants a definition.
    pub mutants: usize,
    /// Only this definition.
    pub only: Option<String>,
    /// Places where more is accepted than the schema says.
    pub relaxations: Vec<Relaxation>,
    /// Numbers that are not held exactly.
    pub limits: Vec<Limit>,
}

/// Mismatches of one kind in one definition that are worth the work.
const SHRUNK_PER_DEFINITION: usize = 3;
/// Messages to try on the way to a minimal one.
const TRIES: usize = 600;

/// Runs the plan over one document.
pub fn run(document: &Document, plan: &Plan, reencode: Reencode<'_>) -> Report {
    let relaxed = relax(document, &plan.relaxations);
    let judge = Judge {
        oracle: Oracle::new(document),
        relaxed: relaxed
            .as_ref()
            .map(|(name, document)| (name.as_str(), Oracle::new(document))),
        limits: &plan.limits,
        reencode,
    };
    let mut report = Report::new(&document.name);
    for definition in document.names() {
        if plan.only.as_ref().is_none_or(|only| only == definition) {
            one(document, definition, plan, &judge, &mut report);
        }
    }
    report
}

/// What is tried on one definition.
struct Trial<'a, 'd, 'f> {
    definition: &'a str,
    judge: &'a Judge<'d, 'f>,
    report: &'a mut Report,
    rng: Rng,
    seen: HashSet<u64>,
    valid: usize,
    mutants: usize,
    shrunk: HashMap<Problem, usize>,
}

fn hash(what: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn one(
    document: &Document,
    definition: &str,
    plan: &Plan,
    judge: &Judge<'_, '_>,
    report: &mut Report,
) {
    if (judge.reencode)(definition, "null").is_none() {
        report.without_type.push(definition.to_owned());
        return;
    }
    let rng = Rng::with_seed(hash((plan.seed, &document.name, definition)));
    let (seen, shrunk) = (HashSet::new(), HashMap::new());
    let mut trial = Trial {
        definition,
        judge,
        report,
        rng,
        seen,
        valid: 0,
        mutants: 0,
        shrunk,
    };
    // Small definitions have few different messages: stop when nothing new comes up.
    for _ in 0..4 * plan.valid.max(plan.mutants) {
        if trial.valid >= plan.valid && trial.mutants >= plan.mutants {
            break;
        }
        let sample = sample(document, definition, &mut trial.rng);
        let mutants = if trial.mutants < plan.mutants { 2 } else { 0 };
        // One fault only: a huge integer is another reason to refuse.
        let mut tame = sample.clone();
        tame_integers(&mut tame.value);
        for _ in 0..mutants {
            if let Some(mutant) = mutate(document, &tame, &mut trial.rng) {
                trial.message(mutant.value, Some((mutant.fault, mutant.expected)));
            }
        }
        trial.message(sample.value, None);
    }
}

impl Trial<'_, '_, '_> {
    /// Tries one message, unless it was there before: a valid one, or one with a fault that an error should name.
    fn message(&mut self, value: Value, mutation: Option<(Fault, Vec<Step>)>) {
        if !self.seen.insert(hash(value.to_string())) {
            return;
        }
        let text = spell(&value, &mut self.rng);
        let (definition, oracle) = (self.definition, &self.judge.oracle);
        let is_valid = oracle.accepts(definition, &value);
        match &mutation {
            None if !is_valid => {
                let reason = oracle.reason(definition, &value);
                self.report
                    .bad_samples
                    .push((definition.to_owned(), text, reason));
                return;
            }
            None => self.valid += 1,
            Some(_) if is_valid => self.report.still_valid += 1,
            Some((fault, _)) => {
                self.mutants += 1;
                *self.report.faults.entry(*fault).or_default() += 1;
            }
        }
        let expected = mutation.map(|(_, expected)| expected).filter(|_| !is_valid);
        let verdict = self
            .judge
            .verdict(definition, &text, &value, expected.as_deref());
        self.report.count(is_valid, &verdict);
        if let Verdict::Mismatch(problem, got) = verdict {
            let mismatch = Mismatch {
                definition: definition.to_owned(),
                problem,
                json: text,
                got,
                reason: oracle.reason(definition, &value),
                expected: expected.map(|steps| dotted(&steps)),
            };
            let shrunk = self.shrunk.entry(problem).or_default();
            *shrunk += 1;
            let worth_it = *shrunk <= SHRUNK_PER_DEFINITION;
            let mismatch = if worth_it {
                self.judge.minimal(mismatch, value)
            } else {
                mismatch
            };
            self.report.mismatches.push(mismatch);
        }
    }
}

/// What came of one message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The types and the validator agree.
    Agrees,
    /// They disagree as declared.
    Declared(String),
    /// They disagree: how, and what the types said.
    Mismatch(Problem, String),
}

struct Judge<'d, 'f> {
    oracle: Oracle<'d>,
    relaxed: Option<(&'d str, Oracle<'d>)>,
    limits: &'d [Limit],
    reencode: Reencode<'f>,
}

impl Judge<'_, '_> {
    fn verdict(
        &self,
        definition: &str,
        text: &str,
        value: &Value,
        expected: Option<&[Step]>,
    ) -> Verdict {
        let result = catch_unwind(AssertUnwindSafe(|| (self.reencode)(definition, text)));
        let valid = self.oracle.accepts(definition, value);
        match result {
            Err(_) => Verdict::Mismatch(Problem::Panicked, String::new()),
            Ok(None) => Verdict::Mismatch(Problem::NoType, String::new()),
            Ok(Some(Ok(again))) => {
                let equality = compare(text, &again);
                match (valid, equality) {
                    (true, Equality::Equal) => Verdict::Agrees,
                    (true, Equality::NearestDouble)
                        if self.limits.contains(&Limit::NumbersPast53Bits) =>
                    {
                        Verdict::Declared(Limit::NumbersPast53Bits.name().to_owned())
                    }
                    (true, _) => Verdict::Mismatch(Problem::NotEqual, again),
                    (false, _) => match &self.relaxed {
                        Some((name, oracle))
                            if equality != Equality::Different
                                && oracle.accepts(definition, value) =>
                        {
                            Verdict::Declared((*name).to_owned())
                        }
                        _ => Verdict::Mismatch(Problem::AcceptsInvalid, again),
                    },
                }
            }
            Ok(Some(Err(error))) if valid => self.refusal(definition, value, error),
            Ok(Some(Err(error))) => match expected {
                Some(path) if !names_path(&error, path) => {
                    Verdict::Mismatch(Problem::PathNotNamed, error)
                }
                _ => Verdict::Agrees,
            },
        }
    }

    /// A valid message was refused: as declared, when it passes with its huge integers made small.
    fn refusal(&self, definition: &str, value: &Value, error: String) -> Verdict {
        let mut tame = value.clone();
        if self.limits.contains(&Limit::IntegersPast64Bits) && tame_integers(&mut tame) {
            let again = (self.reencode)(definition, &tame.to_string());
            if again.is_some_and(|result| result.is_ok()) {
                return Verdict::Declared(Limit::IntegersPast64Bits.name().to_owned());
            }
        }
        Verdict::Mismatch(Problem::RefusesValid, error)
    }

    /// The same mismatch in a smaller message.
    fn minimal(&self, mismatch: Mismatch, value: Value) -> Mismatch {
        let Mismatch {
            definition,
            problem,
            ..
        } = &mismatch;
        if *problem == Problem::PathNotNamed {
            return mismatch;
        }
        let valid = self.oracle.accepts(definition, &value);
        let mut last = None;
        let mut still = |value: &Value| {
            if self.oracle.accepts(definition, value) != valid {
                return false;
            }
            match self.verdict(definition, &value.to_string(), value, None) {
                Verdict::Mismatch(p, got) if p == *problem => {
                    last = Some(got);
                    true
                }
                _ => false,
            }
        };
        if !still(&value) {
            return mismatch; // it takes this very spelling
        }
        let small = shrink(value, TRIES, &mut still);
        let reason = self.oracle.reason(definition, &small);
        Mismatch {
            json: small.to_string(),
            got: last.unwrap_or_default(),
            reason,
            ..mismatch
        }
    }
}

/// Replaces integers that a signed 64-bit integer cannot hold; tells whether there were any.
fn tame_integers(value: &mut Value) -> bool {
    match value {
        Value::Number(n) => {
            let huge = !n.is_i64()
                && n.as_f64()
                    .is_some_and(|f| f.fract() == 0.0 && f.abs() > 9.2e18);
            if huge {
                *value = 1.into();
            }
            huge
        }
        Value::Array(items) => items
            .iter_mut()
            .fold(false, |any, v| tame_integers(v) | any),
        Value::Object(members) => members
            .values_mut()
            .fold(false, |any, v| tame_integers(v) | any),
        _ => false,
    }
}

/// Whether an error's text names the steps of a path, in order.
fn names_path(error: &str, path: &[Step]) -> bool {
    let mut rest = error;
    for step in path {
        let needle = match step {
            Step::Member(name)
                if name.is_empty() || !name.chars().all(|c| c.is_ascii_graphic()) =>
            {
                continue;
            }
            Step::Member(name) if name.contains(['"', '\\']) => continue, // may be shown escaped
            Step::Member(name) => name.clone(),
            Step::Item(index) => format!("[{index}]"),
        };
        match rest.split_once(&needle) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    true
}

fn dotted(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Member(name) if text.is_empty() => text.push_str(name),
            Step::Member(name) => {
                text.push('.');
                text.push_str(name);
            }
            Step::Item(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}
