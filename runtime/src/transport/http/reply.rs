//! How replies are written: one JSON object, or a stream of events that ends with it.

use std::{convert::Infallible, pin::Pin, time::Duration};

use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, Response, StatusCode, header};
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until},
};

use crate::server::{
    RpcError,
    rpc::{self, RequestId},
};

/// The text of a reply and the status that goes with it if nothing was sent before.
pub(super) type Final = (String, StatusCode);

/// The work on a request. Dropping it cancels the request.
pub(super) type Work = Pin<Box<dyn Future<Output = Final> + Send>>;

/// A JSON body.
pub(super) fn json(status: StatusCode, text: String) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}

/// A JSON-RPC error, with the id if that is known.
pub(super) fn error(
    status: StatusCode,
    id: Option<&RequestId>,
    error: &RpcError,
) -> Response<Body> {
    json(status, rpc::refusal(id, error))
}

/// No body: a notification was taken.
pub(super) fn accepted() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// Answers with JSON when the reply is the first thing there is to say, else with a stream.
///
/// A reply that takes longer than `keep_alive` becomes a stream too, so that the connection is seen to live.
pub(super) async fn once_known(
    mut work: Work,
    mut outbox: mpsc::Receiver<String>,
    keep_alive: Duration,
) -> Response<Body> {
    let first = tokio::select! {
        biased;
        Some(message) = outbox.recv() => Some(message),
        (text, status) = &mut work => match outbox.try_recv() {
            Err(_) => return json(status, text),
            // The last messages and the reply came in one go.
            Ok(message) => {
                let work: Work = Box::pin(std::future::ready((text, status)));
                return events(Pending { first: Some(message), work: Some(work), outbox, keep_alive });
            }
        },
        () = tokio::time::sleep(keep_alive) => None,
    };
    events(Pending {
        first,
        work: Some(work),
        outbox,
        keep_alive,
    })
}

struct Pending {
    first: Option<String>,
    /// `None` once the reply has been sent.
    work: Option<Work>,
    outbox: mpsc::Receiver<String>,
    keep_alive: Duration,
}

fn events(pending: Pending) -> Response<Body> {
    let body = stream::unfold(pending, |mut pending| async move {
        let chunk = next_chunk(&mut pending).await?;
        Some((Ok::<_, Infallible>(chunk), pending))
    });
    event_stream(Body::from_stream(body))
}

/// A response with the headers of an event stream.
pub(super) fn event_stream(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/event-stream"),
    );
    headers.insert(
        header::CACHE_CONTROL,
        HeaderValue::from_static("no-cache, no-transform"),
    );
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

async fn next_chunk(pending: &mut Pending) -> Option<Bytes> {
    if let Some(message) = pending.first.take() {
        return Some(event(&message));
    }
    let work = pending.work.as_mut()?;
    let silent_until = Instant::now() + pending.keep_alive;
    tokio::select! {
        biased;
        Some(message) = pending.outbox.recv() => Some(event(&message)),
        (text, _) = work => {
            // The reply is the last event, after whatever came in the same moment.
            let mut chunk = String::new();
            while let Ok(message) = pending.outbox.try_recv() {
                write_event(&mut chunk, &message);
            }
            write_event(&mut chunk, &text);
            pending.work = None;
            Some(chunk.into())
        }
        () = sleep_until(silent_until) => Some(comment()),
    }
}

/// A comment, which shows that the stream lives.
pub(super) fn comment() -> Bytes {
    Bytes::from_static(b":\n\n")
}

fn event(message: &str) -> Bytes {
    let mut chunk = String::with_capacity(message.len() + 24);
    write_event(&mut chunk, message);
    chunk.into()
}

fn write_event(chunk: &mut String, message: &str) {
    // Compact JSON has no line ends, so one `data` line holds it all.
    chunk.push_str("event: message\ndata: ");
    chunk.push_str(message);
    chunk.push_str("\n\n");
}
