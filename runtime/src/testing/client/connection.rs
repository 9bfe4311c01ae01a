//! One connection of a test client: who waits for which reply, what the server said beside, and what it asks.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{mpsc, oneshot, watch},
    task::AbortHandle,
};

use crate::{
    Era, JsonObject,
    server::{
        RpcError,
        rpc::{self, Message, Request, RequestId, Response},
    },
    types::{
        ext_tasks::methods::{ElicitationCreate, RootsList, SamplingCreateMessage},
        method::Method,
        v2025_11_25::{
            keys::RELATED_TASK,
            methods::{NotificationsCancelled, Ping},
        },
        v2026_07_28::{keys::SUBSCRIPTION_ID, methods::NotificationsSubscriptionsAcknowledged},
    },
};

use super::{
    ClientError, Notification,
    question::{Answers, Held, Question},
};

/// The client's end of the wire. The task that reads it has one, too.
pub(super) struct Connection {
    pub(super) era: Era,
    outgoing: mpsc::UnboundedSender<String>,
    next_id: AtomicU64,
    state: Mutex<State>,
    /// Ticks with every notification and question, and at the end.
    news: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    closed: bool,
    waiting: HashMap<RequestId, oneshot::Sender<Result<Value, RpcError>>>,
    acknowledged: HashMap<RequestId, oneshot::Sender<JsonObject>>,
    /// Subscriptions of our own, which the test did not ask for.
    silent: HashSet<RequestId>,
    said: Vec<Said>,
    held: Vec<Held>,
    answers: Answers,
}

struct Said {
    notification: Notification,
    taken: bool,
}

/// Ends the connection when the last client that uses it is dropped.
pub(super) struct Open(Vec<AbortHandle>);

impl Drop for Open {
    fn drop(&mut self) {
        for task in &self.0 {
            task.abort();
        }
    }
}

impl Connection {
    /// Begins to read and to write.
    pub(super) fn open<R, W>(era: Era, input: R, output: W) -> (Arc<Self>, Open)
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (outgoing, messages) = mpsc::unbounded_channel();
        let connection = Arc::new(Self {
            era,
            outgoing,
            next_id: AtomicU64::new(1),
            state: Mutex::default(),
            news: watch::Sender::new(0),
        });
        let writer = tokio::spawn(write(output, messages));
        let reader = tokio::spawn(read(Arc::clone(&connection), input));
        let open = Open(vec![writer.abort_handle(), reader.abort_handle()]);
        (connection, open)
    }

    pub(super) fn new_id(&self) -> RequestId {
        RequestId::from_number(self.next_id.fetch_add(1, Ordering::Relaxed))
    }

    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Sends a request. The reply comes out of what is returned; dropping that calls the request off.
    pub(super) fn request(
        self: &Arc<Self>,
        id: RequestId,
        method: &str,
        params: &JsonObject,
    ) -> Pending {
        let (sender, reply) = oneshot::channel();
        {
            let mut state = self.state.lock();
            if !state.closed {
                state.waiting.insert(id.clone(), sender);
            }
        }
        self.send(rpc::request(&id, method, Some(params)));
        Pending {
            connection: Arc::clone(self),
            method: method.to_owned(),
            id,
            reply,
        }
    }

    /// Sends a notification.
    pub(super) fn notify(&self, method: &str, params: &JsonObject) {
        self.send(rpc::notification(method, params));
    }

    fn send(&self, message: String) {
        // Whoever waits for a reply learns from the reader that the connection has ended.
        let _ = self.outgoing.send(message);
    }

    /// Waits for the acknowledgement of a subscription. `silent`: what it tells is not for the test to see.
    pub(super) fn expect_acknowledgement(
        &self,
        id: &RequestId,
        silent: bool,
    ) -> oneshot::Receiver<JsonObject> {
        let (sender, acknowledged) = oneshot::channel();
        let mut state = self.state.lock();
        state.acknowledged.insert(id.clone(), sender);
        if silent {
            state.silent.insert(id.clone());
        }
        acknowledged
    }

    /// Notifications so far.
    pub(super) fn notifications(&self) -> Vec<Notification> {
        let state = self.state.lock();
        state
            .said
            .iter()
            .map(|said| said.notification.clone())
            .collect()
    }

    /// The first notification of a method that was not given out yet.
    pub(super) fn take_notification(&self, method: &str) -> Option<Notification> {
        let mut state = self.state.lock();
        let said = state
            .said
            .iter_mut()
            .find(|said| !said.taken && said.notification.method == method)?;
        said.taken = true;
        Some(said.notification.clone())
    }

    pub(super) fn with_answers(&self, change: impl FnOnce(&mut Answers)) {
        change(&mut self.state.lock().answers);
    }

    /// The answer that the test has for a question.
    pub(super) fn answer_to(&self, question: &Question) -> Option<Value> {
        let taken = self.state.lock().answers.take();
        taken.map_or_else(
            |responder| responder.and_then(|responder| responder(question)),
            Some,
        )
    }

    /// Legacy questions without an answer, of a task or of calls without one.
    pub(super) fn held(&self, task: Option<&str>) -> Vec<Question> {
        let state = self.state.lock();
        let of_task = state
            .held
            .iter()
            .filter(|held| held.question.task.as_deref() == task);
        of_task.map(|held| held.question.clone()).collect()
    }

    /// Answers a legacy question that was held; false if it is not open any more.
    pub(super) fn answer_held(&self, question: &Question, answer: Value) -> bool {
        let Some(held) = self.forget_held(question) else {
            return false;
        };
        self.reply_value(&held.id, answer);
        true
    }

    /// Takes a question out of those that wait for an answer.
    pub(super) fn forget_held(&self, question: &Question) -> Option<Held> {
        let mut state = self.state.lock();
        let found = state
            .held
            .iter()
            .position(|held| held.question == *question);
        found.map(|index| state.held.remove(index))
    }

    fn reply_value(&self, id: &RequestId, answer: Value) {
        match answer {
            Value::Object(answer) => self.send(rpc::reply(id, &Ok(answer))),
            other => {
                let error = RpcError::internal(format!("the test's answer is no object: {other}"));
                self.send(rpc::refusal(Some(id), &error));
            }
        }
    }

    fn take(&self, line: &[u8]) {
        match rpc::decode(line) {
            Ok(Message::Response(Response { id, outcome })) => {
                if let Some(waiting) = self.state.lock().waiting.remove(&id) {
                    // Whoever asked may have stopped waiting.
                    let _ = waiting.send(outcome);
                }
            }
            Ok(Message::Notification(rpc::Notification { method, params })) => {
                self.take_said(Notification { method, params });
                self.tick();
            }
            Ok(Message::Request(request)) => {
                self.take_request(request);
                self.tick();
            }
            // Nobody waits for it, so that only the log can be told.
            Err(refusal) => {
                tracing::warn!(error = %refusal.error, "the server sent what is no message")
            }
        }
    }

    fn take_said(&self, notification: Notification) {
        let mut state = self.state.lock();
        let meta = notification.params.get("_meta");
        let subscription = meta
            .and_then(|meta| meta.get(SUBSCRIPTION_ID))
            .and_then(RequestId::from_value);
        if let Some(id) = &subscription {
            if notification.method == NotificationsSubscriptionsAcknowledged::NAME
                && let Some(waiting) = state.acknowledged.remove(id)
            {
                let _ = waiting.send(notification.params.clone());
            }
            if state.silent.contains(id) {
                return;
            }
        }
        if notification.method == NotificationsCancelled::NAME {
            let id = notification
                .params
                .get("requestId")
                .and_then(RequestId::from_value);
            state.held.retain(|held| Some(&held.id) != id.as_ref());
        }
        state.said.push(Said {
            notification,
            taken: false,
        });
    }

    fn take_request(&self, request: Request) {
        let Request { id, method, params } = request;
        let questions = [
            ElicitationCreate::NAME,
            SamplingCreateMessage::NAME,
            RootsList::NAME,
        ];
        if method == Ping::NAME {
            return self.send(rpc::reply(&id, &Ok(JsonObject::new())));
        }
        if !questions.contains(&&*method) {
            return self.send(rpc::refusal(
                Some(&id),
                &RpcError::method_not_found(&method),
            ));
        }
        let task = params
            .get("_meta")
            .and_then(|meta| meta[RELATED_TASK]["taskId"].as_str().map(str::to_owned));
        let request = json!({"method": method, "params": params});
        match Question::read(id.text().to_owned(), task, &request) {
            Err(error) => self.send(rpc::refusal(
                Some(&id),
                &RpcError::invalid_params(error.to_string()),
            )),
            Ok(question) => match self.answer_to(&question) {
                Some(answer) => self.reply_value(&id, answer),
                None => self.state.lock().held.push(Held { id, question }),
            },
        }
    }

    fn tick(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    fn close(&self) {
        {
            let mut state = self.state.lock();
            state.closed = true;
            state.waiting.clear();
            state.acknowledged.clear();
        }
        self.tick();
    }
}

