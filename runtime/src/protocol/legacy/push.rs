//! What a session is told of its tasks: changes of status, progress and log messages. What it is asked goes out from here
//! by way of [`Questions`].

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, Ordering},
};

use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{
    JsonObject,
    engine::{EngineError, Report, Subscription},
    protocol::{logging::log_params, plain, progress::Progress},
    server::{Inner, rpc},
    task::{Status, Task},
    types::v2025_11_25::methods::{
        Method, NotificationsMessage, NotificationsProgress, NotificationsTasksStatus,
    },
};

use super::{
    questions::Questions,
    session::{Session, relate},
    shape,
    wire::Wire,
};

/// What a session knows of one of its tasks.
pub(crate) struct Link {
    pub(super) id: String,
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
    /// Where a question of the task can go out now.
    pub(super) fn way(&self, session: &Session) -> Option<Arc<dyn Wire>> {
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
        questions: Questions::new(Arc::clone(inner), Arc::clone(session), Arc::clone(&link)),
        told: Some(status_of(known)),
    };
    tokio::spawn(watcher.run(subscription, reports));
    Ok(Some(link))
}

struct Watcher {
    inner: Arc<Inner>,
    session: Arc<Session>,
    link: Arc<Link>,
    questions: Questions,
    /// The status and message that were told last.
    told: Option<(Status, Option<String>)>,
}

impl Watcher {
    async fn run(mut self, mut subscription: Subscription, mut reports: Option<ReportFeed>) {
        let mut ways = self.session.ways();
        let mut released = self.inner.asking.releases();
        let mut task = subscription.current();
        self.tell_status(&task).await;
        let mut hung_up = false;
        loop {
            if hung_up && task.status() == Status::InputRequired {
                self.link.stuck.cancel();
            }
            ways.mark_unchanged();
            released.mark_unchanged();
            self.questions.ask_open(&task).await;
            tokio::select! {
                biased;
                () = self.session.closed.cancelled() => break,
                () = self.session.hangup.cancelled(), if !hung_up => {
                    hung_up = true;
                    self.questions.answers_are_in().await;
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
                changed = released.changed(), if self.questions.waits_for_claim => if changed.is_err() { break },
            }
        }
        self.questions.take_back(|_| true).await;
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
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.link.over.cancel();
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

/// Marks a result as that of a task.
pub(super) fn relate_result(result: &mut JsonObject, id: &str) {
    relate(result, id);
}
