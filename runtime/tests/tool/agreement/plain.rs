//! Simple types, structs, enums and lists.

#![allow(dead_code, reason = "arguments are decoded to see whether they can be")]

use std::{
    collections::{BTreeSet, HashMap},
    num::NonZeroU16,
};

use mcp_tasks::{Args, task_tool};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Case, cases, changed};
use crate::support::tool;

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

fn good() -> Value {
    json!({
        "a": 1, "c": 0.5, "d": true, "e": "x", "f": [1], "g": [1, "x"], "i": {"x": true},
        "h": "very-high", "l": ["low"],
    })
}

proptest! {
    #![proptest_config(cases(400))]

    #[test]
    fn simple_arguments_agree(arguments in changed(good(), &[
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "low", "very-high",
    ])) {
        agree!(many, arguments);
    }

    #[test]
    fn enums_and_structs_agree(arguments in changed(
        json!({
            "shape": {"kind": "Square", "side": 1}, "outer": {"Named": {"a": 1}}, "any": 1,
            "inner": {"a": 2, "b": "x", "c": {"a": 9, "b": "abc"}},
        }),
        &[
            "shape", "outer", "inner", "any", "x", "kind", "radius", "side", "tilted", "a", "b", "c", "Circle", "Square",
            "Unit", "One", "Two", "Named",
        ],
    )) {
        agree!(few, arguments);
    }

    #[test]
    fn one_struct_agrees(arguments in changed(
        json!({"firstName": "x", "tags": [1, 2], "inner": {"a": 3, "b": "x"}}),
        &["firstName", "tags", "inner", "x", "a", "b", "c"],
    )) {
        agree!(whole, arguments);
    }
}

#[test]
fn arguments_at_the_edges_agree() {
    let many = Case::of(tool(many));
    many.take(&good());
    for (name, value) in [
        ("a", json!(255.0)),
        ("a", json!(256)),
        ("a", json!(-0.0)),
        ("b", json!(1e15)),
        ("g", json!([1, "x", 2])),
        ("c", json!(3.4028235e38)),
        ("c", json!(-3.4028236e38)),
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
