//! The headers of the modern era, which repeat parts of the body for the way between: `Mcp-Method`, `Mcp-Name` and
//! `Mcp-Param-*`.
//!
//! A header that says something else than the body is refused with -32020 and HTTP 400.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, HeaderName, header::AsHeaderName};
use serde_json::Value;

use crate::{JsonObject, server::RpcError};

static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");

/// Checks `Mcp-Method`.
pub(crate) fn check_method(headers: &HeaderMap, method: &str) -> Result<(), RpcError> {
    match single(headers, &METHOD)? {
        Some(value) if value == method => Ok(()),
        Some(value) => Err(differs("Mcp-Method", value, method)),
        None => Err(missing("Mcp-Method")),
    }
}

/// Checks `Mcp-Name` against a member of the body. Gives false when the header is missing.
pub(crate) fn check_name(headers: &HeaderMap, name: &str) -> Result<bool, RpcError> {
    let Some(value) = single(headers, &NAME)? else {
        return Ok(false);
    };
    if decode("Mcp-Name", value)? == name {
        Ok(true)
    } else {
        Err(differs("Mcp-Name", value, name))
    }
}

/// The error for a missing `Mcp-Name`.
pub(crate) fn missing_name() -> RpcError {
    missing("Mcp-Name")
}

/// An argument that is repeated in a header: the header's name in lower case, and the way to the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParamHeader {
    pub(crate) header: String,
    pub(crate) path: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    Boolean,
}

/// Finds the `x-mcp-header` marks of an input schema, and says what is wrong with them.
pub(crate) fn param_headers(schema: &JsonObject) -> Result<Vec<ParamHeader>, String> {
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), &mut found)?;
    let mut total = 0;
    count(&Value::Object(schema.clone()), &mut total);
    if total != found.len() {
        return Err("`x-mcp-header` is only allowed on properties that are reached through `properties` alone".into());
    }
    Ok(found)
}

fn collect(
    schema: &JsonObject,
    path: &mut Vec<String>,
    found: &mut Vec<ParamHeader>,
) -> Result<(), String> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Ok(());
    };
    for (name, property) in properties {
        let Some(property) = property.as_object() else {
            continue;
        };
        path.push(name.clone());
        if let Some(mark) = property.get("x-mcp-header") {
            let header =
                read_mark(mark).map_err(|reason| format!("`x-mcp-header` of `{name}` {reason}"))?;
            let kind = match property.get("type").and_then(Value::as_str) {
                Some("string") => Kind::Text,
                Some("integer") => Kind::Integer,
                Some("boolean") => Kind::Boolean,
                _ => {
                    return Err(format!(
                        "`x-mcp-header` of `{name}` needs the type string, integer or boolean"
                    ));
                }
            };
            if found.iter().any(|other| other.header == header) {
                return Err(format!(
                    "`x-mcp-header` of `{name}` repeats another argument's header"
                ));
            }
            found.push(ParamHeader {
                header,
                path: path.clone(),
                kind,
            });
        }
        collect(property, path, found)?;
        path.pop();
    }
    Ok(())
}

fn read_mark(mark: &Value) -> Result<String, &'static str> {
    let mark = mark.as_str().ok_or("must be a string")?;
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if mark.is_empty() || !mark.bytes().all(token) {
        return Err("must be the name of a header: letters, digits and !#$%&'*+-.^_`|~");
    }
    Ok(format!("mcp-param-{}", mark.to_ascii_lowercase()))
}

fn count(value: &Value, total: &mut usize) {
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                // A property may itself be called so; then its value is a schema.
                if name == "x-mcp-header" && !value.is_object() {
                    *total += 1;
                }
                count(value, total);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| count(item, total)),
        _ => {}
    }
}

