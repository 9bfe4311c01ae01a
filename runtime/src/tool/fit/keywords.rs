//! One value against the keywords of one schema, without what is inside of either.

use std::{cmp::Ordering, collections::HashSet};

use serde_json::{Number, Value};

use super::misfit::{Expected, Misfit};
use crate::{
    JsonObject,
    tool::decode::{Item, integral},
};

/// How the value breaks this very schema.
pub(super) fn broken(schema: &JsonObject, item: Item<'_>) -> Option<Misfit> {
    if let Some(kind) = schema.get("type")
        && !is_a(kind, item)
    {
        let expected = listed(schema).unwrap_or_else(|| Expected::kind(words_for(kind)));
        return Some(Misfit::value(expected, item, false));
    }
    if let Some(expected) = listed(schema)
        && !is_listed(schema, item)
    {
        return Some(Misfit::value(expected, item, true));
    }
    let bound = match item {
        Item::Object(members) | Item::Value(Value::Object(members)) => count(
            schema,
            ["minProperties", "maxProperties"],
            members.len(),
            "an object",
            "members",
        ),
        Item::Value(Value::Number(number)) => range(schema, number),
        Item::Value(Value::String(text)) => count(
            schema,
            ["minLength", "maxLength"],
            text.chars().count(),
            "a string",
            "characters",
        ),
        Item::Value(Value::Array(items)) => count(
            schema,
            ["minItems", "maxItems"],
            items.len(),
            "an array",
            "items",
        )
        .or_else(|| {
            let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
            (unique && has_twins(items))
                .then(|| "an array in which every item is different".to_owned())
        }),
        Item::Value(Value::Null | Value::Bool(_)) => None,
    };
    bound.map(|words| Misfit::value(Expected::kind(words), item, true))
}

/// Says what a schema expects, in a few words.
pub(in crate::tool) fn expectation(schema: &JsonObject) -> Option<String> {
    expected(schema).map(|expected| expected.text())
}

/// The same, to be joined with what another schema expects.
pub(super) fn expected(schema: &JsonObject) -> Option<Expected> {
    listed(schema).or_else(|| schema.get("type").map(words_for).map(Expected::kind))
}

/// The single values that a schema allows, if it names them.
fn listed(schema: &JsonObject) -> Option<Expected> {
    if let Some(only) = schema.get("const") {
        return Some(Expected::values([only]));
    }
    schema.get("enum")?.as_array().map(Expected::values)
}

fn is_listed(schema: &JsonObject, item: Item<'_>) -> bool {
    let is = |listed: &Value| match (listed, item) {
        (Value::Object(listed), Item::Object(members)) => same_members(listed, members),
        (_, Item::Object(_)) => false,
        (listed, Item::Value(value)) => same(listed, value),
    };
    match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => is(only),
        (None, Some(Value::Array(values))) => values.iter().any(is),
        _ => true,
    }
}

fn range(schema: &JsonObject, number: &Number) -> Option<String> {
    let given = |keyword: &str| match schema.get(keyword) {
        Some(Value::Number(bound)) => Some(bound),
        _ => None,
    };
    let breaks = |keyword: &str, wrong: fn(Ordering) -> bool| {
        given(keyword).filter(|bound| compare(number, bound).is_some_and(wrong))
    };
    if let Some(bound) = breaks("minimum", Ordering::is_lt) {
        return Some(format!("at least {bound}"));
    }
    if let Some(bound) = breaks("maximum", Ordering::is_gt) {
        return Some(format!("at most {bound}"));
    }
    if let Some(bound) = breaks("exclusiveMinimum", Ordering::is_le) {
        return Some(format!("more than {bound}"));
    }
    if let Some(bound) = breaks("exclusiveMaximum", Ordering::is_ge) {
        return Some(format!("less than {bound}"));
    }
    given("multipleOf")
        .filter(|step| !is_multiple(number, step))
        .map(|step| format!("a multiple of {step}"))
}

fn is_multiple(number: &Number, step: &Number) -> bool {
    match (integral(number), integral(step)) {
        (_, Some(0)) => true,
        (Some(number), Some(step)) => number % step == 0,
        _ => match (number.as_f64(), step.as_f64()) {
            (Some(number), Some(step)) => (number / step).fract() == 0.0,
            _ => true,
        },
    }
}

/// Whether the value is of a type, or of one of several.
fn is_a(kind: &Value, item: Item<'_>) -> bool {
    match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| is_a(kind, item)),
        Value::String(kind) => match item {
            Item::Object(_) | Item::Value(Value::Object(_)) => kind == "object",
            Item::Value(Value::Null) => kind == "null",
            Item::Value(Value::Bool(_)) => kind == "boolean",
            Item::Value(Value::String(_)) => kind == "string",
            Item::Value(Value::Array(_)) => kind == "array",
            Item::Value(Value::Number(number)) => {
                kind == "number" || kind == "integer" && is_whole(number)
            }
        },
        _ => true,
    }
}

fn is_whole(number: &Number) -> bool {
    integral(number).is_some() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// A `type` in words.
pub(in crate::tool) fn words_for(kind: &Value) -> String {
    match kind {
        Value::Array(kinds) => kinds.iter().map(words_for).collect::<Vec<_>>().join(" or "),
        Value::String(kind) => match kind.as_str() {
            "boolean" => "true or false".to_owned(),
            "null" => "null".to_owned(),
            kind @ ("integer" | "array" | "object") => format!("an {kind}"),
            kind => format!("a {kind}"),
        },
        _ => "something else".to_owned(),
    }
}

fn count(
    schema: &JsonObject,
    [least, most]: [&str; 2],
    have: usize,
    what: &str,
    unit: &str,
) -> Option<String> {
    let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
    let have = have as u64;
    if let Some(least) = bound(least).filter(|least| have < *least) {
        return Some(format!("{what} of at least {least} {unit}"));
    }
    bound(most)
        .filter(|most| have > *most)
        .map(|most| format!("{what} of at most {most} {unit}"))
}

/// Whether two are the same; in one pass, since lists can be long.
fn has_twins(items: &[Value]) -> bool {
    let mut seen = HashSet::with_capacity(items.len());
    items.iter().any(|item| {
        let mut text = String::new();
        write_alike(item, &mut text);
        !seen.insert(text)
    })
}

/// Writes values alike that are the same as JSON Schema has it.
fn write_alike(value: &Value, text: &mut String) {
    match value {
        Value::Number(number) => match integral(number) {
            Some(whole) => text.push_str(&whole.to_string()),
            None => text.push_str(&number.to_string()),
        },
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write_alike(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in members {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write_alike(value, text);
                text.push(',');
            }
            text.push('}');
        }
        other => text.push_str(&other.to_string()),
    }
}

/// Equal as JSON Schema has it: `1` is `1.0`.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => same_members(a, b),
        _ => a == b,
    }
}

fn same_members(a: &JsonObject, b: &JsonObject) -> bool {
    a.len() == b.len()
        && a.iter()
            .all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
}

fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (integral(a), integral(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}
