//! One fault put into a valid message.
//!
//! Whether the result is really invalid is for the oracle to say: a changed
//! discriminator can make a message that another member of the union takes.

use fastrand::Rng;
use serde_json::{Value, json};

use super::schema::{Document, Kind, is_kind};
use super::valid::{Sample, Site, Step, at, at_mut};
use super::value::{anything, one_of};

/// Kinds of fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// A required member is left out.
    Missing,
    /// `null` where it is not allowed.
    Null,
    /// A value of another JSON type.
    WrongType,
    /// A constant or enum value that is none.
    WrongConst,
    /// A discriminator that belongs to another member of the union.
    Discriminator,
    /// Below a minimum, or too few items.
    Below,
    /// Above a maximum, or too many items.
    Above,
    /// A fraction where an integer is asked for.
    Fraction,
    /// An array in place of an object, of its values or empty.
    ArrayForObject,
    /// A wrong type deep inside.
    Nested,
    /// A member that a closed object does not have.
    Unknown,
}

/// All kinds.
pub const FAULTS: [Fault; 11] = [
    Fault::Missing,
    Fault::Null,
    Fault::WrongType,
    Fault::WrongConst,
    Fault::Discriminator,
    Fault::Below,
    Fault::Above,
    Fault::Fraction,
    Fault::ArrayForObject,
    Fault::Nested,
    Fault::Unknown,
];

/// A message with one fault.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The message.
    pub value: Value,
    /// What was done to it.
    pub fault: Fault,
    /// Where an error about it can be expected to point.
    pub expected: Vec<Step>,
}

/// Puts a fault into a sample: kinds of fault are equally likely, whatever their number of places.
pub fn mutate(document: &Document, sample: &Sample<'_>, rng: &mut Rng) -> Option<Mutant> {
    let mut faults = FAULTS;
    rng.shuffle(&mut faults);
    for fault in faults {
        let sites: Vec<_> = sample
            .sites
            .iter()
            .filter(|s| applies(fault, s, &sample.value))
            .collect();
        if !sites.is_empty() {
            let site = one_of(rng, &sites);
            let mut value = sample.value.clone();
            let (path, clear) = apply(document, fault, site, &mut value, rng)?;
            let expected = path[..clear.min(path.len())].to_vec();
            return Some(Mutant {
                value,
                fault,
                expected,
            });
        }
    }
    None
}

fn applies(fault: Fault, site: &Site<'_>, root: &Value) -> bool {
    let Some(value) = at(root, &site.path) else {
        return false;
    };
    let shape = &site.shape;
    let integer = shape.allows(Kind::Integer) && !shape.allows(Kind::Number);
    match fault {
        Fault::Missing => value.is_object() && !shape.required.is_empty(),
        Fault::Null => !shape.allows(Kind::Null),
        Fault::WrongType => shape.kinds.is_some() || shape.values.is_some(),
        Fault::WrongConst => shape.values.is_some(),
        Fault::Discriminator => site.is_tag,
        Fault::Below => shape.minimum.is_some() || shape.min_items.is_some_and(|n| n > 0),
        Fault::Above => shape.maximum.is_some() || shape.max_items.is_some(),
        Fault::Fraction => integer && value.is_number(),
        Fault::ArrayForObject => value.is_object() && !shape.allows(Kind::Array),
        Fault::Nested => site.path.len() > 1 && shape.kinds.is_some(),
        Fault::Unknown => {
            value.is_object()
                && shape
                    .member("\u{0}")
                    .iter()
                    .any(|s| s.get("not").is_some() || *s == &json!(false))
        }
    }
}

