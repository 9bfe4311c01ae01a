//! Parameters that are arguments: schema, decoding, complaints.

use std::{
    collections::{BTreeMap, HashMap},
    num::{NonZeroI8, NonZeroU8},
};

use mcp_tasks::{Args, JsonObject, task_tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{complaint, object, schema, text, tool};

/// Builds the yearly report.
///
/// It takes a while.
#[task_tool]
async fn report(
    /// Data set to read
    dataset: String,
    #[arg(default = 10)] limit: u32,
    note: Option<String>,
) -> String {
    format!("{dataset} {limit} {note:?}")
}

#[tokio::test]
async fn parameters_become_arguments() {
    let report = tool(report);
    assert_eq!(report.name(), "report");
    assert_eq!(
        report.descriptor.description.as_deref(),
        Some("Builds the yearly report.\n\nIt takes a while.")
    );
    assert_eq!(
        schema(&report),
        json!({
            "type": "object",
            "properties": {
                "dataset": {"type": "string", "description": "Data set to read"},
                "limit": {
                    "type": "integer", "format": "uint32", "minimum": 0, "maximum": u32::MAX, "default": 10,
                },
                "note": {"type": ["string", "null"]},
            },
            "required": ["dataset"],
            "additionalProperties": false,
        })
    );
    assert_eq!(text(&report, json!({"dataset": "a"})).await, "a 10 None");
    assert_eq!(
        text(&report, json!({"dataset": "a", "limit": 5.0, "note": null})).await,
        "a 5 None"
    );
    assert_eq!(
        text(&report, json!({"dataset": "a", "limit": 5, "note": "n"})).await,
        "a 5 Some(\"n\")"
    );
}

#[tokio::test]
async fn the_function_is_still_an_async_function() {
    assert_eq!(report("x".into(), 1, None).await, "x 1 None");
}

/// covers: X-ARG-1
#[test]
fn wrong_arguments_are_named_with_what_was_expected_and_the_kind_of_value() {
    let report = tool(report);
    assert_eq!(
        complaint(&report, json!({"dataset": 7, "limit": "ten", "nota": 1})),
        "argument `dataset`: expected a string, got the number 7\n\
         argument `limit`: expected an integer from 0 to 4294967295, got the string \"ten\"\n\
         unknown argument `nota`: known are `dataset`, `limit`, `note`"
    );
    assert_eq!(
        complaint(&report, json!({})),
        "argument `dataset` is missing: expected a string"
    );
    assert!(
        complaint(&report, json!({"dataset": "", "limit": 5.5})).contains("got the number 5.5")
    );
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "unit")]
#[expect(dead_code, reason = "only decoding is looked at")]
enum Length {
    Feet { of: f32 },
}

/// Weighs.
#[task_tool]
async fn weigh(
    plain: f32,
    several: Option<Vec<f32>>,
    length: Option<Length>,
    #[arg(default = 1.0, schema = json!({"maximum": 1e300}))] bounded: f32,
) {
    drop((plain, several, length, bounded));
}

/// covers: X-ARG-1
#[test]
fn a_number_that_is_infinite_for_its_type_is_refused_wherever_it_stands() {
    let weigh = tool(weigh);
    let all = "a number from -3.4028235e38 to 3.4028235e38";
    for (arguments, complained) in [
        (
            json!({"plain": 1e39}),
            format!("argument `plain`: expected {all}, got the number 1e+39"),
        ),
        (
            json!({"plain": -1e39}),
            format!("argument `plain`: expected {all}, got the number -1e+39"),
        ),
        (
            json!({"plain": 1, "several": [1, 1e39]}),
            format!("argument `several[1]`: expected {all}, got the number 1e+39"),
        ),
        (
            json!({"plain": 1, "length": {"unit": "Feet", "of": 1e39}}),
            "argument `length.of`: expected at most 3.4028235e+38, got the number 1e+39".to_owned(),
        ),
        (
            json!({"plain": 1, "bounded": 1e39}),
            format!("argument `bounded`: expected {all}, got the number 1e+39"),
        ),
    ] {
        assert_eq!(complaint(&weigh, arguments), complained);
    }
    let largest = json!({"plain": 3.4028235e38, "several": [f32::MAX, f32::MIN]});
    assert_eq!(weigh.handler.check(&object(largest)), Ok(()));
}

