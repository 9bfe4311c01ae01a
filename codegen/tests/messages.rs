//! Which messages are names for the generic types of the module `message`, and which stay types of their own. The
//! test `fidelity_revisions` compiles the same schema.

use mcp_codegen::docs::Docs;
use mcp_codegen::emit::{self, Options};
use mcp_codegen::manifest::Manifest;
use mcp_codegen::model::{Input, Model};
use serde_json::Value;

/// Messages of the plain form, and others that differ from it in one thing each.
const SCHEMA: &str = include_str!("messages.json");

/// All that is generated from the schemas, one module each, in one line.
fn generated(schemas: &[Value]) -> String {
    let inputs: Vec<Input> = schemas
        .iter()
        .enumerate()
        .map(|(index, schema)| Input {
            name: format!("file {index}"),
            module: format!("module_{index}"),
            feature: None,
            needs: Vec::new(),
            spec: None,
            schema: schema.clone(),
        })
        .collect();
    let model = Model::build(&inputs, &Manifest::default(), &Docs::default()).expect("a schema");
    let files = emit::emit(&model, &Options::default());
    let text: String = files.into_iter().map(|(_, text)| text).collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").replace("< ", "<").replace(", >", ">")
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("JSON")
}

#[test]
fn a_plain_message_is_a_name_for_a_generic_type() {
    let text = generated(&[schema()]);
    for expected in [
        "pub type PauseRequest = crate::message::Request<super::methods::TasksPause, RequestId, Params>;",
        "pub type ListRequest = crate::message::Request<super::methods::TasksList, RequestId, Option<Params>>;",
        "pub type AnyRequest = crate::message::Request<super::methods::TasksAny, RequestId, JsonObject>;",
        "pub type PausedNotification = crate::message::Notification<super::methods::NotificationsPaused, Params>;",
        "pub type ListedNotification = crate::message::Notification<super::methods::NotificationsListed, Option<Params>>;",
        "pub type PauseResponse = crate::message::Response<RequestId, Params>;",
        "pub type BusyError = crate::message::CodedError<-1, Option<Value>>;",
        "pub type FullError = crate::message::CodedError<-2, Outcome>;",
        "pub type LateError = crate::message::CodedError<-3, Option<Outcome>>;",
        "pub type BusyResponse = crate::message::ErrorResponse<RequestId, BusyError>;",
        // What refers to them does so by their names.
        "type Message = super::PauseRequest;",
        "impl From<PauseRequest> for ClientRequest",
        "TasksPause(PauseRequest)",
    ] {
        assert!(text.contains(expected), "{expected} is not in {text}");
    }
    assert_eq!(text.matches("= crate::message::").count(), 10, "{text}");
    assert!(!text.contains("impl Record for PauseRequest"), "{text}");
}

#[test]
fn what_differs_in_anything_stays_a_struct() {
    let text = generated(&[schema()]);
    for name in [
        "NoFrame",
        "OtherFrame",
        "OpenMethod",
        "ExtraConst",
        "ExtraMember",
        "ExtraOptional",
        "NoParams",
        "OptionalId",
        "TextId",
        "TextParams",
        "NullableParams",
        "BoundedParams",
        "ClosedRequest",
        "TypedRest",
        "SecondOfAMethod",
        "TextResponse",
        "OneResponse",
        "SameResponse",
        "AnyCode",
        "TextCode",
        "ListedMessage",
        "AnyData",
        "NoData",
        "OneError",
        "SameError",
        "FailureWithId",
        "TextFailure",
    ] {
        assert!(
            text.contains(&format!("pub struct {name} {{")),
            "{name} is no struct in {text}"
        );
        assert!(text.contains(&format!("impl Record for {name} ")), "{name}");
    }
}

#[test]
fn a_message_that_modules_share_stays_a_struct() {
    let text = generated(&[schema(), schema()]);
    assert!(text.contains("pub struct PauseRequest {"), "{text}");
    // Nothing else has a method that would set it apart.
    assert!(text.contains("pub type PauseResponse = crate::message::Response<RequestId, Params>;"));
    assert_eq!(text.matches("= crate::message::").count(), 5, "{text}");
}

#[test]
fn a_dispatch_table_without_types_of_its_own_imports_none() {
    let schema = serde_json::json!({"$defs": {"CountRequest": {
        "type": "object",
        "properties": {"method": {"const": "tasks/count"}, "params": {"type": "integer"}},
        "required": ["method"],
    }}});
    let text = generated(&[schema]);
    assert!(text.contains("fn count("), "{text}");
    assert!(!text.contains("use super::{}"), "{text}");
}