/// Checks the headers that repeat arguments.
pub(crate) fn check_params(
    headers: &HeaderMap,
    expected: &[ParamHeader],
    arguments: &JsonObject,
) -> Result<(), RpcError> {
    for ParamHeader { header, path, kind } in expected {
        let value = at(arguments, path).filter(|value| !value.is_null());
        match (value, single(headers, header.as_str())?) {
            (None, None) => {}
            (None, Some(given)) => {
                return Err(RpcError::header_mismatch(format!(
                    "Header mismatch: {header} is '{given}' but the call has no argument `{}`",
                    path.join(".")
                )));
            }
            (Some(_), None) => return Err(missing(header)),
            (Some(value), Some(given)) => {
                let decoded = decode(header, given)?;
                if !same(value, &decoded, *kind) {
                    return Err(differs(header, given, &value.to_string()));
                }
            }
        }
    }
    Ok(())
}

fn at<'a>(arguments: &'a JsonObject, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    rest.iter()
        .try_fold(arguments.get(first)?, |value, name| value.get(name))
}

fn same(value: &Value, given: &str, kind: Kind) -> bool {
    match (value, kind) {
        (Value::String(text), _) => text == given,
        (Value::Bool(flag), _) => given == if *flag { "true" } else { "false" },
        // Numbers are compared as numbers: 42.0 is 42.
        (Value::Number(number), _) => {
            let exact = given
                .parse::<i64>()
                .ok()
                .zip(number.as_i64())
                .is_some_and(|(a, b)| a == b);
            exact
                || given
                    .parse::<f64>()
                    .ok()
                    .zip(number.as_f64())
                    .is_some_and(|(a, b)| a == b)
        }
        // The argument has the wrong type, which the tool itself will tell.
        _ => true,
    }
}

/// The only value of a header, without the white space around it.
fn single<N: AsHeaderName + fmt::Display + Copy>(
    headers: &HeaderMap,
    name: N,
) -> Result<Option<&str>, RpcError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    if values.next().is_some() {
        return Err(RpcError::header_mismatch(format!(
            "Header mismatch: {name} is given more than once"
        )));
    }
    let text = value.to_str().map_err(|_| {
        RpcError::header_mismatch(format!(
            "Header mismatch: {name} holds characters that are not visible ASCII"
        ))
    })?;
    Ok(Some(text.trim_matches([' ', '\t'])))
}

/// Undoes the `=?base64?...?=` form.
fn decode(header: &str, value: &str) -> Result<String, RpcError> {
    let Some(coded) = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    else {
        return Ok(value.to_owned());
    };
    let bytes = STANDARD.decode(coded).map_err(|error| {
        RpcError::header_mismatch(format!(
            "Header mismatch: {header} is not valid Base64: {error}"
        ))
    })?;
    String::from_utf8(bytes).map_err(|_| {
        RpcError::header_mismatch(format!(
            "Header mismatch: {header} is not UTF-8 inside its Base64"
        ))
    })
}

fn differs(header: &str, given: &str, body: &str) -> RpcError {
    RpcError::header_mismatch(format!(
        "Header mismatch: {header} is '{given}' but the body says '{body}'"
    ))
}

