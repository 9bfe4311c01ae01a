//! One run: from a call to an ended task.

use std::{
    panic::AssertUnwindSafe,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use futures_util::FutureExt;
use http::Extensions;
use tokio::sync::oneshot;
use tracing::Instrument;

use super::{
    EngineError, Launch, LimitKind, ReportSink, Started,
    admission::Place,
    asking::Questions,
    backend::{TaskBackend, flush},
    core::Core,
    live::{Live, Phase},
    outcome::{End, Ended, panic_failure, panic_text, timeout_failure},
};
use crate::{
    BoxFuture, JsonObject,
    context::{SlotNames, TaskContext},
    store::StoreError,
    task::{Call, NewTask, Payload, Task, TaskId},
    tool::{CancelMode, OnRestart, StateMap, Tool, ToolCall, ToolError, ToolOutput},
};

/// Pauses between tries to store how a task ended.
const RETRY_FIRST: Duration = Duration::from_millis(50);
const RETRY_MOST: Duration = Duration::from_secs(5);

/// A run: a task, or a call that may become one.
struct Run {
    core: Arc<Core>,
    live: Arc<Live>,
    tool: Tool,
    _place: Place,
}

type Reply = oneshot::Sender<Result<Started, EngineError>>;

/// Starts a call; answers when it has ended or is a stored task.
pub(super) async fn start(core: &Arc<Core>, launch: Launch) -> Result<Started, EngineError> {
    if core.closing.is_cancelled() {
        return Err(EngineError::ShuttingDown);
    }
    let place = core.admission.admit(launch.owner.as_ref(), &core.limits)?;
    let options = &launch.tool.descriptor.options;
    let payload = |object: &JsonObject| {
        let payload = Payload::of(object)
            .map_err(|error| EngineError::Internal(format!("arguments are no JSON: {error}")))?;
        let (size, max) = (
            payload.text().len() as u64,
            core.limits.payload_bytes as u64,
        );
        if size > max {
            let kind = LimitKind::PayloadBytes;
            return Err(EngineError::Limit {
                kind,
                max,
                found: Some(size),
            });
        }
        Ok(payload)
    };
    let ttl_ms = ttl(core, launch.ttl_ms, options.ttl);
    let task = Task::new(NewTask {
        id: TaskId::random().map_err(|error| EngineError::Internal(error.to_string()))?,
        owner: launch.owner,
        call: Call {
            tool: launch.tool.descriptor.name.clone(),
            arguments: payload(&launch.arguments)?,
            answers: payload(&launch.answers)?,
            can_ask: launch.can_ask,
            cooperative: options.cancel == CancelMode::Cooperative,
        },
        created_at: core.wall(),
        ttl_ms,
        expires_at: ttl_ms.map(|ttl| core.now().after_millis(ttl)),
        poll_interval_ms: options.poll_interval.map(millis),
        worker: Some(core.worker.clone()),
        status_message: None,
        kept: Default::default(),
    });
    let inline_for = launch.inline_for.filter(|wait| !wait.is_zero());
    let phase = if inline_for.is_some() {
        Phase::Inline
    } else {
        Phase::Storing
    };
    let live = core.live.run(Arc::new(task), phase);
    let call = Input {
        arguments: launch.arguments,
        answers: launch.answers,
        state: launch.state,
        extensions: launch.extensions,
        reports: launch.reports,
    };
    let work = work(core, &live, &launch.tool, call);
    let run = Run {
        core: Arc::clone(core),
        live,
        tool: launch.tool,
        _place: place,
    };
    let (reply, answer) = oneshot::channel();
    let span = run.span();
    core.tracker
        .spawn(run.begin(work, inline_for, reply).instrument(span));
    answer.await.unwrap_or(Err(EngineError::ShuttingDown))
}

/// Takes up a task of an earlier process.
pub(super) fn resume(core: &Arc<Core>, task: Arc<Task>, tool: Tool, state: StateMap) {
    let call = Input {
        arguments: task.call().arguments.to_object(),
        answers: task.call().answers.to_object(),
        state,
        extensions: Extensions::new(),
        reports: None,
    };
    let place = core.admission.readmit(task.owner());
    let live = core.live.run(task, Phase::Stored);
    let work = work(core, &live, &tool, call);
    let run = Run {
        core: Arc::clone(core),
        live,
        tool,
        _place: place,
    };
    let span = run.span();
    core.tracker.spawn(run.go(work).instrument(span));
}

fn ttl(core: &Core, asked: Option<u64>, tool: Option<Duration>) -> Option<u64> {
    let ttl = asked
        .or_else(|| tool.map(millis))
        .or_else(|| core.limits.default_ttl.map(millis));
    let max = core.limits.max_ttl.map(millis);
    match (ttl, max) {
        (Some(ttl), Some(max)) => Some(ttl.min(max)),
        (ttl, max) => ttl.or(max),
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl Run {
    /// A span of its own: the request that made the task may be long over.
    fn span(&self) -> tracing::Span {
        tracing::info_span!(
            parent: None,
            "task",
            id = %self.live.id,
            tool = %self.tool.descriptor.name,
        )
    }

    /// The first part of a run: to its end, or to a stored task.
    async fn begin(self, mut work: Work, inline_for: Option<Duration>, mut reply: Reply) {
        if let Some(wait) = inline_for {
            let ended = tokio::select! {
                biased;
                () = reply.closed() => None,
                ended = &mut work => Some(ended),
                () = tokio::time::sleep(wait) => return self.promote(work, reply).await,
                () = self.live.promote.notified() => return self.promote(work, reply).await,
                () = self.core.halt.cancelled() => Some(Ended::Halted),
            };
            // Nothing is stored and nothing will be.
            self.live.leaving.store(true, Ordering::Release);
            self.live.cancel.cancel();
            self.live.abort.cancel();
            self.core.live.remove(self.live.id.as_str());
            let name = &self.tool.descriptor.name;
            // Err is a caller that has gone, who does not care.
            let _ = match ended {
                Some(ended) => reply.send(inline(name, ended).map(Started::Inline)),
                None => Ok(()),
            };
            return;
        }
        self.promote(work, reply).await;
    }

    /// Makes the run a task, hands it out and goes on.
    async fn promote(&self, work: Work, reply: Reply) {
        let task = {
            let mut notes = self.live.notes.lock();
            notes.phase = Phase::Storing;
            self.first_snapshot(&notes)
        };
        let core = &self.core;
        let stored = async {
            core.stay_alive().await?;
            let _room = core
                .admission
                .make_room(&*core.store, task.owner(), &core.limits)
                .await?;
            core.store.create(Arc::clone(&task)).await?;
            Ok::<_, EngineError>(())
        };
        if let Err(error) = stored.await {
            self.live.leaving.store(true, Ordering::Release);
            self.live.cancel.cancel();
            self.live.abort.cancel();
            core.live.remove(self.live.id.as_str());
            let _ = reply.send(Err(error));
            return;
        }
        metrics::counter!("mcp_tasks_created_total").increment(1);
        {
            // Under the lock, so that a value is kept either before or after the task was made.
            let mut notes = self.live.notes.lock();
            self.live.newest.send_replace(Arc::clone(&task));
            notes.phase = Phase::Stored;
        }
        self.live.stored.notify_waiters();
        if let Some(at) = task.expires_at() {
            core.alarm.set(at);
        }
        tracing::debug!("task created");
        let _ = reply.send(Ok(Started::Task(task)));
        flush(core, &self.live).await;
        self.finish(work).await;
    }

    fn first_snapshot(&self, notes: &super::live::Notes) -> Arc<Task> {
        let first = self.live.task();
        let message = notes.message();
        if message.is_none() && notes.kept.is_empty() {
            return first;
        }
        let mut record = first.to_record();
        record.status_message = message;
        Arc::new(Task::new(NewTask {
            id: record.id,
            owner: record.owner,
            call: (*record.call).clone(),
            created_at: record.created_at,
            ttl_ms: record.ttl_ms,
            expires_at: record.expires_at,
            poll_interval_ms: record.poll_interval_ms,
            worker: record.worker,
            status_message: record.status_message,
            kept: notes.kept.clone(),
        }))
    }

    /// A run of a task that is stored already.
    async fn go(self, work: Work) {
        self.finish(work).await;
    }

    /// The second part of a run: to the end of the task.
    async fn finish(&self, mut work: Work) {
        let cooperative = self.tool.descriptor.options.cancel == CancelMode::Cooperative;
        let ended = tokio::select! {
            biased;
            () = self.live.abort.cancelled() => Ended::Cancelled,
            () = self.live.cancel.cancelled(), if !cooperative => Ended::Cancelled,
            () = self.core.halt.cancelled() => Ended::Halted,
            ended = &mut work => ended,
        };
        // Boxed, so that a run holds no room for its end while it runs.
        Box::pin(self.end(ended)).await;
    }

    /// Stores how the run ended, however long that takes.
    async fn end(&self, ended: Ended) {
        // From here on a dropped question stays as it is: the end of the task settles it, or the next run asks it.
        self.live.leaving.store(true, Ordering::Release);
        if let Ended::Panicked(panic) = &ended {
            tracing::error!(%panic, "the tool panicked");
        }
        let name = &self.tool.descriptor.name;
        let mut end = ended.settle(name, self.core.limits.payload_bytes);
        let mut pause = RETRY_FIRST;
        while let Err(error) = self.store_end(&end).await {
            if let StoreError::NoRoom { max, of_owner } = error {
                end = End::without_room(LimitKind::bytes(of_owner), max, name);
                continue;
            }
            tracing::error!(%error, "how the task ended is not stored yet; trying again");
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                () = self.core.halt.cancelled() => break,
            }
            pause = (pause * 2).min(RETRY_MOST);
        }
        self.live.cancel.cancel();
        self.core.live.remove(self.live.id.as_str());
    }

    async fn store_end(&self, end: &End) -> Result<(), StoreError> {
        let core = &self.core;
        let wall = core.wall();
        let rerun =
            core.store.is_durable() && self.tool.descriptor.options.on_restart == OnRestart::Rerun;
        let message = self.live.notes.lock().message();
        let step = core.step(self.live.task(), |task| {
            // Taken over by another process, which has the say now.
            if task.worker() != Some(&core.worker) {
                return (None, ());
            }
            let next = task.change(wall).ok().and_then(|mut change| {
                if message.is_some() {
                    change.message(message.clone());
                }
                end.apply(task, change, rerun)
            });
            (next, ())
        });
        let newest = step.await?;
        tracing::debug!(
            status = newest.map(|(task, ())| task.status().as_str()),
            "run ended"
        );
        Ok(())
    }
}

/// What a call brings along.
struct Input {
    arguments: JsonObject,
    answers: JsonObject,
    state: StateMap,
    extensions: Extensions,
    reports: Option<ReportSink>,
}

/// The tool's own work, with its permit and its timeout; a panic is caught. Boxed, since it is handed on within a run.
type Work = BoxFuture<'static, Ended>;

fn work(core: &Arc<Core>, live: &Arc<Live>, tool: &Tool, input: Input) -> Work {
    let (core, live, tool) = (Arc::clone(core), Arc::clone(live), tool.clone());
    let task = live.task();
    let context = TaskContext::new(Arc::new(TaskBackend {
        core: Arc::clone(&core),
        live: Arc::clone(&live),
        can_ask: task.call().can_ask,
        slots: SlotNames::default(),
        reports: input.reports,
        questions: Arc::new(Questions::new(Arc::clone(&core), Arc::clone(&live))),
    }));
    let mut call = ToolCall::new(input.arguments, context);
    call.answers = input.answers;
    call.state = input.state;
    call.principal = task.owner().cloned();
    call.extensions = input.extensions;
    Box::pin(async move {
        let _permit = match core.admission.try_permit(&tool) {
            Some(permit) => permit,
            None => {
                say(&core, &live, Some("waiting for a free place".to_owned())).await;
                let permit = core.admission.permit(&tool).await;
                say(&core, &live, None).await;
                permit
            }
        };
        perform_unless_halted(&core, &tool, call).await
    })
}

/// Sets the status message on the engine's own behalf.
async fn say(core: &Arc<Core>, live: &Arc<Live>, text: Option<String>) {
    {
        let mut notes = live.notes.lock();
        notes.text = text;
        notes.dirty = true;
    }
    flush(core, live).await;
}

/// Runs the tool's code within its timeout.
async fn perform(tool: &Tool, call: ToolCall) -> Ended {
    // Starting is the tool's code too: it may panic as well.
    let started = std::panic::catch_unwind(AssertUnwindSafe(|| tool.handler.start(call)));
    let running = match started {
        Ok(Ok(future)) => AssertUnwindSafe(future).catch_unwind(),
        Ok(Err(error)) => return Ended::Returned(Err(error)),
        Err(panic) => return Ended::Panicked(panic_text(&*panic)),
    };
    let over = match tool.descriptor.options.timeout {
        None => running.await,
        Some(limit) => match tokio::time::timeout(limit, running).await {
            Ok(over) => over,
            Err(_) => return Ended::TimedOut(limit),
        },
    };
    match over {
        Ok(returned) => Ended::Returned(returned),
        Err(panic) => Ended::Panicked(panic_text(&*panic)),
    }
}

/// What a run that never became a task gives its caller.
fn inline(tool: &str, ended: Ended) -> Result<Result<ToolOutput, ToolError>, EngineError> {
    let failure = match ended {
        Ended::Returned(returned) => return Ok(returned),
        Ended::Panicked(panic) => {
            tracing::error!(%panic, "the tool panicked");
            panic_failure(tool)
        }
        Ended::TimedOut(limit) => timeout_failure(tool, limit),
        Ended::Cancelled | Ended::Halted => return Err(EngineError::ShuttingDown),
    };
    Ok(Err(ToolError::Protocol {
        code: failure.code,
        message: failure.message,
        data: failure.data,
    }))
}

/// Performs a call that has its place, unless the place is one that a shutdown has freed.
async fn perform_unless_halted(core: &Core, tool: &Tool, call: ToolCall) -> Ended {
    match core.halt.is_cancelled() {
        true => Ended::Halted,
        false => perform(tool, call).await,
    }
}

/// Runs a call that is no task.
pub(super) async fn run_plain(
    core: &Core,
    tool: &Tool,
    call: ToolCall,
) -> Result<ToolOutput, ToolError> {
    let _open = core.plain.token();
    let _permit = core.admission.permit(tool).await;
    let ended = tokio::select! {
        biased;
        ended = perform_unless_halted(core, tool, call) => ended,
        () = core.halt.cancelled() => Ended::Halted,
    };
    inline(&tool.descriptor.name, ended).unwrap_or_else(|error| {
        Err(ToolError::Protocol {
            code: -32603,
            message: error.to_string(),
            data: None,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What one run holds while it waits, beside the tool's own future: there can be a million of them.
    #[test]
    fn a_run_takes_little_room() {
        fn room<F>(_: impl FnOnce(Run, Work, Option<Duration>, Reply) -> F) -> usize {
            size_of::<F>()
        }
        let room = room(Run::begin);
        assert!(room <= 1024, "{room} bytes");
    }
}
