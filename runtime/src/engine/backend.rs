//! What stands behind the context of a call that runs as a task.

use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{
    Progress, Report, ReportSink,
    asking::{Put, Questions, failed, stored},
    core::{Core, start_off},
    live::{Live, Notes, Phase},
};
use crate::{
    BoxFuture,
    context::{AskError, ContextBackend, InputKinds, InputRequest, LogLevel, LogRecord, SlotNames},
    task::{Answer, QuestionState},
};

pub(super) struct TaskBackend {
    pub(super) core: Arc<Core>,
    pub(super) live: Arc<Live>,
    pub(super) can_ask: InputKinds,
    pub(super) slots: SlotNames,
    pub(super) reports: Option<ReportSink>,
    pub(super) questions: Arc<Questions>,
}

impl TaskBackend {
    /// Changes what the tool says of itself and sends it on.
    async fn note(&self, change: impl FnOnce(&mut Notes)) {
        // Lets others run now and then, so that a tool that does nothing but report can be aborted.
        tokio::task::coop::consume_budget().await;
        {
            let mut notes = self.live.notes.lock();
            change(&mut notes);
            notes.dirty = true;
        }
        flush(&self.core, &self.live).await;
    }

    async fn answered(&self, key: &str) -> Result<Value, AskError> {
        let mut newest = self.live.newest.subscribe();
        loop {
            let state = {
                let task = newest.borrow_and_update();
                let journal = task.journal().ok_or(AskError::Cancelled)?;
                journal.question(key).map(|question| question.state.clone())
            };
            match state {
                Some(QuestionState::Answered(answer)) => return result(answer),
                Some(QuestionState::Open) => {}
                Some(QuestionState::Withdrawn) | None => return Err(AskError::Cancelled),
            }
            tokio::select! {
                changed = newest.changed() => changed.map_err(|_| AskError::Cancelled)?,
                () = self.live.cancel.cancelled() => return Err(AskError::Cancelled),
            }
        }
    }
}

fn result(answer: Answer) -> Result<Value, AskError> {
    match answer {
        Answer::Result(value) => Ok(value),
        Answer::Refused(reason) => Err(AskError::Failed(reason)),
    }
}

/// Sends a run's notes to the store, in the background if the store takes its time. What comes meanwhile is sent with
/// the next write, so that a tool may report as often as it likes.
pub(super) async fn flush(core: &Arc<Core>, live: &Arc<Live>) {
    {
        let mut notes = live.notes.lock();
        if !notes.dirty || notes.flushing || notes.phase != Phase::Stored {
            return;
        }
        notes.flushing = true;
    }
    let (core, live) = (Arc::clone(core), Arc::clone(live));
    start_off(async move {
        loop {
            let message = {
                let mut notes = live.notes.lock();
                notes.flushing = notes.dirty;
                if !notes.dirty {
                    return;
                }
                notes.dirty = false;
                notes.message()
            };
            let wall = core.wall();
            let step = core.step(live.task(), |task| {
                let next = task.change(wall).ok().and_then(|mut change| {
                    change.message(message.clone());
                    change.commit()
                });
                (next, ())
            });
            if let Err(error) = step.await {
                // The next report or the end of the run tries again.
                tracing::warn!(task = %live.id, %error, "a status message was not stored");
                live.notes.lock().flushing = false;
                return;
            }
        }
    })
    .await;
}

impl ContextBackend for TaskBackend {
    fn task_id(&self) -> Option<&str> {
        Some(self.live.id.as_str())
    }

    fn status(&self, message: String) -> BoxFuture<'_, ()> {
        Box::pin(self.note(|notes| notes.text = Some(message)))
    }

    fn progress(
        &self,
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    ) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(sink) = &self.reports
                && !self.live.task().is_terminal()
            {
                sink(Report::Progress(Progress {
                    done,
                    total,
                    message: message.clone(),
                }));
            }
            self.note(|notes| {
                notes.progress = Some((done, total));
                notes.text = message.or_else(|| notes.text.take());
            })
            .await;
        })
    }

    fn log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // As in `note`.
            tokio::task::coop::consume_budget().await;
            if let Some(sink) = &self.reports
                && !self.live.task().is_terminal()
            {
                sink(Report::Log(LogRecord { level, data }));
            }
        })
    }

    fn ask<'a>(
        &'a self,
        name: &'a str,
        request: InputRequest,
    ) -> BoxFuture<'a, Result<Value, AskError>> {
        Box::pin(async move {
            self.can_ask.permit(&request)?;
            let slot = self.slots.next(name);
            let question = match self.questions.put(slot, request).await? {
                Put::Answered(answer) => return result(answer),
                Put::Open(question) => question,
            };
            metrics::counter!("mcp_tasks_questions_total").increment(1);
            let answer = self.answered(&question.key).await;
            if !matches!(answer, Err(AskError::Cancelled)) {
                question.settled();
            }
            answer
        })
    }

    fn recall<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Value>, AskError>> {
        Box::pin(async move {
            if let Some(value) = self.live.notes.lock().kept.get(key) {
                return Ok(Some(value.clone()));
            }
            let task = self.live.task();
            Ok(task
                .journal()
                .and_then(|journal| journal.kept(key))
                .cloned())
        })
    }

    fn keep<'a>(&'a self, key: &'a str, value: Value) -> BoxFuture<'a, Result<(), AskError>> {
        Box::pin(async move {
            let limit = self.core.limits.payload_bytes;
            let most = self.core.limits.inputs_per_task;
            let size = value.to_string().len();
            if size > limit {
                let reason =
                    format!("the value of `{key}` has {size} bytes; at most {limit} are kept");
                return Err(AskError::Failed(reason));
            }
            {
                let mut notes = self.live.notes.lock();
                if notes.phase == Phase::Inline {
                    notes.kept.entry(key.to_owned()).or_insert(value);
                    return Ok(());
                }
            }
            stored(&self.live).await?;
            let wall = self.core.wall();
            let step = self
                .core
                .step(self.live.task(), |task| match task.change(wall) {
                    Err(_) => (None, Err(AskError::Cancelled)),
                    Ok(mut change) => {
                        if change.keep(key, value.clone(), most) {
                            (change.commit(), Ok(()))
                        } else {
                            let reason = format!("at most {most} values are kept for one call");
                            (None, Err(AskError::Failed(reason)))
                        }
                    }
                });
            match step.await.map_err(failed)? {
                Some((_, kept)) => kept,
                None => Err(AskError::Cancelled),
            }
        })
    }

    fn cancellation(&self) -> CancellationToken {
        self.live.cancel.clone()
    }
}