fn missing(header: &str) -> RpcError {
    RpcError::header_mismatch(format!("Header mismatch: the {header} header is missing"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::server::error::HEADER_MISMATCH;

    const METHOD: &str = "mcp-method";
    const NAME: &str = "mcp-name";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(*name, value.parse().unwrap());
        }
        map
    }

    fn object(value: Value) -> JsonObject {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_method_must_be_there_once_and_the_same() {
        assert_eq!(
            check_method(&headers(&[(METHOD, "tools/list")]), "tools/list"),
            Ok(())
        );
        for wrong in [
            &[][..],
            &[(METHOD, "TOOLS/LIST")],
            &[(METHOD, "tools/list"), (METHOD, "tools/list")],
        ] {
            assert_eq!(
                check_method(&headers(wrong), "tools/list")
                    .unwrap_err()
                    .code,
                HEADER_MISMATCH,
                "{wrong:?}"
            );
        }
    }

    /// covers: T21
    #[test]
    fn the_name_is_decoded_before_it_is_compared() {
        for given in ["Hello", "  Hello\t", "=?base64?SGVsbG8=?="] {
            assert_eq!(
                check_name(&headers(&[(NAME, given)]), "Hello"),
                Ok(true),
                "{given}"
            );
        }
        // Half of the marks is no mark.
        assert_eq!(
            check_name(
                &headers(&[(NAME, "=?base64?SGVsbG8=")]),
                "=?base64?SGVsbG8="
            ),
            Ok(true)
        );
        assert_eq!(check_name(&headers(&[]), "Hello"), Ok(false));
        for wrong in [
            "other",
            "=?base64?SGVsbG8?=",
            "=?base64?SGVs!!!bG8=?=",
            "=?base64?/w==?=",
        ] {
            assert_eq!(
                check_name(&headers(&[(NAME, wrong)]), "Hello")
                    .unwrap_err()
                    .code,
                HEADER_MISMATCH,
                "{wrong}"
            );
        }
        let mut map = HeaderMap::new();
        map.insert(NAME, http::HeaderValue::from_bytes(b"caf\xe9").unwrap());
        assert!(check_name(&map, "café").is_err());
    }

    #[test]
    fn arguments_are_repeated_in_headers() {
        let schema = object(json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "n": {"type": "integer", "x-mcp-header": "N"},
            "deep": {"type": "object", "properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
        }}));
        let expected = param_headers(&schema).unwrap();
        assert_eq!(expected.len(), 3);
        let arguments = object(json!({"region": "eu", "n": 42, "deep": {"on": true}}));
        let good = headers(&[
            ("mcp-param-region", "eu"),
            ("mcp-param-n", "42.0"),
            ("mcp-param-on", "true"),
        ]);
        assert_eq!(check_params(&good, &expected, &arguments), Ok(()));
        for wrong in [
            headers(&[("mcp-param-region", "eu"), ("mcp-param-n", "42")]),
            headers(&[
                ("mcp-param-region", "us"),
                ("mcp-param-n", "42"),
                ("mcp-param-on", "true"),
            ]),
            headers(&[
                ("mcp-param-region", "eu"),
                ("mcp-param-n", "43"),
                ("mcp-param-on", "true"),
            ]),
            headers(&[
                ("mcp-param-region", "eu"),
                ("mcp-param-n", "42"),
                ("mcp-param-on", "TRUE"),
            ]),
        ] {
            assert_eq!(
                check_params(&wrong, &expected, &arguments)
                    .unwrap_err()
                    .code,
                HEADER_MISMATCH
            );
        }
        let null = object(json!({"region": null}));
        assert_eq!(check_params(&headers(&[]), &expected, &null), Ok(()));
        assert!(check_params(&headers(&[("mcp-param-region", "eu")]), &expected, &null).is_err());
    }

    #[test]
    fn wrong_marks_are_told() {
        for (schema, part) in [
            (
                json!({"properties": {"a": {"type": "string", "x-mcp-header": ""}}}),
                "name of a header",
            ),
            (
                json!({"properties": {"a": {"type": "string", "x-mcp-header": "a b"}}}),
                "name of a header",
            ),
            (
                json!({"properties": {"a": {"type": "number", "x-mcp-header": "a"}}}),
                "string, integer or boolean",
            ),
            (
                json!({"properties": {"a": {"type": "string", "x-mcp-header": "X"},
                                      "b": {"type": "string", "x-mcp-header": "x"}}}),
                "repeats",
            ),
            (
                json!({"properties": {"a": {"items": {"type": "string", "x-mcp-header": "X"}}}}),
                "properties",
            ),
        ] {
            let error = param_headers(&object(schema.clone())).unwrap_err();
            assert!(error.contains(part), "{schema}: {error}");
        }
        let named_so = json!({"properties": {"x-mcp-header": {"type": "string"}}});
        assert_eq!(param_headers(&object(named_so)), Ok(Vec::new()));
    }
}
