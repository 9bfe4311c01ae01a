//! What stands behind the context of a plain call: its questions are answered from what earlier rounds brought.
//!
//! A function cannot be kept waiting between two requests. So a question that has no answer yet ends the round: the
//! function is dropped, the client is asked, and the next round runs the function from the top with one answer more.
//!
//! What was asked is written in the `requestState` that the client sends back, so an answer to anything else is ignored.
//! A call without one may bring answers along: nothing was asked yet, they are checked like any other, and a client
//! could give the same ones a round later.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    BoxFuture, JsonObject,
    context::{
        AskError, ContextBackend, InputKinds, InputRequest, LogLevel, LogRate, LogRecord,
        SlotNames, check_answer,
    },
    protocol::{logging::log_params, progress::Progress, quota::Quota},
    server::{Outbox, RpcError, rpc},
    task::{Answer, Asked, Journal, QuestionState},
    types::v2026_07_28::methods::{Method, NotificationsMessage, NotificationsProgress},
};

/// One round of a plain call.
pub(super) struct Replay {
    state: Mutex<State>,
    slots: SlotNames,
    parked: Notify,
    kinds: InputKinds,
    quota: Quota,
    /// What the client sent in this round.
    responses: JsonObject,
    /// There was a round before, which said what may be answered now.
    again: bool,
    progress: Option<(Progress, Outbox)>,
    log: Option<Log>,
    cancellation: CancellationToken,
}

#[derive(Default)]
struct State {
    journal: Journal,
    /// The first answer that did not fit.
    refused: Option<RpcError>,
    /// The capability that the client would have to declare.
    missing: Option<&'static str>,
}

struct Log {
    /// How serious a message must be.
    level: LogLevel,
    tool: String,
    outbox: Outbox,
    rate: LogRate,
}

/// How a question stands after it was put.
enum Put {
    Answered(Value),
    Open,
}

impl Replay {
    /// A round that goes on from the journal of the last one, if there was one.
    pub(super) fn new(
        journal: Option<Journal>,
        responses: JsonObject,
        kinds: InputKinds,
        quota: Quota,
        cancellation: CancellationToken,
    ) -> Self {
        Self {
            again: journal.is_some(),
            state: Mutex::new(State {
                journal: journal.unwrap_or_default(),
                ..State::default()
            }),
            slots: SlotNames::default(),
            parked: Notify::new(),
            kinds,
            quota,
            responses,
            progress: None,
            log: None,
            cancellation,
        }
    }

    /// Sends progress to the client under its token.
    pub(super) fn with_progress(mut self, token: Value, outbox: Outbox) -> Self {
        self.progress = Some((Progress::new(token), outbox));
        self
    }

    /// Sends log messages of a tool to the client, from a level on.
    pub(super) fn with_log(mut self, level: LogLevel, tool: String, outbox: Outbox) -> Self {
        self.log = Some(Log {
            level,
            tool,
            outbox,
            rate: LogRate::default(),
        });
        self
    }

    /// Puts a question under a name that must be free, as `#[ask]` does. `None` while there is no answer.
    pub(super) fn put(&self, name: &str, request: InputRequest) -> Result<Option<Value>, AskError> {
        match self.look(name, request)? {
            Put::Answered(answer) => Ok(Some(answer)),
            Put::Open => Ok(None),
        }
    }

    fn look(&self, name: &str, request: InputRequest) -> Result<Put, AskError> {
        let mut state = self.state.lock();
        if let Err(error) = self.kinds.permit(&request) {
            if let AskError::NotSupported(capability) = error {
                state.missing.get_or_insert(capability);
            }
            return Err(error);
        }
        let slot = self.slots.next(name);
        let (key, may_be_answered) = match state.journal.look_up(&slot, &request) {
            Err(refused) => return Err(AskError::NotDeterministic(refused.to_string())),
            Ok(Some(Asked::Answered(Answer::Result(answer)))) => return Ok(Put::Answered(answer)),
            Ok(Some(Asked::Answered(Answer::Refused(reason)))) => {
                return Err(AskError::Failed(reason));
            }
            Ok(Some(Asked::Open(key))) => (key, true),
            Ok(None) => {
                self.quota.one_more(state.journal.questions().count())?;
                (state.journal.open_new(&slot, request.clone()), !self.again)
            }
        };
        let Some(answer) = self.responses.get(&key).filter(|_| may_be_answered) else {
            return Ok(Put::Open);
        };
        if let Err(problem) = check_answer(&request, answer) {
            state.refused.get_or_insert_with(|| {
                RpcError::invalid_params(format!(
                    "the answer to `{key}` does not fit the question: {problem}"
                ))
                .with_data(json!({ "key": key, "path": problem.path, "reason": problem.reason }))
            });
            return Ok(Put::Open);
        }
        state.journal.close(
            &key,
            QuestionState::Answered(Answer::Result(answer.clone())),
        );
        Ok(Put::Answered(answer.clone()))
    }

    /// Waits until the function cannot go on without an answer.
    pub(super) async fn parked(&self) {
        self.parked.notified().await;
    }

    /// What is remembered between rounds, or why this round cannot go on.
    pub(super) fn journal(&self) -> Result<Journal, RpcError> {
        let state = self.state.lock();
        match &state.refused {
            Some(error) => Err(error.clone()),
            None => Ok(state.journal.clone()),
        }
    }

    /// The first capability that the function wanted to use and the client does not have.
    pub(super) fn missing(&self) -> Option<&'static str> {
        self.state.lock().missing
    }
}

impl ContextBackend for Replay {
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
            if let Some((progress, outbox)) = &self.progress
                && let Some(params) = progress.params(done, total, message)
            {
                outbox
                    .send(rpc::notification(NotificationsProgress::NAME, &params))
                    .await;
            }
        })
    }

    fn log(&self, level: LogLevel, data: Value) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            if let Some(log) = &self.log
                && level >= log.level
                && log.rate.allows()
            {
                let params = log_params(&log.tool, LogRecord { level, data });
                log.outbox
                    .send(rpc::notification(NotificationsMessage::NAME, &params))
                    .await;
            }
        })
    }

    fn ask<'a>(
        &'a self,
        name: &'a str,
        request: InputRequest,
    ) -> BoxFuture<'a, Result<Value, AskError>> {
        // The slot is taken when the future is first polled, so that questions asked together keep their order.
        Box::pin(async move {
            match self.look(name, request)? {
                Put::Answered(answer) => Ok(answer),
                Put::Open => {
                    // Questions asked together are all put before the round ends.
                    tokio::task::yield_now().await;
                    self.parked.notify_one();
                    // The round ends here. A part of the function that runs on elsewhere is told.
                    self.cancellation.cancelled().await;
                    Err(AskError::Cancelled)
                }
            }
        })
    }

    fn recall<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<Value>, AskError>> {
        let kept = self.state.lock().journal.kept(key).cloned();
        Box::pin(std::future::ready(Ok(kept)))
    }

    fn keep<'a>(&'a self, key: &'a str, value: Value) -> BoxFuture<'a, Result<(), AskError>> {
        let kept = &mut self.state.lock().journal.kept;
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

/// A shared round.
pub(super) type SharedReplay = Arc<Replay>;
