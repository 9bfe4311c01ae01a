//! Types that may look in several ways, as one argument, inside of others, and as all arguments.

#![allow(dead_code, reason = "arguments are decoded to see whether they can be")]

use mcp_tasks::{Args, task_tool};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{Case, cases, changed};
use crate::support::tool;

#[derive(Deserialize, JsonSchema)]
struct Point {
    x: i8,
    #[serde(default)]
    #[schemars(range(max = 5))]
    y: u8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Tagged {
    Point(Point),
    Line {
        from: Point,
        to: Option<Point>,
    },
    #[serde(rename = "none")]
    Nothing,
    #[serde(rename_all = "camelCase")]
    Label {
        some_text: String,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Point(Point),
    Pair(u8, String),
    /// Serde refuses content beside this one, which the schema allows: no word of the tests.
    #[serde(rename = "still")]
    Nothing,
    Named {
        a: bool,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Text(#[schemars(length(min = 1))] String),
    Many(Vec<i8>),
    Point(Point),
    Named { name: String },
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum External {
    Point(Point),
    TwoOf(Point, u8),
    Named {
        a: Option<u8>,
    },
    Nothing,
    #[serde(rename = "other")]
    Last,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", deny_unknown_fields)]
enum Strict {
    A { a: u8 },
    B { b: u8 },
}

#[task_tool]
async fn nested(
    tagged: Vec<Tagged>,
    adjacent: Option<Adjacent>,
    untagged: (Untagged, Option<Untagged>),
    external: Vec<External>,
    strict: Option<Strict>,
) {
    drop((tagged, adjacent, untagged, external, strict));
}

#[task_tool]
async fn tagged(args: Args<Tagged>) {
    let _ = args;
}

#[task_tool]
async fn adjacent(args: Args<Adjacent>) {
    let _ = args;
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    Point(Point),
    Named { name: String },
}

#[task_tool]
async fn either(args: Args<Either>) {
    let _ = args;
}

#[task_tool]
async fn external(args: Args<External>) {
    let _ = args;
}

#[task_tool]
async fn strict(args: Args<Strict>) {
    let _ = args;
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Up(Point),
    Down { by: u8 },
}

#[derive(Deserialize, JsonSchema)]
struct Flat {
    id: u8,
    #[serde(flatten)]
    point: Point,
    #[serde(flatten)]
    tagged: Tagged,
}

#[derive(Deserialize, JsonSchema)]
struct FlatOrder {
    id: u8,
    #[serde(flatten)]
    order: Order,
}

#[task_tool]
async fn flat(args: Args<Flat>) {
    let _ = args;
}

#[task_tool]
async fn flat_order(args: Args<FlatOrder>) {
    let _ = args;
}

#[task_tool]
async fn flat_inside(flat: Flat, order: FlatOrder) {
    drop((flat, order));
}

const WORDS: &[&str] = &[
    "kind", "point", "line", "none", "label", "x", "y", "from", "to", "someText", "t", "c",
    "Point", "Pair", "Nothing", "Named", "a", "b", "name", "two-of", "named", "nothing", "other",
    "A", "B", "id", "up", "by", "tagged", "adjacent", "untagged", "external", "strict", "flat",
    "order",
];

/// Of a flattened enum serde takes the first member that has the name of a variant, fitting or not; a schema cannot say
/// "first", so that none has two of them here.
const UP: &[&str] = &["id", "up", "by", "x", "y"];
const DOWN: &[&str] = &["id", "down", "by", "x", "y"];

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn choices_inside_of_arguments_agree(arguments in prop_oneof![
        changed(json!({
            "tagged": [
                {"kind": "point", "x": 1}, {"kind": "line", "from": {"x": 1, "y": 2}, "to": {"x": 2}},
                {"kind": "none"}, {"kind": "label", "someText": "x"},
            ],
            "adjacent": {"t": "Pair", "c": [1, "x"]},
            "untagged": [[1], {"name": "x"}],
            "external": ["nothing", "other", {"point": {"x": 1}}, {"two-of": [{"x": 1}, 2]}, {"named": {}}],
            "strict": {"kind": "B", "b": 2},
        }), WORDS),
        changed(json!({
            "tagged": [], "adjacent": {"c": {"x": 1, "y": 2}, "t": "Point"}, "untagged": ["x", 1], "external": [],
        }), WORDS),
    ]) {
        agree!(nested, arguments);
    }

    #[test]
    fn a_tagged_enum_agrees(arguments in prop_oneof![
        changed(json!({"kind": "line", "from": {"x": 1, "y": 2}, "to": {"x": 2}}), WORDS),
        changed(json!({"kind": "point", "x": 1}), WORDS),
        changed(json!({"kind": "label", "someText": "a"}), WORDS),
    ]) {
        agree!(tagged, arguments);
    }

    #[test]
    fn an_adjacently_tagged_enum_agrees(arguments in prop_oneof![
        changed(json!({"t": "Point", "c": {"x": 1}}), WORDS),
        changed(json!({"t": "Named", "c": {"a": true}}), WORDS),
    ]) {
        agree!(adjacent, arguments);
    }

    #[test]
    fn an_untagged_enum_agrees(arguments in prop_oneof![
        changed(json!({"x": 1, "y": 2}), WORDS), changed(json!({"name": "x"}), WORDS),
    ]) {
        agree!(either, arguments);
    }

    #[test]
    fn an_enum_without_a_tag_member_agrees(arguments in prop_oneof![
        changed(json!({"point": {"x": 1}}), WORDS), changed(json!({"named": {"a": 1}}), WORDS),
    ]) {
        agree!(external, arguments);
    }

    #[test]
    fn a_strict_enum_agrees(arguments in changed(json!({"kind": "A", "a": 1}), WORDS)) {
        agree!(strict, arguments);
    }

    #[test]
    fn flattened_types_agree(arguments in prop_oneof![
        changed(json!({"id": 1, "x": 1, "kind": "none"}), WORDS),
        changed(json!({"id": 1, "x": 1, "kind": "line", "from": {"x": 2}}), WORDS),
    ]) {
        agree!(flat, arguments);
    }

    #[test]
    fn a_flattened_enum_agrees(arguments in prop_oneof![
        changed(json!({"id": 1, "up": {"x": 1}}), UP), changed(json!({"id": 1, "down": {"by": 2}}), DOWN),
    ]) {
        agree!(flat_order, arguments);
    }

    #[test]
    fn flattened_types_inside_of_arguments_agree(arguments in changed(json!({
        "flat": {"id": 1, "x": 1, "y": 4, "kind": "label", "someText": "x"}, "order": {"id": 1, "up": {"x": 1}},
    }), WORDS)) {
        agree!(flat_inside, arguments);
    }
}

#[test]
fn unknown_arguments_are_refused_whatever_the_variant() {
    for (case, good) in [
        (Case::of(tool(tagged)), json!({"kind": "point", "x": 1})),
        (Case::of(tool(adjacent)), json!({"t": "still"})),
        (Case::of(tool(either)), json!({"name": "x"})),
        (Case::of(tool(external)), json!({"point": {"x": 1}})),
        (Case::of(tool(strict)), json!({"kind": "A", "a": 1})),
        (
            Case::of(tool(flat)),
            json!({"id": 1, "x": 1, "kind": "none"}),
        ),
        (Case::of(tool(flat_order)), json!({"id": 1, "up": {"x": 1}})),
    ] {
        case.take(&good);
        let mut more = good.clone();
        more["unheard"] = json!(1);
        case.refuse(&more);
    }
}
