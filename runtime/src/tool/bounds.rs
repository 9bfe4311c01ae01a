//! Bounds that a schema states and Rust types do not: lengths, ranges, numbers of items.
//!
//! Decoding checks most; this checks what `#[arg(schema = ..)]`, `#[schemars(range(..))]` and the like add, so that
//! what is shown to clients holds. `pattern` and `format` are hints to clients and are not enforced.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use super::decode::{integral, kind_of_value};
use crate::JsonObject;

/// Looks for a value that breaks a bound, and says where and which.
pub(super) fn find(root: &JsonObject, schema: &Value, value: &Value, path: &str) -> Option<String> {
    let Value::Object(schema) = schema else {
        return None;
    };
    let search = Search { root };
    search.find(schema, value, path, 0)
}

struct Search<'a> {
    /// Where references point into.
    root: &'a JsonObject,
}

/// References that only lead to references end here.
const DEEPEST: usize = 128;

impl Search<'_> {
    fn find(&self, schema: &JsonObject, value: &Value, path: &str, depth: usize) -> Option<String> {
        if depth > DEEPEST {
            return None;
        }
        if let Some(expected) = broken(schema, value) {
            return Some(format!(
                "argument `{path}`: expected {expected}, got {}",
                kind_of_value(value)
            ));
        }
        let deeper = |schema: &Value, value: &Value, path: &str| match schema {
            Value::Object(schema) => self.find(schema, value, path, depth + 1),
            _ => None,
        };
        let same = self.same_value(schema);
        if let Some(found) = same
            .into_iter()
            .find_map(|schema| deeper(schema, value, path))
        {
            return Some(found);
        }
        for keyword in ["anyOf", "oneOf"] {
            let members = schema.get(keyword).and_then(Value::as_array);
            let real = members
                .into_iter()
                .flatten()
                .filter(|member| value.is_null() || !is_null(member));
            // One must fit. What would have fitted best is not known, so that the first is told.
            let found: Option<Vec<String>> =
                real.map(|schema| deeper(schema, value, path)).collect();
            if let Some(found) = found.and_then(|found| found.into_iter().next()) {
                return Some(found);
            }
        }
        match value {
            Value::Object(members) => members.iter().find_map(|(name, value)| {
                let properties = schema
                    .get("properties")
                    .and_then(|properties| properties.get(name));
                let schema = properties.or_else(|| schema.get("additionalProperties"))?;
                deeper(schema, value, &below(path, name))
            }),
            Value::Array(items) => {
                let first = schema
                    .get("prefixItems")
                    .and_then(Value::as_array)
                    .map_or(&[][..], Vec::as_slice);
                items.iter().enumerate().find_map(|(index, value)| {
                    let schema = first.get(index).or_else(|| schema.get("items"))?;
                    deeper(schema, value, &format!("{path}[{index}]"))
                })
            }
            _ => None,
        }
    }

    /// Other schemas that the same value must satisfy.
    fn same_value<'s>(&'s self, schema: &'s JsonObject) -> Vec<&'s Value> {
        let mut all = Vec::new();
        if let Some(Value::String(target)) = schema.get("$ref") {
            let name = target.strip_prefix("#/$defs/");
            all.extend(name.and_then(|name| self.root.get("$defs")?.get(name)));
        }
        if let Some(Value::Array(members)) = schema.get("allOf") {
            all.extend(members);
        }
        all
    }
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// What was expected, if the value breaks a bound of this very schema.
fn broken(schema: &JsonObject, value: &Value) -> Option<String> {
    if let Some(kind) = schema.get("type")
        && !is_a(kind, value)
    {
        return Some(words_for(kind));
    }
    match value {
        Value::Number(number) => {
            let breaks = |keyword: &str, wrong: fn(Ordering) -> bool| {
                let bound = schema.get(keyword).and_then(number_of);
                bound.filter(|bound| compare(number, bound).is_some_and(wrong))
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
            breaks("exclusiveMaximum", Ordering::is_ge).map(|bound| format!("less than {bound}"))
        }
        Value::String(text) => count(
            schema,
            "minLength",
            "maxLength",
            text.chars().count(),
            "a string",
            "characters",
        ),
        Value::Array(items) => count(
            schema,
            "minItems",
            "maxItems",
            items.len(),
            "an array",
            "items",
        )
        .or_else(|| {
            let unique = schema.get("uniqueItems") == Some(&Value::Bool(true));
            (unique && has_twins(items))
                .then(|| "an array in which every item is different".to_owned())
        }),
        Value::Object(members) => count(
            schema,
            "minProperties",
            "maxProperties",
            members.len(),
            "an object",
            "members",
        ),
        _ => None,
    }
}

/// Whether the value is of a type, or of one of several.
fn is_a(kind: &Value, value: &Value) -> bool {
    match kind {
        Value::Array(kinds) => kinds.iter().any(|kind| is_a(kind, value)),
        Value::String(kind) => match value {
            Value::Null => kind == "null",
            Value::Bool(_) => kind == "boolean",
            Value::String(_) => kind == "string",
            Value::Array(_) => kind == "array",
            Value::Object(_) => kind == "object",
            Value::Number(number) => kind == "number" || kind == "integer" && is_whole(number),
        },
        _ => true,
    }
}

fn is_whole(number: &Number) -> bool {
    integral(number).is_some() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn words_for(kind: &Value) -> String {
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
    least: &str,
    most: &str,
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

fn has_twins(items: &[Value]) -> bool {
    items
        .iter()
        .enumerate()
        .any(|(index, item)| items[..index].iter().any(|earlier| same(earlier, item)))
}

/// Equal as JSON Schema has it: `1` is `1.0`.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare(a, b) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

fn number_of(value: &Value) -> Option<&Number> {
    match value {
        Value::Number(number) => Some(number),
        _ => None,
    }
}

fn compare(a: &Number, b: &Number) -> Option<Ordering> {
    match (integral(a), integral(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn search(schema: Value, value: Value) -> Option<String> {
        find(&JsonObject::new(), &schema, &value, "x")
    }

    #[test]
    fn bounds_are_found_at_any_depth() {
        let schema = json!({"anyOf": [
            {"type": "object", "properties": {"a": {"items": {"minLength": 2}}}},
            {"type": "null"},
        ]});
        assert_eq!(
            search(schema.clone(), json!({"a": ["xx", "é"]})),
            Some("argument `x.a[1]`: expected a string of at least 2 characters, got the string \"é\"".into())
        );
        assert_eq!(search(schema, json!({"a": ["xx"], "b": ""})), None);
    }

    #[test]
    fn numbers_are_compared_exactly() {
        let schema = json!({"maximum": i64::MAX - 1});
        assert!(search(schema.clone(), json!(i64::MAX)).is_some());
        assert!(search(schema, json!(i64::MAX - 1)).is_none());
        assert_eq!(
            search(json!({"exclusiveMinimum": 0.5}), json!(0.5)),
            Some("argument `x`: expected more than 0.5, got the number 0.5".into())
        );
    }

    #[test]
    fn items_that_must_differ_are_compared_as_json() {
        assert!(search(json!({"uniqueItems": true}), json!([{"a": 1}, {"a": 1.0}])).is_some());
        assert!(search(json!({"uniqueItems": true}), json!([1, "1"])).is_none());
    }

    #[test]
    fn of_a_choice_one_must_fit() {
        let schema = json!({"anyOf": [
            {"type": "null"},
            {"type": "integer", "minimum": 5},
            {"type": "string"},
        ]});
        assert!(search(schema.clone(), json!("x")).is_none());
        assert!(search(schema.clone(), json!(5)).is_none());
        assert!(search(schema.clone(), json!(null)).is_none());
        assert_eq!(
            search(schema, json!(1)),
            Some("argument `x`: expected at least 5, got the number 1".into())
        );
    }
}
