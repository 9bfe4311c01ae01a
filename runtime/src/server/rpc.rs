//! JSON-RPC 2.0 as MCP uses it: one message in, one message out, ids echoed as they came.
//!
//! Batches are refused. What cannot be read becomes a [`Refusal`], which carries the id if that could be read.

use std::{
    borrow::Cow,
    hash::{Hash, Hasher},
};

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, value::RawValue};

use crate::JsonObject;

use super::RpcError;

/// A request's id: its text as it came, and what it means for comparing.
#[derive(Clone, Debug)]
pub(crate) struct RequestId {
    raw: Box<RawValue>,
    key: IdKey,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum IdKey {
    Text(String),
    Integer(i128),
}

impl RequestId {
    /// Reads an id: a string, or a number that is an integer however it is written.
    pub(crate) fn read(raw: &RawValue) -> Option<Self> {
        let key = match serde_json::from_str(raw.get()).ok()? {
            Value::String(text) => IdKey::Text(text),
            Value::Number(number) => IdKey::Integer(integer(&number)?),
            _ => return None,
        };
        Some(Self {
            raw: raw.to_owned(),
            key,
        })
    }

    /// An id of ours.
    pub(crate) fn from_number(number: u64) -> Self {
        let raw = RawValue::from_string(number.to_string()).expect("digits are JSON");
        Self {
            raw,
            key: IdKey::Integer(number.into()),
        }
    }

    /// The id in a `Value` (as in `requestId`), if it can be one.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        let raw = serde_json::value::to_raw_value(value).ok()?;
        Self::read(&raw)
    }

    /// The id as a value.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::from_str(self.raw.get()).unwrap_or(Value::Null)
    }

    /// The id's JSON text.
    pub(crate) fn text(&self) -> &str {
        self.raw.get()
    }
}

impl PartialEq for RequestId {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for RequestId {}

impl Hash for RequestId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

impl Serialize for RequestId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.serialize(serializer)
    }
}

/// The integer that a JSON number stands for, if it is one.
fn integer(number: &serde_json::Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(value.into());
    }
    if let Some(value) = number.as_u64() {
        return Some(value.into());
    }
    let value = number.as_f64()?;
    // Wider numbers lose digits as a double, so two of them could not be told apart.
    (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i128)
}

/// A request: it gets exactly one reply.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) id: RequestId,
    pub(crate) method: String,
    pub(crate) params: JsonObject,
}

/// A notification: it gets none.
#[derive(Clone, Debug)]
pub(crate) struct Notification {
    pub(crate) method: String,
    pub(crate) params: JsonObject,
}

/// The client's answer to a request of ours (legacy only).
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) id: RequestId,
    pub(crate) outcome: Result<Value, RpcError>,
}

/// Any message of a client.
#[derive(Clone, Debug)]
pub(crate) enum Message {
    Request(Request),
    Notification(Notification),
    Response(Response),
}

/// A message that could not be taken.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) id: Option<RequestId>,
    pub(crate) error: RpcError,
}

impl Refusal {
    fn new(id: Option<RequestId>, error: RpcError) -> Self {
        Self { id, error }
    }
}

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    /// Read in the same go. What is null counts as missing.
    #[serde(default)]
    params: Option<Value>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

/// The id of a message whose other members cannot be taken.
fn only_id(text: &str) -> Option<RequestId> {
    #[derive(Deserialize)]
    struct OnlyId<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    let OnlyId { id } = serde_json::from_str(text).ok()?;
    RequestId::read(id)
}

/// Tells a member that is null from one that is missing.
fn present<'de: 'a, 'a, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<&'a RawValue>, D::Error> {
    <&RawValue>::deserialize(deserializer).map(Some)
}

