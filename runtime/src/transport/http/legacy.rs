//! The legacy era over HTTP: sessions by header, POST with JSON or a stream, GET for the session's stream, DELETE.

use std::{sync::Arc, time::Duration};

use axum::body::Body;
use http::{HeaderMap, HeaderValue, Response, StatusCode, request::Parts};
use tokio_util::sync::CancellationToken;

use crate::{
    JsonObject,
    protocol::{
        LEGACY,
        legacy::{self, Hello, Wire},
        negotiate::unsupported,
    },
    server::{
        CallStream, Caller, Inner, RpcError,
        rpc::{self, Notification, Request, RequestId},
    },
    task::Principal,
    types::v2025_11_25::methods::{Method, TasksResult},
};

use super::{
    guard,
    log::{EventLog, From, read_event_id},
    post::{SESSION, VERSION, caller, header},
    reply,
    sessions::HttpSession,
};

/// How long a request may take before it is answered with a stream: a client that sees the headers, and an event to come
/// back with, can tell a long wait from a dead server.
const SILENT: Duration = Duration::from_secs(1);
/// How long a request goes on without a connection before it is given up, and how long its stream is kept once it has ended.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a request that only waits holds its place, which others may need, without a connection. It begins again when
/// its client comes back.
const PATIENCE_WITH_WAITS: Duration = Duration::from_secs(1);

/// `initialize`: opens a session.
pub(super) fn initialize(inner: &Arc<Inner>, parts: &Parts, request: &Request) -> Response<Body> {
    let principal = parts.extensions.get::<Principal>().cloned();
    let opened = Hello::read(&request.params).and_then(|hello| {
        inner.sessions.open(
            hello,
            principal,
            &inner.config.limits,
            &inner.shutdown_calls,
        )
    });
    let opened = match opened {
        Ok(opened) => opened,
        // A legacy client drops the body of other statuses, and with it the reason.
        Err(error) => return reply::error(StatusCode::OK, Some(&request.id), &error),
    };
    let result = Ok(legacy::welcome(inner, &opened.session));
    let mut response = reply::json(StatusCode::OK, rpc::reply(&request.id, &result));
    if let Ok(id) = HeaderValue::from_str(&opened.session.id) {
        response.headers_mut().insert(&SESSION, id);
    }
    response
}

/// The session that a message names. A refusal carries the id of the request, if the message is one.
pub(super) fn find(
    inner: &Inner,
    parts: &Parts,
    request: Option<&RequestId>,
) -> Result<Arc<HttpSession>, Box<Response<Body>>> {
    let refuse = |status, error: RpcError| Box::new(reply::error(status, request, &error));
    if let Some(version) = header(&parts.headers, &VERSION)
        && !LEGACY.contains(&version)
    {
        return Err(refuse(
            StatusCode::BAD_REQUEST,
            unsupported(version, inner.config.legacy),
        ));
    }
    let Some(id) = header(&parts.headers, &SESSION) else {
        let error = RpcError::invalid_request(
            "the request belongs to no session: send `initialize` first and repeat its Mcp-Session-Id, or name a \
             protocol version in `_meta`",
        );
        return Err(refuse(StatusCode::BAD_REQUEST, error));
    };
    let principal = parts.extensions.get::<Principal>();
    inner
        .sessions
        .get(id, principal, &inner.config.limits)
        .ok_or_else(|| {
            let error = RpcError::invalid_request(
                "the session has ended or never was; send `initialize` again",
            );
            refuse(StatusCode::NOT_FOUND, error)
        })
}

/// A request of a session.
pub(super) async fn request(
    inner: Arc<Inner>,
    http: Arc<HttpSession>,
    parts: Parts,
    request: Request,
) -> Response<Body> {
    let keep_alive = inner.config.limits.keep_alive;
    let primes = http.session.has_tasks();
    let log = http.new_stream();
    let mut caller = caller(parts);
    let closing = Arc::clone(&log);
    caller.extensions.insert(CallStream::new(move || {
        // A client that was given no event to come back with would lose the reply.
        if primes {
            closing.let_go();
        }
    }));
    let busy = http.busy();
    let work = {
        let (inner, http, log) = (Arc::clone(&inner), Arc::clone(&http), Arc::clone(&log));
        async move {
            let _busy = busy;
            // Until the reply is on its stream, which a shutdown would end before.
            let _open = inner.requests.token();
            match serve(&inner, &http, &log, &request, &caller).await {
                Some(outcome) => log.end(rpc::reply(&request.id, &outcome)),
                None => {
                    http.forget(log.number());
                    log.finish();
                }
            }
        }
    };
    // Until there is a stream, the connection is this future.
    let waiting = Waiting::on(&log);
    tokio::spawn(work);
    tokio::select! {
        () = log.ready() => {}
        () = tokio::time::sleep(keep_alive.min(SILENT)) => {}
    }
    if let Some(text) = log.take_only() {
        http.forget(log.number());
        return reply::json(StatusCode::OK, text.to_string());
    }
    tokio::spawn(forget_in_time(Arc::clone(&http), Arc::clone(&log)));
    let guard = http.busy();
    let response = log.response(
        From::Untaken,
        primes,
        keep_alive,
        http.session.closed.clone(),
        guard,
    );
    drop(waiting);
    response
}

