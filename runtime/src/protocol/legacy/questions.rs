//! The questions of a task on their way to a session's client, and the answers on their way back.
//!
//! A question goes out on an open `tasks/result` stream of its task, else on the session's own stream, but there not
//! before the client has named the task in a request: a client that does not know the id yet would refuse. While there
//! is no way, it waits for one. It is asked once, unless the connection that carried it is gone and the client did not
//! come back to it: then it goes out again on the next way, of this session or of another of the owner. An answer to an
//! earlier time counts as well. Questions that go out together keep the order in which they were asked.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::Value;
use tokio::{sync::watch, task::JoinHandle};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{
    context::AskError,
    engine::EngineError,
    server::Inner,
    task::{Question, Task},
};

use super::{push::Link, session::Session, wire::Wire};

/// How many sendings of one question are kept, so that an answer to any of them counts.
const ASKED_AGAIN: usize = 4;

/// What a session asks for one of its tasks. Dropping it takes every open question back.
pub(super) struct Questions {
    inner: Arc<Inner>,
    session: Arc<Session>,
    link: Arc<Link>,
    /// The times that open questions were sent, by key.
    asked: HashMap<String, Vec<Asked>>,
    /// Fires when the question before has gone out.
    before: Option<CancellationToken>,
    /// Another session asks a question that this one could ask too.
    pub(super) waits_for_claim: bool,
}

impl Questions {
    pub(super) fn new(inner: Arc<Inner>, session: Arc<Session>, link: Arc<Link>) -> Self {
        Self {
            inner,
            session,
            link,
            asked: HashMap::new(),
            before: None,
            waits_for_claim: false,
        }
    }

    /// Sends the open questions that were not sent yet, and takes back those that are open no more.
    pub(super) async fn ask_open(&mut self, task: &Task) {
        self.waits_for_claim = false;
        if self.session.hangup.is_cancelled() {
            return;
        }
        let open: Vec<&Question> = task.input_requests().collect();
        self.take_back(|key| open.iter().all(|question| question.key != key))
            .await;
        for question in open {
            let waits = self
                .asked
                .get(&question.key)
                .is_some_and(|times| times.iter().any(Asked::waits));
            if waits || self.session.kinds.permit(&question.request).is_err() {
                continue;
            }
            let Some(wire) = self.link.way(&self.session) else {
                return;
            };
            let Some(claim) = self.inner.asking.claim(&self.link.id, &question.key) else {
                self.waits_for_claim = true;
                continue;
            };
            let asked = self.ask(question, wire, claim);
            let times = self.asked.entry(question.key.clone()).or_default();
            if times.len() == ASKED_AGAIN {
                times.remove(0);
            }
            times.push(asked);
        }
    }

    /// Takes questions back; they are when this returns.
    pub(super) async fn take_back(&mut self, which: impl Fn(&str) -> bool) {
        for (_, times) in self.asked.extract_if(|key, _| which(key)) {
            for mut asked in times {
                asked.asking.abort();
                // It was aborted, or is over already.
                let _ = (&mut asked.asking).await;
            }
        }
    }

    /// Waits until what the client has answered is with the task. There is no more to come.
    pub(super) async fn answers_are_in(&mut self) {
        let asked: Vec<Asked> = self.asked.drain().flat_map(|(_, times)| times).collect();
        let all = async {
            for mut asked in asked {
                // An error is one that was aborted, which is over as well.
                let _ = (&mut asked.asking).await;
            }
        };
        tokio::select! {
            () = all => {}
            () = self.session.closed.cancelled() => {}
        }
    }

    /// Sends a question, and waits for the answer beside all else.
    fn ask(&mut self, question: &Question, wire: Arc<dyn Wire>, claim: Claim) -> Asked {
        let out = CancellationToken::new();
        let turn = Turn {
            before: self.before.replace(out.clone()),
            out: out.drop_guard(),
        };
        let lost = Arc::new(AtomicBool::new(false));
        let attempt = Attempt {
            inner: Arc::clone(&self.inner),
            session: Arc::clone(&self.session),
            task: self.link.id.clone(),
            question: question.clone(),
            wire,
            lost: Arc::clone(&lost),
        };
        Asked {
            asking: tokio::spawn(attempt.run(claim, turn)),
            lost,
        }
    }
}

