//! What a session is told of its tasks: changes of status, progress, and the questions of a task.
//!
//! A question goes out on an open `tasks/result` stream of its task, else on the session's own stream, but there not
//! before the client has named the task in a request: a client that does not know the id yet would refuse. While there
//! is no way, it waits for one. It is asked once, unless the connection that carried it is gone and the client did not
//! come back to it: then it goes out again on the next way, of this session or of another of the owner. An answer to an
//! earlier time counts as well.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::Value;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{
    JsonObject,
    context::AskError,
    engine::{EngineError, Report, Subscription},
    protocol::{logging::log_params, plain, progress::Progress},
    server::{Inner, rpc},
    task::{Question, Status, Task},
    types::v2025_11_25::methods::{
        Method, NotificationsMessage, NotificationsProgress, NotificationsTasksStatus,
    },
};

use super::{
    session::{Session, relate},
    shape,
    wire::Wire,
};

/// How many sendings of one question are kept, so that an answer to any of them counts.
const ASKED_AGAIN: usize = 4;

/// What a session knows of one of its tasks.
pub(crate) struct Link {
    id: String,
    /// The client has named the task in a request.
    named: AtomicBool,
    /// Open `tasks/result` streams, the newest last.
    results: Mutex<Vec<(u64, Arc<dyn Wire>)>>,
    next_result: AtomicU64,
    /// Fires when the session has been told all there is.
    over: CancellationToken,
    /// Fires when the task waits for input and the client can give none any more.
    stuck: CancellationToken,
}

impl Link {
    fn way(&self, session: &Session) -> Option<Arc<dyn Wire>> {
        let newest = self
            .results
            .lock()
            .iter()
            .rev()
            .find(|(_, wire)| wire.is_open())
            .map(|(_, wire)| wire.clone());
        newest.or_else(|| {
            let allowed = self.named.load(Ordering::Acquire) && session.channel.is_open();
            allowed.then(|| Arc::clone(&session.channel))
        })
    }
}

/// An open `tasks/result` stream. Dropping it closes the way.
pub(super) struct OpenResult {
    link: Arc<Link>,
    number: u64,
}

impl OpenResult {
    /// Waits until the task is one that this client can bring no further.
    pub(super) async fn stuck(&self) {
        self.link.stuck.cancelled().await;
    }
}

impl Drop for OpenResult {
    fn drop(&mut self) {
        self.link
            .results
            .lock()
            .retain(|(number, _)| *number != self.number);
    }
}

/// What a task's call reports.
pub(super) struct ReportFeed {
    /// What progress goes by.
    pub(super) progress: Option<Progress>,
    /// Whose log it is.
    pub(super) tool: String,
    pub(super) reports: mpsc::Receiver<Report>,
}

/// Begins to tell the session of a task that was made in it.
pub(super) async fn created(
    inner: &Arc<Inner>,
    session: &Arc<Session>,
    task: &Task,
    reports: Option<ReportFeed>,
) {
    if let Err(error) = follow(inner, session, task, reports).await {
        tracing::warn!(%error, task = %task.id(), "the session is not told of the task");
    }
}

/// Notes that the client has named a task that it may see.
pub(super) async fn named(inner: &Arc<Inner>, session: &Arc<Session>, task: &Task) {
    if task.is_terminal() {
        return;
    }
    match follow(inner, session, task, None).await {
        Ok(Some(link)) if !link.named.swap(true, Ordering::AcqRel) => session.way_opened(),
        Ok(_) => {}
        Err(error) => {
            tracing::warn!(%error, task = %task.id(), "the session is not told of the task");
        }
    }
}

/// Opens a `tasks/result` stream to the questions of a task. `None` if the task is gone.
pub(super) async fn result_opened(
    inner: &Arc<Inner>,
    session: &Arc<Session>,
    task: &Task,
    wire: Arc<dyn Wire>,
) -> Result<Option<OpenResult>, EngineError> {
    let Some(link) = follow(inner, session, task, None).await? else {
        return Ok(None);
    };
    link.named.store(true, Ordering::Release);
    let number = link.next_result.fetch_add(1, Ordering::Relaxed);
    link.results.lock().push((number, wire));
    session.way_opened();
    Ok(Some(OpenResult { link, number }))
}

/// Waits until the session has been told all there is of a task that has ended, so that the result comes last.
pub(super) async fn told(session: &Session, task: &Task) {
    let link = session.links.lock().get(task.id().as_str()).cloned();
    if let Some(link) = link {
        link.over.cancelled().await;
    }
}

/// The session's link to a task, made if it is the first time; `None` if the task is gone. The client knows the task as it
/// is given here.
async fn follow(
    inner: &Arc<Inner>,
    session: &Arc<Session>,
    known: &Task,
    reports: Option<ReportFeed>,
) -> Result<Option<Arc<Link>>, EngineError> {
    let id = known.id().as_str();
    if let Some(link) = session.links.lock().get(id) {
        return Ok(Some(Arc::clone(link)));
    }
    let subscription = match inner.engine.subscribe(id, session.principal.as_ref()).await {
        Ok(subscription) => subscription,
        Err(EngineError::NotFound) => return Ok(None),
        Err(error) => return Err(error),
    };
    let link = {
        let mut links = session.links.lock();
        if let Some(link) = links.get(id) {
            return Ok(Some(Arc::clone(link)));
        }
        let link = Arc::new(Link {
            id: id.to_owned(),
            named: AtomicBool::new(false),
            results: Mutex::default(),
            next_result: AtomicU64::new(0),
            over: CancellationToken::new(),
            stuck: CancellationToken::new(),
        });
        links.insert(id.to_owned(), Arc::clone(&link));
        link
    };
    let watcher = Watcher {
        inner: Arc::clone(inner),
        session: Arc::clone(session),
        link: Arc::clone(&link),
        asked: HashMap::new(),
        told: Some(status_of(known)),
        waits_for_claim: false,
    };
    tokio::spawn(watcher.run(subscription, reports));
    Ok(Some(link))
}