/// Answers a request. `None` when it was called off, or nobody came back for the reply.
async fn serve(
    inner: &Arc<Inner>,
    http: &HttpSession,
    log: &Arc<EventLog>,
    request: &Request,
    caller: &Caller,
) -> Option<Result<JsonObject, RpcError>> {
    let only_waits = request.method == TasksResult::NAME;
    let patience = if only_waits {
        PATIENCE_WITH_WAITS
    } else {
        PATIENCE
    };
    loop {
        let wire: Arc<dyn Wire> = log.clone();
        tokio::select! {
            outcome = legacy::serve(inner, &http.session, request, caller, wire) => return outcome,
            () = log.abandoned(patience) => {}
        }
        if !only_waits {
            return None;
        }
        tokio::select! {
            biased;
            () = http.session.closed.cancelled() => return None,
            () = log.attached() => {}
            () = log.abandoned(PATIENCE) => return None,
        }
    }
}

/// Forgets a stream some time after its end.
async fn forget_in_time(http: Arc<HttpSession>, log: Arc<EventLog>) {
    let number = log.number();
    let over = async {
        log.ended().await;
        // Whether it is kept is for the session alone to say.
        drop(log);
        http.make_room();
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        () = over => {}
        () = http.session.closed.cancelled() => {}
    }
    http.forget(number);
}

/// Counts a request that waits for its first message as a connection of its stream.
struct Waiting(Option<Response<Body>>);

impl Waiting {
    fn on(log: &Arc<EventLog>) -> Self {
        let never = CancellationToken::new();
        Self(Some(log.response(
            From::Untaken,
            false,
            Duration::MAX / 4,
            never,
            (),
        )))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.0.take());
    }
}

/// A notification of a session.
pub(super) fn notification(http: &HttpSession, notification: &Notification) -> Response<Body> {
    legacy::notified(&http.session, notification);
    reply::accepted()
}

/// GET: the session's own stream, or the rest of one whose connection was lost. Each stream has one connection: a client
/// that opens it anew is taken to have lost the one before, whose end may not have been seen here.
pub(super) fn get(inner: &Arc<Inner>, parts: &Parts) -> Response<Body> {
    if !guard::accepts(&parts.headers, "text", "event-stream") {
        let error = RpcError::invalid_request("the Accept header must allow text/event-stream");
        return reply::error(StatusCode::NOT_ACCEPTABLE, None, &error);
    }
    let http = match find(inner, parts, None) {
        Ok(http) => http,
        Err(response) => return *response,
    };
    let limits = &inner.config.limits;
    let (log, from) = match last_event(&parts.headers) {
        None => (Arc::clone(&http.channel), From::Untaken),
        Some(id) => match read_event_id(id)
            .and_then(|(stream, event)| Some((http.stream(stream)?, event)))
            .filter(|(log, event)| log.has_had(*event))
        {
            Some((log, event)) => (log, From::After(event)),
            None => {
                let error = RpcError::invalid_request(format!(
                    "there is nothing to resume after the event '{id}'"
                ));
                // Not 404, which would say that the session has ended.
                return reply::error(StatusCode::BAD_REQUEST, None, &error);
            }
        },
    };
    let principal = http.session.principal.as_ref();
    let own = Arc::ptr_eq(&log, &http.channel);
    let permit = if own && log.is_open() {
        // The connection that had the stream is closed for this one, and gives its place back.
        inner.streams.enter_anyway(principal)
    } else {
        match limits.open_stream(&inner.streams, principal) {
            Ok(permit) => permit,
            Err(error) => return reply::error(StatusCode::TOO_MANY_REQUESTS, None, &error),
        }
    };
    if matches!(from, From::Untaken) && http.channel.is_open() {
        tracing::info!(
            session = http.session.id,
            "the session's stream is opened again; the connection that had it is closed"
        );
    }
    let primes = http.session.has_tasks() && matches!(from, From::Untaken);
    // A call's stream may still get its reply while the server shuts down.
    let end = if own {
        &inner.shutdown
    } else {
        &http.session.closed
    };
    let guard = (http.busy(), permit);
    let response = log.response(from, primes, limits.keep_alive, end.clone(), guard);
    http.session.way_opened();
    response
}

fn last_event(headers: &HeaderMap) -> Option<&str> {
    header(headers, "last-event-id").filter(|id| !id.is_empty())
}

/// DELETE: ends a session.
pub(super) fn delete(inner: &Arc<Inner>, parts: &Parts) -> Response<Body> {
    match find(inner, parts, None) {
        Ok(http) => {
            inner.sessions.close(&http);
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        Err(response) => *response,
    }
}
