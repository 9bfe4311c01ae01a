//! Whether a value fits its schema, and if not, where and why.
//!
//! Decoding checks most; this checks what `#[arg(schema = ..)]`, `#[schemars(range(..))]` and the like add, so that
//! what is shown to clients holds. It also finds the place of a fault where serde loses it, which is inside of tagged,
//! untagged and flattened types. `pattern` and `format` are hints to clients and are not enforced.

mod keywords;
mod misfit;

use serde_json::Value;

use super::decode::{Item, Step};
use crate::JsonObject;

use self::{
    keywords::{broken, expected},
    misfit::Expected,
};
pub(super) use self::{
    keywords::{expectation, words_for},
    misfit::{Misfit, no_such_number},
};

/// Looks for the first thing in a value that breaks its schema. References point into `root`.
pub(super) fn find(root: &JsonObject, schema: &Value, value: &Value) -> Option<Misfit> {
    Search { root }.find(schema, Item::Value(value), 0)
}

/// The same for all arguments of a tool, whose schema is `root` itself.
pub(super) fn find_in_arguments(root: &JsonObject, arguments: &JsonObject) -> Option<Misfit> {
    Search { root }.find_in(root, Item::Object(arguments), 0)
}

/// The same for the result of a tool, whose schema is `root` itself.
pub(super) fn find_in_result(root: &JsonObject, result: &Value) -> Option<Misfit> {
    Search { root }.find_in(root, Item::Value(result), 0)
}

struct Search<'a> {
    root: &'a JsonObject,
}

/// References that only lead to references end here.
const MOST_HOPS: usize = 128;

impl<'a> Search<'a> {
    fn find(&self, schema: &Value, item: Item<'_>, hops: usize) -> Option<Misfit> {
        match schema {
            Value::Object(schema) => self.find_in(schema, item, hops),
            Value::Bool(false) => Some(Misfit::value(Expected::kind("nothing"), item, false)),
            _ => None,
        }
    }

    /// `hops` counts the schemas that the same value was compared with before.
    fn find_in(&self, schema: &JsonObject, item: Item<'_>, hops: usize) -> Option<Misfit> {
        if hops > MOST_HOPS {
            return None;
        }
        broken(schema, item)
            .or_else(|| {
                self.same_value(schema)
                    .into_iter()
                    .find_map(|schema| self.find(schema, item, hops + 1))
            })
            .or_else(|| self.choice(schema, item, hops))
            .or_else(|| self.forbidden(schema, item, hops))
            .or_else(|| match item {
                Item::Object(members) | Item::Value(Value::Object(members)) => {
                    self.members(schema, members)
                }
                Item::Value(Value::Array(items)) => self.items(schema, items),
                Item::Value(_) => None,
            })
    }

