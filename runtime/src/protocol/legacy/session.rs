//! A session of the legacy era: what `initialize` settled, and what is under way between the two sides.
//!
//! It holds no state of tasks, only which ways to the client are open for their questions.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::{
    JsonObject,
    context::{AskError, InputKinds, InputRequest, LogLevel},
    protocol::{LEGACY, client::Declared, failure},
    server::{
        RpcError,
        rpc::{self, RequestId, Response},
    },
    task::Principal,
    types::v2025_11_25::{
        keys::RELATED_TASK,
        methods::{Method, NotificationsCancelled},
    },
};

use super::{
    push::Link,
    wire::{Sent, Wire},
};

/// What a client said in `initialize`.
pub(crate) struct Hello {
    pub(crate) version: &'static str,
    pub(crate) capabilities: Declared,
}

impl Hello {
    /// Reads the params of `initialize`. A version that is not known gets the newest that is.
    pub(crate) fn read(params: &JsonObject) -> Result<Self, RpcError> {
        failure::object(params, "_meta")?;
        let asked = failure::text(params, "protocolVersion")?;
        let capabilities = failure::object(params, "capabilities")?
            .ok_or_else(|| failure::bad_member("params.capabilities", "is missing"))?;
        let version = LEGACY
            .into_iter()
            .find(|known| *known == asked)
            .unwrap_or(LEGACY[0]);
        Ok(Self {
            version,
            capabilities: Declared::of(capabilities),
        })
    }
}

/// One session.
pub(crate) struct Session {
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP needs it"))]
    pub(crate) id: String,
    pub(crate) version: &'static str,
    pub(crate) principal: Option<Principal>,
    pub(crate) capabilities: Declared,
    pub(crate) kinds: InputKinds,
    /// Whether the client can be told apart from others, so that it may list its tasks.
    pub(crate) lists_tasks: bool,
    /// The stream that belongs to the session and to no request.
    pub(crate) channel: Arc<dyn Wire>,
    /// Fires when the session ends.
    pub(crate) closed: CancellationToken,
    /// Fires when the client can answer nothing more, though it may still read.
    pub(crate) hangup: CancellationToken,
    /// How serious a log message must be to be sent.
    pub(super) log_level: Mutex<LogLevel>,
    /// Ticks when a way to the client opens or a task is named for the first time.
    ways: watch::Sender<u64>,
    next_id: AtomicU64,
    asked: Mutex<HashMap<RequestId, oneshot::Sender<Result<Value, RpcError>>>>,
    running: Mutex<HashMap<RequestId, Begun>>,
    next_running: AtomicU64,
    pub(super) links: Mutex<HashMap<String, Arc<Link>>>,
}

impl Session {
    pub(crate) fn new(
        id: String,
        hello: Hello,
        principal: Option<Principal>,
        lists_tasks: bool,
        channel: Arc<dyn Wire>,
        closed: CancellationToken,
        hangup: CancellationToken,
    ) -> Arc<Self> {
        let kinds = hello.capabilities.kinds;
        Arc::new(Self {
            id,
            version: hello.version,
            principal,
            capabilities: hello.capabilities,
            kinds,
            lists_tasks,
            channel,
            closed,
            hangup,
            log_level: Mutex::new(LogLevel::Info),
            ways: watch::Sender::new(0),
            next_id: AtomicU64::new(0),
            asked: Mutex::default(),
            running: Mutex::default(),
            next_running: AtomicU64::new(0),
            links: Mutex::default(),
        })
    }

    /// Whether tasks exist in the revision of this session.
    pub(crate) fn has_tasks(&self) -> bool {
        self.version == LEGACY[0]
    }

    /// Says that a way to the client has opened.
    pub(crate) fn way_opened(&self) {
        self.ways.send_modify(|count| *count += 1);
    }

    pub(super) fn ways(&self) -> watch::Receiver<u64> {
        self.ways.subscribe()
    }

    /// Notes a request of the client; `None` when one with this id still runs. One whose connection is gone is given
    /// up for it: a client that uses the id anew does not come back for the old reply.
    pub(super) fn begin(self: &Arc<Self>, id: &RequestId, wire: &Arc<dyn Wire>) -> Option<Running> {
        let mut running = self.running.lock();
        if let Some(before) = running.get(id) {
            if before.wire.is_open() {
                return None;
            }
            before.token.cancel();
        }
        let token = self.closed.child_token();
        let number = self.next_running.fetch_add(1, Ordering::Relaxed);
        running.insert(
            id.clone(),
            Begun {
                number,
                token: token.clone(),
                wire: Arc::clone(wire),
            },
        );
        Some(Running {
            session: Arc::clone(self),
            id: id.clone(),
            number,
            token,
        })
    }