/// Applies a fault; gives the path of what is wrong and how much of it an error should name.
fn apply(
    document: &Document,
    fault: Fault,
    site: &Site<'_>,
    root: &mut Value,
    rng: &mut Rng,
) -> Option<(Vec<Step>, usize)> {
    let shape = &site.shape;
    let mut path = site.path.clone();
    let mut clear = if site.clear < path.len() || shape.ambiguous {
        site.clear
    } else {
        usize::MAX
    };
    let target = at_mut(root, &site.path)?;
    match fault {
        Fault::Missing => {
            let names: Vec<_> = shape.required.iter().copied().collect();
            let name = *one_of(rng, &names);
            target.as_object_mut()?.remove(name)?;
            path.push(Step::Member(name.to_owned()));
        }
        Fault::Null => *target = Value::Null,
        Fault::WrongType | Fault::Nested => *target = other_type(site, target, rng)?,
        Fault::WrongConst => *target = other_const(target, rng),
        Fault::Discriminator => {
            let Some(Step::Member(name)) = site.path.last() else {
                return None;
            };
            let others: Vec<_> = document
                .consts_of(name)
                .iter()
                .filter(|v| *v != target)
                .collect();
            if others.is_empty() {
                return None;
            }
            *target = (*one_of(rng, &others)).clone();
            clear = clear.min(path.len() - 1);
        }
        Fault::Below => match (shape.minimum, shape.min_items) {
            (Some(low), _) => *target = beyond(low, -1.0, rng),
            (None, Some(_)) => *target = json!([]),
            _ => return None,
        },
        Fault::Above => match (shape.maximum, shape.max_items) {
            (Some(high), _) => *target = beyond(high, 1.0, rng),
            (None, Some(most)) => {
                let items = target.as_array_mut()?;
                let filler = items.first().cloned().unwrap_or_else(|| "x".into());
                items.resize(usize::try_from(most).ok()? + 1, filler);
            }
            _ => return None,
        },
        Fault::Fraction => {
            let whole = target.as_f64().filter(|f| f.abs() < 1e9).unwrap_or(5.0);
            *target = json!(whole + *one_of(rng, &[0.5, 0.25, 0.001]));
        }
        Fault::ArrayForObject => {
            let members = target.as_object()?;
            *target = match rng.u8(..3) {
                0 => json!([]),
                1 => json!([target]),
                _ => members.values().cloned().collect(),
            };
        }
        Fault::Unknown => {
            let name = format!("surplus{}", rng.u8(..));
            target
                .as_object_mut()?
                .insert(name.clone(), anything(rng, &[], 1));
            path.push(Step::Member(name));
        }
    }
    Some((path, clear))
}

/// A value of a JSON type that does not fit.
fn other_type(site: &Site<'_>, now: &Value, rng: &mut Rng) -> Option<Value> {
    let mut all = vec![
        (Kind::Null, Value::Null),
        (Kind::Boolean, json!(true)),
        (Kind::Integer, json!(7)),
        (Kind::Number, json!(1.5)), // also where an integer is asked for
        (Kind::String, json!("7")),
        (Kind::String, json!("")),
        (Kind::Array, json!([])),
        (Kind::Array, json!([now])),
        (Kind::Object, json!({})),
        (Kind::Object, json!({ "value": now })),
    ];
    if let Value::String(text) = now {
        all.push((Kind::Array, json!([text])));
        all.push((Kind::Object, json!({ text.clone(): null }))); // how serde writes an enum with content
    }
    all.retain(|(kind, value)| !site.shape.allows(*kind) && value != now);
    (!all.is_empty()).then(|| one_of(rng, &all).1.clone())
}

fn other_const(now: &Value, rng: &mut Rng) -> Value {
    match now {
        Value::String(text) => match rng.u8(..5) {
            0 => text.to_uppercase(),
            1 => format!("{text} "),
            2 => format!("{text}x"),
            3 => text.chars().skip(1).collect(),
            _ => String::new(),
        }
        .into(),
        number if is_kind(number, Kind::Integer) => {
            json!(
                number
                    .as_i64()
                    .unwrap_or(0)
                    .wrapping_add(*one_of(rng, &[1, -1, 100]))
            )
        }
        _ => json!("no such value"),
    }
}

/// Just or far outside a bound.
fn beyond(bound: f64, direction: f64, rng: &mut Rng) -> Value {
    let step = *one_of(rng, &[1.0, 2.0, 1000.0]);
    let value = direction.mul_add(step, bound);
    #[allow(clippy::cast_possible_truncation)] // bounds are far inside 64 bits
    if value.fract() == 0.0 && value.abs() < 9e18 && rng.bool() {
        return Value::from(value as i64);
    }
    json!(value)
}