    /// Other schemas that the same value must satisfy.
    fn same_value<'s>(&self, schema: &'s JsonObject) -> Vec<&'s Value>
    where
        'a: 's,
    {
        let mut all = Vec::new();
        all.extend(self.target(schema));
        if let Some(Value::Array(members)) = schema.get("allOf") {
            all.extend(members);
        }
        all
    }

    /// What a schema refers to.
    fn target(&self, schema: &JsonObject) -> Option<&'a Value> {
        let name = schema.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
        self.root.get("$defs")?.get(name)
    }

    /// One of several schemas must fit. If none does, the one that came nearest is told.
    fn choice(&self, schema: &JsonObject, item: Item<'_>, hops: usize) -> Option<Misfit> {
        let members = |keyword: &str| schema.get(keyword).and_then(Value::as_array);
        let any = members("anyOf").and_then(|members| self.one_of(members, false, item, hops));
        any.or_else(|| self.one_of(members("oneOf")?, true, item, hops))
    }

    fn one_of(
        &self,
        members: &[Value],
        only_one: bool,
        item: Item<'_>,
        hops: usize,
    ) -> Option<Misfit> {
        let is_null = matches!(item, Item::Value(Value::Null));
        let told = |member: &&Value| is_null || !is_null_type(member);
        let all_told = !members.iter().any(|member| told(&member));
        let mut fitting = Vec::new();
        let mut misfits = Vec::new();
        let mut others = Vec::new();
        for member in members.iter().filter(|member| all_told || told(member)) {
            if let Some(tag) = self.other_tag(member, item) {
                others.push(tag);
                continue;
            }
            match self.find(member, item, hops + 1) {
                None if only_one => fitting.push(member),
                None => return None,
                Some(misfit) => misfits.push(misfit),
            }
        }
        match fitting.as_slice() {
            [] if misfits.is_empty() => others.into_iter().reduce(Misfit::or),
            [] => misfits.into_iter().reduce(Misfit::or),
            several => Some(Misfit::value(only_one_of(several)?, item, true)),
        }
    }

    /// The member by which an object says that another schema is meant.
    fn other_tag(&self, schema: &Value, item: Item<'_>) -> Option<Misfit> {
        let schema = schema.as_object()?;
        let schema = self
            .target(schema)
            .and_then(Value::as_object)
            .unwrap_or(schema);
        let members = item.object().ok()?;
        schema
            .get("properties")?
            .as_object()?
            .iter()
            .find_map(|(name, property)| {
                let property = property
                    .as_object()
                    .filter(|property| property.contains_key("const"))?;
                let misfit = broken(property, Item::Value(members.get(name)?))?;
                Some(misfit.within(Step::Key(name.clone())))
            })
    }

    /// `not`, as far as it names types and values.
    fn forbidden(&self, schema: &JsonObject, item: Item<'_>, hops: usize) -> Option<Misfit> {
        let not = schema.get("not")?;
        let simple = |not: &JsonObject| {
            not.keys()
                .all(|key| matches!(key.as_str(), "const" | "enum" | "type"))
        };
        let known = not.as_object().is_none_or(simple);
        let expected = || match not.as_object().and_then(expectation) {
            Some(what) => Expected::kind(format!("anything but {what}")),
            None => Expected::kind("nothing"),
        };
        (known && self.find(not, item, hops + 1).is_none())
            .then(|| Misfit::value(expected(), item, true))
    }

    fn members(&self, schema: &JsonObject, members: &JsonObject) -> Option<Misfit> {
        let properties = schema.get("properties").and_then(Value::as_object);
        let property = |name: &str| properties.and_then(|properties| properties.get(name));
        let patterns = schema.get("patternProperties").and_then(Value::as_object);
        let further = schema.get("additionalProperties");
        let others = match patterns {
            // Which pattern a name fits is not looked at.
            Some(patterns) => patterns.values().next().filter(|_| patterns.len() == 1),
            None => further.filter(|schema| **schema != Value::Bool(false)),
        };
        let inside = members.iter().find_map(|(name, value)| {
            let misfit = self.find(property(name).or(others)?, Item::Value(value), 0)?;
            Some(misfit.within(Step::Key(name.clone())))
        });
        let missing = |tags_only: bool| {
            let mut required = schema
                .get("required")?
                .as_array()?
                .iter()
                .filter_map(Value::as_str);
            let object = |name: &str| property(name).and_then(Value::as_object);
            let is_tag =
                |name: &str| object(name).is_some_and(|object| object.contains_key("const"));
            let name = required
                .find(|name| !members.contains_key(*name) && (!tags_only || is_tag(name)))?;
            Some(Misfit::missing(name, object(name).and_then(expected)))
        };
        let unknown = || {
            let closed = patterns.is_none() && further == Some(&Value::Bool(false));
            let name = members
                .keys()
                .find(|name| closed && property(name).is_none())?;
            let known = properties
                .into_iter()
                .flat_map(JsonObject::keys)
                .cloned()
                .collect();
            Some(Misfit::unknown(name, known))
        };
        // Without its tag it is not known what the other members should be.
        missing(true)
            .or(inside)
            .or_else(|| missing(false))
            .or_else(unknown)
    }

    fn items(&self, schema: &JsonObject, items: &[Value]) -> Option<Misfit> {
        let first = schema
            .get("prefixItems")
            .and_then(Value::as_array)
            .map_or(&[][..], Vec::as_slice);
        items.iter().enumerate().find_map(|(index, value)| {
            let schema = first.get(index).or_else(|| schema.get("items"))?;
            let misfit = self.find(schema, Item::Value(value), 0)?;
            Some(misfit.within(Step::Index(index)))
        })
    }
}

/// What is expected of a value that fits several schemas of which it should fit one: where each demands a member of
/// its own, as the variants of a flattened enum do. Others may differ in what is not looked at, such as `pattern`.
fn only_one_of(schemas: &[&Value]) -> Option<Expected> {
    let mut names = Vec::new();
    for schema in schemas {
        let name = schema.get("required")?.as_array()?.first()?.as_str()?;
        if names.contains(&name) {
            return None;
        }
        names.push(name);
    }
    let several = names.len() > 1;
    several.then(|| Expected::kind(format!("only one of {}", super::decode::names(&names))))
}