/// A question that was sent. Dropping it takes it back, unless it was answered.
struct Asked {
    asking: JoinHandle<()>,
    lost: Arc<AtomicBool>,
}

impl Asked {
    /// Whether the client has the question, as far as can be known.
    fn waits(&self) -> bool {
        !self.lost.load(Ordering::Acquire)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.asking.abort();
    }
}

/// When a question may go out: what each starts runs beside the others, and could overtake.
struct Turn {
    before: Option<CancellationToken>,
    /// Lets the next one go out. So does one that never gets as far.
    out: DropGuard,
}

/// One sending of a question, until it is answered.
struct Attempt {
    inner: Arc<Inner>,
    session: Arc<Session>,
    task: String,
    question: Question,
    wire: Arc<dyn Wire>,
    lost: Arc<AtomicBool>,
}

impl Attempt {
    async fn run(self, claim: Claim, turn: Turn) {
        let outcome = self.outcome(claim, turn).await;
        settle(
            &self.inner,
            &self.session,
            &self.task,
            &self.question.key,
            outcome,
        )
        .await;
    }

    /// Waits for the answer. While the client is away, the claim on the question is given up.
    async fn outcome(&self, claim: Claim, turn: Turn) -> Result<Value, AskError> {
        if let Some(before) = turn.before {
            before.cancelled().await;
        }
        let request = &self.question.request;
        let mut question = self
            .session
            .ask(&self.wire, request, Some(&self.task))
            .await?;
        drop(turn.out);
        let sent = question.sent;
        let mut claim = Some(claim);
        let answer = question.answer();
        tokio::pin!(answer);
        loop {
            let lost = self.lost.load(Ordering::Acquire);
            tokio::select! {
                biased;
                outcome = &mut answer => return outcome,
                () = self.wire.lost(sent), if !lost => {
                    self.lost.store(true, Ordering::Release);
                    claim.take();
                    // Another way of this session may be open.
                    self.session.way_opened();
                }
                () = self.wire.found(sent), if lost => {
                    self.lost.store(false, Ordering::Release);
                    claim = self.inner.asking.claim(&self.task, &self.question.key);
                }
            }
        }
    }
}

/// Gives a client's answer to the task. An answer that does not fit or is too large cannot be sent back, so the tool is told.
async fn settle(
    inner: &Inner,
    session: &Session,
    id: &str,
    key: &str,
    outcome: Result<Value, AskError>,
) {
    let owner = session.principal.as_ref();
    let settled = match outcome {
        Ok(answer) => match inner
            .engine
            .answer(id, owner, [(key.to_owned(), answer)])
            .await
        {
            Err(error @ (EngineError::BadAnswer { .. } | EngineError::Limit { .. })) => {
                inner
                    .engine
                    .refuse(id, owner, key, &error.to_string())
                    .await
            }
            other => other,
        },
        // The session ended: the question stays open for another.
        Err(AskError::Cancelled) => return,
        Err(error) => {
            inner
                .engine
                .refuse(id, owner, key, &error.to_string())
                .await
        }
    };
    if let Err(error) = settled {
        tracing::debug!(%error, task = id, key, "an answer came too late");
    }
}

/// Which questions of tasks are being asked, so that no two sessions ask the same.
#[derive(Clone)]
pub(crate) struct Asking {
    questions: Arc<Mutex<HashSet<(String, String)>>>,
    /// Ticks when a question is asked no more.
    released: watch::Sender<()>,
}

impl Default for Asking {
    fn default() -> Self {
        Self {
            questions: Arc::default(),
            released: watch::Sender::new(()),
        }
    }
}

/// A question that is being asked. Dropping it lets another session ask.
pub(crate) struct Claim {
    asking: Asking,
    question: (String, String),
}

impl Asking {
    /// Ticks when a question is asked no more.
    pub(super) fn releases(&self) -> watch::Receiver<()> {
        self.released.subscribe()
    }

    fn claim(&self, task: &str, key: &str) -> Option<Claim> {
        let question = (task.to_owned(), key.to_owned());
        self.questions
            .lock()
            .insert(question.clone())
            .then(|| Claim {
                asking: self.clone(),
                question,
            })
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.asking.questions.lock().remove(&self.question);
        self.asking.released.send_replace(());
    }
}
