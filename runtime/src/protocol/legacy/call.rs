//! `tools/call`: as a task when the client asks for one, else to its end on the call's own stream.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    BoxFuture, JsonObject,
    context::{
        AskError, ContextBackend, InputRequest, LogLevel, LogRate, LogRecord, TaskContext,
        check_answer,
    },
    engine::{EngineError, Launch, Report, ReportSink, Started},
    protocol::{
        failure, logging::log_params, modern::form, plain, progress::Progress, quota::Quota,
    },
    server::{CallStream, Entry, RpcError, error::INTERNAL_ERROR, rpc},
    tool::{Ask, TaskSupport},
    types::v2025_11_25::methods::{Method, NotificationsMessage, NotificationsProgress},
};

use super::{
    Exchange,
    push::{self, ReportFeed},
    session::Session,
    shape,
    wire::Wire,
};

impl Exchange<'_> {
    pub(super) async fn call_tool(&self) -> Result<JsonObject, RpcError> {
        let name = failure::text(self.params, "name")?;
        let entry = self
            .inner
            .catalog
            .get(name)
            .ok_or_else(|| RpcError::invalid_params(format!("Unknown tool: {name}")))?;
        let arguments = failure::object(self.params, "arguments")?
            .cloned()
            .unwrap_or_default();
        let wish = self.task_wish()?;
        let limits = &self.inner.config.limits;
        let _call = limits.open_call(&self.inner.calls, self.owner())?;
        match (entry.tool.descriptor.options.task, &wish) {
            (TaskSupport::Forbidden, Some(_)) => {
                return Err(RpcError::new(
                    crate::server::error::METHOD_NOT_FOUND,
                    format!("the tool `{name}` cannot be called as a task; leave `task` out"),
                ));
            }
            (TaskSupport::Required, None) => {
                return Err(RpcError::new(
                    crate::server::error::METHOD_NOT_FOUND,
                    format!(
                        "the tool `{name}` can only be called as a task; send `task`, in a session of 2025-11-25"
                    ),
                ));
            }
            _ => {}
        }
        if let Err(error) = entry.tool.handler.check(&arguments) {
            return match wish {
                // The client waits for a task; this one ends at once with the same error.
                Some(wish) => {
                    self.start_task(entry, arguments, JsonObject::new(), wish)
                        .await
                }
                None => Ok(shape::result(failure::from_tool(error)?.into_object())),
            };
        }
        let context = Arc::new(CallContext {
            log: self.log(entry),
            session: Arc::clone(self.session),
            wire: self.wire.clone(),
            progress: self.progress_token.clone().map(Progress::new),
            kept: Mutex::default(),
            asked: AtomicUsize::new(0),
            quota: Quota::of(&self.inner.config.limits),
            cancellation: self.cancellation.clone(),
            stuck: CancellationToken::new(),
        });
        let stuck = context.stuck.clone();
        let called = async {
            let asks = context.ask_first(&entry.tool.descriptor.asks);
            let answers = self.inner.engine.before_call(asks).await??;
            match wish {
                Some(wish) => self.start_task(entry, arguments, answers, wish).await,
                None => self.run_plainly(entry, arguments, answers, context).await,
            }
        };
        tokio::select! {
            biased;
            () = stuck.cancelled() => Err(self.nobody_answers()),
            outcome = called => outcome,
        }
    }

    /// Why a call that waits for an answer is over.
    fn nobody_answers(&self) -> RpcError {
        if self.inner.shutdown.is_cancelled() {
            // Nothing more is read, whatever the client says.
            return EngineError::ShuttingDown.into();
        }
        RpcError::new(
            INTERNAL_ERROR,
            "The call was cancelled: it waits for an answer, and the client has ended its input",
        )
    }

    async fn run_plainly(
        &self,
        entry: &Entry,
        arguments: JsonObject,
        answers: JsonObject,
        context: Arc<CallContext>,
    ) -> Result<JsonObject, RpcError> {
        let context = TaskContext::new(context);
        let call = self
            .inner
            .tool_call(arguments, answers, context, self.caller);
        let output = match self.inner.engine.run(&entry.tool, call).await {
            Ok(output) => output,
            Err(error) => failure::from_tool(error)?,
        };
        Ok(shape::result(output.into_object()))
    }

    /// Reads `task`, if this session's revision has it.
    fn task_wish(&self) -> Result<Option<TaskWish>, RpcError> {
        if !self.session.has_tasks() {
            return Ok(None);
        }
        let Some(task) = failure::object(self.params, "task")? else {
            return Ok(None);
        };
        let ttl_ms = match task.get("ttl") {
            None => None,
            Some(ttl) => Some(whole(ttl).ok_or_else(|| {
                failure::bad_member(
                    "params.task.ttl",
                    "must be a whole number of milliseconds, 0 or more",
                )
            })?),
        };
        Ok(Some(TaskWish { ttl_ms }))
    }

    async fn start_task(
        &self,
        entry: &Entry,
        arguments: JsonObject,
        answers: JsonObject,
        wish: TaskWish,
    ) -> Result<JsonObject, RpcError> {
        let (reports, feed) = self.feed(entry).unzip();
        let mut extensions = self.caller.extensions.clone();
        // The handle is answered at once; the task has no stream to let go of.
        extensions.remove::<CallStream>();
        let started = self
            .inner
            .engine
            .start(Launch {
                tool: entry.tool.clone(),
                arguments,
                answers,
                owner: self.session.principal.clone(),
                can_ask: self.session.kinds,
                ttl_ms: wish.ttl_ms,
                inline_for: None,
                state: self.inner.state.clone(),
                extensions,
                reports,
            })
            .await?;
        match started {
            Started::Task(task) => {
                push::created(self.inner, self.session, &task, feed).await;
                plain(&shape::created(&task, &entry.tool.descriptor))
            }
            Started::Inline(_) => Err(RpcError::internal(
                "Internal error: the call was not made a task",
            )),
        }
    }
}

