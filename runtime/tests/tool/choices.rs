//! Types of which serde loses the place of a fault: tagged, untagged and flattened ones.

#![allow(dead_code, reason = "arguments are decoded to see whether they can be")]

use mcp_tasks::{Args, task_tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{complaint, schema, text, tool};

#[derive(Deserialize, JsonSchema)]
struct Page {
    size: u8,
    #[serde(default)]
    after: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Listing {
    folder: String,
    #[serde(flatten)]
    page: Page,
    #[serde(flatten)]
    order: Order,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    Up(Column),
    Down(Column),
}

#[derive(Deserialize, JsonSchema)]
struct Column {
    column: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f32 },
    Path { points: Vec<Point> },
    Nothing,
}

#[derive(Deserialize, JsonSchema)]
struct Point {
    x: i8,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Id {
    Number(u32),
    Name(String),
    Both { number: u32, name: String },
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "t", content = "c")]
enum Event {
    Moved(Point),
    Stopped,
}

#[task_tool]
async fn draw(shape: Option<Shape>, id: Option<Id>, event: Option<Event>) {
    drop((shape, id, event));
}

#[task_tool]
async fn list(Args(listing): Args<Listing>) -> String {
    format!("{} {}", listing.folder, listing.page.size)
}

#[test]
fn a_fault_inside_of_a_tagged_type_is_named_with_its_place() {
    let draw = tool(draw);
    for (arguments, says) in [
        (
            json!({"shape": {"kind": "circle", "radius": "wide"}}),
            "argument `shape.radius`: expected a number, got the string \"wide\"",
        ),
        (
            json!({"shape": {"kind": "path", "points": [{"x": 1}, {"x": 200}]}}),
            "argument `shape.points[1].x`: expected at most 127, got the number 200",
        ),
        (
            json!({"shape": {"kind": "path", "points": [{}]}}),
            "argument `shape.points[0].x` is missing: expected an integer",
        ),
        (
            json!({"shape": {"kind": "square"}}),
            "argument `shape.kind`: expected one of \"circle\", \"path\", \"nothing\", got the string \"square\"",
        ),
        (
            json!({"shape": {"kind": 5}}),
            "argument `shape.kind`: expected one of \"circle\", \"path\", \"nothing\", got the number 5",
        ),
        (
            json!({"shape": {"radius": 1}}),
            "argument `shape.kind` is missing: expected one of \"circle\", \"path\", \"nothing\"",
        ),
        (
            json!({"shape": {"radius": "wide"}}),
            "argument `shape.kind` is missing: expected one of \"circle\", \"path\", \"nothing\"",
        ),
        (
            json!({"shape": "circle"}),
            "argument `shape`: expected an object, got the string \"circle\"",
        ),
        (
            json!({"event": {"c": {"x": null}, "t": "Moved"}}),
            "argument `event.c.x`: expected an integer, got null",
        ),
    ] {
        assert_eq!(complaint(&draw, arguments), says);
    }
}

#[test]
fn what_an_untagged_type_would_take_is_told() {
    let draw = tool(draw);
    for (arguments, says) in [
        (
            json!({"id": true}),
            "argument `id`: expected an integer or a string or an object, got the boolean true",
        ),
        (
            json!({"id": -1}),
            "argument `id`: expected at least 0, got the number -1",
        ),
        (
            json!({"id": {"number": "7", "name": "x"}}),
            "argument `id.number`: expected an integer, got the string \"7\"",
        ),
        (
            json!({"id": {"number": 7}}),
            "argument `id.name` is missing: expected a string",
        ),
    ] {
        assert_eq!(complaint(&draw, arguments), says);
    }
}

/// The names that a complaint about an unknown argument lists, in whichever order.
fn names_known(complaint: &str, unknown: &str, known: &[&str]) {
    let beginning = format!("unknown argument `{unknown}`: known are ");
    let listed = complaint.strip_prefix(&beginning).expect(complaint);
    let mut listed: Vec<&str> = listed
        .split(", ")
        .map(|name| name.trim_matches('`'))
        .collect();
    listed.sort_unstable();
    assert_eq!(listed, known);
}

#[tokio::test]
async fn a_fault_in_a_flattened_type_is_named() {
    let list = tool(list);
    let good = json!({"folder": "x", "size": 5, "up": {"column": "name"}});
    assert_eq!(text(&list, good.clone()).await, "x 5");
    for (name, value, says) in [
        (
            "size",
            json!("many"),
            "argument `size`: expected an integer, got the string \"many\"",
        ),
        (
            "size",
            json!(256),
            "argument `size`: expected at most 255, got the number 256",
        ),
        (
            "after",
            json!([]),
            "argument `after`: expected a string or null, got an array",
        ),
        (
            "up",
            json!({"column": 1}),
            "argument `up.column`: expected a string, got the number 1",
        ),
        (
            "up",
            json!("name"),
            "argument `up`: expected an object, got the string \"name\"",
        ),
    ] {
        let mut arguments = good.clone();
        arguments[name] = value;
        assert_eq!(complaint(&list, arguments), says);
    }
    let mut arguments = good.clone();
    arguments["sise"] = json!(1);
    names_known(
        &complaint(&list, arguments),
        "sise",
        &["after", "down", "folder", "size", "up"],
    );
    assert_eq!(
        complaint(&list, json!({"folder": "x", "up": {"column": "name"}})),
        "argument `size` is missing: expected an integer"
    );
    assert_eq!(
        complaint(&list, json!({"folder": "x", "size": 1})),
        "argument `up` or `down` is missing"
    );
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "do", rename_all = "lowercase")]
enum Command {
    /// Moves it
    Move {
        /// How far
        by: i8,
        #[serde(default)]
        slowly: bool,
    },
    Rename {
        by: String,
    },
    Stop,
}

