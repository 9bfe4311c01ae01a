//! Which era a request belongs to. One endpoint serves both, and no request can be taken for one of the other.
//!
//! A request is modern when its `_meta` names a protocol version, or when its header names one that is not legacy.
//! `initialize` without such a `_meta` opens a legacy session; what belongs to a session is legacy.

use serde_json::{Value, json};

use crate::{
    JsonObject,
    server::{RpcError, error::UNSUPPORTED_VERSION},
    types::{
        v2025_11_25::methods::{Initialize, Method},
        v2026_07_28::keys::PROTOCOL_VERSION,
    },
};

use super::{LEGACY, MODERN};

/// What is known of a request before its era is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: &'a JsonObject,
    pub(crate) channel: Channel<'a>,
    /// Whether legacy clients are served at all.
    pub(crate) serve_legacy: bool,
}

/// Where a request came from, as far as negotiation is concerned.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Channel<'a> {
    /// HTTP: the `MCP-Protocol-Version` header, and whether there is an `Mcp-Session-Id` header.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP needs it"))]
    Http {
        version: Option<&'a str>,
        session: bool,
    },
    /// A byte stream: whether `initialize` has been seen.
    Stream { session: bool },
}

/// Where a request goes.
#[derive(Debug, PartialEq)]
pub(crate) enum Route {
    Modern,
    /// `initialize`, or a request for an open session.
    Legacy,
    /// A legacy request with no session. `ping` may still be answered.
    NoSession,
    /// No era takes it. HTTP status 400.
    Refused(RpcError),
}

/// All versions served, newest first.
pub(crate) fn supported(serve_legacy: bool) -> Vec<&'static str> {
    let mut versions = vec![MODERN];
    if serve_legacy {
        versions.extend(LEGACY);
    }
    versions
}

/// The error for a version that is not served.
pub(crate) fn unsupported(requested: &str, serve_legacy: bool) -> RpcError {
    let supported = supported(serve_legacy);
    let message = if serve_legacy && LEGACY.contains(&requested) {
        format!("Unsupported protocol version: {requested} needs a session opened by `initialize`")
    } else {
        let versions = supported.join(", ");
        format!("Unsupported protocol version: {requested}; this server has {versions}")
    };
    RpcError::new(UNSUPPORTED_VERSION, message)
        .with_data(json!({ "supported": supported, "requested": requested }))
}

/// Finds the era of a request.
pub(crate) fn route(facts: Facts<'_>) -> Route {
    let named = facts
        .params
        .get("_meta")
        .and_then(|meta| meta.get(PROTOCOL_VERSION));
    match (facts.channel, named) {
        // A version that is no string is for the modern era to refuse.
        (_, Some(named)) if !named.is_string() => Route::Modern,
        (Channel::Http { version: None, .. }, Some(_)) => Route::Refused(missing_version()),
        (
            Channel::Http {
                version: Some(header),
                ..
            },
            Some(named),
        ) if named.as_str() != Some(header) => Route::Refused(RpcError::header_mismatch(format!(
            "Header mismatch: MCP-Protocol-Version is '{header}' but `_meta` says {named}"
        ))),
        (_, Some(named)) => modern_version(named, facts.serve_legacy),
        // No mismatch but a member that is missing: -32602, as the conformance suite has it.
        (
            Channel::Http {
                version: Some(MODERN),
                ..
            },
            None,
        ) => Route::Modern,
        (
            Channel::Http {
                version: Some(header),
                ..
            },
            None,
        ) if !supported(facts.serve_legacy).contains(&header) => {
            Route::Refused(unsupported(header, facts.serve_legacy))
        }
        (channel, None) if !facts.serve_legacy => modern_only(facts, channel),
        (Channel::Http { session, .. } | Channel::Stream { session }, None) => {
            if session || facts.method == Initialize::NAME {
                Route::Legacy
            } else {
                Route::NoSession
            }
        }
    }
}

fn missing_version() -> RpcError {
    RpcError::header_mismatch("Header mismatch: the MCP-Protocol-Version header is missing")
}

/// What a server of modern clients alone makes of a request that names no version.
fn modern_only(facts: Facts<'_>, channel: Channel<'_>) -> Route {
    if facts.method == Initialize::NAME {
        // A legacy client knows no other way, and may show its user this message alone.
        let asked = facts
            .params
            .get("protocolVersion")
            .and_then(Value::as_str)
            .unwrap_or("none");
        return Route::Refused(unsupported(asked, false));
    }
    match channel {
        Channel::Http { .. } => Route::Refused(missing_version()),
        Channel::Stream { .. } => Route::Modern,
    }
}

/// Whether the params of a message name the modern revision.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP needs it"))]
pub(crate) fn names_modern(params: &JsonObject) -> bool {
    params
        .get("_meta")
        .and_then(|meta| meta.get(PROTOCOL_VERSION))
        .is_some_and(|named| named == MODERN)
}