#[derive(Deserialize, Serialize, JsonSchema, Clone, Copy, PartialEq, Debug)]
#[serde(rename_all = "lowercase")]
enum Color {
    Red,
    Green,
}

#[derive(Deserialize, JsonSchema, Debug)]
struct Shape {
    /// Its corners
    corners: Vec<Corner>,
}

#[derive(Deserialize, JsonSchema, Debug)]
struct Corner {
    x: i8,
    color: Option<Color>,
}

/// Draws.
#[task_tool]
async fn draw(
    shape: Shape,
    #[arg(default = Color::Green)] color: Color,
    #[arg(default)] names: BTreeMap<String, u8>,
) -> String {
    format!(
        "{} {color:?} {:?} {}",
        shape.corners.len(),
        shape.corners.first().map(|c| (c.x, c.color)),
        names.len()
    )
}

#[tokio::test]
async fn nested_types_are_inline_and_their_faults_have_a_path() {
    let draw = tool(draw);
    let schema = schema(&draw);
    assert!(!schema.to_string().contains("$ref"), "{schema}");
    assert_eq!(schema["properties"]["color"]["default"], "green");
    assert_eq!(
        schema["properties"]["color"]["enum"],
        json!(["red", "green"])
    );
    assert_eq!(schema["properties"]["names"]["default"], json!({}));
    assert_eq!(schema["required"], json!(["shape"]));
    let good = json!({"shape": {"corners": [{"x": 1, "color": "red"}]}, "names": {"a": 1}});
    assert_eq!(text(&draw, good).await, "1 Green Some((1, Some(Red))) 1");
    assert_eq!(
        complaint(
            &draw,
            json!({"shape": {"corners": [{"x": 1}, {"x": 200}]}, "color": "blue"})
        ),
        "argument `shape.corners[1].x`: expected an integer from -128 to 127, got the number 200\n\
         argument `color`: expected one of \"red\", \"green\", got the string \"blue\""
    );
    assert_eq!(
        complaint(&draw, json!({"shape": [[]]})),
        "argument `shape`: expected an object, got an array"
    );
    assert_eq!(
        complaint(&draw, json!({"shape": {}})),
        "argument `shape.corners` is missing: expected an array"
    );
}

#[task_tool]
async fn renamed(
    #[arg(rename = "dataSet")] set: String,
    r#type: String,
    #[arg(schema = json!({"minimum": 1, "description": "How many"}))] count: u8,
    #[arg(skip)] cache: Vec<u8>,
    #[arg(skip, default = 7)] seed: u64,
    #[arg(default = "en")] language: String,
) -> String {
    format!("{set} {type} {count} {} {seed} {language}", cache.len())
}

#[tokio::test]
async fn an_argument_can_be_renamed_hidden_and_described() {
    let renamed = tool(renamed);
    let schema = schema(&renamed);
    assert_eq!(
        schema["properties"],
        json!({
            "dataSet": {"type": "string"},
            "type": {"type": "string"},
            "count": {"type": "integer", "format": "uint8", "minimum": 1, "maximum": 255, "description": "How many"},
            "language": {"type": "string", "default": "en"},
        })
    );
    assert_eq!(
        text(&renamed, json!({"dataSet": "d", "type": "t", "count": 2})).await,
        "d t 2 0 7 en"
    );
    assert!(
        complaint(
            &renamed,
            json!({"dataSet": "d", "type": "t", "count": 2, "seed": 1})
        )
        .contains("unknown argument `seed`")
    );
}

#[derive(Deserialize, JsonSchema)]
struct Range {
    /// First
    from: u32,
    #[serde(default)]
    to: Option<u32>,
}

/// Measures.
#[task_tool]
async fn width(Args(range): Args<Range>) -> String {
    format!("{} {:?}", range.from, range.to)
}

#[tokio::test]
async fn one_struct_can_hold_all_arguments() {
    let width = tool(width);
    let schema = schema(&width);
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["required"], json!(["from"]));
    assert_eq!(schema["properties"]["from"]["description"], "First");
    assert_eq!(text(&width, json!({"from": 1, "to": 3})).await, "1 Some(3)");
    assert_eq!(
        complaint(&width, json!({"from": -1, "by": 2})),
        "argument `from`: expected an integer from 0 to 4294967295, got the number -1\n\
         unknown argument `by`: known are `from`, `to`"
    );
    assert_eq!(
        complaint(&width, json!({})),
        "argument `from` is missing: expected an integer"
    );
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Strict {
    n: u8,
}

