//! The one thread that writes, and group commit.
//!
//! The thread takes what has queued, runs it in one transaction and answers after the commit. While a commit waits for
//! the disk the next batch gathers, so the number of syncs does not grow with the number of writers. Where the disk is
//! quicker than the writers, a batch waits a moment for as many writes as the one before it had: a lone writer never waits,
//! and nobody waits longer than two commits take.

use std::{
    sync::mpsc::{Receiver, Sender, channel},
    thread::JoinHandle,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rusqlite::{Connection, config::DbConfig};
use tokio::sync::oneshot;

use super::{StoreError, place::Place};

/// Writes in one transaction at most.
const BATCH: usize = 512;

/// The longest that a batch waits for more writes.
const PATIENCE: Duration = Duration::from_millis(2);

pub(super) struct Writer {
    queue: Mutex<Option<Sender<Box<dyn Job>>>>,
    thread: Option<JoinHandle<()>>,
}

/// A write that waits for its turn.
trait Job: Send {
    /// Does it, inside the batch's transaction, and says whether it stands.
    fn run(&mut self, connection: &Connection) -> bool;
    /// Tells the caller, once the transaction is committed or lost.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

struct Work<F, T> {
    work: F,
    outcome: Option<Result<T, StoreError>>,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, F> Job for Work<F, T>
where
    T: Send,
    F: FnMut(&Connection) -> Result<T, StoreError> + Send,
{
    fn run(&mut self, connection: &Connection) -> bool {
        self.outcome.insert((self.work)(connection)).is_ok()
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let outcome = match (committed, self.outcome) {
            (Ok(()), Some(outcome)) => outcome,
            // What failed by itself says more than that the rest was lost too.
            (Err(_), Some(Err(error))) => Err(error),
            (Err(error), _) => Err(error),
            (Ok(()), None) => Err(StoreError::Other("the write was not tried".to_owned())),
        };
        // Err is a caller that has gone.
        let _ = self.answer.send(outcome);
    }
}

impl Writer {
    pub(super) fn start(connection: Connection, place: Place) -> Result<Self, StoreError> {
        let (queue, jobs) = channel();
        let thread = std::thread::Builder::new()
            .name("mcp-tasks-store".to_owned())
            .spawn(move || work_off(connection, &place, &jobs))
            .map_err(|error| StoreError::Other(format!("no thread for the store: {error}")))?;
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            thread: Some(thread),
        })
    }

    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let stopped = || StoreError::Other("the store's thread has stopped".to_owned());
        let (answer, answered) = oneshot::channel();
        {
            let queue = self.queue.lock();
            let job = Box::new(Work {
                work,
                outcome: None,
                answer,
            });
            queue
                .as_ref()
                .ok_or_else(stopped)?
                .send(job)
                .map_err(|_| stopped())?;
        }
        answered.await.unwrap_or_else(|_| Err(stopped()))
    }
}

impl Drop for Writer {
    /// Lets the thread finish what is queued and close the file.
    fn drop(&mut self) {
        self.queue.lock().take();
        if let Some(thread) = self.thread.take() {
            // Err is a panic of the thread, which has been reported already.
            let _ = thread.join();
        }
    }
}

fn work_off(connection: Connection, place: &Place, jobs: &Receiver<Box<dyn Job>>) {
    let mut pace = Pace::default();
    while let Ok(first) = jobs.recv() {
        let mut batch = vec![first];
        let committed = run(&connection, place, jobs, &mut batch, &mut pace);
        if let Err(error) = &committed {
            tracing::error!(%error, writes = batch.len(), "a batch of writes was lost");
        }
        for job in batch {
            job.answer(committed.clone());
        }
    }
    // Others have written to the file by then, which what we know of the log would undo.
    if place.log_is_taken()
        && let Err(error) =
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)
    {
        tracing::error!(%error, "the store's log is folded into a file that has another log now");
    }
    // Folds the log into the file, so that one file is left.
    if let Err((_, error)) = connection.close() {
        tracing::warn!(%error, "the store was not closed well; nothing is lost");
    }
}

/// What the last batch was like.
#[derive(Default)]
struct Pace {
    writes: usize,
    commit: Duration,
}

impl Pace {
    /// The next write of a batch that has `done`: one that is there, or one that is likely to come in a moment.
    fn next(
        &self,
        jobs: &Receiver<Box<dyn Job>>,
        done: usize,
        patient_until: &mut Option<Instant>,
    ) -> Option<Box<dyn Job>> {
        if done >= BATCH {
            return None;
        }
        if let Ok(job) = jobs.try_recv() {
            return Some(job);
        }
        if done >= self.writes {
            return None;
        }
        let until =
            *patient_until.get_or_insert_with(|| Instant::now() + (2 * self.commit).min(PATIENCE));
        jobs.recv_timeout(until.saturating_duration_since(Instant::now()))
            .ok()
    }
}

fn run(
    connection: &Connection,
    place: &Place,
    jobs: &Receiver<Box<dyn Job>>,
    batch: &mut Vec<Box<dyn Job>>,
    pace: &mut Pace,
) -> Result<(), StoreError> {
    let explain = |error| place.explain(error);
    let statement = |sql| {
        let mut statement = connection.prepare_cached(sql).map_err(explain)?;
        statement.execute([]).map_err(explain)
    };
    place.check()?;
    statement("BEGIN IMMEDIATE")?;
    let (mut done, mut patient_until) = (0, None);
    while let Some(job) = batch.get_mut(done) {
        statement("SAVEPOINT job")?;
        let stands = job.run(connection);
        done += 1;
        // A full disk or a failing one ends the whole transaction.
        if connection.is_autocommit() {
            return Err(StoreError::Other(format!(
                "writes to {place} were rolled back because another one in their batch failed"
            )));
        }
        // A write that failed changes nothing, and does not take the others along.
        if !stands {
            statement("ROLLBACK TO job")?;
        }
        statement("RELEASE job")?;
        batch.extend(pace.next(jobs, done, &mut patient_until));
    }
    let start = Instant::now();
    let committed = connection.execute_batch("COMMIT");
    *pace = Pace {
        writes: done,
        commit: start.elapsed(),
    };
    committed.map_err(|error| {
        if !connection.is_autocommit()
            && let Err(rollback) = connection.execute_batch("ROLLBACK")
        {
            tracing::error!(%rollback, "a failed commit was not rolled back");
        }
        explain(error)
    })?;
    // A commit to a file without a name is none.
    place.check()
}
