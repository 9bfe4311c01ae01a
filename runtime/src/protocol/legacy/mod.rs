//! The legacy era (2025-11-25; 2025-06-18 and 2025-03-26 without tasks): sessions, and requests in both directions.

mod call;
mod push;
mod questions;
mod session;
mod shape;
mod tasks;
mod wire;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use crate::{
    JsonObject,
    protocol::{count, failure, is_reserved, progress_token},
    server::{
        Caller, Era, FallbackRequest, Inner, RpcError,
        rpc::{Notification, Request},
    },
    task::Principal,
    types::v2025_11_25::{
        SetLevelRequestParams, TaskRequest,
        methods::{
            Initialize, LoggingSetLevel, Method, NotificationsCancelled, Ping, ToolsCall, ToolsList,
        },
    },
};

pub(crate) use questions::Asking;
pub(crate) use session::{Hello, Session};
#[cfg_attr(
    not(feature = "http"),
    allow(unused_imports, reason = "only HTTP needs it")
)]
pub(crate) use wire::Sent;
pub(crate) use wire::Wire;

/// One request on its way through the handlers.
struct Exchange<'a> {
    inner: &'a Arc<Inner>,
    session: &'a Arc<Session>,
    caller: &'a Caller,
    /// The request's own stream.
    wire: Arc<dyn Wire>,
    cancellation: CancellationToken,
    method: &'a str,
    params: &'a JsonObject,
    progress_token: Option<Value>,
}

/// The result of `initialize`.
pub(crate) fn welcome(inner: &Inner, session: &Session) -> JsonObject {
    let mut capabilities = inner.config.capabilities.clone();
    capabilities.insert("tools".into(), json!({}));
    if session.has_tasks() {
        let mut tasks = json!({ "cancel": {}, "requests": { "tools": { "call": {} } } });
        if session.lists_tasks {
            tasks["list"] = json!({});
        }
        capabilities.insert("tasks".into(), tasks);
    }
    let mut result = JsonObject::new();
    result.insert("protocolVersion".into(), session.version.into());
    result.insert("capabilities".into(), capabilities.into());
    result.insert("serverInfo".into(), inner.info.clone().into());
    if let Some(instructions) = &inner.config.instructions {
        result.insert("instructions".into(), instructions.clone().into());
    }
    result
}

/// Answers a request of a session. `None` when the client called it off, which gets no reply.
pub(crate) async fn serve(
    inner: &Arc<Inner>,
    session: &Arc<Session>,
    request: &Request,
    caller: &Caller,
    wire: Arc<dyn Wire>,
) -> Option<Result<JsonObject, RpcError>> {
    let _open = inner.requests.token();
    let Some(running) = session.begin(&request.id, &wire) else {
        return Some(Err(RpcError::invalid_request(
            "a request with this id is still running",
        )));
    };
    let meta = match failure::object(&request.params, "_meta") {
        Ok(meta) => meta,
        Err(error) => return Some(Err(error)),
    };
    let exchange = Exchange {
        inner,
        session,
        caller,
        wire,
        cancellation: running.token.clone(),
        method: &request.method,
        params: &request.params,
        progress_token: meta.and_then(progress_token),
    };
    // Fires when this future is dropped, for a function that watches it from elsewhere.
    let _guard = running.token.clone().drop_guard();
    let span = tracing::debug_span!(
        "request",
        era = "legacy",
        method = request.method,
        id = request.id.text()
    );
    tokio::select! {
        biased;
        () = running.token.cancelled() => None,
        outcome = exchange.answer().instrument(span) => {
            count("legacy", &request.method, outcome.is_ok());
            // It may have been called off while it was at work, and have ended for that.
            (!running.token.is_cancelled()).then_some(outcome)
        }
    }
}

/// Takes a notification of a session.
pub(crate) fn notified(session: &Session, notification: &Notification) {
    match notification.method.as_str() {
        NotificationsCancelled::NAME => session.cancel(&notification.params),
        method => tracing::debug!(method, "a notification of no consequence"),
    }
}

/// Whether two principals are the same, absent ones included.
#[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP needs it"))]
pub(crate) fn belongs_to(session: &Session, principal: Option<&Principal>) -> bool {
    session.principal.as_ref() == principal
}

impl Exchange<'_> {
    fn owner(&self) -> Option<&Principal> {
        self.session.principal.as_ref()
    }

    async fn answer(&self) -> Result<JsonObject, RpcError> {
        match self.method {
            Ping::NAME => Ok(JsonObject::new()),
            Initialize::NAME => Err(RpcError::invalid_request(
                "the session is initialized already",
            )),
            ToolsList::NAME => self.list_tools(),
            ToolsCall::NAME => self.call_tool().await,
            LoggingSetLevel::NAME if self.inner.config.logging => self.set_log_level(),
            method if self.session.has_tasks() && TaskRequest::METHODS.contains(&method) => {
                self.on_task().await
            }
            method if is_reserved(method) => Err(RpcError::method_not_found(method)),
            _ => self.fall_back().await,
        }
    }

    fn list_tools(&self) -> Result<JsonObject, RpcError> {
        if self
            .params
            .get("cursor")
            .is_some_and(|cursor| !cursor.is_null())
        {
            return Err(RpcError::invalid_params(
                "the cursor is not one that this server has given out",
            ));
        }
        let catalog = &self.inner.catalog;
        let tools = if self.session.has_tasks() {
            catalog.legacy()
        } else {
            catalog.plain()
        };
        let mut result = JsonObject::new();
        result.insert("tools".into(), tools.into());
        Ok(result)
    }

    /// Sets how serious the log messages of this session must be.
    fn set_log_level(&self) -> Result<JsonObject, RpcError> {
        let params: SetLevelRequestParams =
            serde_json::from_value(Value::Object(self.params.clone())).map_err(failure::invalid)?;
        *self.session.log_level.lock() = params.level.into();
        Ok(JsonObject::new())
    }

    async fn fall_back(&self) -> Result<JsonObject, RpcError> {
        let Some(fallback) = &self.inner.config.fallback else {
            return Err(RpcError::method_not_found(self.method));
        };
        fallback
            .call(FallbackRequest {
                method: self.method.to_owned(),
                params: self.params.clone(),
                era: Era::Legacy,
                principal: self.session.principal.clone(),
                client_capabilities: self.session.capabilities.to_object(),
            })
            .await
    }
}