    /// The client calls one of its requests off.
    pub(crate) fn cancel(&self, params: &JsonObject) {
        let id = params.get("requestId").and_then(RequestId::from_value);
        if let Some(id) = id
            && let Some(begun) = self.running.lock().get(&id)
        {
            begun.token.cancel();
        }
    }

    /// The client answers one of our requests. Late and unknown answers are dropped.
    pub(crate) fn answered(&self, response: Response) {
        match self.asked.lock().remove(&response.id) {
            Some(waiting) => {
                // Whoever asked may have stopped waiting.
                let _ = waiting.send(response.outcome);
            }
            None => tracing::debug!(id = response.id.text(), "an answer that nothing waits for"),
        }
    }

    /// Asks the client on one of the ways to it.
    pub(super) async fn ask(
        self: &Arc<Self>,
        wire: &Arc<dyn Wire>,
        request: &InputRequest,
        related: Option<&str>,
    ) -> Result<OpenQuestion, AskError> {
        self.kinds.permit(request)?;
        let id = RequestId::from_number(self.next_id.fetch_add(1, Ordering::Relaxed));
        let (sender, receiver) = oneshot::channel();
        self.asked.lock().insert(id.clone(), sender);
        let mut question = OpenQuestion {
            session: Arc::clone(self),
            wire: Arc::clone(wire),
            id,
            related: related.map(str::to_owned),
            answer: Some(receiver),
            sent: Sent(0),
        };
        let params = self.params(request, related);
        let message = rpc::request(&question.id, &request.method, params.as_ref());
        question.sent = wire.send(message).await;
        Ok(question)
    }

    /// The params of a question in the shape of this session's revision.
    fn params(&self, request: &InputRequest, related: Option<&str>) -> Option<JsonObject> {
        let mut params = request.params.clone();
        if !self.has_tasks()
            && let Some(params) = &mut params
        {
            // Before 2025-11-25 there were forms only, and the member was unknown.
            params.remove("mode");
        }
        if let Some(task) = related {
            relate(params.get_or_insert_default(), task);
        }
        params
    }
}

/// Marks a message or a result as part of a task.
pub(super) fn relate(object: &mut JsonObject, task: &str) {
    let meta = object.entry("_meta").or_insert_with(|| json!({}));
    if let Value::Object(meta) = meta {
        meta.insert(RELATED_TASK.into(), json!({ "taskId": task }));
    }
}

/// What is known of a request that runs.
struct Begun {
    /// Tells it from a later one with the same id.
    number: u64,
    token: CancellationToken,
    wire: Arc<dyn Wire>,
}

/// A request of the client that runs. Dropping it makes the id free again.
pub(super) struct Running {
    session: Arc<Session>,
    id: RequestId,
    number: u64,
    pub(super) token: CancellationToken,
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut running = self.session.running.lock();
        if running
            .get(&self.id)
            .is_some_and(|begun| begun.number == self.number)
        {
            running.remove(&self.id);
        }
    }
}

/// A question that waits for the client. Dropping it unanswered takes it back.
pub(super) struct OpenQuestion {
    session: Arc<Session>,
    wire: Arc<dyn Wire>,
    id: RequestId,
    /// The task that asks.
    related: Option<String>,
    /// `None` once it came.
    answer: Option<oneshot::Receiver<Result<Value, RpcError>>>,
    /// Where the question stands on its way.
    pub(super) sent: Sent,
}

impl OpenQuestion {
    /// Waits for the answer. It comes once.
    pub(super) async fn answer(&mut self) -> Result<Value, AskError> {
        let answer = self.answer.as_mut().ok_or(AskError::Cancelled)?;
        let outcome = tokio::select! {
            biased;
            outcome = answer => outcome.map_err(|_| AskError::Cancelled)?,
            () = self.session.closed.cancelled() => return Err(AskError::Cancelled),
            () = self.session.hangup.cancelled() => return Err(AskError::Cancelled),
        };
        self.answer = None;
        outcome.map_err(|error| {
            AskError::Failed(format!("the client did not answer: {}", error.message))
        })
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        self.session.asked.lock().remove(&self.id);
        let seen = self.wire.over(self.sent);
        let gone = self.session.closed.is_cancelled() || self.session.hangup.is_cancelled();
        if self.answer.is_none() || !seen || gone {
            return;
        }
        let mut params = JsonObject::new();
        params.insert("requestId".into(), self.id.to_value());
        params.insert("reason".into(), "the answer is not needed any more".into());
        if let Some(task) = &self.related {
            relate(&mut params, task);
        }
        // Also when the client is away: it may come back.
        self.wire
            .notify_now(rpc::notification(NotificationsCancelled::NAME, &params));
    }
}