/// Reports of a task that wait for their client, at most. What comes when there are as many is dropped.
const REPORTS: usize = 256;

impl Exchange<'_> {
    /// Where the call's log messages go, if they go anywhere.
    fn log(&self, entry: &Entry) -> Option<CallLog> {
        self.inner.config.logging.then(|| CallLog {
            tool: entry.tool.descriptor.name.clone(),
            session: Arc::clone(self.session),
            rate: LogRate::default(),
        })
    }

    /// Where a task's reports go in, and where they come out, if the client is told any.
    fn feed(&self, entry: &Entry) -> Option<(ReportSink, ReportFeed)> {
        let (token, log) = (self.progress_token.clone(), self.log(entry));
        if token.is_none() && log.is_none() {
            return None;
        }
        let (sender, reports) = mpsc::channel(REPORTS);
        let progresses = token.is_some();
        let feed = ReportFeed {
            progress: token.map(Progress::new),
            tool: entry.tool.descriptor.name.clone(),
            reports,
        };
        let sink: ReportSink = Arc::new(move |report| {
            let wanted = match &report {
                Report::Progress(_) => progresses,
                Report::Log(record) => log.as_ref().is_some_and(|log| log.takes(record.level)),
            };
            if wanted {
                // The session may have ended, or its client does not keep up; the task goes on.
                let _ = sender.try_send(report);
            }
        });
        Some((sink, feed))
    }
}

/// Which log messages of a call are sent.
struct CallLog {
    tool: String,
    session: Arc<Session>,
    rate: LogRate,
}

impl CallLog {
    fn takes(&self, level: LogLevel) -> bool {
        level >= *self.session.log_level.lock() && self.rate.allows()
    }
}

/// That the client wants a task.
struct TaskWish {
    ttl_ms: Option<u64>,
}

