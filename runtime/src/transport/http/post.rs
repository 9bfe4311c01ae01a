//! POST: one message.

use std::{error::Error, sync::Arc};

use axum::{body::Body, extract::ConnectInfo};
use http::{HeaderMap, HeaderName, Response, StatusCode, header::AsHeaderName, request::Parts};

use crate::{
    protocol::{
        MODERN, modern,
        negotiate::{self, Channel, Facts, Route},
    },
    server::{
        Caller, Connection, Inner, Outbox, RpcError,
        rpc::{self, Message, Request},
    },
    task::Principal,
    types::v2025_11_25::methods::{Initialize, Method},
};

use super::{guard, legacy, reply};

pub(super) static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) static SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

pub(super) async fn answer(inner: Arc<Inner>, parts: Parts, body: Body) -> Response<Body> {
    if !guard::is_json(&parts.headers) {
        let error = RpcError::invalid_request("the Content-Type must be application/json");
        return reply::error(StatusCode::UNSUPPORTED_MEDIA_TYPE, None, &error);
    }
    if !guard::accepts(&parts.headers, "application", "json")
        || !guard::accepts(&parts.headers, "text", "event-stream")
    {
        let error = RpcError::invalid_request(
            "the Accept header must allow application/json and text/event-stream",
        );
        return reply::error(StatusCode::NOT_ACCEPTABLE, None, &error);
    }
    let limit = inner.config.limits.message_bytes;
    let text = match axum::body::to_bytes(body, limit).await {
        Ok(text) => text,
        Err(error) if is_too_long(&error) => {
            let error = RpcError::limit(
                "messageBytes",
                format!("the message is longer than {limit} bytes"),
            );
            return reply::error(StatusCode::PAYLOAD_TOO_LARGE, None, &error);
        }
        Err(error) => {
            let error = RpcError::parse_error(format!("the body ended early: {error}"));
            return reply::error(StatusCode::BAD_REQUEST, None, &error);
        }
    };
    let message = match rpc::decode(&text) {
        Ok(message) => message,
        Err(refusal) => {
            // A legacy client drops the body of other statuses, and with it the reason.
            let status = match refusal.id {
                Some(_) if in_session(&inner, &parts) => StatusCode::OK,
                _ => StatusCode::BAD_REQUEST,
            };
            return reply::error(status, refusal.id.as_ref(), &refusal.error);
        }
    };
    let (id, params) = match &message {
        Message::Request(request) => (Some(&request.id), Some(&request.params)),
        Message::Notification(notification) => (None, Some(&notification.params)),
        Message::Response(_) => (None, None),
    };
    let modern = params.is_some_and(negotiate::names_modern);
    if let Err(error) = check_single(&parts.headers, modern) {
        return reply::error(StatusCode::BAD_REQUEST, id, &error);
    }
    match message {
        Message::Request(request) => take_request(inner, parts, request).await,
        Message::Notification(notification) => {
            let modern = is_modern(&parts) || negotiate::names_modern(&notification.params);
            if modern || !inner.config.legacy {
                // The modern era has no notifications over HTTP; unknown ones are ignored.
                return reply::accepted();
            }
            match legacy::find(&inner, &parts, None) {
                Ok(session) => legacy::notification(&session, &notification),
                Err(response) => *response,
            }
        }
        Message::Response(_) if is_modern(&parts) || !inner.config.legacy => {
            let error = RpcError::invalid_request(
                "a client sends no responses: questions are answered with `inputResponses` in a request",
            );
            reply::error(StatusCode::BAD_REQUEST, None, &error)
        }
        Message::Response(response) => match legacy::find(&inner, &parts, None) {
            Ok(session) => {
                session.session.answered(response);
                reply::accepted()
            }
            Err(response) => *response,
        },
    }
}

async fn take_request(inner: Arc<Inner>, parts: Parts, request: Request) -> Response<Body> {
    let channel = Channel::Http {
        version: header(&parts.headers, &VERSION),
        session: parts.headers.contains_key(&SESSION),
    };
    let facts = Facts {
        method: &request.method,
        params: &request.params,
        channel,
        serve_legacy: inner.config.legacy,
    };
    match negotiate::route(facts) {
        Route::Modern => serve_modern(inner, parts, request).await,
        Route::Refused(error) => reply::error(StatusCode::BAD_REQUEST, Some(&request.id), &error),
        Route::Legacy if request.method == Initialize::NAME => {
            legacy::initialize(&inner, &parts, &request)
        }
        Route::Legacy | Route::NoSession => match legacy::find(&inner, &parts, Some(&request.id)) {
            Ok(session) => legacy::request(inner, session, parts, request).await,
            Err(response) => *response,
        },
    }
}

async fn serve_modern(inner: Arc<Inner>, parts: Parts, request: Request) -> Response<Body> {
    let keep_alive = inner.config.limits.keep_alive;
    let (outbox, messages) = Outbox::new();
    let caller = caller(parts);
    let work = async move {
        let reply = modern::serve(&inner, &request, &caller, &outbox).await;
        (rpc::reply(&request.id, &reply.outcome), reply.status)
    };
    reply::once_known(Box::pin(work), messages, keep_alive).await
}

/// Who sent the request. A `Principal` comes from a layer of the user's, which may have wrapped it as axum does.
pub(super) fn caller(mut parts: Parts) -> Caller {
    let principal = parts.extensions.get::<Principal>().cloned();
    let headers = std::mem::take(&mut parts.headers);
    Caller {
        principal,
        headers: Some(headers),
        connection: parts
            .extensions
            .get::<ConnectInfo<Connection>>()
            .map(|info| info.0.clone()),
        extensions: parts.extensions,
        ..Caller::default()
    }
}

/// Whether a message belongs to a legacy session, or claims to.
fn in_session(inner: &Inner, parts: &Parts) -> bool {
    inner.config.legacy && parts.headers.contains_key(&SESSION) && !is_modern(parts)
}

/// Whether the headers name the modern revision.
pub(super) fn is_modern(parts: &Parts) -> bool {
    header(&parts.headers, &VERSION) == Some(MODERN)
}

/// Refuses the headers that say where a message belongs when they are given more than once: what stands between may have
/// gone by another one than we would.
pub(super) fn check_single(headers: &HeaderMap, modern: bool) -> Result<(), RpcError> {
    for (name, shown) in [
        (&VERSION, "MCP-Protocol-Version"),
        (&SESSION, "Mcp-Session-Id"),
    ] {
        let mut values = headers.get_all(name).iter();
        if values.next().is_none() || values.next().is_none() {
            continue;
        }
        let modern = modern
            || headers
                .get_all(&VERSION)
                .iter()
                .any(|value| value == MODERN);
        return Err(if modern {
            RpcError::header_mismatch(format!("Header mismatch: {shown} is given more than once"))
        } else {
            RpcError::invalid_request(format!("the header {shown} is given more than once"))
        });
    }
    Ok(())
}

pub(super) fn header(headers: &HeaderMap, name: impl AsHeaderName) -> Option<&str> {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .map(str::trim)
}

fn is_too_long(error: &axum::Error) -> bool {
    let mut source: Option<&(dyn Error + 'static)> = error.source();
    while let Some(error) = source {
        if error.is::<http_body_util::LengthLimitError>() {
            return true;
        }
        source = error.source();
    }
    false
}