struct Watcher {
    inner: Arc<Inner>,
    session: Arc<Session>,
    link: Arc<Link>,
    /// The times that open questions were sent, by key.
    asked: HashMap<String, Vec<Asked>>,
    /// The status and message that were told last.
    told: Option<(Status, Option<String>)>,
    /// Another session asks a question that this one could ask too.
    waits_for_claim: bool,
}

impl Watcher {
    async fn run(mut self, mut subscription: Subscription, mut reports: Option<ReportFeed>) {
        let mut ways = self.session.ways();
        let mut released = self.inner.asking.released.subscribe();
        let mut task = subscription.current();
        self.tell_status(&task).await;
        let mut hung_up = false;
        loop {
            if hung_up && task.status() == Status::InputRequired {
                self.link.stuck.cancel();
            }
            ways.mark_unchanged();
            released.mark_unchanged();
            self.ask_open(&task).await;
            tokio::select! {
                biased;
                () = self.session.closed.cancelled() => break,
                () = self.session.hangup.cancelled(), if !hung_up => {
                    hung_up = true;
                    self.answers_are_in().await;
                    let owner = self.session.principal.as_ref();
                    if let Ok(newest) = self.inner.engine.get(&self.link.id, owner).await
                        && !newest.is_terminal()
                    {
                        task = newest;
                    }
                }
                Some(report) = next_report(&mut reports) => self.tell_report(&reports, report).await,
                next = subscription.next() => match next {
                    None => break,
                    Some(next) => {
                        task = next;
                        if task.is_terminal() {
                            // What was reported before the end is told before the end.
                            while let Some(report) = pending_report(&mut reports) {
                                self.tell_report(&reports, report).await;
                            }
                        }
                        self.tell_status(&task).await;
                        if task.is_terminal() {
                            break;
                        }
                    }
                },
                changed = ways.changed() => if changed.is_err() { break },
                changed = released.changed(), if self.waits_for_claim => if changed.is_err() { break },
            }
        }
        self.take_back(|_| true).await;
        self.session.links.lock().remove(&self.link.id);
    }

    async fn tell_status(&mut self, task: &Task) {
        let now = status_of(task);
        if self.told.as_ref() == Some(&now) {
            return;
        }
        self.told = Some(now);
        if self.session.channel.is_open() {
            let params = match plain(&shape::told(task)) {
                Ok(params) => params,
                Err(error) => {
                    return tracing::error!(%error, task = %task.id(), "the task cannot be told");
                }
            };
            self.session
                .channel
                .notify(rpc::notification(NotificationsTasksStatus::NAME, &params))
                .await;
        }
    }

    async fn tell_report(&self, feed: &Option<ReportFeed>, report: Report) {
        let Some(feed) = feed else { return };
        let (method, mut params) = match report {
            Report::Progress(report) => {
                let params = feed.progress.as_ref().and_then(|progress| {
                    progress.params(report.done, report.total, report.message)
                });
                let Some(params) = params else { return };
                (NotificationsProgress::NAME, params)
            }
            Report::Log(record) => (NotificationsMessage::NAME, log_params(&feed.tool, record)),
        };
        relate(&mut params, &self.link.id);
        let newest = self
            .link
            .results
            .lock()
            .iter()
            .rev()
            .find(|(_, wire)| wire.is_open())
            .map(|(_, wire)| wire.clone());
        let wire = newest.unwrap_or_else(|| Arc::clone(&self.session.channel));
        if wire.is_open() {
            wire.notify(rpc::notification(method, &params)).await;
        }
    }

    /// Sends the open questions that were not sent yet, and takes back those that are open no more.
    async fn ask_open(&mut self, task: &Task) {
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
    async fn take_back(&mut self, which: impl Fn(&str) -> bool) {
        for (_, times) in self.asked.extract_if(|key, _| which(key)) {
            for mut asked in times {
                asked.asking.abort();
                // It was aborted, or is over already.
                let _ = (&mut asked.asking).await;
            }
        }
    }

    /// Waits until what the client has answered is with the task. There is no more to come.
    async fn answers_are_in(&mut self) {
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
    fn ask(&self, question: &Question, wire: Arc<dyn Wire>, claim: Claim) -> Asked {
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
            asking: tokio::spawn(attempt.run(claim)),
            lost,
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.link.over.cancel();
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
    async fn run(self, claim: Claim) {
        let outcome = self.outcome(claim).await;
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
    async fn outcome(&self, claim: Claim) -> Result<Value, AskError> {
        let request = &self.question.request;
        let mut question = self
            .session
            .ask(&self.wire, request, Some(&self.task))
            .await?;
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

/// What is told of a task's status: when it is the same as before, nothing is.
fn status_of(task: &Task) -> (Status, Option<String>) {
    (
        shape::status(task),
        task.status_message().map(str::to_owned),
    )
}

async fn next_report(feed: &mut Option<ReportFeed>) -> Option<Report> {
    match feed {
        Some(feed) => feed.reports.recv().await,
        None => None,
    }
}

fn pending_report(feed: &mut Option<ReportFeed>) -> Option<Report> {
    feed.as_mut().and_then(|feed| feed.reports.try_recv().ok())
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

/// Marks a result as that of a task.
pub(super) fn relate_result(result: &mut JsonObject, id: &str) {
    relate(result, id);
}