/// A whole number, also when it is written `5.0`. One that is too large for the type becomes its largest value, which the
/// ceiling lowers.
fn whole(value: &Value) -> Option<u64> {
    if let Some(number) = value.as_u64() {
        return Some(number);
    }
    let number = value.as_f64()?;
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

/// What stands behind the context of a plain call: questions go out on the call's stream.
struct CallContext {
    log: Option<CallLog>,
    session: Arc<Session>,
    wire: Arc<dyn Wire>,
    progress: Option<Progress>,
    kept: Mutex<JsonObject>,
    asked: AtomicUsize,
    quota: Quota,
    cancellation: CancellationToken,
    /// Fires when the call waits for an answer and none can come any more.
    stuck: CancellationToken,
}

impl CallContext {
    /// Asks what comes before the function.
    async fn ask_first(&self, asks: &[Ask]) -> Result<JsonObject, RpcError> {
        let mut answers = JsonObject::new();
        for ask in asks {
            let answer = self.put(form(ask)).await.map_err(|error| {
                RpcError::invalid_params(format!(
                    "the tool must ask `{}` first, but {error}",
                    ask.name
                ))
            })?;
            // A question that was declined or dismissed has no entry; the function says what follows from that.
            if answer
                .get("action")
                .is_some_and(|action| action == "accept")
            {
                let content = answer.get("content").cloned().unwrap_or_else(|| json!({}));
                answers.insert(ask.name.clone(), content);
            } else if ask.required {
                // The function will not run: nobody need be asked more.
                break;
            }
        }
        Ok(answers)
    }

    async fn put(&self, request: InputRequest) -> Result<Value, AskError> {
        self.session.kinds.permit(&request)?;
        self.quota
            .one_more(self.asked.fetch_add(1, Ordering::Relaxed))?;
        let mut question = self.session.ask(&self.wire, &request, None).await?;
        let answer = tokio::select! {
            biased;
            answer = question.answer() => answer,
            // The call is over; this is a part of the function that runs on elsewhere.
            () = self.cancellation.cancelled() => return Err(AskError::Cancelled),
        };
        if matches!(answer, Err(AskError::Cancelled)) && self.session.hangup.is_cancelled() {
            // Nobody is left who could answer, so the call is over, whatever the function would make of it.
            self.stuck.cancel();
            return std::future::pending().await;
        }
        let answer = answer?;
        check_answer(&request, &answer).map_err(|problem| {
            AskError::Failed(format!(
                "the client's answer does not fit the question: {problem}"
            ))
        })?;
        Ok(answer)
    }
}

impl ContextBackend for CallContext {
    fn task_id(&self) -> Option<&str> {
        None
    }

    fn status(&self, _message: String) -> BoxFuture<'_, ()> {
        // A plain call has no status that anyone could ask for.
        Box::pin(std::future::ready(()))
    }

    fn progress(
        &self,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(progress) = &self.progress
                && let Some(params) = progress.params(done, total, message)
            {
                self.wire
                    .notify(rpc::notification(NotificationsProgress::NAME, &params))
                    .await;
            }
        })
    }

    fn log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(log) = &self.log
                && log.takes(level)
            {
                let params = log_params(&log.tool, LogRecord { level, data });
                self.wire
                    .notify(rpc::notification(NotificationsMessage::NAME, &params))
                    .await;
            }
        })
    }

    fn ask<'a>(
        &'a self,
        _name: &'a str,
        request: InputRequest,
    ) -> BoxFuture<'a, Result<Value, AskError>> {
        Box::pin(self.put(request))
    }

    fn recall<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Value>, AskError>> {
        let kept = self.kept.lock().get(key).cloned();
        Box::pin(std::future::ready(Ok(kept)))
    }

    fn keep<'a>(&'a self, key: &'a str, value: Value) -> BoxFuture<'a, Result<(), AskError>> {
        let mut kept = self.kept.lock();
        let done = match kept.contains_key(key) {
            true => Ok(()),
            false => self.quota.keep(kept.len(), key, &value).map(|()| {
                kept.insert(key.to_owned(), value);
            }),
        };
        Box::pin(std::future::ready(done))
    }

    fn cancellation(&self) -> CancellationToken {
        self.cancellation.clone()
    }
}