/// Reads one message.
#[allow(
    clippy::result_large_err,
    reason = "its size hangs on serde_json's features, and it is written out at once"
)]
pub(crate) fn decode(text: &[u8]) -> Result<Message, Refusal> {
    let text = std::str::from_utf8(text).map_err(|error| {
        Refusal::new(
            None,
            RpcError::parse_error(format!("the message is not UTF-8: {error}")),
        )
    })?;
    // A derived struct would take an array for its members in order, so the outermost kind is looked at first.
    match text.trim_start().as_bytes().first() {
        Some(b'{') => {}
        Some(b'[') if serde_json::from_str::<Value>(text).is_ok() => {
            return Err(Refusal::new(
                None,
                RpcError::invalid_request(
                    "batches are not supported; send each message on its own",
                ),
            ));
        }
        _ => {
            let error = match serde_json::from_str::<Value>(text) {
                Ok(_) => RpcError::invalid_request("a message is a JSON object"),
                Err(error) => RpcError::parse_error(format!("the message is not JSON: {error}")),
            };
            return Err(Refusal::new(None, error));
        }
    }
    let envelope: Envelope<'_> = serde_json::from_str(text).map_err(|error| {
        let error = if error.is_data() {
            RpcError::invalid_request(format!("the message cannot be read: {error}"))
        } else {
            RpcError::parse_error(format!("the message cannot be read as JSON: {error}"))
        };
        Refusal::new(only_id(text), error)
    })?;
    let id = match envelope.id {
        None => None,
        Some(raw) => Some(RequestId::read(raw).ok_or_else(|| {
            Refusal::new(
                None,
                RpcError::invalid_request(
                    "`id` must be a string, or an integer of 64 bits, beyond 2^53 written in digits alone (leave it out \
                     to notify)",
                ),
            )
        })?),
    };
    let refuse = |error| Refusal::new(id.clone(), error);
    let version = |raw: &RawValue| serde_json::from_str::<Cow<'_, str>>(raw.get());
    if !envelope
        .jsonrpc
        .is_some_and(|raw| version(raw).is_ok_and(|version| version == "2.0"))
    {
        return Err(refuse(RpcError::invalid_request(
            "`jsonrpc` must be \"2.0\"",
        )));
    }
    if let Some(method) = envelope.method {
        let method = serde_json::from_str::<String>(method.get())
            .map_err(|_| refuse(RpcError::invalid_request("`method` must be a string")))?;
        let params = match envelope.params {
            None => JsonObject::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                return Err(refuse(RpcError::invalid_params(
                    "`params` must be an object",
                )));
            }
        };
        return Ok(match id {
            Some(id) => Message::Request(Request { id, method, params }),
            None => Message::Notification(Notification { method, params }),
        });
    }
    let outcome = match (envelope.result, envelope.error) {
        (Some(result), None) => Ok(serde_json::from_str(result.get()).unwrap_or(Value::Null)),
        (None, Some(error)) => Err(read_error(error)),
        _ => {
            return Err(refuse(RpcError::invalid_request(
                "a message has a `method`, a `result` or an `error`",
            )));
        }
    };
    match id {
        Some(id) => Ok(Message::Response(Response { id, outcome })),
        None => Err(refuse(RpcError::invalid_request("a response has an `id`"))),
    }
}

fn read_error(raw: &RawValue) -> RpcError {
    let value: Value = serde_json::from_str(raw.get()).unwrap_or(Value::Null);
    RpcError {
        code: value
            .get("code")
            .and_then(Value::as_i64)
            .unwrap_or(super::error::INTERNAL_ERROR),
        message: value
            .get("message")
            .and_then(Value::as_str)
            .unwrap_or("the client gave no reason")
            .to_owned(),
        data: value.get("data").cloned(),
    }
}

#[derive(Serialize)]
struct OutResult<'a, T: Serialize> {
    jsonrpc: &'static str,
    id: &'a RequestId,
    result: &'a T,
}

#[derive(Serialize)]
struct OutError<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RequestId>,
    error: OutErrorObject<'a>,
}

#[derive(Serialize)]
struct OutErrorObject<'a> {
    code: i64,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<&'a Value>,
}

#[derive(Serialize)]
struct OutCall<'a> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RequestId>,
    method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a JsonObject>,
}

fn text(message: &impl Serialize) -> String {
    serde_json::to_string(message).expect("messages hold nothing but JSON")
}

/// The text of a reply.
pub(crate) fn reply<T: Serialize>(id: &RequestId, outcome: &Result<T, RpcError>) -> String {
    match outcome {
        Ok(result) => text(&OutResult {
            jsonrpc: "2.0",
            id,
            result,
        }),
        Err(error) => refusal(Some(id), error),
    }
}

/// The text of an error, with the id if that is known.
pub(crate) fn refusal(id: Option<&RequestId>, error: &RpcError) -> String {
    let RpcError {
        code,
        message,
        data,
    } = error;
    text(&OutError {
        jsonrpc: "2.0",
        id,
        error: OutErrorObject {
            code: *code,
            message,
            data: data.as_ref(),
        },
    })
}

/// The text of a notification.
pub(crate) fn notification(method: &str, params: &JsonObject) -> String {
    text(&OutCall {
        jsonrpc: "2.0",
        id: None,
        method,
        params: Some(params),
    })
}

