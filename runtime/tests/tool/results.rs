//! What a tool function may return.

use std::borrow::Cow;

use mcp_tasks::{
    Json, ToolError, task_tool,
    tool::{ContentBlock, ToolOutput},
    types::v2026_07_28::{CallToolResult, ImageContent, TextContent},
};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use crate::support::{call, run, tool};

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Weather {
    /// Degrees
    air_temperature: f64,
    wind: Option<Wind>,
}

#[derive(Serialize, JsonSchema)]
struct Wind {
    speed: u8,
}

#[task_tool]
async fn weather() -> Json<Weather> {
    Json(Weather {
        air_temperature: 21.5,
        wind: Some(Wind { speed: 3 }),
    })
}

#[tokio::test]
async fn json_is_structured_content_with_a_schema_and_the_same_as_text() {
    let weather = tool(weather);
    let schema = Value::Object(weather.descriptor.output_schema.clone().unwrap());
    assert_eq!(schema["type"], "object");
    assert_eq!(
        schema["properties"]["airTemperature"]["description"],
        "Degrees"
    );
    assert!(!schema.to_string().contains("$ref"), "{schema}");
    let output = run(&weather, call(json!({}))).await.unwrap();
    let expected = json!({"airTemperature": 21.5, "wind": {"speed": 3}});
    assert_eq!(output.structured_content.as_ref(), Some(&expected));
    assert_eq!(
        serde_json::from_str::<Value>(&output.joined_text()).unwrap(),
        expected
    );
}

#[task_tool]
async fn string() -> String {
    "s".to_owned()
}

#[task_tool]
async fn borrowed() -> &'static str {
    "b"
}

#[task_tool]
async fn either(owned: bool) -> Cow<'static, str> {
    if owned {
        Cow::Owned("o".to_owned())
    } else {
        Cow::Borrowed("b")
    }
}

#[task_tool]
async fn nothing() {}

#[task_tool]
async fn output() -> ToolOutput {
    ToolOutput::text("out")
}

#[tokio::test]
async fn texts_and_nothing_are_results() {
    let texts = [
        run(&tool(string), call(json!({}))).await,
        run(&tool(borrowed), call(json!({}))).await,
        run(&tool(either), call(json!({"owned": true}))).await,
        run(&tool(nothing), call(json!({}))).await,
        run(&tool(output), call(json!({}))).await,
    ];
    let texts = texts.map(|output| output.unwrap().joined_text());
    assert_eq!(texts, ["s", "b", "o", "", "out"]);
    let empty = run(&tool(nothing), call(json!({}))).await.unwrap();
    assert_eq!(Value::Object(empty.into_object()), json!({"content": []}));
}

#[task_tool]
async fn divide(a: i64, b: i64) -> Result<String, ToolError> {
    if b == 0 {
        return Err(ToolError::new("division by zero"));
    }
    Ok((a / b).to_string())
}

#[task_tool]
async fn read(path: String) -> Result<String, std::io::Error> {
    std::fs::read_to_string(path)
}

#[task_tool]
async fn parse(text: String) -> Result<Json<Vec<u8>>, Box<dyn std::error::Error + Send + Sync>> {
    let number = text.parse::<u8>()?;
    if number > 9 {
        return Err("too large".into());
    }
    Ok(Json(vec![number]))
}

#[derive(Debug, thiserror::Error, ToolError)]
enum Failure {
    #[error("busy")]
    #[tool_error(code = -32000)]
    Busy,
    #[error("no such order")]
    Unknown,
}

#[task_tool]
async fn order(known: bool) -> Result<(), Failure> {
    if known {
        Err(Failure::Busy)
    } else {
        Err(Failure::Unknown)
    }
}

#[tokio::test]
async fn errors_become_reports_or_protocol_errors() {
    let by_zero = run(&tool(divide), call(json!({"a": 1, "b": 0})))
        .await
        .unwrap_err();
    assert_eq!(by_zero, ToolError::new("division by zero"));
    let missing = run(&tool(read), call(json!({"path": "/nonexistent/file"})))
        .await
        .unwrap_err();
    assert!(matches!(missing, ToolError::Tool(_)), "{missing}");
    let large = run(&tool(parse), call(json!({"text": "10"})))
        .await
        .unwrap_err();
    assert_eq!(large.to_string(), "too large");
    let busy = run(&tool(order), call(json!({"known": true})))
        .await
        .unwrap_err();
    assert_eq!(busy, ToolError::protocol(-32000, "busy"));
    let unknown = run(&tool(order), call(json!({"known": false})))
        .await
        .unwrap_err();
    assert_eq!(unknown, ToolError::new("no such order"));
    assert_eq!(
        run(&tool(divide), call(json!({"a": 9, "b": 3})))
            .await
            .unwrap()
            .joined_text(),
        "3"
    );
}

#[test]
fn the_schema_of_a_fallible_result_is_that_of_its_value() {
    assert_eq!(
        tool(parse).descriptor.output_schema.clone().unwrap()["type"],
        "array"
    );
    assert_eq!(tool(divide).descriptor.output_schema, None);
}

