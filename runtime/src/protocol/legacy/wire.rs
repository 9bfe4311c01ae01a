//! The ways to a legacy client: any of them can carry what the server says, requests included.

use crate::{BoxFuture, server::Outbox};

/// A way to the client.
pub(crate) trait Wire: Send + Sync + 'static {
    /// Sends one message.
    fn send(&self, message: String) -> BoxFuture<'_, ()>;

    /// Whether the client is there to take it.
    fn is_open(&self) -> bool;
}

impl Wire for Outbox {
    fn send(&self, message: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            Outbox::send(self, message).await;
        })
    }

    fn is_open(&self) -> bool {
        !self.is_closed()
    }
}
