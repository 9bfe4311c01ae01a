//! Messages as their users meet them: built, looked into, compared, decoded by their method.

use std::collections::HashSet;

use mcp_tasks_types::v2025_11_25::{
    InitializedNotification, ListToolsRequest, PaginatedRequestParams, PingRequest, RequestId,
};
use mcp_tasks_types::v2026_07_28::methods::{Method, NotificationsProgress, ToolsCall};
use mcp_tasks_types::v2026_07_28::{
    CallToolRequest, CancelledNotification, ClientRequest, CompleteResultResponse,
    HeaderMismatchError, HeaderMismatchErrorError, ParseError,
    UnsupportedProtocolVersionErrorError,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn call() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 7,
        "method": "tools/call",
        "params": {"_meta": {
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        }, "name": "add"},
        "x": 1,
    })
}

/// Without the member, or with another value of it.
fn changed(mut message: Value, pointer: &str, member: &str, value: Option<Value>) -> String {
    let members = message.pointer_mut(pointer).and_then(Value::as_object_mut);
    let members = members.expect("an object");
    members.remove(member);
    members.extend(value.map(|value| (member.to_owned(), value)));
    message.to_string()
}

#[test]
fn a_request_is_built_and_taken_apart() {
    let decoded: CallToolRequest = serde_json::from_value(call()).expect("a call");
    assert_eq!(decoded.id, RequestId::Integer(7));
    assert_eq!(decoded.params.name, "add");
    assert_eq!(decoded.extra["x"], 1);
    let CallToolRequest { id, params, .. } = decoded.clone();
    let mut built = CallToolRequest::new(id, params);
    assert_ne!(built, decoded);
    built.extra.insert("x".into(), 1.into());
    assert_eq!(built, decoded);
    assert_eq!(serde_json::to_value(&built).expect("JSON"), call());
    assert!(
        serde_json::to_string(&built)
            .expect("JSON")
            .starts_with(r#"{"jsonrpc":"2.0","method":"tools/call","id":7,"#)
    );
    let shown = format!("{built:?}");
    assert!(shown.starts_with(r#"Request { method: "tools/call", id: Integer(7), params: "#));
}

#[test]
fn params_that_can_be_left_out_are_set_later() {
    let list = ListToolsRequest::new("a".into());
    assert_eq!(list.params, None);
    let page = list
        .clone()
        .with_params(PaginatedRequestParams::new().with_cursor("next"));
    let json =
        json!({"jsonrpc": "2.0", "method": "tools/list", "id": "a", "params": {"cursor": "next"}});
    assert_eq!(serde_json::to_value(&page).expect("JSON"), json);
    let bare = json!({"jsonrpc": "2.0", "method": "tools/list", "id": "a"});
    assert_eq!(serde_json::to_value(&list).expect("JSON"), bare);
    let all: HashSet<ListToolsRequest> = [list.clone(), page, list].into();
    assert_eq!(all.len(), 2);

    let notification = InitializedNotification::default();
    assert_eq!(notification, InitializedNotification::new());
    assert_eq!(
        serde_json::to_value(&notification).expect("JSON"),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"})
    );
    let error = serde_json::from_value::<ListToolsRequest>(json!({
        "jsonrpc": "2.0", "method": "tools/list", "id": "a", "params": null,
    }));
    let error = error.expect_err("null is not absent").to_string();
    assert!(error.starts_with("params: invalid type: null"), "{error}");
}

#[test]
fn what_is_wrong_is_named() {
    let call =
        |pointer: &str, member: &str, value: Option<Value>| changed(call(), pointer, member, value);
    for (text, expected) in [
        (call("", "params", None), "missing field `params`"),
        (call("", "id", None), "missing field `id`"),
        (call("", "jsonrpc", None), "missing field `jsonrpc`"),
        (call("", "method", None), "missing field `method`"),
        (
            call("", "method", Some(json!("tools/none"))),
            "method: invalid value: string \"tools/none\", expected \"tools/call\"",
        ),
        (
            call("", "jsonrpc", Some(json!("1.0"))),
            "jsonrpc: invalid value: string \"1.0\", expected \"2.0\"",
        ),
        (
            call("/params", "name", Some(json!(5))),
            "params.name: invalid type: integer `5`",
        ),
    ] {
        let error = serde_json::from_str::<CallToolRequest>(&text).expect_err("it is refused");
        assert!(
            error.to_string().starts_with(expected),
            "{error} for {text}"
        );
        if let Ok(request) = serde_json::from_str::<ClientRequest>(&text) {
            panic!("{request:?} of {text}");
        }
    }
}

#[test]
fn a_message_is_found_by_its_method() {
    fn decode<M: Method<Message: DeserializeOwned>>(message: Value) -> M::Message {
        assert_eq!(message["method"], M::NAME);
        serde_json::from_value(message).expect("a message of the method")
    }
    let request = decode::<ToolsCall>(call());
    assert_eq!(
        ClientRequest::from(request.clone()),
        ClientRequest::ToolsCall(request.clone())
    );
    let read: ClientRequest = serde_json::from_value(call()).expect("a request");
    assert_eq!(read.method(), "tools/call");
    assert_eq!(read, ClientRequest::ToolsCall(request));
    let progress = decode::<NotificationsProgress>(json!({
        "jsonrpc": "2.0",
        "method": "notifications/progress",
        "params": {"progressToken": 1, "progress": 0.5},
    }));
    assert_eq!(progress.params.progress, 0.5);
}

#[test]
fn other_messages_have_the_same_form() {
    let ping = PingRequest::new(1.into());
    assert_eq!(
        serde_json::to_value(ping).expect("JSON"),
        json!({"jsonrpc": "2.0", "method": "ping", "id": 1})
    );
    let cancelled = json!({
        "jsonrpc": "2.0",
        "method": "notifications/cancelled",
        "params": {"requestId": "a", "reason": "too slow"},
    });
    let read: CancelledNotification = serde_json::from_value(cancelled.clone()).expect("valid");
    assert_eq!(CancelledNotification::new(read.params.clone()), read);
    assert_eq!(serde_json::to_value(read).expect("JSON"), cancelled);
    let completion = json!({
        "jsonrpc": "2.0",
        "id": 3,
        "result": {"resultType": "complete", "completion": {"values": ["blue"]}},
    });
    let read: CompleteResultResponse = serde_json::from_value(completion.clone()).expect("valid");
    assert_eq!(read.result.completion.values, ["blue"]);
    assert_eq!(
        CompleteResultResponse::new(read.id.clone(), read.result.clone()),
        read
    );
    assert_eq!(serde_json::to_value(read).expect("JSON"), completion);
}

#[test]
fn errors_have_their_code() {
    assert_eq!(ParseError::CODE, -32700);
    let error = ParseError::new("no JSON");
    assert_eq!(
        serde_json::to_value(&error).expect("JSON"),
        json!({"code": -32700, "message": "no JSON"})
    );
    let shown = format!("{:?}", error.with_data(json!(null)));
    assert!(
        shown.starts_with("CodedError { code: -32700, data: Some(Null), "),
        "{shown}"
    );
    let response = HeaderMismatchError::new(HeaderMismatchErrorError::new("another method"));
    let json = json!({"jsonrpc": "2.0", "error": {"code": -32020, "message": "another method"}});
    assert_eq!(serde_json::to_value(&response).expect("JSON"), json);
    let response = response.with_id(1.into());
    let json = serde_json::to_string(&response).expect("JSON");
    let read: HeaderMismatchError = serde_json::from_str(&json).expect("valid");
    assert_eq!(read, response);
    let wrong = json.replace("-32020", "-32021");
    let error = serde_json::from_str::<HeaderMismatchError>(&wrong).expect_err("another code");
    assert!(
        error
            .to_string()
            .starts_with("error.code: invalid value: integer `-32021`, expected -32020"),
        "{error}"
    );
    let error = serde_json::from_value::<UnsupportedProtocolVersionErrorError>(
        json!({"code": -32022, "message": "no"}),
    );
    let error = error.expect_err("there is no data").to_string();
    assert_eq!(error, "missing field `data`");
}
