//! A tool's schema and its decoding say the same of any arguments.

#![allow(dead_code, reason = "arguments are decoded to see whether they can be")]

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    num::NonZeroU16,
};

use jsonschema::Validator;
use mcp_tasks::{Args, task_tool, tool::Tool};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::support::{object, schema, tool};

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Level {
    Low,
    /// Needs care
    VeryHigh,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind")]
enum Shape {
    Circle { radius: f64 },
    Square { side: u8, tilted: Option<bool> },
}

#[derive(Deserialize, JsonSchema)]
enum Outer {
    Unit,
    One(i16),
    Two(bool, String),
    Named { a: u8 },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Inner {
    #[schemars(range(min = 2, max = 9))]
    a: i64,
    #[schemars(length(min = 1, max = 3))]
    #[serde(default)]
    b: String,
    c: Option<Box<Inner>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "only decoding is looked at")]
struct Whole {
    first_name: String,
    #[serde(default)]
    tags: BTreeSet<u8>,
    inner: Option<Inner>,
}

#[task_tool]
#[expect(clippy::too_many_arguments, reason = "one of each")]
async fn many(
    a: u8,
    b: Option<i64>,
    c: f32,
    d: bool,
    e: String,
    f: Vec<u16>,
    g: (u8, String),
    h: Option<Level>,
    i: HashMap<String, bool>,
    j: Option<char>,
    k: Option<NonZeroU16>,
    #[arg(default)] l: Vec<Level>,
    #[arg(default = 3, schema = json!({"minimum": 1, "exclusiveMaximum": 5}))] m: u8,
    n: Option<[bool; 2]>,
) {
    drop((a, b, c, d, e, f, g, h, i, j, k, l, m, n));
}

#[task_tool]
async fn few(shape: Option<Shape>, outer: Option<Outer>, inner: Option<Inner>, any: Option<Value>) {
    drop((shape, outer, inner, any));
}

#[task_tool]
async fn whole(Args(whole): Args<Whole>) {
    drop(whole);
}

/// Any JSON, mostly small and near to what the tools take.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..12).prop_map(Value::from),
        (-3_i64..300).prop_map(|n| json!(n as f64)),
        prop_oneof![Just(70_000_i64), Just(i64::MAX), Just(i64::MIN)].prop_map(Value::from),
        prop_oneof![Just(0.5), Just(-1.25), Just(1e19), Just(1e300)].prop_map(|n: f64| json!(n)),
        "[a-c]{0,4}".prop_map(Value::from),
        prop_oneof![
            Just("low"),
            Just("very-high"),
            Just("Circle"),
            Just("Square"),
            Just("Unit"),
            Just("One"),
            Just("Two"),
            Just("Named"),
            Just("é"),
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let key = prop_oneof![
            prop_oneof![Just("a"), Just("b"), Just("c")],
            prop_oneof![Just("kind"), Just("radius"), Just("side"), Just("tilted")],
            prop_oneof![
                Just("Unit"),
                Just("One"),
                Just("Two"),
                Just("Named"),
                Just("x")
            ],
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.prop_map(str::to_owned), inner, 0..4)
                .prop_map(|members: BTreeMap<String, Value>| json!(members)),
        ]
    })
}

/// Good arguments with some members put in, changed or taken away.
fn changed(good: &Value, names: &'static [&'static str]) -> impl Strategy<Value = Value> + use<> {
    let good = good.clone();
    prop::collection::vec(
        (prop::sample::select(names), prop::option::of(value())),
        0..3,
    )
    .prop_map(move |changes| {
        let mut arguments = object(good.clone());
        for (name, value) in changes {
            match value {
                Some(value) => drop(arguments.insert(name.to_owned(), value)),
                None => drop(arguments.remove(name)),
            }
        }
        Value::Object(arguments)
    })
}

struct Case {
    tool: Tool,
    validator: Validator,
}

impl Case {
    fn of(tool: Tool) -> Self {
        let schema = schema(&tool);
        assert!(jsonschema::meta::is_valid(&schema), "{schema}");
        let validator = jsonschema::draft202012::new(&schema).expect("a schema");
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
}

fn good() -> Value {
    json!({
        "a": 1, "c": 0.5, "d": true, "e": "x", "f": [1], "g": [1, "x"], "i": {"x": true},
        "h": "very-high", "l": ["low"],
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn simple_arguments_agree(arguments in changed(&good(), &[
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o",
    ])) {
        Case::of(tool(many)).agree(&arguments);
    }

    #[test]
    fn enums_and_structs_agree(arguments in changed(&json!({}), &["shape", "outer", "inner", "any", "x"])) {
        Case::of(tool(few)).agree(&arguments);
    }

    #[test]
    fn one_struct_agrees(arguments in changed(&json!({"firstName": "x"}), &["firstName", "tags", "inner", "x"])) {
        Case::of(tool(whole)).agree(&arguments);
    }
}

#[test]
fn arguments_at_the_edges_agree() {
    let many = Case::of(tool(many));
    many.agree(&good());
    for (name, value) in [
        ("a", json!(255.0)),
        ("a", json!(256)),
        ("a", json!(-0.0)),
        ("b", json!(1e15)),
        ("g", json!([1, "x", 2])),
        ("j", json!("é")),
        ("j", json!("ab")),
        ("k", json!(0)),
        ("m", json!(0)),
        ("m", json!(5)),
        ("n", json!([true])),
    ] {
        let mut arguments = good();
        arguments[name] = value;
        many.agree(&arguments);
    }
    let few = Case::of(tool(few));
    for arguments in [
        json!({"shape": {"kind": "Circle", "radius": 1}}),
        json!({"shape": {"kind": "Square", "side": 1, "x": 1}}),
        json!({"shape": ["Circle", 1]}),
        json!({"outer": "Unit"}),
        json!({"outer": {"Unit": null}}),
        json!({"outer": {"One": 1}}),
        json!({"outer": {"Two": [true, "x"]}}),
        json!({"outer": {"Named": {"a": 1}}}),
        json!({"outer": {"Named": [1]}}),
        json!({"outer": "One"}),
        json!({"inner": {"a": 1}}),
        json!({"inner": {"a": 2, "b": ""}}),
        json!({"inner": {"a": 2, "c": {"a": 10}}}),
        json!({"inner": {"a": 2, "c": {"a": 9, "x": 1}}}),
        json!({"inner": [2, "x"]}),
    ] {
        few.agree(&arguments);
    }
    let whole = Case::of(tool(whole));
    for tags in [json!([1, 1]), json!([1, 2]), json!([256]), json!(null)] {
        whole.agree(&json!({"firstName": "x", "tags": tags}));
    }
}
