//! The ways to a legacy client: any of them can carry what the server says, requests included.

use crate::{BoxFuture, server::Outbox};

/// A message that was sent: its place on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sent(
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP needs it"))]
    pub(crate)  u64,
);

/// A way to the client.
pub(crate) trait Wire: Send + Sync + 'static {
    /// Sends one message that must arrive.
    fn send(&self, message: String) -> BoxFuture<'_, Sent>;

    /// Sends a notification. One for a client that does not keep up may be dropped.
    fn notify(&self, message: String) -> BoxFuture<'_, ()>;

    /// Sends a notification without waiting until there is room for it.
    fn notify_now(&self, message: String);

    /// Says that a question waits for no answer any more, so that a client that comes back is not shown it again. Gives
    /// whether the client may have seen it.
    fn over(&self, sent: Sent) -> bool;

    /// Whether the client is there to take it.
    fn is_open(&self) -> bool;

    /// Waits until the client can hardly know of a message any more: its connection went, and it did not come back for
    /// what it may have missed.
    fn lost(&self, sent: Sent) -> BoxFuture<'_, ()>;

    /// Waits until the client has come back to the stream of a message that was lost, after all.
    fn found(&self, sent: Sent) -> BoxFuture<'_, ()>;
}

impl Wire for Outbox {
    fn send(&self, message: String) -> BoxFuture<'_, Sent> {
        Box::pin(async move {
            Outbox::send(self, message).await;
            Sent(0)
        })
    }

    fn notify(&self, message: String) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            Outbox::send(self, message).await;
        })
    }

    fn notify_now(&self, message: String) {
        if let Err(message) = self.try_send(message)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let outbox = self.clone();
            runtime.spawn(async move { outbox.send(message).await });
        }
    }

    fn over(&self, _: Sent) -> bool {
        true
    }

    fn is_open(&self) -> bool {
        !self.is_closed()
    }

    fn lost(&self, _: Sent) -> BoxFuture<'_, ()> {
        Box::pin(self.closed())
    }

    fn found(&self, _: Sent) -> BoxFuture<'_, ()> {
        // A byte stream that has ended does not come back.
        Box::pin(std::future::pending())
    }
}
