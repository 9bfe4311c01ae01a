//! `tools/call`: questions first, then a task or the result itself.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};

use crate::{
    JsonObject,
    context::{AskError, InputKinds, InputRequest, TaskContext},
    engine::{Launch, Started},
    protocol::{
        client, failure, headers,
        quota::Quota,
        seal::{Binding, Sealer},
    },
    server::{Entry, RpcError},
    task::Journal,
    tool::{Ask, TaskSupport, ToolError, ToolOutput},
    types::v2026_07_28::methods::{ElicitationCreate, Method},
};

use super::{
    Exchange,
    replay::{Replay, SharedReplay},
    shape,
};

impl Exchange<'_> {
    pub(super) async fn call_tool(&self) -> Result<JsonObject, RpcError> {
        let limits = &self.server.config.limits;
        let _call = limits.open_call(&self.server.calls, self.owner())?;
        let name = failure::text(self.params, "name")?;
        let entry = self
            .server
            .catalog
            .get(name)
            .ok_or_else(|| RpcError::invalid_params(format!("Unknown tool: {name}")))?;
        let arguments = failure::object(self.params, "arguments")?
            .cloned()
            .unwrap_or_default();
        if let Some(headers) = &self.caller.headers {
            headers::check_params(headers, &entry.headers, &arguments)?;
        }
        let support = entry.tool.descriptor.options.task;
        let follows_tasks = client::declares_tasks(self.capabilities);
        if support == TaskSupport::Required && !follows_tasks {
            self.require_tasks()?;
        }
        let journal = self.opened()?;
        if let Err(error) = entry.tool.handler.check(&arguments) {
            return Ok(failure::from_tool(error)?.into_object());
        }

        let cancellation = self.server.shutdown_calls.child_token();
        let replay = Arc::new(self.replay(entry, journal, cancellation.clone())?);
        // Fires when the client goes away and this future is dropped.
        let _guard = cancellation.drop_guard();
        let Some(answers) = self.ask_first(&replay, &entry.tool.descriptor.asks)? else {
            return self.input_required(&replay);
        };
        if follows_tasks && support != TaskSupport::Forbidden {
            self.start_task(entry, arguments, answers).await
        } else {
            self.run_plainly(entry, arguments, answers, replay).await
        }
    }

    /// What earlier rounds of this call brought, if there were any.
    fn opened(&self) -> Result<Option<Journal>, RpcError> {
        match self.params.get("requestState") {
            None => Ok(None),
            Some(Value::String(state)) => {
                self.sealer().open(state, now(), self.binding()).map(Some)
            }
            Some(_) => Err(failure::bad_member(
                "params.requestState",
                "must be a string",
            )),
        }
    }

    fn sealer(&self) -> &Sealer {
        &self.server.sealer
    }

    fn binding(&self) -> Binding<'_> {
        Binding {
            principal: self.caller.principal.as_ref(),
            method: self.method,
            params: self.params,
        }
    }

    fn replay(
        &self,
        entry: &Entry,
        journal: Option<Journal>,
        cancellation: tokio_util::sync::CancellationToken,
    ) -> Result<Replay, RpcError> {
        let responses = failure::object(self.params, "inputResponses")?
            .cloned()
            .unwrap_or_default();
        let quota = Quota::of(&self.server.config.limits);
        let replay = Replay::new(journal, responses, self.kinds(), quota, cancellation);
        let replay = match &self.progress_token {
            Some(token) => replay.with_progress(token.clone(), self.outbox.clone()),
            None => replay,
        };
        Ok(match self.log_level {
            Some(level) if self.server.config.logging => replay.with_log(
                level,
                entry.tool.descriptor.name.clone(),
                self.outbox.clone(),
            ),
            _ => replay,
        })
    }

    fn kinds(&self) -> InputKinds {
        client::input_kinds(self.capabilities)
    }

    /// Puts the questions that come before the function. `None` while one of them has no answer.
    fn ask_first(&self, replay: &Replay, asks: &[Ask]) -> Result<Option<JsonObject>, RpcError> {
        let mut answers = JsonObject::new();
        let mut open = false;
        for ask in asks {
            match replay.put(&ask.name, form(ask)) {
                // A question that was declined or dismissed has no entry; the function says what follows from that.
                Ok(Some(answer)) => {
                    if answer
                        .get("action")
                        .is_some_and(|action| action == "accept")
                    {
                        let content = answer.get("content").cloned().unwrap_or_else(|| json!({}));
                        answers.insert(ask.name.clone(), content);
                    }
                }
                Ok(None) => open = true,
                Err(AskError::NotSupported(capability)) => return Err(self.lacks(capability)),
                Err(error) => return Err(RpcError::invalid_params(error.to_string())),
            }
        }
        Ok((!open).then_some(answers))
    }

    fn lacks(&self, capability: &str) -> RpcError {
        RpcError::missing_capability(
            client::required(capability),
            format!(
                "Missing required client capability: this tool asks for input, which needs `{capability}`"
            ),
        )
    }

    /// Ends the round with the open questions.
    fn input_required(&self, replay: &SharedReplay) -> Result<JsonObject, RpcError> {
        let journal = replay.journal()?;
        let expires = now().saturating_add(self.server.config.limits.request_state_ttl.as_secs());
        let state = self.sealer().seal(&journal, expires, self.binding())?;
        let limit = self.server.config.limits.message_bytes;
        if state.len() > limit {
            return Err(RpcError::limit(
                "messageBytes",
                format!(
                    "what this call has been told and has kept takes {} bytes, which the client could not send back: a \
                     message has at most {limit}",
                    state.len()
                ),
            ));
        }
        shape::input_required(journal.open(), state)
    }

    async fn start_task(
        &self,
        entry: &Entry,
        arguments: JsonObject,
        answers: JsonObject,
    ) -> Result<JsonObject, RpcError> {
        let started = self
            .server
            .engine
            .start(Launch {
                tool: entry.tool.clone(),
                arguments,
                answers,
                owner: self.caller.principal.clone(),
                can_ask: self.kinds(),
                ttl_ms: None,
                inline_for: entry.tool.descriptor.options.inline_for,
                state: self.server.state.clone(),
                extensions: self.caller.extensions.clone(),
                reports: None,
            })
            .await?;
        match started {
            Started::Task(task) => shape::handle(&task),
            Started::Inline(outcome) => result(outcome),
        }
    }

    async fn run_plainly(
        &self,
        entry: &Entry,
        arguments: JsonObject,
        answers: JsonObject,
        replay: SharedReplay,
    ) -> Result<JsonObject, RpcError> {
        let context = TaskContext::new(replay.clone());
        let call = self
            .server
            .tool_call(arguments, answers, context, self.caller);
        let outcome = tokio::select! {
            biased;
            outcome = self.server.engine.run(&entry.tool, call) => outcome,
            () = replay.parked() => return self.input_required(&replay),
        };
        // An answer that did not fit is the client's to mend, whatever the function made of it.
        replay.journal()?;
        let failed = match &outcome {
            Ok(output) => output.is_error,
            Err(_) => true,
        };
        match replay.missing() {
            Some(capability) if failed => Err(self.lacks(capability)),
            _ => result(outcome),
        }
    }
}

fn result(outcome: Result<ToolOutput, ToolError>) -> Result<JsonObject, RpcError> {
    let output = match outcome {
        Ok(output) => output,
        Err(error) => failure::from_tool(error)?,
    };
    Ok(output.into_object())
}

/// The form of a question that comes before the function.
pub(in crate::protocol) fn form(ask: &Ask) -> InputRequest {
    let mut params = JsonObject::new();
    params.insert("mode".into(), "form".into());
    params.insert("message".into(), ask.message.clone().into());
    params.insert("requestedSchema".into(), ask.schema.clone().into());
    InputRequest {
        method: ElicitationCreate::NAME.into(),
        params: Some(params),
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
