//! Who sent a request, how it came, and where messages for its sender go.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use http::HeaderMap;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::task::Principal;

/// Who sent a request, and how it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Caller {
    /// Who it is, if that is known.
    pub(crate) principal: Option<Principal>,
    /// The headers of the HTTP request; none on a byte stream.
    pub(crate) headers: Option<HeaderMap>,
    /// What layers attached to the HTTP request, for tools to read.
    pub(crate) extensions: http::Extensions,
    /// Fires when the client's connection ends, where one connection carries many requests.
    pub(crate) hangup: CancellationToken,
    /// What is remembered of the connection, where that is known.
    pub(crate) connection: Option<Connection>,
}

/// What is remembered of a connection for what is said once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Connection(Arc<AtomicBool>);

impl Connection {
    /// Whether this is the first time.
    pub(crate) fn warns(&self) -> bool {
        !self.0.swap(true, Ordering::Relaxed)
    }
}

/// The way to the sender of one request: messages that belong to the request, before its reply.
///
/// Sending to a client that has gone does nothing; the request is cancelled by other means then.
#[derive(Clone, Debug)]
pub(crate) struct Outbox(mpsc::Sender<String>);

impl Outbox {
    /// An outbox, and the end at which its messages come out in order. Senders wait when nobody takes them.
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP needs it"))]
    pub(crate) fn new() -> (Self, mpsc::Receiver<String>) {
        let (sender, receiver) = mpsc::channel(16);
        (Self(sender), receiver)
    }

    /// An outbox that shares a channel with others.
    pub(crate) fn over(sender: mpsc::Sender<String>) -> Self {
        Self(sender)
    }

    /// Sends one message; false if nobody listens any more.
    pub(crate) async fn send(&self, message: String) -> bool {
        self.0.send(message).await.is_ok()
    }

    /// Sends one message if there is room for it, else gives it back. What nobody listens for is dropped.
    pub(crate) fn try_send(&self, message: String) -> Result<(), String> {
        match self.0.try_send(message) {
            Err(mpsc::error::TrySendError::Full(message)) => Err(message),
            Ok(()) | Err(mpsc::error::TrySendError::Closed(_)) => Ok(()),
        }
    }

    /// Whether nobody listens any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    /// Waits until nobody listens any more.
    pub(crate) async fn closed(&self) {
        self.0.closed().await;
    }
}