fn is_null_type(schema: &Value) -> bool {
    schema.get("type").is_some_and(|kind| kind == "null")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn search(schema: Value, value: Value) -> Option<String> {
        find(&JsonObject::new(), &schema, &value).map(|misfit| misfit.describe("x"))
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
        let twins = json!([{"a": 0.5, "b": [null]}, {"b": [null], "a": 0.5}]);
        assert!(search(json!({"uniqueItems": true}), twins).is_some());
        // Comparing each with each would take minutes.
        let many: Vec<u32> = (0..300_000).collect();
        assert!(search(json!({"uniqueItems": true}), json!(many)).is_none());
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

    #[test]
    fn a_value_that_says_which_schema_is_meant_is_compared_with_that() {
        let schema = json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}, "required": ["kind", "n"]},
            {"type": "object", "properties": {"kind": {"const": "b"}, "s": {"type": "string"}}, "required": ["kind", "s"]},
        ]});
        for (value, says) in [
            (
                json!({"kind": "b", "s": 1}),
                "argument `x.s`: expected a string, got the number 1",
            ),
            (
                json!({"kind": "b", "n": "1"}),
                "argument `x.s` is missing: expected a string",
            ),
            (
                json!({"kind": "c", "n": "1"}),
                "argument `x.kind`: expected one of \"a\", \"b\", got the string \"c\"",
            ),
            (
                json!({"kind": 1}),
                "argument `x.kind`: expected one of \"a\", \"b\", got the number 1",
            ),
            (
                json!({"n": 1}),
                "argument `x.kind` is missing: expected one of \"a\", \"b\"",
            ),
            (
                json!({"n": "1"}),
                "argument `x.kind` is missing: expected one of \"a\", \"b\"",
            ),
            (
                json!(true),
                "argument `x`: expected an object, got the boolean true",
            ),
        ] {
            assert_eq!(search(schema.clone(), value).as_deref(), Some(says));
        }
        assert_eq!(search(schema, json!({"kind": "b", "s": "", "n": ""})), None);
    }

    #[test]
    fn what_would_have_fitted_is_told_of_every_schema_that_came_as_near() {
        let schema = json!({"anyOf": [
            {"type": "integer"},
            {"type": "string", "enum": ["all", "none"]},
            {"type": "object", "properties": {"from": {"type": "integer"}}, "required": ["from"]},
            {"type": "object", "properties": {"to": {"type": "integer"}}, "required": ["to"]},
        ]});
        for (value, says) in [
            (
                json!(true),
                "argument `x`: expected an integer or an object or one of \"all\", \"none\", got the boolean true",
            ),
            (
                json!("some"),
                "argument `x`: expected one of \"all\", \"none\", got the string \"some\"",
            ),
            (json!({}), "argument `x.from` or `x.to` is missing"),
            (
                json!({"to": "x"}),
                "argument `x.to`: expected an integer, got the string \"x\"",
            ),
        ] {
            assert_eq!(search(schema.clone(), value).as_deref(), Some(says));
        }
    }

    #[test]
    fn a_value_that_would_be_two_things_is_refused() {
        let schema = json!({"oneOf": [
            {"type": "object", "properties": {"up": {"type": "integer"}}, "required": ["up"]},
            {"type": "object", "properties": {"down": {"type": "integer"}}, "required": ["down"]},
        ]});
        assert_eq!(search(schema.clone(), json!({"up": 1})), None);
        assert_eq!(
            search(schema, json!({"up": 1, "down": 1})),
            Some("argument `x`: expected only one of `up`, `down`, got an object".into())
        );
        let schema = json!({"oneOf": [{"type": "string", "pattern": "^a"}, {"type": "string", "format": "date"}]});
        assert!(search(schema, json!("a")).is_none());
    }

    #[test]
    fn what_a_closed_object_does_not_know_is_named() {
        let schema = json!({"properties": {"a": {}, "b": {}}, "additionalProperties": false});
        assert_eq!(
            search(schema, json!({"a": 1, "c": 2})),
            Some("unknown argument `x.c`: known are `a`, `b`".into())
        );
        let schema =
            json!({"patternProperties": {"^a": {"type": "null"}}, "additionalProperties": false});
        assert_eq!(search(schema.clone(), json!({"ab": null})), None);
        assert!(search(schema, json!({"ab": 1})).is_some());
    }

    #[test]
    fn deep_values_are_looked_at_to_the_end() {
        let root: JsonObject = serde_json::from_value(json!({"$defs": {
            "tree": {"type": "object", "properties": {"below": {"$ref": "#/$defs/tree"}}},
            "loop": {"$ref": "#/$defs/loop"},
        }}))
        .expect("an object");
        let value = (0..300).fold(json!(1), |value, _| json!({"below": value}));
        assert!(find(&root, &json!({"$ref": "#/$defs/tree"}), &value).is_some());
        assert!(find(&root, &json!({"$ref": "#/$defs/loop"}), &value).is_none());
    }

    #[test]
    fn values_that_are_ruled_out_are_found() {
        assert_eq!(
            search(json!({"not": {"const": 0}}), json!(0.0)),
            Some("argument `x`: expected anything but 0, got the number 0.0".into())
        );
        assert!(search(json!({"not": {}}), json!(0)).is_some());
        assert!(search(json!({"not": {"const": 0}}), json!(1)).is_none());
        assert!(search(json!({"not": {"pattern": "^a"}}), json!("b")).is_none());
        assert!(search(json!({"multipleOf": 5}), json!(7)).is_some());
        assert!(search(json!({"multipleOf": 0.5}), json!(7)).is_none());
        assert!(search(json!({"items": false}), json!([1])).is_some());
    }
}
