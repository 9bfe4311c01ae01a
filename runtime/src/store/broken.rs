//! Stores with one fault each: the contract must find it and name its rule.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::*;
use crate::testing::{check_store, store_contract};

async fn rule<S: TaskStore>(make: impl Fn() -> S) -> String {
    match check_store(|| Arc::new(make())).await {
        Err(broken) => {
            assert!(!broken.detail.is_empty());
            broken.rule.to_owned()
        }
        Ok(()) => panic!("the fault was not found"),
    }
}

/// Puts in what it is given, whatever owner it names; and, unless it is strict, over newer versions too.
#[derive(Default)]
struct Careless {
    strict: bool,
    tasks: Mutex<HashMap<TaskId, Arc<Task>>>,
    inner: MemoryStore,
}

impl TaskStore for Careless {
    fn create(&self, task: Arc<Task>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            self.inner.create(Arc::clone(&task)).await?;
            self.tasks.lock().insert(task.id().clone(), task);
            Ok(())
        })
    }

    fn get<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Arc<Task>>, StoreError>> {
        let task = self
            .tasks
            .lock()
            .get(id)
            .filter(|task| !task.is_expired(now))
            .cloned();
        Box::pin(std::future::ready(Ok(task)))
    }

    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
        let mut tasks = self.tasks.lock();
        let swap = match tasks.get(task.id()).cloned() {
            None => Swap::Gone,
            Some(stored)
                if stored.is_terminal()
                    || task.version() > stored.version() + 1
                    || (self.strict && task.version() <= stored.version()) =>
            {
                Swap::Conflict(stored)
            }
            Some(_) => {
                tasks.insert(task.id().clone(), task);
                Swap::Done
            }
        };
        Box::pin(std::future::ready(Ok(swap)))
    }

    crate::store::delegate!(inner: remove, list, count, expired, next_expiry, heartbeat, claim);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_where_the_last_writer_wins_is_found() {
    assert_eq!(
        rule(Careless::default).await,
        "an update needs the version before it"
    );
}

/// Changes what a store has taken before handing it on.
struct Changing<F> {
    change: F,
    inner: MemoryStore,
}

impl<F: Fn(Arc<Task>) -> Arc<Task> + Send + Sync + 'static> TaskStore for Changing<F> {
    fn get<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Arc<Task>>, StoreError>> {
        Box::pin(async move { Ok(self.inner.get(id, now).await?.map(&self.change)) })
    }

    crate::store::delegate!(inner: create, update, remove, list, count, expired, next_expiry, heartbeat, claim);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_forgets_closed_keys_is_found() {
    // Keeps of the questions only those that are open, as a table of open questions would.
    let forget = |task: Arc<Task>| {
        let mut record = task.to_record();
        let open: Vec<_> = task.input_requests().collect();
        let mut journal = serde_json::to_value(&*record.journal).unwrap();
        journal["questions"] = serde_json::to_value(open).unwrap();
        record.journal = Arc::new(serde_json::from_value(journal).unwrap());
        Arc::new(Task::from_record(record).unwrap())
    };
    let make = || Changing {
        change: forget,
        inner: MemoryStore::new(),
    };
    assert_eq!(rule(make).await, "a key is used once in a task's life");
}

/// Lets a terminal task be changed.
#[derive(Default)]
struct Revives {
    forged: Mutex<HashMap<TaskId, Arc<Task>>>,
    inner: MemoryStore,
}

impl TaskStore for Revives {
    fn get<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Arc<Task>>, StoreError>> {
        match self.forged.lock().get(id).cloned() {
            Some(task) => Box::pin(std::future::ready(Ok(Some(task)))),
            None => self.inner.get(id, now),
        }
    }

    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
        Box::pin(async move {
            match self.inner.update(Arc::clone(&task)).await? {
                Swap::Conflict(stored) if task.version() == stored.version() + 1 => {
                    self.forged.lock().insert(task.id().clone(), task);
                    Ok(Swap::Done)
                }
                other => Ok(other),
            }
        })
    }

    crate::store::delegate!(inner: create, remove, list, count, expired, next_expiry, heartbeat, claim);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_changes_terminal_tasks_is_found() {
    assert_eq!(
        rule(Revives::default).await,
        "a terminal task never changes"
    );
}