#[task_tool]
async fn control(Args(command): Args<Command>) -> &'static str {
    match command {
        Command::Move { .. } => "moved",
        Command::Rename { .. } => "renamed",
        Command::Stop => "stopped",
    }
}

#[tokio::test]
async fn arguments_that_are_one_of_several_objects_are_closed() {
    let control = tool(control);
    let schema = schema(&control);
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(
        schema["properties"]["do"],
        json!({"type": "string", "enum": ["move", "rename", "stop"]})
    );
    assert_eq!(schema["properties"]["slowly"]["type"], "boolean");
    assert_eq!(
        schema["properties"]["by"]["anyOf"][1],
        json!({"type": "string"})
    );
    assert_eq!(
        text(&control, json!({"do": "move", "by": 1})).await,
        "moved"
    );
    assert_eq!(text(&control, json!({"do": "stop"})).await, "stopped");
    names_known(
        &complaint(&control, json!({"do": "stop", "now": true})),
        "now",
        &["by", "do", "slowly"],
    );
    for (arguments, says) in [
        (
            json!({"do": "halt"}),
            "argument `do`: expected one of \"move\", \"rename\", \"stop\", got the string \"halt\"",
        ),
        (
            json!({"do": "move", "by": "x"}),
            "argument `by`: expected an integer, got the string \"x\"",
        ),
        (
            json!({"do": "move"}),
            "argument `by` is missing: expected an integer",
        ),
        (
            json!({}),
            "argument `do` is missing: expected one of \"move\", \"rename\", \"stop\"",
        ),
    ] {
        assert_eq!(complaint(&control, arguments), says);
    }
}

#[derive(Deserialize, JsonSchema)]
enum Either {
    Left(Point),
    Right(Point),
    Neither,
}

#[derive(Deserialize, JsonSchema)]
struct Open {
    id: u8,
    #[serde(flatten)]
    rest: serde_json::Map<String, Value>,
}

#[task_tool]
async fn either(Args(either): Args<Either>) -> &'static str {
    match either {
        Either::Left(_) => "left",
        Either::Right(_) => "right",
        Either::Neither => "neither",
    }
}

#[task_tool]
async fn open(Args(open): Args<Open>) -> String {
    format!("{} {}", open.id, Value::Object(open.rest))
}

#[task_tool]
async fn anything(Args(any): Args<Value>) -> String {
    any.to_string()
}

#[tokio::test]
async fn what_is_open_stays_open() {
    let either = tool(either);
    assert_eq!(schema(&either)["oneOf"].as_array().map(Vec::len), Some(2));
    assert_eq!(text(&either, json!({"Left": {"x": 1}})).await, "left");
    assert_eq!(
        complaint(&either, json!({"Middle": {"x": 1}})),
        "arguments: expected one of \"Left\", \"Right\", \"Neither\", got the string \"Middle\"\n\
         unknown argument `Middle`: known are `Left`, `Right`"
    );
    let open = tool(open);
    assert_eq!(
        text(&open, json!({"id": 1, "a": [2]})).await,
        "1 {\"a\":[2]}"
    );
    let anything = tool(anything);
    assert_eq!(schema(&anything)["type"], "object");
    assert_eq!(text(&anything, json!({"a": 1})).await, "{\"a\":1}");
}
