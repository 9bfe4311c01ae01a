//! Parameters that are asked for before the function runs.

use mcp_tasks::{Server, ToolError, task_tool, testing::TestClient};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::support::{call, object, run, tool};

#[derive(Deserialize, JsonSchema)]
struct Person {
    /// Full name
    name: String,
    age: Option<u8>,
}

const WHO: &str = "Who signs this report?";

/// Signs a report.
#[task_tool]
async fn sign(
    report: String,
    #[ask(WHO)] signer: Person,
    #[ask("Are you sure?")] sure: bool,
    #[ask("Anything to add?")] remark: Option<String>,
) -> String {
    format!(
        "{report} {} {:?} {sure} {remark:?}",
        signer.name, signer.age
    )
}

#[test]
fn questions_are_described_and_are_no_arguments() {
    let sign = tool(sign);
    let asks: Vec<_> = sign
        .descriptor
        .asks
        .iter()
        .map(|ask| (ask.name.as_str(), ask.message.as_str()))
        .collect();
    assert_eq!(
        asks,
        [
            ("signer", WHO),
            ("sure", "Are you sure?"),
            ("remark", "Anything to add?")
        ]
    );
    assert_eq!(
        Value::Object(sign.descriptor.asks[0].schema.clone()),
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Full name"},
                "age": {"type": "integer", "minimum": 0, "maximum": 255},
            },
            "required": ["name"],
        })
    );
    assert_eq!(
        Value::Object(sign.descriptor.asks[1].schema.clone()),
        json!({"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]})
    );
    assert_eq!(
        sign.descriptor.input_schema["properties"],
        json!({"report": {"type": "string"}})
    );
}

#[tokio::test]
async fn answers_reach_the_function() {
    let mut signed = call(json!({"report": "r"}));
    signed.answers = object(json!({"signer": {"name": "Ada"}, "sure": {"sure": true}}));
    assert_eq!(
        run(&tool(sign), signed).await.unwrap().joined_text(),
        "r Ada None true None"
    );
}

#[tokio::test]
async fn a_question_without_answer_ends_the_call() {
    let mut signed = call(json!({"report": "r"}));
    signed.answers = object(json!({"signer": {"name": "Ada"}}));
    let error = run(&tool(sign), signed).await.unwrap_err();
    assert_eq!(
        error,
        ToolError::new("the question `sure` was not answered, so the tool did not run")
    );
}

#[tokio::test]
async fn an_answer_that_does_not_fit_ends_the_call() {
    let mut signed = call(json!({"report": "r"}));
    signed.answers = object(json!({"signer": {"name": 1}, "sure": {"sure": true}}));
    let error = run(&tool(sign), signed).await.unwrap_err().to_string();
    assert_eq!(
        error,
        "the answer to the question `signer` does not fit: `name`: expected a string, got the number 1"
    );
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it is never read")]
struct Nested {
    person: Person,
}

#[task_tool]
async fn nested(#[ask("Who?")] who: Nested) {
    drop(who);
}

#[test]
fn a_question_that_nests_is_refused_at_registration() {
    let error = mcp_tasks::tool::ToolSet::new()
        .add(tool(nested))
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`person` cannot be asked for in a form"),
        "{error}"
    );
}

#[tokio::test]
async fn who_declines_what_must_be_known_is_asked_no_more() {
    let server = Server::builder().tool(sign).build().expect("a server");
    let client = TestClient::legacy(&server).await.expect("a session");
    client.decline();
    let refused = client
        .call("sign", json!({"report": "r"}))
        .await
        .expect("a result, without a second question");
    assert_eq!(refused.is_error, Some(true));
    assert!(
        serde_json::to_string(&refused.content)
            .expect("JSON")
            .contains("`signer` was not answered")
    );

    // What may be left out may be declined, and the rest is asked.
    client
        .accept(json!({"name": "Ada"}))
        .accept(json!({"sure": true}))
        .decline();
    let signed = client
        .call("sign", json!({"report": "r"}))
        .await
        .expect("a result");
    assert_eq!(signed.is_error, None);
}
