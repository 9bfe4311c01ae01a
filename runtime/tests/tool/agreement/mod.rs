//! A tool's schema and its decoding say the same of any arguments.

/// Compares what a tool's schema and its decoding say of arguments.
macro_rules! agree {
    ($tool:expr, $arguments:expr) => {{
        static CASE: std::sync::LazyLock<super::Case> =
            std::sync::LazyLock::new(|| super::Case::of(crate::support::tool($tool)));
        CASE.agree(&$arguments);
    }};
}

mod choices;
mod kinds;
mod plain;

use std::collections::BTreeMap;

use jsonschema::Validator;
use mcp_tasks::tool::Tool;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{object, schema};

struct Case {
    tool: Tool,
    validator: Validator,
}

impl Case {
    fn of(tool: Tool) -> Self {
        let schema = schema(&tool);
        assert!(jsonschema::meta::is_valid(&schema), "{schema}");
        let validator = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&schema)
            .expect("a schema");
        Self { tool, validator }
    }

    fn agree(&self, arguments: &Value) {
        let decoded = self.tool.handler.check(&object(arguments.clone()));
        let valid = self.validator.validate(arguments);
        match (&decoded, &valid) {
            (Ok(()), Ok(())) | (Err(_), Err(_)) => {}
            (Ok(()), Err(error)) => {
                panic!("decoding takes {arguments}, the schema does not: {error}")
            }
            (Err(error), Ok(())) => {
                panic!("the schema takes {arguments}, decoding does not: {error}")
            }
        }
    }

    /// Both take these arguments.
    fn take(&self, arguments: &Value) {
        self.agree(arguments);
        let problem = self.tool.handler.check(&object(arguments.clone()));
        assert_eq!(problem, Ok(()), "{arguments}");
    }

    /// Both refuse these arguments.
    fn refuse(&self, arguments: &Value) {
        self.agree(arguments);
        let problem = self.tool.handler.check(&object(arguments.clone()));
        assert!(problem.is_err(), "{arguments}");
    }
}

/// Any JSON, mostly small and near to what the tools take. `words` are used as strings and as names of members.
fn value(words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..12).prop_map(Value::from),
        (-3_i64..300).prop_map(|n| json!(n as f64)),
        prop_oneof![Just(70_000_i64), Just(i64::MAX), Just(i64::MIN)].prop_map(Value::from),
        prop_oneof![Just(0.5), Just(-1.25), Just(1e19), Just(1e39), Just(1e300)]
            .prop_map(|n: f64| json!(n)),
        "[a-c]{0,4}".prop_map(Value::from),
        prop::sample::select(words).prop_map(Value::from),
        Just(Value::from("é")),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        let key = prop_oneof![
            Just("x").prop_map(str::to_owned),
            prop::sample::select(words).prop_map(str::to_owned),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key, inner, 0..4)
                .prop_map(|members: BTreeMap<String, Value>| json!(members)),
        ]
    })
}

/// A change at one of all places of a value.
#[derive(Clone, Debug)]
enum Change {
    Replace(Value),
    Remove,
    Add(String, Value),
}

/// Good arguments, up to two of whose parts, at any depth, are another value, or gone, or more than there were.
fn changed(good: Value, words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let change = prop_oneof![
        3 => value(words).prop_map(Change::Replace),
        1 => Just(Change::Remove),
        2 => (prop::sample::select(words), value(words)).prop_map(|(name, value)| Change::Add(name.to_owned(), value)),
    ];
    prop::collection::vec((any::<prop::sample::Index>(), change), 0..3).prop_map(move |changes| {
        let mut arguments = good.clone();
        for (place, change) in changes {
            let places = count(&arguments);
            apply(&mut arguments, &mut place.index(places), change);
        }
        arguments
    })
}

/// The number of values inside of a value, itself among them.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(members) => members.values().map(count).sum(),
        _ => 0,
    }
}

/// Changes the value that comes `place`th, and says whether it was found. Arguments stay an object.
fn apply(value: &mut Value, place: &mut usize, change: Change) -> bool {
    if *place == 0 {
        match (value, change) {
            (Value::Object(members), Change::Add(name, value)) => {
                members.insert(name, value);
            }
            (Value::Array(items), Change::Add(_, value)) => items.push(value),
            _ => {}
        }
        return true;
    }
    *place -= 1;
    match value {
        Value::Array(items) => {
            for index in 0..items.len() {
                match (*place, &change) {
                    (0, Change::Remove) => {
                        items.remove(index);
                        return true;
                    }
                    (0, Change::Replace(value)) => {
                        items[index] = value.clone();
                        return true;
                    }
                    _ => {}
                }
                if apply(&mut items[index], place, change.clone()) {
                    return true;
                }
            }
        }
        Value::Object(members) => {
            let names: Vec<String> = members.keys().cloned().collect();
            for name in names {
                match (*place, &change) {
                    (0, Change::Remove) => {
                        members.remove(&name);
                        return true;
                    }
                    (0, Change::Replace(value)) => {
                        members.insert(name, value.clone());
                        return true;
                    }
                    _ => {}
                }
                if let Some(inner) = members.get_mut(&name)
                    && apply(inner, place, change.clone())
                {
                    return true;
                }
            }
        }
        _ => {}
    }
    false
}

/// The cases of a property test.
fn cases(number: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(number)
    }
}