/// Looks at the time to live in `get` alone.
#[derive(Default)]
struct HalfExpired(MemoryStore);

impl TaskStore for HalfExpired {
    fn list<'a>(
        &'a self,
        owner: Option<&'a Principal>,
        after: Option<&'a Position>,
        limit: usize,
        _now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>> {
        self.0.list(owner, after, limit, Timestamp::from_millis(0))
    }

    crate::store::delegate!(0: create, get, update, remove, count, expired, next_expiry, heartbeat, claim);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_lists_expired_tasks_is_found() {
    assert_eq!(
        rule(HalfExpired::default).await,
        "an expired task is absent everywhere but in `expired`"
    );
}

/// Pages by counting, so that a removal makes it skip.
#[derive(Default)]
struct PagesByOffset {
    given: Mutex<HashMap<Position, usize>>,
    inner: MemoryStore,
}

impl TaskStore for PagesByOffset {
    fn list<'a>(
        &'a self,
        owner: Option<&'a Principal>,
        after: Option<&'a Position>,
        limit: usize,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>> {
        Box::pin(async move {
            let skip = after
                .and_then(|after| self.given.lock().get(after).copied())
                .unwrap_or(0);
            let all = self.inner.list(owner, None, 1000, now).await?;
            let page: Vec<_> = all.into_iter().skip(skip).take(limit).collect();
            if let Some(last) = page.last() {
                self.given
                    .lock()
                    .insert(Position::of(last), skip + page.len());
            }
            Ok(page)
        })
    }

    crate::store::delegate!(inner: create, get, update, remove, count, expired, next_expiry, heartbeat, claim);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_pages_by_counting_is_found() {
    assert_eq!(
        rule(PagesByOffset::default).await,
        "paging visits each task once while tasks come and go"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_changes_owners_is_found() {
    let make = || Careless {
        strict: true,
        ..Careless::default()
    };
    assert_eq!(rule(make).await, "a task's owner never changes");
}

/// Counts what runs, and not what is kept.
#[derive(Default)]
struct CountsRunning(MemoryStore);

impl TaskStore for CountsRunning {
    fn count<'a>(
        &'a self,
        owner: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Count, StoreError>> {
        Box::pin(async move {
            let start = Timestamp::from_millis(0);
            let tasks = self.0.list(owner, None, 1000, start).await?;
            let running = tasks.iter().filter(|task| !task.is_terminal()).count() as u64;
            Ok(Count {
                of_owner: running,
                ..self.0.count(owner).await?
            })
        })
    }

    crate::store::delegate!(0: create, get, update, remove, list, expired, next_expiry, heartbeat, claim);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_counts_wrongly_is_found() {
    assert_eq!(
        rule(CountsRunning::default).await,
        "the number of tasks is known, of all and of each owner"
    );
}

/// A right store that takes its time before and after everything it does.
#[derive(Default)]
struct Slow(MemoryStore);

impl TaskStore for Slow {
    fn create(&self, task: Arc<Task>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            pause().await;
            let created = self.0.create(task).await;
            pause().await;
            created
        })
    }

    fn get<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Arc<Task>>, StoreError>> {
        Box::pin(async move {
            pause().await;
            let task = self.0.get(id, now).await;
            pause().await;
            task
        })
    }

    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
        Box::pin(async move {
            pause().await;
            let swap = self.0.update(task).await;
            pause().await;
            swap
        })
    }

    crate::store::delegate!(0: remove, list, count, expired, next_expiry, heartbeat, claim);
}

/// Lets others overtake, more or less often.
async fn pause() {
    static TURN: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    for _ in 0..TURN.fetch_add(7, std::sync::atomic::Ordering::Relaxed) % 13 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_slow_store_keeps_the_contract() {
    store_contract(|| Arc::new(Slow::default())).await;
}
