//! The modern era (2026-07-28 and the tasks extension): each request stands alone.
//!
//! Here: what every request must carry, and which handler takes it. Nothing of an earlier request is remembered; what
//! spans requests is a task in the engine or a sealed `requestState`.

mod call;
mod listen;
mod replay;
mod shape;
mod tasks;

use std::sync::Arc;

use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use tracing::Instrument;

use crate::{
    JsonObject,
    context::LogLevel,
    server::{
        CacheScope, Caller, Era, FallbackRequest, Inner, Outbox, RpcError,
        error::{
            HEADER_MISMATCH, INTERNAL_ERROR, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY,
            UNSUPPORTED_VERSION,
        },
        rpc::{Request, RequestId},
    },
};

pub(in crate::protocol) use call::form;

use crate::{
    task::Principal,
    types::{
        ext_tasks::{TaskRequest, TaskResponse, keys::TASKS},
        v2025_11_25::methods::{
            Initialize, LoggingSetLevel, Ping, ResourcesSubscribe, ResourcesUnsubscribe,
        },
        v2026_07_28::{
            LoggingLevel, keys,
            methods::{
                Method, PromptsGet, PromptsList, ResourcesList, ResourcesRead,
                ResourcesTemplatesList, ServerDiscover, SubscriptionsListen, ToolsCall, ToolsList,
            },
        },
    },
};

use super::{
    client, count, failure, headers, is_reserved,
    negotiate::{supported, unsupported},
    progress_token,
};

/// Results that clients may keep for a while.
const CACHEABLE: [&str; 6] = [
    ServerDiscover::NAME,
    ToolsList::NAME,
    PromptsList::NAME,
    ResourcesList::NAME,
    ResourcesTemplatesList::NAME,
    ResourcesRead::NAME,
];

/// Those that are the same for every caller.
const OWN_CACHEABLE: [&str; 2] = [ServerDiscover::NAME, ToolsList::NAME];

/// What a request is answered with, `resultType` and `_meta` included.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    Object(JsonObject),
    /// Written as it is: clients ask for tasks more often than for anything else.
    Task(Box<TaskResponse>),
}

/// The answer to a request, and the HTTP status that goes with it if nothing was streamed before.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) outcome: Result<Answer, RpcError>,
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP needs it"))]
    pub(crate) status: StatusCode,
}

impl Reply {
    fn new(outcome: Result<Answer, RpcError>) -> Self {
        let status = match &outcome {
            Ok(_) => StatusCode::OK,
            Err(error) => match error.code {
                METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
                HEADER_MISMATCH | MISSING_CLIENT_CAPABILITY | UNSUPPORTED_VERSION => {
                    StatusCode::BAD_REQUEST
                }
                // Clients tend to drop the body of other statuses, and with it the reason.
                _ => StatusCode::OK,
            },
        };
        Self { outcome, status }
    }

    /// A request that cannot be taken at all.
    pub(crate) fn malformed(error: RpcError) -> Self {
        Self {
            outcome: Err(error),
            status: StatusCode::BAD_REQUEST,
        }
    }
}

/// One request on its way through the handlers.
struct Exchange<'a> {
    server: &'a Arc<Inner>,
    caller: &'a Caller,
    outbox: &'a Outbox,
    id: &'a RequestId,
    method: &'a str,
    params: &'a JsonObject,
    capabilities: &'a JsonObject,
    progress_token: Option<Value>,
    /// How serious a log message must be to be sent; none is without it.
    log_level: Option<LogLevel>,
}

/// Answers a request of the modern era.
pub(crate) async fn serve(
    server: &Arc<Inner>,
    request: &Request,
    caller: &Caller,
    outbox: &Outbox,
) -> Reply {
    let _open = server.requests.token();
    let span = tracing::debug_span!(
        "request",
        era = "modern",
        method = request.method,
        id = request.id.text()
    );
    let reply = answer(server, request, caller, outbox)
        .instrument(span)
        .await;
    count("modern", &request.method, reply.outcome.is_ok());
    reply
}