fn modern_version(named: &Value, serve_legacy: bool) -> Route {
    match named.as_str() {
        Some(MODERN) => Route::Modern,
        Some(other) => Route::Refused(unsupported(other, serve_legacy)),
        None => Route::Modern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::error::HEADER_MISMATCH;

    fn params(version: Option<&str>) -> JsonObject {
        let mut params = JsonObject::new();
        if let Some(version) = version {
            params.insert("_meta".into(), json!({ PROTOCOL_VERSION: version }));
        }
        params
    }

    fn http(method: &str, header: Option<&str>, body: Option<&str>, session: bool) -> Route {
        route(Facts {
            method,
            params: &params(body),
            channel: Channel::Http {
                version: header,
                session,
            },
            serve_legacy: true,
        })
    }

    fn code(route: Route) -> i64 {
        match route {
            Route::Refused(error) => error.code,
            other => panic!("{other:?}"),
        }
    }

    /// covers: X-NEG-1
    #[test]
    fn header_and_body_together_make_a_request_modern() {
        assert_eq!(
            http("tools/list", Some(MODERN), Some(MODERN), false),
            Route::Modern
        );
        // A session header does not change that: the modern era ignores it.
        assert_eq!(
            http("tools/list", Some(MODERN), Some(MODERN), true),
            Route::Modern
        );
        assert_eq!(
            http("initialize", Some(MODERN), Some(MODERN), false),
            Route::Modern
        );
    }

    /// covers: X-NEG-1
    #[test]
    fn a_mismatch_of_header_and_body_is_refused() {
        assert_eq!(
            code(http("tools/list", None, Some(MODERN), false)),
            HEADER_MISMATCH
        );
        assert_eq!(
            code(http("tools/list", Some("2025-11-25"), Some(MODERN), true)),
            HEADER_MISMATCH
        );
        assert_eq!(
            code(http("tools/list", Some(MODERN), Some("v999"), false)),
            HEADER_MISMATCH
        );
        // No version in the body at all: malformed, which the modern era says with its own error.
        assert_eq!(http("tools/list", Some(MODERN), None, false), Route::Modern);
    }

    /// covers: X-NEG-1
    #[test]
    fn an_unknown_version_is_refused_with_the_list() {
        for (header, body) in [(Some("v999"), Some("v999")), (Some("v999"), None)] {
            let Route::Refused(error) = http("tools/list", header, body, false) else {
                panic!()
            };
            assert_eq!(error.code, UNSUPPORTED_VERSION);
            let data = error.data.unwrap();
            assert_eq!(
                data["supported"],
                json!(["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"])
            );
            assert_eq!(data["requested"], "v999");
        }
    }

    #[test]
    fn a_legacy_version_named_per_request_is_refused() {
        let refused = http("tools/list", Some("2025-11-25"), Some("2025-11-25"), false);
        assert_eq!(code(refused), UNSUPPORTED_VERSION);
    }

    /// covers: X-NEG-1
    #[test]
    fn initialize_and_sessions_are_legacy() {
        assert_eq!(http("initialize", None, None, false), Route::Legacy);
        assert_eq!(
            http("initialize", Some("2025-11-25"), None, false),
            Route::Legacy
        );
        assert_eq!(http("tools/list", None, None, true), Route::Legacy);
        assert_eq!(
            http("tools/list", Some("2025-06-18"), None, true),
            Route::Legacy
        );
        assert_eq!(http("tools/list", None, None, false), Route::NoSession);
    }

    #[test]
    fn on_a_stream_each_request_speaks_for_itself() {
        let stream = |method, body: Option<&str>, session| {
            let params = params(body);
            route(Facts {
                method,
                params: &params,
                channel: Channel::Stream { session },
                serve_legacy: true,
            })
        };
        assert_eq!(stream("tools/list", Some(MODERN), true), Route::Modern);
        assert_eq!(stream("tools/list", None, true), Route::Legacy);
        assert_eq!(stream("tools/list", None, false), Route::NoSession);
        assert_eq!(stream("initialize", None, false), Route::Legacy);
    }

    fn modern_only(method: &str, params: &Value, channel: Channel<'_>) -> Route {
        route(Facts {
            method,
            params: params.as_object().unwrap(),
            channel,
            serve_legacy: false,
        })
    }

    const STREAM: Channel<'_> = Channel::Stream { session: false };

    fn headed(version: Option<&str>) -> Channel<'_> {
        Channel::Http {
            version,
            session: false,
        }
    }

    /// covers: X-NEG-1
    #[test]
    fn a_modern_only_server_names_its_versions_to_a_legacy_client() {
        let asks = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
        for channel in [STREAM, headed(None), headed(Some("2025-11-25"))] {
            let Route::Refused(error) = modern_only("initialize", &asks, channel) else {
                panic!("{channel:?}");
            };
            assert_eq!(error.code, UNSUPPORTED_VERSION, "{channel:?}");
            assert!(error.message.contains(MODERN), "{}", error.message);
            let data = error.data.unwrap();
            assert_eq!(
                data,
                json!({"supported": [MODERN], "requested": "2025-11-25"})
            );
        }
    }

    /// covers: X-NEG-1
    #[test]
    fn a_modern_only_server_refuses_the_headers_of_legacy_requests() {
        let none = json!({});
        assert_eq!(
            code(modern_only("tools/list", &none, headed(Some("2025-11-25")))),
            UNSUPPORTED_VERSION
        );
        assert_eq!(
            code(modern_only("tools/list", &none, headed(None))),
            HEADER_MISMATCH
        );
        // On a byte stream there is no header: the modern era says which member is missing.
        assert_eq!(modern_only("tools/list", &none, STREAM), Route::Modern);
    }
}