#[task_tool]
async fn strict(args: Args<Strict>) -> String {
    args.n.to_string()
}

#[test]
fn what_a_strict_struct_does_not_know_is_told_once() {
    let strict = tool(strict);
    assert_eq!(
        complaint(&strict, json!({"n": 1, "m": 2, "o": 3})),
        "unknown argument `m`: known are `n`\nunknown argument `o`: known are `n`"
    );
    assert_eq!(
        complaint(&strict, json!({"a": 2})),
        "argument `n` is missing: expected an integer\nunknown argument `a`: known are `n`"
    );
}

#[derive(Deserialize, JsonSchema, Debug)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[serde(alias = "quick")]
    Fast,
    #[serde(other)]
    Other,
}

#[task_tool]
async fn start(mode: Mode, times: NonZeroU8, shift: NonZeroI8) -> String {
    format!("{mode:?} {times} {shift}")
}

#[tokio::test]
async fn what_the_schema_does_not_show_is_not_taken() {
    let start = tool(start);
    let good = json!({"mode": "fast", "times": 1, "shift": -1});
    assert_eq!(text(&start, good.clone()).await, "Fast 1 -1");
    for (name, value, says) in [
        (
            "mode",
            json!("quick"),
            "argument `mode`: expected one of \"fast\", \"other\", got the string \"quick\"",
        ),
        (
            "mode",
            json!("slow"),
            "argument `mode`: expected one of \"fast\", \"other\", got the string \"slow\"",
        ),
        (
            "times",
            json!(0),
            "argument `times`: expected at least 1, got the number 0",
        ),
        (
            "shift",
            json!(0),
            "argument `shift`: expected anything but 0, got the number 0",
        ),
    ] {
        let mut arguments = good.clone();
        arguments[name] = value;
        assert_eq!(complaint(&start, arguments), says);
    }
}

#[task_tool]
async fn wrong(args: Args<u32>) -> String {
    args.to_string()
}

#[test]
fn arguments_that_are_no_object_are_refused_at_registration() {
    let error = mcp_tasks::tool::ToolSet::new()
        .add(tool(wrong))
        .unwrap_err();
    assert!(
        error.to_string().contains("written as an object"),
        "{error}"
    );
}

#[task_tool]
async fn none() -> &'static str {
    "nothing"
}

#[test]
fn a_tool_without_arguments_takes_none() {
    let none = tool(none);
    assert_eq!(
        schema(&none),
        json!({"type": "object", "properties": {}, "additionalProperties": false})
    );
    assert_eq!(
        complaint(&none, json!({"x": 1})),
        "unknown argument `x`: this tool takes none"
    );
}

#[test]
fn of_many_unknown_arguments_some_are_told() {
    let many: JsonObject = (0..1000).map(|n| (format!("x{n:03}"), json!(n))).collect();
    let complaint = complaint(&tool(none), many.into());
    assert_eq!(complaint.lines().count(), 11, "{complaint}");
    assert!(complaint.ends_with("and 990 more that are unknown"));
}

/// Judges for itself, and says only what it wants.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "u8")]
#[schemars(with = "u8")]
struct Even(u8);

impl TryFrom<u8> for Even {
    type Error = String;

    fn try_from(value: u8) -> Result<Self, String> {
        if value.is_multiple_of(2) {
            Ok(Self(value))
        } else {
            Err("must be even".to_owned())
        }
    }
}

#[task_tool]
async fn connect(hosts: Vec<std::net::IpAddr>, pair: Option<Even>, by_number: HashMap<i8, bool>) {
    let _ = (hosts, pair.map(|even| even.0), by_number);
}

#[test]
fn what_a_type_refuses_by_itself_is_told_with_the_kind_of_value() {
    assert_eq!(
        complaint(
            &tool(connect),
            json!({"hosts": ["::1", "home"], "pair": 3, "by_number": {"128": true}})
        ),
        "argument `hosts[1]`: invalid IP address syntax, got the string \"home\"\n\
         argument `pair`: must be even, got the number 3\n\
         argument `by_number.128`: expected an integer from -128 to 127 as key, got the string \"128\""
    );
}