/// The text of a request of ours (legacy only).
pub(crate) fn request(id: &RequestId, method: &str, params: Option<&JsonObject>) -> String {
    text(&OutCall {
        jsonrpc: "2.0",
        id: Some(id),
        method,
        params,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> (Option<String>, i64) {
        let refusal = decode(text.as_bytes()).expect_err(text);
        (
            refusal.id.map(|id| id.text().to_owned()),
            refusal.error.code,
        )
    }

    fn request_of(text: &str) -> Request {
        match decode(text.as_bytes()) {
            Ok(Message::Request(request)) => request,
            other => panic!("{text}: {other:?}"),
        }
    }

    /// covers: X-RPC-1
    #[test]
    fn ids_are_echoed_as_they_came() {
        for id in [
            "1",
            "1.0",
            "-7",
            "\"a\"",
            "\"1\"",
            "18446744073709551615",
            "1e2",
        ] {
            let request = request_of(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
            let reply = reply(&request.id, &Ok(JsonObject::new()));
            assert_eq!(
                reply,
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#)
            );
        }
    }

    /// covers: X-RPC-1
    #[test]
    fn an_id_that_is_no_string_and_no_integer_is_refused_without_an_id() {
        for id in [
            "null",
            "1.5",
            "true",
            "[1]",
            "{}",
            "18446744073709551616",
            "1e30",
        ] {
            let text = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            assert_eq!(refused(&text), (None, -32600), "{id}");
        }
        let text = r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#;
        let message = decode(text.as_bytes()).expect_err("too wide").error.message;
        assert!(message.contains("an integer of 64 bits"), "{message}");
    }

    #[test]
    fn one_and_one_point_zero_are_one_id() {
        let one = RequestId::from_value(&Value::from(1)).unwrap();
        assert_eq!(
            one,
            request_of(r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#).id
        );
        assert_ne!(one, RequestId::from_value(&Value::from("1")).unwrap());
    }

    #[test]
    fn a_message_without_an_id_is_a_notification() {
        let message = decode(br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert!(
            matches!(message, Ok(Message::Notification(_))),
            "{message:?}"
        );
    }

    /// covers: X-RPC-1
    #[test]
    fn batches_are_refused() {
        assert_eq!(
            refused(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#),
            (None, -32600)
        );
        assert_eq!(refused("[]"), (None, -32600));
    }

    /// covers: X-HTTP-2
    #[test]
    fn what_is_not_json_is_a_parse_error() {
        for text in [
            "",
            "{",
            "nope",
            "[1,",
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"#,
        ] {
            assert_eq!(refused(text), (None, -32700), "{text}");
        }
        assert_eq!(
            decode(b"{\"jsonrpc\":\"\xff\"}")
                .expect_err("not UTF-8")
                .error
                .code,
            -32700
        );
    }

    #[test]
    fn depth_is_limited() {
        let deep = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}}}}}"#,
            "[".repeat(100_000)
        );
        assert_eq!(refused(&deep).1, -32700);
        let closed = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"a":{}{}}}}}"#,
            "[".repeat(10_000),
            "]".repeat(10_000)
        );
        assert_eq!(refused(&closed), (Some("1".to_owned()), -32700));
    }

    #[test]
    fn wrong_members_are_refused_with_the_id() {
        let id = Some("3".to_owned());
        assert_eq!(
            refused(r#"{"jsonrpc":"1.0","id":3,"method":"x"}"#),
            (id.clone(), -32600)
        );
        assert_eq!(refused(r#"{"id":3,"method":"x"}"#), (id.clone(), -32600));
        assert_eq!(
            refused(r#"{"jsonrpc":"2.0","id":3,"method":5}"#),
            (id.clone(), -32600)
        );
        assert_eq!(
            refused(r#"{"jsonrpc":"2.0","id":3,"method":"x","params":[1]}"#),
            (id.clone(), -32602)
        );
        assert_eq!(
            refused(r#"{"jsonrpc":"2.0","id":3,"method":"x","method":"y"}"#),
            (id.clone(), -32600)
        );
        assert_eq!(refused(r#"{"jsonrpc":"2.0","id":3}"#), (id, -32600));
        assert_eq!(refused("3"), (None, -32600));
        assert_eq!(
            refused(r#"{"jsonrpc":"2.0","id":3,"id":4,"method":"x"}"#),
            (None, -32600)
        );
    }

    #[test]
    fn answers_of_the_client_are_read() {
        let Ok(Message::Response(answer)) =
            decode(br#"{"jsonrpc":"2.0","id":1,"result":{"a":null}}"#)
        else {
            panic!()
        };
        assert_eq!(answer.outcome, Ok(serde_json::json!({"a": null})));
        let Ok(Message::Response(answer)) =
            decode(br#"{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}"#)
        else {
            panic!()
        };
        assert_eq!(answer.outcome, Err(RpcError::new(-1, "no")));
    }
}