#[derive(Debug, thiserror::Error, ToolError)]
#[error("cannot read `{path}`")]
#[tool_error(code = mcp_tasks::tool::INVALID_PARAMS)]
struct Unreadable {
    path: String,
    source: std::io::Error,
}

#[test]
fn a_derived_error_tells_its_causes() {
    let error = Unreadable {
        path: "a".to_owned(),
        source: std::io::Error::other("disk gone"),
    };
    assert_eq!(
        ToolError::from(error),
        ToolError::protocol(-32602, "cannot read `a`: disk gone")
    );
}

#[task_tool]
async fn image() -> ImageContent {
    ImageContent::new("AAAA", "image/png")
}

#[task_tool]
async fn blocks() -> Vec<ContentBlock> {
    vec![
        TextContent::new("one").into(),
        ImageContent::new("AAAA", "image/png").into(),
        TextContent::new("two").into(),
    ]
}

#[task_tool]
async fn whole(failed: bool) -> CallToolResult {
    let mut result = CallToolResult::new(vec![TextContent::new("text").into()], "complete");
    result.structured_content = Some(json!({"n": 1}));
    result.is_error = Some(failed);
    result.extra.insert("note".to_owned(), json!("kept"));
    result
}

#[tokio::test]
async fn content_blocks_and_whole_results_are_results() {
    let image = run(&tool(image), call(json!({}))).await.unwrap();
    assert_eq!(
        Value::Object(image.into_object()),
        json!({"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]})
    );
    let blocks = run(&tool(blocks), call(json!({}))).await.unwrap();
    assert_eq!(blocks.content.len(), 3);
    assert_eq!(blocks.joined_text(), "one\ntwo");
    let whole = run(&tool(whole), call(json!({"failed": true})))
        .await
        .unwrap();
    assert_eq!(
        Value::Object(whole.into_object()),
        json!({
            "content": [{"type": "text", "text": "text"}],
            "structuredContent": {"n": 1},
            "isError": true,
            "note": "kept",
        })
    );
}

#[task_tool]
async fn mean(of: Vec<f64>) -> Json<f64> {
    Json(of.iter().sum::<f64>() / of.len() as f64)
}

/// Says another thing of itself than it is.
#[derive(Serialize)]
struct Liar {
    count: String,
}

impl JsonSchema for Liar {
    fn schema_name() -> Cow<'static, str> {
        "Liar".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "object", "properties": {"count": {"type": "integer"}}})
    }
}

#[task_tool]
async fn lie() -> Result<Json<Vec<Liar>>, ToolError> {
    Ok(Json(vec![Liar {
        count: "many".to_owned(),
    }]))
}

#[tokio::test]
async fn a_result_that_breaks_its_schema_is_a_fault_of_the_server() {
    let mean = tool(mean);
    let fine = run(&mean, call(json!({"of": [1, 2]}))).await.unwrap();
    assert_eq!(fine.structured_content, Some(json!(1.5)));
    assert_eq!(
        run(&mean, call(json!({"of": []}))).await,
        Err(ToolError::internal(
            "the result of the tool `mean` breaks its output schema: `result`: expected a number, got null; \
             JSON has no NaN and no infinity"
        ))
    );
    assert_eq!(
        run(&tool(lie), call(json!({}))).await,
        Err(ToolError::internal(
            "the result of the tool `lie` breaks its output schema: `result[0].count`: expected an integer, \
             got the string \"many\""
        ))
    );
}

#[derive(Serialize, JsonSchema)]
struct Everything {
    #[serde(skip_serializing_if = "Option::is_none")]
    nothing: Option<u8>,
    #[serde(flatten)]
    place: Place,
    #[serde(flatten)]
    rest: std::collections::BTreeMap<String, u8>,
    steps: Vec<Step>,
    pair: (i8, char),
    wide: u128,
    fine: f32,
    #[serde(default)]
    tree: Option<Box<Everything>>,
    raw: Value,
}

#[derive(Serialize, JsonSchema, Default)]
struct Place {
    #[serde(rename = "atHome")]
    at_home: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Step {
    LookUp { word: String },
    Wait(Place),
    Done,
}

#[task_tool]
async fn everything() -> Json<Everything> {
    let small = |tree| Everything {
        nothing: None,
        place: Place::default(),
        rest: [("x".to_owned(), 1)].into(),
        steps: vec![
            Step::LookUp {
                word: "w".to_owned(),
            },
            Step::Wait(Place::default()),
            Step::Done,
        ],
        pair: (-1, 'é'),
        wide: u64::MAX.into(),
        fine: 0.1,
        tree,
        raw: json!([null]),
    };
    Json(small(Some(Box::new(small(None)))))
}

#[tokio::test]
async fn results_of_derived_types_fit_their_schemas() {
    let everything = tool(everything);
    let schema = Value::Object(everything.descriptor.output_schema.clone().unwrap());
    let output = run(&everything, call(json!({}))).await.unwrap();
    let content = output.structured_content.unwrap();
    assert!(jsonschema::draft202012::is_valid(&schema, &content));
}
