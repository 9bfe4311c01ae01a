//! One client on a pair of byte streams: one message a line, requests side by side.
//!
//! Standard input and output are such a pair. Nothing but messages is written to the output.

mod lines;
#[cfg(feature = "stdio")]
mod stdin;
#[cfg(all(test, feature = "http"))]
mod tests;
#[cfg(all(test, feature = "http"))]
mod tests_legacy;
#[cfg(all(test, feature = "http"))]
mod tests_legacy_questions;
#[cfg(all(test, feature = "http"))]
mod tests_legacy_tasks;

use std::{collections::HashMap, io, sync::Arc};

use parking_lot::Mutex;
use tokio::{
    io::{AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::mpsc,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    JsonObject,
    protocol::{
        known_method,
        legacy::{self, Hello, Session, Wire},
        modern,
        negotiate::{self, Channel, Facts, Route},
    },
    server::{
        Caller, Inner, Outbox, RpcError, Server,
        rpc::{self, Message, Notification, Request, RequestId},
    },
    task::Principal,
    types::v2025_11_25::methods::{Method, NotificationsCancelled, Ping},
};

use self::lines::{Line, Lines};
#[cfg(feature = "stdio")]
use self::stdin::Stdin;

impl Server {
    /// Serves one client on standard input and output as [`serve_io`](Self::serve_io) does, until the input ends or the
    /// output takes nothing more; then shuts the server down.
    ///
    /// Write logs to standard error: standard output belongs to the protocol.
    ///
    /// # Errors
    /// When reading or writing fails.
    #[cfg(feature = "stdio")]
    pub async fn serve_stdio(&self) -> io::Result<()> {
        let served = self.serve_io(Stdin::open()?, tokio::io::stdout()).await;
        self.shutdown().await;
        served
    }

    /// Serves one client on any pair of byte streams, until the input ends or the output takes nothing more. Requests that
    /// still run at the end of the input are finished and answered before this returns, if they take no longer than
    /// [`Limits::linger`](crate::Limits::linger). A call that waits for the client's answer is cancelled, since none can
    /// come. Tasks go on without the client.
    ///
    /// # Errors
    /// When reading or writing fails.
    pub async fn serve_io<R, W>(&self, input: R, output: W) -> io::Result<()>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        self.serve_as(None, input, output).await
    }

    /// Serves one client that is known to be somebody.
    pub(crate) async fn serve_as<R, W>(
        &self,
        principal: Option<Principal>,
        input: R,
        output: W,
    ) -> io::Result<()>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        self.inner.start();
        let (sender, receiver) = mpsc::channel(64);
        let writer = tokio::spawn(write(output, receiver));
        let connection = Connection {
            inner: Arc::clone(&self.inner),
            principal,
            outbox: Outbox::over(sender),
            running: Arc::default(),
            tracker: TaskTracker::new(),
            hangup: CancellationToken::new(),
            session: Mutex::new(None),
        };
        let read = connection.read(input).await;
        connection.drain().await;
        drop(connection);
        let written = writer.await.map_err(io::Error::other)?;
        read.and(written)
    }
}

/// One client.
struct Connection {
    inner: Arc<Inner>,
    /// Who it is, if that is known.
    principal: Option<Principal>,
    outbox: Outbox,
    /// What runs, by request id. Cancelling drops the request.
    running: Arc<Mutex<HashMap<RequestId, CancellationToken>>>,
    tracker: TaskTracker,
    /// Fires when the input has ended: nobody will end subscriptions or answer questions any more.
    hangup: CancellationToken,
    /// The legacy session, once `initialize` was answered.
    session: Mutex<Option<Arc<Session>>>,
}

impl Connection {
    async fn read<R: AsyncRead + Unpin>(&self, input: R) -> io::Result<()> {
        let mut lines = Lines::new(
            BufReader::with_capacity(64 << 10, input),
            self.inner.config.limits.message_bytes,
        );
        loop {
            let line = tokio::select! {
                line = lines.next() => line?,
                () = self.inner.shutdown.cancelled() => return Ok(()),
                // The client does not read any more.
                () = self.outbox.closed() => return Ok(()),
            };
            match line {
                Line::End => return Ok(()),
                Line::TooLong { limit } => {
                    let error = RpcError::limit(
                        "messageBytes",
                        format!("the line is longer than {limit} bytes"),
                    );
                    self.outbox.send(rpc::refusal(None, &error)).await;
                }
                Line::Text(text) if text.trim_ascii().is_empty() => {}
                Line::Text(text) => self.take(text).await,
            }
        }
    }

    async fn take(&self, text: &[u8]) {
        match rpc::decode(text) {
            Err(refusal) => {
                self.outbox
                    .send(rpc::refusal(refusal.id.as_ref(), &refusal.error))
                    .await;
            }
            Ok(Message::Request(request)) => self.take_request(request).await,
            Ok(Message::Notification(notification)) => self.take_notification(&notification),
            Ok(Message::Response(response)) => match self.session() {
                Some(session) => session.answered(response),
                None => {
                    tracing::debug!(id = response.id.text(), "an answer that nothing waits for")
                }
            },
        }
    }

    fn take_notification(&self, notification: &Notification) {
        if let Some(session) = self.session() {
            legacy::notified(&session, notification);
        }
        if notification.method != NotificationsCancelled::NAME {
            return;
        }
        let id = notification
            .params
            .get("requestId")
            .and_then(RequestId::from_value);
        if let Some(token) = id.and_then(|id| self.running.lock().remove(&id)) {
            token.cancel();
        }
    }

