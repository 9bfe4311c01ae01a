//! Definitions that contradict themselves: the server is not built, and says which tool and what.

use std::time::Duration;

use mcp_tasks::{
    JsonObject, Server, task_tool,
    tool::{Tool, ToolCall, ToolDescriptor, ToolError, ToolFuture, ToolHandler, ToolSet},
    tools,
};
use serde_json::json;

use crate::support::tool;

fn refusal(tool: Tool) -> String {
    ToolSet::new()
        .add(tool)
        .expect_err("it is refused")
        .to_string()
}

#[task_tool]
async fn above(#[arg(default = 500, schema = json!({"maximum": 100}))] limit: u32) {
    let _ = limit;
}

#[task_tool]
async fn not_a_number(#[arg(default = f64::NAN)] factor: f64) {
    let _ = factor;
}

#[task_tool]
async fn endless(#[arg(default = f32::INFINITY)] factor: f32) {
    let _ = factor;
}

#[task_tool]
async fn of_its_type(#[arg(default, schema = json!({"minLength": 1}))] name: String) {
    let _ = name;
}

#[task_tool]
async fn fitting(#[arg(default = 100, schema = json!({"maximum": 100}))] limit: u32) {
    let _ = limit;
}

#[test]
fn a_default_that_breaks_its_schema_is_refused() {
    for (tool, says) in [
        (
            tool(above),
            "argument `limit`: expected at most 100, got the number 500",
        ),
        (
            tool(not_a_number),
            "argument `factor`: expected a number, got null; JSON has no NaN and no infinity",
        ),
        (
            tool(endless),
            "argument `factor`: expected a number, got null; JSON has no NaN and no infinity",
        ),
        (
            tool(of_its_type),
            "argument `name`: expected a string of at least 1 characters, got the string \"\"",
        ),
    ] {
        let name = tool.name().to_owned();
        let error = refusal(tool);
        assert!(error.contains(&format!("the tool `{name}`")), "{error}");
        assert!(error.contains("faults.rs:"), "{error}");
        assert!(error.contains("the default of"), "{error}");
        assert!(error.contains(says), "{error}");
    }
    ToolSet::new().add(tool(fitting)).unwrap();
}

#[task_tool]
async fn other_kind(#[arg(schema = json!({"type": "string"}))] limit: i64) {
    let _ = limit;
}

#[task_tool]
async fn only_null(#[arg(schema = json!({"type": ["string", "null"]}))] limit: Option<f64>) {
    let _ = limit;
}

#[task_tool]
async fn of_another_shape(#[arg(schema = json!({"type": "object"}))] point: (f32, f32)) {
    let _ = point;
}

#[test]
fn a_schema_that_no_value_of_its_type_fits_is_refused() {
    for (tool, says) in [
        (
            tool(other_kind),
            "the schema of the argument `limit` says a string, and its type takes an integer",
        ),
        (
            tool(only_null),
            "the schema of the argument `limit` says a string or null, and its type takes a number or null",
        ),
        (
            tool(of_another_shape),
            "the schema of the argument `point` says an object, and its type takes an array",
        ),
    ] {
        let name = tool.name().to_owned();
        let error = refusal(tool);
        assert!(error.contains(&format!("the tool `{name}`")), "{error}");
        assert!(error.contains("faults.rs:"), "{error}");
        assert!(error.contains(says), "{error}");
    }
}

/// Written as a string, whatever its derived schema says.
#[derive(schemars::JsonSchema)]
struct Id(u64);

impl<'de> serde::Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <String as serde::Deserialize>::deserialize(deserializer)?;
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only decoding is looked at")]
enum Any {
    Number(i64),
    Text(String),
}

#[task_tool]
async fn said_otherwise(
    #[arg(schema = json!({"type": "number"}))] whole: u8,
    #[arg(schema = json!({"type": "integer"}))] of_number: f64,
    #[arg(schema = json!({"type": "string"}))] required: Option<String>,
    #[arg(schema = json!({"type": "string", "maximum": null, "minimum": null}))] id: Id,
    #[arg(schema = json!({"type": "string"}))] any: Any,
    #[arg(schema = json!({"type": "object"}))] free: serde_json::Value,
    #[arg(schema = json!({"type": ["null"]}))] none: Option<u8>,
) {
    drop((whole, of_number, required, id.0, any, free, none));
}

#[test]
fn a_schema_may_say_less_or_better_than_its_type() {
    let tool = ToolSet::new().add(tool(said_otherwise));
    assert!(tool.is_ok(), "{tool:?}");
}

#[test]
fn a_server_with_a_faulty_tool_is_not_built() {
    let error = Server::builder()
        .tools(tools![above])
        .build()
        .err()
        .expect("built");
    assert!(error.to_string().contains("`limit`"), "{error}");
}

const NO_TIME: Duration = Duration::ZERO;

#[task_tool(ttl = NO_TIME)]
async fn gone() {}

#[task_tool(poll_interval = NO_TIME)]
async fn restless() {}

#[task_tool(timeout = NO_TIME)]
async fn hurried() {}

#[task_tool(concurrency = NONE)]
async fn never() {}

const NONE: usize = 0;

#[task_tool(inline_for = Duration::from_secs(2), ttl = "1s")]
async fn patient() {}

#[test]
fn settings_that_are_computed_are_looked_at_too() {
    for (tool, says) in [
        (tool(gone), "its `ttl` is zero"),
        (tool(restless), "its `poll_interval` is zero"),
        (tool(hurried), "its `timeout` is zero"),
        (tool(never), "its `concurrency` is 0"),
        (tool(patient), "its `inline_for` (2s) is not shorter"),
    ] {
        let name = tool.name().to_owned();
        let error = refusal(tool);
        assert!(error.contains(&format!("the tool `{name}`")), "{error}");
        assert!(error.contains(says), "{error}");
    }
}

/// The code of a tool put together by hand.
struct Nothing;

impl ToolHandler for Nothing {
    fn check(&self, _: &JsonObject) -> Result<(), ToolError> {
        Ok(())
    }

    fn start(&self, _: ToolCall) -> Result<ToolFuture, ToolError> {
        Err(ToolError::new("nothing to run"))
    }
}

#[test]
fn a_tool_put_together_by_hand_is_looked_at_too() {
    let mut descriptor = ToolDescriptor::new("gone");
    descriptor.options.ttl = Some(NO_TIME);
    let error = refusal(Tool::new(descriptor, Nothing));
    assert!(error.contains("its `ttl` is zero"), "{error}");
}