async fn answer(server: &Arc<Inner>, request: &Request, caller: &Caller, outbox: &Outbox) -> Reply {
    let Request { id, method, params } = request;
    let meta = match params.get("_meta") {
        Some(Value::Object(meta)) => meta,
        Some(_) => {
            return Reply::malformed(failure::bad_member("params._meta", "must be an object"));
        }
        None => return Reply::malformed(failure::bad_member("params._meta", "is missing")),
    };
    let capabilities = match check_meta(meta) {
        Ok(capabilities) => capabilities,
        Err(error) => return Reply::malformed(error),
    };
    if let Some(named) = meta.get(keys::PROTOCOL_VERSION).and_then(Value::as_str)
        && named != super::MODERN
    {
        return Reply::new(Err(unsupported(named, server.config.legacy)));
    }
    let log_level = match log_level(meta) {
        Ok(level) => level,
        Err(error) => return Reply::malformed(error),
    };
    let exchange = Exchange {
        server,
        caller,
        outbox,
        id,
        method,
        params,
        capabilities,
        progress_token: progress_token(meta),
        log_level,
    };
    Reply::new(exchange.answer().await)
}

fn check_meta(meta: &JsonObject) -> Result<&JsonObject, RpcError> {
    let member = |name: &str, problem: &str| {
        failure::bad_member(&format!("params._meta[\"{name}\"]"), problem)
    };
    match meta.get(keys::PROTOCOL_VERSION) {
        Some(Value::String(_)) => {}
        Some(_) => return Err(member(keys::PROTOCOL_VERSION, "must be a string")),
        None => {
            return Err(member(
                keys::PROTOCOL_VERSION,
                "is missing; each request names its protocol version",
            ));
        }
    }
    match meta.get(keys::CLIENT_CAPABILITIES) {
        Some(Value::Object(capabilities)) => Ok(capabilities),
        Some(_) => Err(member(keys::CLIENT_CAPABILITIES, "must be an object")),
        None => Err(member(
            keys::CLIENT_CAPABILITIES,
            "is missing; each request declares what the client can do",
        )),
    }
}

fn log_level(meta: &JsonObject) -> Result<Option<LogLevel>, RpcError> {
    let Some(level) = meta.get(keys::LOG_LEVEL) else {
        return Ok(None);
    };
    let level = serde_json::from_value::<LoggingLevel>(level.clone()).map_err(|error| {
        failure::bad_member(
            &format!("params._meta[\"{}\"]", keys::LOG_LEVEL),
            &error.to_string(),
        )
    })?;
    Ok(Some(level.into()))
}

