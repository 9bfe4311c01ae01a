//! The questions of one run on their way to its task, in the order in which the tool asked them.
//!
//! They are put by a future of their own. A tool may leave any of its own futures unpolled, and one that was in the middle
//! of putting its question would hold all others up.

use std::{
    collections::VecDeque,
    sync::{Arc, atomic::Ordering},
};

use parking_lot::Mutex;
use tokio::sync::oneshot;

use super::{
    core::{Core, start_off},
    live::{Live, Phase},
};
use crate::{
    context::{AskError, InputRequest},
    store::StoreError,
    task::{Answer, AskRefused, Asked},
};

/// What puts the questions of a run.
pub(super) struct Questions {
    core: Arc<Core>,
    live: Arc<Live>,
    line: Mutex<Line>,
}

/// Those that wait for their turn.
#[derive(Default)]
struct Line {
    waiting: VecDeque<Waiting>,
    /// Someone puts them.
    served: bool,
}

struct Waiting {
    slot: String,
    request: InputRequest,
    reply: oneshot::Sender<Result<Put, AskError>>,
}

/// A question that the task has.
pub(super) enum Put {
    /// It was answered before: the run is not the first of its task.
    Answered(Answer),
    Open(OpenQuestion),
}

impl Questions {
    pub(super) fn new(core: Arc<Core>, live: Arc<Live>) -> Self {
        Self {
            core,
            live,
            line: Mutex::default(),
        }
    }

    /// Puts a question after all that were put before.
    pub(super) async fn put(
        self: &Arc<Self>,
        slot: String,
        request: InputRequest,
    ) -> Result<Put, AskError> {
        let (reply, put) = oneshot::channel();
        let served = {
            let mut line = self.line.lock();
            line.waiting.push_back(Waiting {
                slot,
                request,
                reply,
            });
            std::mem::replace(&mut line.served, true)
        };
        if !served {
            start_off(Arc::clone(self).serve()).await;
        }
        // Err is a runtime that stops.
        put.await.unwrap_or(Err(AskError::Cancelled))
    }

    async fn serve(self: Arc<Self>) {
        while let Some(next) = self.next() {
            // The tool may have given it up already.
            if next.reply.is_closed() {
                continue;
            }
            let put = self.open(&next.slot, &next.request).await;
            // One that was given up meanwhile withdraws itself.
            let _ = next.reply.send(put);
        }
    }

    fn next(&self) -> Option<Waiting> {
        let mut line = self.line.lock();
        let next = line.waiting.pop_front();
        line.served = next.is_some();
        next
    }

    async fn open(&self, slot: &str, request: &InputRequest) -> Result<Put, AskError> {
        stored(&self.live).await?;
        let limit = self.core.limits.inputs_per_task;
        let wall = self.core.wall();
        let step = self
            .core
            .step(self.live.task(), |task| match task.change(wall) {
                Err(_) => (None, Err(AskError::Cancelled)),
                Ok(mut change) => match change.ask(slot, request, limit) {
                    Ok(asked) => (change.commit(), Ok(asked)),
                    Err(refused @ AskRefused::Differs { .. }) => {
                        (None, Err(AskError::NotDeterministic(refused.to_string())))
                    }
                    Err(refused) => (None, Err(AskError::Failed(refused.to_string()))),
                },
            });
        let Some((_, asked)) = step.await.map_err(failed)? else {
            return Err(AskError::Cancelled);
        };
        Ok(match asked? {
            Asked::Answered(answer) => Put::Answered(answer),
            Asked::Open(key) => Put::Open(OpenQuestion {
                core: Arc::clone(&self.core),
                live: Arc::clone(&self.live),
                key,
                settled: false,
            }),
        })
    }
}

/// Waits until the run is a task.
pub(super) async fn stored(live: &Live) -> Result<(), AskError> {
    let stored = live.stored.notified();
    if live.notes.lock().phase == Phase::Stored {
        return Ok(());
    }
    live.promote.notify_one();
    tokio::select! {
        () = stored => Ok(()),
        () = live.abort.cancelled() => Err(AskError::Cancelled),
    }
}

/// What a tool is told, which may pass it on to the client.
pub(super) fn failed(error: StoreError) -> AskError {
    if matches!(error, StoreError::NoRoom { .. }) {
        return AskError::Failed(error.to_string());
    }
    tracing::error!(%error, "the task store failed");
    AskError::Failed(error.to_clients().to_owned())
}

/// A question that waits for its answer. Dropping it before takes it back.
pub(super) struct OpenQuestion {
    core: Arc<Core>,
    live: Arc<Live>,
    pub(super) key: String,
    settled: bool,
}

impl OpenQuestion {
    /// There is nothing to take back any more.
    pub(super) fn settled(mut self) {
        self.settled = true;
    }
}

impl Drop for OpenQuestion {
    fn drop(&mut self) {
        let live = &self.live;
        if self.settled || live.leaving.load(Ordering::Acquire) || live.task().is_terminal() {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let (core, live) = (Arc::clone(&self.core), Arc::clone(live));
        let key = std::mem::take(&mut self.key);
        runtime.spawn(async move {
            let wall = core.wall();
            let step = core.step(live.task(), |task| {
                let next = task.change(wall).ok().and_then(|mut change| {
                    change.withdraw(&key);
                    change.commit()
                });
                (next, ())
            });
            if let Err(error) = step.await {
                tracing::warn!(task = %live.id, %key, %error, "a question was not withdrawn");
            }
        });
    }
}
