//! Maps, options of options, defaults inside of types, formats, and types that are written as others.

#![allow(dead_code, reason = "arguments are decoded to see whether they can be")]

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    net::{Ipv4Addr, Ipv6Addr},
    num::NonZeroI8,
    path::PathBuf,
    sync::Arc,
};

use mcp_tasks::{Args, task_tool};
use proptest::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{Case, cases, changed};
use crate::support::tool;

#[derive(Deserialize, Serialize, JsonSchema, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
enum Level {
    Low,
    High,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    n: u8,
}

#[task_tool]
async fn maps(
    lists: HashMap<String, Vec<Item>>,
    by_number: BTreeMap<u8, bool>,
    by_signed: BTreeMap<i32, bool>,
    by_level: BTreeMap<Level, u8>,
    any: Map<String, Value>,
    deep: Option<BTreeMap<String, HashMap<String, Option<i8>>>>,
) {
    drop((lists, by_number, by_signed, by_level, any, deep));
}

#[derive(Deserialize, JsonSchema, Default)]
#[serde(default)]
struct Settings {
    count: u8,
    #[schemars(length(max = 2), inner(range(min = 1)))]
    list: Vec<i8>,
    level: Option<Level>,
    twice: Option<Option<u8>>,
}

#[derive(Deserialize, JsonSchema)]
struct Seconds(#[schemars(range(min = 1, max = 60))] u32);

#[derive(Deserialize, JsonSchema)]
struct Pair(u8, String);

#[derive(Deserialize, JsonSchema)]
struct Marker;

#[derive(Deserialize, JsonSchema)]
struct Tree {
    n: u8,
    #[serde(default)]
    below: Vec<Tree>,
}

#[task_tool]
#[expect(clippy::too_many_arguments, reason = "one of each")]
async fn kinds(
    twice: Option<Option<u8>>,
    settings: Settings,
    seconds: Seconds,
    pair: Pair,
    tree: Tree,
    text: Cow<'static, str>,
    shared: Arc<str>,
    boxed: Box<[u8]>,
    path: PathBuf,
    non_zero: NonZeroI8,
    set: HashSet<u8>,
    wide: Option<i128>,
    wider: Option<u128>,
    nothing: Option<()>,
    marker: Option<Marker>,
) {
    drop((twice, settings, seconds, pair, tree, text, shared, boxed));
    drop((path, non_zero, set, wide, wider, nothing, marker));
}

#[task_tool]
async fn addresses(six: Option<Ipv6Addr>, four: Option<Ipv4Addr>) {
    let _ = (six, four);
}

#[task_tool]
async fn by_number(args: Args<BTreeMap<u8, bool>>) {
    let _ = args;
}

#[task_tool]
async fn by_name(args: Args<HashMap<String, Item>>) {
    let _ = args;
}

/// No numbers that are too large for their type: the pattern of a map's keys cannot say how large they may be.
const MAPS: &[&str] = &[
    "lists",
    "by_number",
    "by_signed",
    "by_level",
    "any",
    "deep",
    "n",
    "0",
    "255",
    "-1",
    "+1",
    "007",
    "1.0",
    "",
    "low",
    "high",
    "middle",
    "-2147483648",
];

const KINDS: &[&str] = &[
    "twice", "settings", "seconds", "pair", "tree", "text", "shared", "boxed", "path", "non_zero",
    "set", "wide", "wider", "nothing", "marker", "count", "list", "level", "low", "n", "below",
];

fn good_kinds() -> Value {
    json!({
        "settings": {"count": 1, "list": [1, 2], "level": "low", "twice": 4}, "seconds": 5, "pair": [1, "x"],
        "tree": {"n": 1, "below": [{"n": 2, "below": [{"n": 3}]}]}, "text": "x", "shared": "x", "boxed": [1, 2],
        "path": "/tmp", "non_zero": -1, "set": [1, 2], "wide": -5, "wider": 5, "nothing": null, "marker": null, "twice": 1,
    })
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn maps_agree(arguments in changed(json!({
        "lists": {"x": [{"n": 1}], "y": []}, "by_number": {"0": true}, "by_signed": {"-1": true}, "by_level": {"low": 1},
        "any": {"x": [1]}, "deep": {"x": {"y": 1, "z": null}},
    }), MAPS)) {
        agree!(maps, arguments);
    }

    #[test]
    fn other_kinds_agree(arguments in changed(good_kinds(), KINDS)) {
        agree!(kinds, arguments);
    }

    #[test]
    fn addresses_agree(arguments in changed(json!({"six": "::1", "four": "127.0.0.1"}), &[
        "six", "four", "::1", "1.2.3.4", "1.2.3", "localhost", "",
    ])) {
        agree!(addresses, arguments);
    }

    #[test]
    fn a_map_agrees(arguments in changed(json!({"1": true}), MAPS)) {
        agree!(by_number, arguments);
    }

    #[test]
    fn a_map_of_items_agrees(arguments in changed(json!({"x": {"n": 1}}), MAPS)) {
        agree!(by_name, arguments);
    }
}

#[test]
fn good_arguments_of_every_kind_are_taken() {
    let kinds = Case::of(tool(kinds));
    kinds.take(&good_kinds());
    for (name, value) in [
        ("twice", json!(null)),
        ("settings", json!({})),
        ("nothing", json!(null)),
        ("wide", json!(i64::MIN)),
        ("wider", json!(u64::MAX)),
        ("non_zero", json!(-128)),
    ] {
        let mut arguments = good_kinds();
        arguments[name] = value;
        kinds.take(&arguments);
    }
    for (name, value) in [
        ("seconds", json!(0)),
        ("non_zero", json!(0)),
        ("non_zero", json!(0.0)),
        ("wide", json!(1e30)),
        ("wider", json!(-1)),
        ("boxed", json!([256])),
        ("pair", json!([1])),
        ("set", json!([1, 1])),
        ("marker", json!({})),
    ] {
        let mut arguments = good_kinds();
        arguments[name] = value;
        kinds.refuse(&arguments);
    }
}

#[test]
fn the_keys_of_a_map_agree() {
    let by_number = Case::of(tool(by_number));
    for key in ["0", "255", "007"] {
        by_number.take(&json!({key: true}));
    }
    for key in ["", "-1", "+1", "1.0", "x"] {
        by_number.refuse(&json!({key: true}));
    }
}