    async fn take_request(&self, request: Request) {
        let route = negotiate::route(Facts {
            method: &request.method,
            params: &request.params,
            channel: Channel::Stream {
                session: self.session().is_some(),
            },
            serve_legacy: self.inner.config.legacy,
        });
        match route {
            Route::Modern => self.spawn(request).await,
            Route::Refused(error) => self.reply(&request.id, Err(error)).await,
            Route::Legacy => match self.session() {
                Some(session) => self.spawn_legacy(session, request),
                None => self.initialize(&request).await,
            },
            Route::NoSession => self.reply(&request.id, without_session(&request)).await,
        }
    }

    async fn reply(&self, id: &RequestId, outcome: Result<JsonObject, RpcError>) {
        self.outbox.send(rpc::reply(id, &outcome)).await;
    }

    fn caller(&self) -> Caller {
        Caller {
            principal: self.principal.clone(),
            hangup: self.hangup.clone(),
            ..Caller::default()
        }
    }

    fn session(&self) -> Option<Arc<Session>> {
        self.session.lock().clone()
    }

    /// Opens the session of this connection.
    async fn initialize(&self, request: &Request) {
        let outcome = Hello::read(&request.params).map(|hello| {
            let channel: Arc<dyn Wire> = Arc::new(self.outbox.clone());
            let closed = self.inner.shutdown_calls.child_token();
            // The client is alone on its connection, so it can be told apart.
            let session = Session::new(
                String::new(),
                hello,
                self.principal.clone(),
                true,
                channel,
                closed,
                self.hangup.clone(),
            );
            let welcome = legacy::welcome(&self.inner, &session);
            *self.session.lock() = Some(session);
            welcome
        });
        self.reply(&request.id, outcome).await;
    }

    /// Runs a request of the session beside the others.
    fn spawn_legacy(&self, session: Arc<Session>, request: Request) {
        let (inner, outbox) = (Arc::clone(&self.inner), self.outbox.clone());
        let caller = self.caller();
        self.tracker.spawn(async move {
            let wire: Arc<dyn Wire> = Arc::new(outbox.clone());
            if let Some(outcome) = legacy::serve(&inner, &session, &request, &caller, wire).await {
                outbox.send(rpc::reply(&request.id, &outcome)).await;
            }
        });
    }

    /// Runs a modern request beside the others.
    async fn spawn(&self, request: Request) {
        let token = CancellationToken::new();
        let taken = {
            let mut running = self.running.lock();
            if running.contains_key(&request.id) {
                true
            } else {
                running.insert(request.id.clone(), token.clone());
                false
            }
        };
        if taken {
            let error = RpcError::invalid_request("a request with this id is still running");
            return self.reply(&request.id, Err(error)).await;
        }
        let (inner, outbox, running) = (
            Arc::clone(&self.inner),
            self.outbox.clone(),
            Arc::clone(&self.running),
        );
        let caller = self.caller();
        self.tracker.spawn(async move {
            let work = modern::serve(&inner, &request, &caller, &outbox);
            let reply = tokio::select! {
                biased;
                // Nothing more is sent for a request that the client called off.
                () = token.cancelled() => return,
                reply = work => reply,
            };
            // A cancellation that comes now is too late.
            let known = running.lock().remove(&request.id).is_some();
            if known {
                outbox.send(rpc::reply(&request.id, &reply.outcome)).await;
            }
        });
    }

    /// Ends subscriptions and questions, and waits for the replies to what still runs, but not for ever.
    async fn drain(&self) {
        self.hangup.cancel();
        self.tracker.close();
        tokio::select! {
            () = self.tracker.wait() => {}
            () = self.outbox.closed() => {}
            () = self.inner.shutdown_calls.cancelled() => {}
            () = tokio::time::sleep(self.inner.config.limits.linger) => {
                tracing::warn!(
                    requests = self.tracker.len(),
                    "the client has ended its input, and what still ran is cancelled (see Limits::linger)"
                );
            }
        }
        for (_, token) in self.running.lock().drain() {
            token.cancel();
        }
        if let Some(session) = self.session() {
            session.closed.cancel();
        }
    }
}

/// What can be said to a request that belongs to no era.
fn without_session(request: &Request) -> Result<JsonObject, RpcError> {
    match request.method.as_str() {
        Ping::NAME => Ok(JsonObject::new()),
        method if known_method(method).is_none() => Err(RpcError::method_not_found(method)),
        _ => Err(RpcError::invalid_params(
            "Invalid params: the request names no protocol version in `_meta`, and no session was opened with \
             `initialize`",
        )),
    }
}

async fn write<W: AsyncWrite + Unpin>(
    mut output: W,
    mut messages: mpsc::Receiver<String>,
) -> io::Result<()> {
    let mut chunk = Vec::new();
    while let Some(message) = messages.recv().await {
        chunk.extend_from_slice(message.as_bytes());
        chunk.push(b'\n');
        // Whatever else waits goes out in the same write.
        while let Ok(message) = messages.try_recv() {
            chunk.extend_from_slice(message.as_bytes());
            chunk.push(b'\n');
        }
        output.write_all(&chunk).await?;
        output.flush().await?;
        chunk.clear();
        // A message of many megabytes is not held on to.
        chunk.shrink_to(1 << 16);
    }
    output.shutdown().await
}
