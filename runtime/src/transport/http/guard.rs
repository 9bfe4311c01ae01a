//! What is checked before a body is read: where a browser's request comes from, and which media types are spoken.

use std::net::IpAddr;

use http::{HeaderMap, header, request::Parts};

use crate::server::RpcError;

/// Refuses requests that a web page elsewhere could have caused (DNS rebinding).
///
/// A `Host` or `Origin` must be a loopback name or one that the server's owner allowed. Programs that are no browsers
/// leave `Origin` out.
pub(super) fn check_origin(
    parts: &Parts,
    hosts: &[String],
    origins: &[String],
) -> Result<(), RpcError> {
    let named = parts.headers.get_all(header::HOST).iter();
    let mut named: Vec<_> = named.map(|host| host.to_str().unwrap_or("")).collect();
    if named.is_empty() {
        named.extend(parts.uri.authority().map(|authority| authority.as_str()));
    }
    // All that are given: what stands between may have gone by another one than we would.
    if let Some(host) = named.into_iter().find(|host| !host_allowed(host, hosts)) {
        return Err(RpcError::invalid_request(format!(
            "the host '{host}' is not allowed; the server's owner can allow it with `allow_host`"
        )));
    }
    for origin in parts.headers.get_all(header::ORIGIN) {
        let origin = origin.to_str().unwrap_or("");
        if !origin_allowed(origin, origins) {
            return Err(RpcError::invalid_request(format!(
                "the origin '{origin}' is not allowed; the server's owner can allow it with `allow_origin`"
            )));
        }
    }
    Ok(())
}

fn host_allowed(host: &str, allowed: &[String]) -> bool {
    let (name, port) = split_port(host);
    is_loopback(name)
        || allowed.iter().any(|entry| {
            let (wanted, wanted_port) = split_port(entry);
            entry == "*"
                || (wanted.eq_ignore_ascii_case(name)
                    && (wanted_port.is_none() || wanted_port == port))
        })
}

fn origin_allowed(origin: &str, allowed: &[String]) -> bool {
    if allowed
        .iter()
        .any(|entry| entry == "*" || entry.eq_ignore_ascii_case(origin))
    {
        return true;
    }
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    authority.is_some_and(|authority| is_loopback(split_port(authority).0))
}

/// The name and the port of `name:port`, `[v6]:port`, `name` or `[v6]`.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((name, port))
            if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            (name, Some(port))
        }
        _ => (authority, None),
    }
}

fn is_loopback(name: &str) -> bool {
    let bare = name
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(name);
    bare.eq_ignore_ascii_case("localhost")
        || bare
            .parse::<IpAddr>()
            .is_ok_and(|address| address.is_loopback())
}

/// Whether the body is said to be JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let Some(kind) = headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
    else {
        return false;
    };
    let essence = kind.split(';').next().unwrap_or("").trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// Whether the client takes this media type. A client that says nothing takes everything.
pub(super) fn accepts(headers: &HeaderMap, kind: &str, subtype: &str) -> bool {
    let mut values = headers.get_all(header::ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|range| {
            let mut parts = range.split(';').map(str::trim);
            let Some((range_kind, range_subtype)) =
                parts.next().and_then(|range| range.split_once('/'))
            else {
                return false;
            };
            let refused = parts.any(|part| {
                part.split_once('=').is_some_and(|(name, value)| {
                    name.trim().eq_ignore_ascii_case("q")
                        && value.trim().parse::<f32>().is_ok_and(|q| q <= 0.0)
                })
            });
            !refused
                && (range_kind == "*" || range_kind.eq_ignore_ascii_case(kind))
                && (range_subtype == "*" || range_subtype.eq_ignore_ascii_case(subtype))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(host: &str, origin: Option<&str>, hosts: &[&str], origins: &[&str]) -> bool {
        let mut request = http::Request::builder().uri("/mcp").header("host", host);
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        let parts = request.body(()).unwrap().into_parts().0;
        let own = |list: &[&str]| {
            list.iter()
                .map(|&entry| entry.to_owned())
                .collect::<Vec<_>>()
        };
        check_origin(&parts, &own(hosts), &own(origins)).is_ok()
    }

    /// covers: X-HTTP-1
    #[test]
    fn only_loopback_is_served_unless_more_is_allowed() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:3000",
            "[::1]:3000",
            "[::1]",
            "127.8.8.8",
        ] {
            assert!(origin(host, None, &[], &[]), "{host}");
        }
        for host in [
            "evil.example.com",
            "localhost.evil.com",
            "127.0.0.1.evil.com:80",
            "",
            "0.0.0.0",
            "10.0.0.1",
        ] {
            assert!(!origin(host, None, &[], &[]), "{host}");
        }
        assert!(origin("Example.com:8443", None, &["example.com"], &[]));
        assert!(!origin("example.com:8443", None, &["example.com:443"], &[]));
        assert!(origin("anything", None, &["*"], &[]));
    }

    /// covers: X-HTTP-1
    #[test]
    fn a_foreign_host_is_refused_behind_a_good_one_too() {
        let request = http::Request::builder()
            .header("host", "localhost")
            .header("host", "evil.example.com");
        let parts = request.body(()).unwrap().into_parts().0;
        assert!(check_origin(&parts, &[], &[]).is_err());
        assert!(check_origin(&parts, &["evil.example.com".to_owned()], &[]).is_ok());
    }

    /// covers: X-HTTP-1
    #[test]
    fn a_foreign_origin_is_refused() {
        for good in [
            "http://localhost",
            "http://localhost:5173",
            "https://127.0.0.1:1",
            "http://[::1]:1",
        ] {
            assert!(origin("localhost", Some(good), &[], &[]), "{good}");
        }
        for bad in [
            "http://evil.example.com",
            "null",
            "http://localhost.evil.com",
            "file://localhost",
            "",
        ] {
            assert!(!origin("localhost", Some(bad), &[], &[]), "{bad}");
        }
        assert!(origin(
            "localhost",
            Some("https://app.example.com"),
            &[],
            &["https://app.example.com"]
        ));
        assert!(!origin(
            "localhost",
            Some("http://app.example.com"),
            &[],
            &["https://app.example.com"]
        ));
    }

    #[test]
    fn media_types_are_read_with_wildcards_and_weights() {
        let accept = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT, text.parse().unwrap());
            (
                accepts(&headers, "application", "json"),
                accepts(&headers, "text", "event-stream"),
            )
        };
        assert_eq!(accept("application/json, text/event-stream"), (true, true));
        assert_eq!(accept("*/*"), (true, true));
        assert_eq!(accept("application/*;q=0.5,text/html"), (true, false));
        assert_eq!(
            accept("text/event-stream;q=0, application/json"),
            (true, false)
        );
        assert_eq!(accept("nonsense"), (false, false));
        assert!(accepts(&HeaderMap::new(), "application", "json"));
    }
}