impl Exchange<'_> {
    async fn answer(&self) -> Result<Answer, RpcError> {
        if let Some(headers) = &self.caller.headers {
            headers::check_method(headers, self.method)?;
        }
        if TaskRequest::METHODS.contains(&self.method) {
            let answer = Box::new(self.on_task().await?);
            return Ok(Answer::Task(answer));
        }
        let result = match self.method {
            ServerDiscover::NAME => Ok(self.discover()),
            ToolsList::NAME => self.list_tools(),
            ToolsCall::NAME => {
                self.check_name("name", true)?;
                self.call_tool().await
            }
            SubscriptionsListen::NAME => self.listen().await,
            method if is_ours(method) => Err(RpcError::method_not_found(method)),
            _ => self.fall_back().await,
        };
        Ok(Answer::Object(self.finish(result?)))
    }

    /// Adds what every result carries. An acknowledgement is a result too, so it says who sent it, and nothing else.
    fn finish(&self, mut result: JsonObject) -> JsonObject {
        result
            .entry("resultType")
            .or_insert_with(|| "complete".into());
        if CACHEABLE.contains(&self.method) && result["resultType"] == "complete" {
            let config = &self.server.config;
            let (ttl_ms, scope) = if OWN_CACHEABLE.contains(&self.method) {
                (config.cache_ttl_ms(), config.cache_scope)
            } else {
                // What a fallback gives may be for this caller and this moment alone, unless it says otherwise.
                (0, CacheScope::Private)
            };
            result.entry("ttlMs").or_insert_with(|| ttl_ms.into());
            result
                .entry("cacheScope")
                .or_insert_with(|| scope.as_str().into());
        }
        let meta = result.entry("_meta").or_insert_with(|| json!({}));
        if let Value::Object(meta) = meta {
            meta.entry(keys::SERVER_INFO)
                .or_insert_with(|| self.server.info.clone().into());
        }
        result
    }

    fn discover(&self) -> JsonObject {
        let config = &self.server.config;
        let mut capabilities = config.capabilities.clone();
        capabilities.insert("tools".into(), json!({}));
        let extensions = capabilities
            .entry("extensions")
            .or_insert_with(|| json!({}));
        if let Value::Object(extensions) = extensions {
            extensions.insert(TASKS.into(), json!({}));
        }
        let mut result = JsonObject::new();
        result.insert("supportedVersions".into(), json!(supported(config.legacy)));
        result.insert("capabilities".into(), capabilities.into());
        if let Some(instructions) = &config.instructions {
            result.insert("instructions".into(), instructions.clone().into());
        }
        result
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
        let mut result = JsonObject::new();
        result.insert("tools".into(), self.server.catalog.modern().into());
        Ok(result)
    }

    async fn fall_back(&self) -> Result<JsonObject, RpcError> {
        let Some(fallback) = &self.server.config.fallback else {
            return Err(RpcError::method_not_found(self.method));
        };
        match self.method {
            PromptsGet::NAME => self.check_name("name", true)?,
            ResourcesRead::NAME => self.check_name("uri", true)?,
            _ => {}
        }
        let result = fallback
            .call(FallbackRequest {
                method: self.method.to_owned(),
                params: self.params.clone(),
                era: Era::Modern,
                principal: self.caller.principal.clone(),
                client_capabilities: self.capabilities.clone(),
            })
            .await?;
        let misplaced = match result.get("resultType").and_then(Value::as_str) {
            Some("task") => true,
            // Apart from tools/call, only these may ask for input.
            Some("input_required") => {
                ![PromptsGet::NAME, ResourcesRead::NAME].contains(&self.method)
            }
            _ => false,
        };
        if misplaced {
            tracing::error!(
                method = self.method,
                "the fallback gave a `resultType` that results of this method cannot have"
            );
            return Err(RpcError::new(
                INTERNAL_ERROR,
                "Internal error: the server gave a result of the wrong type",
            ));
        }
        Ok(result)
    }

    /// Checks `Mcp-Name` against a member of the params. A missing member is for the handler to tell.
    fn check_name(&self, member: &str, required: bool) -> Result<(), RpcError> {
        let Some(headers) = &self.caller.headers else {
            return Ok(());
        };
        let Some(name) = self.params.get(member).and_then(Value::as_str) else {
            return Ok(());
        };
        if headers::check_name(headers, name)? || !required {
            Ok(())
        } else {
            Err(headers::missing_name())
        }
    }

    /// Checks `Mcp-Name` of a request on tasks. A missing one is let pass unless the owner is strict.
    fn check_task_name(&self) -> Result<(), RpcError> {
        let Some(headers) = &self.caller.headers else {
            return Ok(());
        };
        let Some(id) = self.params.get("taskId").and_then(Value::as_str) else {
            return Ok(());
        };
        if headers::check_name(headers, id)? {
            return Ok(());
        }
        if self.server.config.strict_task_headers {
            return Err(headers::missing_name());
        }
        self.server.warn_missing_name(self.method, self.caller);
        Ok(())
    }

    fn owner(&self) -> Option<&Principal> {
        self.caller.principal.as_ref()
    }

    /// Refuses a client that did not declare the tasks extension in this very request.
    fn require_tasks(&self) -> Result<(), RpcError> {
        if client::declares_tasks(self.capabilities) {
            return Ok(());
        }
        Err(RpcError::missing_capability(
            client::required_tasks(),
            format!(
                "Missing required client capability: `{}` needs the extension {}",
                self.method, TASKS
            ),
        ))
    }
}

/// Whether a method belongs to us or to another era, so that no fallback may claim it.
fn is_ours(method: &str) -> bool {
    let removed = [
        Initialize::NAME,
        Ping::NAME,
        LoggingSetLevel::NAME,
        ResourcesSubscribe::NAME,
        ResourcesUnsubscribe::NAME,
    ];
    is_reserved(method) || removed.contains(&method)
}
