//! Every tool of the fixture: its schemas are schemas, and arguments of a wrong kind are explained.

use mcp_tasks::{Json, Server, task_tool, testing::TestClient, types::v2026_07_28::Tool};
use mcp_tasks_tests::fixture;
use serde_json::{Map, Value, json};

/// What a tool gives that gives JSON.
#[derive(serde::Serialize, schemars::JsonSchema)]
struct Report {
    title: String,
    lines: Vec<String>,
    of: Option<Box<Report>>,
}

/// Gives JSON, which no tool of the fixture does.
#[task_tool]
async fn report(title: String) -> Json<Report> {
    let (lines, of) = (vec![], None);
    Json(Report { title, lines, of })
}

/// Tools that are made by hand, schema and all: they say themselves what does not fit.
const BY_HAND: [&str; 2] = ["json_schema_2020_12_tool", "test_x_mcp_header"];

fn server() -> Server {
    fixture::builder()
        .tool(report)
        .build()
        .expect("the fixture is a server")
}

async fn clients(server: &Server) -> [TestClient; 2] {
    [
        TestClient::modern(server),
        TestClient::legacy(server).await.expect("a session"),
    ]
}

fn schema(tool: &Tool) -> Value {
    serde_json::to_value(&tool.input_schema).expect("a schema is JSON")
}

#[tokio::test]
async fn every_schema_of_a_tool_is_one_of_2020_12() {
    let server = server();
    let mut results = 0;
    for client in clients(&server).await {
        for tool in client.list_tools().await.expect("tools") {
            let output = tool.output_schema.as_ref();
            let output = output.map(|it| serde_json::to_value(it).expect("a schema is JSON"));
            results += usize::from(output.is_some());
            for schema in [Some(schema(&tool)), output].into_iter().flatten() {
                if let Err(error) = jsonschema::draft202012::meta::validate(&schema) {
                    panic!(
                        "{}: {error} at {}: {schema}",
                        tool.name,
                        error.instance_path()
                    );
                }
                jsonschema::draft202012::new(&schema)
                    .unwrap_or_else(|error| panic!("{}: {error}: {schema}", tool.name));
                assert_eq!(schema.get("$ref"), None, "{}", tool.name);
            }
        }
    }
    assert!(results > 0, "no tool has an output schema");
}

/// A value that a property's type does not allow, and what the complaint calls it.
fn misfit(property: &Value) -> Option<(Value, &'static str)> {
    let kinds = match &property["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    let values = [
        ("array", json!([]), "an array"),
        ("boolean", json!(true), "the boolean true"),
        ("number", json!(1.5), "the number 1.5"),
    ];
    let fits =
        |kind: &str| kinds.contains(&kind) || (kind == "number" && kinds.contains(&"integer"));
    let (_, value, name) = values.into_iter().find(|(kind, ..)| !fits(kind))?;
    Some((value, name))
}

/// covers: X-ARG-1
#[tokio::test]
async fn an_argument_of_a_wrong_kind_is_named_with_what_was_expected_and_what_came() {
    let server = server();
    for client in clients(&server).await {
        let mut seen = 0;
        for tool in client.list_tools().await.expect("tools") {
            let schema = schema(&tool);
            let properties = schema["properties"]
                .as_object()
                .cloned()
                .unwrap_or_default();
            for (name, property) in properties {
                let Some((value, kind)) = misfit(&property) else {
                    continue;
                };
                if BY_HAND.contains(&&*tool.name) {
                    continue;
                }
                let arguments = Map::from_iter([(name.clone(), value)]);
                let answer = client
                    .call(tool.name.as_str(), arguments.into())
                    .await
                    .unwrap_or_else(|error| panic!("{} {name}: {error}", tool.name));
                assert_eq!(answer.is_error, Some(true), "{} {name}", tool.name);
                let content = serde_json::to_value(&answer.content).expect("content is JSON");
                let text = content[0]["text"].as_str().expect("a text");
                let line = format!("argument `{name}`: expected ");
                assert!(
                    text.lines()
                        .any(|it| it.starts_with(&line) && it.ends_with(&format!(", got {kind}"))),
                    "{} {name}: {text}",
                    tool.name
                );
                seen += 1;
            }
        }
        assert!(seen > 10, "only {seen} arguments were looked at");
    }
}