/// A request that was sent.
pub(super) struct Pending {
    connection: Arc<Connection>,
    method: String,
    id: RequestId,
    reply: oneshot::Receiver<Result<Value, RpcError>>,
}

impl Pending {
    /// The result. Can be awaited in turns with something else.
    pub(super) async fn result(&mut self) -> Result<JsonObject, ClientError> {
        match (&mut self.reply).await {
            Ok(Ok(Value::Object(result))) => Ok(result),
            Ok(Ok(_)) => Err(ClientError::unreadable(
                &self.method,
                "the result is no object",
            )),
            Ok(Err(error)) => Err(ClientError::Rpc {
                method: self.method.clone(),
                error: Box::new(error),
            }),
            Err(_) => Err(ClientError::closed(&self.method)),
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        let waiting = {
            let mut state = self.connection.state.lock();
            state.acknowledged.remove(&self.id);
            state.waiting.remove(&self.id)
        };
        if waiting.is_some() {
            let params = object(json!({"requestId": self.id.to_value()}));
            self.connection
                .notify(NotificationsCancelled::NAME, &params);
        }
    }
}

/// The members of what is known to be an object.
pub(super) fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}

async fn read<R: AsyncRead + Unpin>(connection: Arc<Connection>, input: R) {
    let mut lines = BufReader::new(input).split(b'\n');
    // A broken pipe is an end like any other.
    while let Ok(Some(line)) = lines.next_segment().await {
        if !line.trim_ascii().is_empty() {
            connection.take(&line);
        }
    }
    connection.close();
}

async fn write<W: AsyncWrite + Unpin>(
    mut output: W,
    mut messages: mpsc::UnboundedReceiver<String>,
) {
    while let Some(mut message) = messages.recv().await {
        message.push('\n');
        if output.write_all(message.as_bytes()).await.is_err() || output.flush().await.is_err() {
            return;
        }
    }
}
