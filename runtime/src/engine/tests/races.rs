//! Real threads racing, and callers that leave midway.

use std::{future::IntoFuture, sync::atomic::Ordering::Relaxed};

use super::*;
use crate::{
    BoxFuture,
    store::{Position, StoreError, Swap},
    task::{Timestamp, WorkerId},
};

/// covers: M-CAN-2
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cancel_and_finish_end_in_one_state_for_every_reader() {
    let engine = engine();
    let mut ends = [0usize; 2];
    for round in 0..2000 {
        let (tool, tell) = told();
        let id = engine.go(tool).await;
        let canceller = {
            let (engine, id) = (engine.clone(), id.clone());
            tokio::spawn(async move {
                for _ in 0..round % 7 {
                    tokio::task::yield_now().await;
                }
                engine.cancel(&id, None, Cancel::Now).await
            })
        };
        let waiter = {
            let (engine, id) = (engine.clone(), id.clone());
            tokio::spawn(async move { engine.wait(&id, None).await })
        };
        // The tool may have been dropped by now.
        let _ = tell.send(done("x"));
        let cancelled = canceller.await.unwrap();
        let waited = waiter.await.unwrap().unwrap();
        let read = engine.get(&id, None).await.unwrap();
        assert_eq!(read, waited);
        match cancelled {
            Ok(task) => {
                assert_eq!(read, task);
                assert_eq!(read.status(), Status::Cancelled);
                ends[0] += 1;
            }
            Err(EngineError::Terminal(task)) => {
                assert_eq!(read, task);
                assert_eq!(result(&read), text("x"));
                ends[1] += 1;
            }
            Err(other) => panic!("{other:?}"),
        }
        assert!(engine.cancel(&id, None, Cancel::Now).await.is_err());
    }
    assert!(ends[0] > 0, "cancel never won: {ends:?}");
    while engine.stats() != Stats::default() {
        tokio::task::yield_now().await;
    }
}

/// A store that takes its time and fails when told.
struct Slow {
    inner: MemoryStore,
    failing: std::sync::atomic::AtomicUsize,
    /// How often an update was asked for.
    updates: std::sync::atomic::AtomicUsize,
}

impl Slow {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            inner: MemoryStore::new(),
            failing: 0.into(),
            updates: Default::default(),
        })
    }
}

impl TaskStore for Slow {
    fn create(&self, task: Arc<Task>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            tokio::time::sleep(SECOND).await;
            self.inner.create(task).await
        })
    }

    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
        self.updates.fetch_add(1, Relaxed);
        Box::pin(async move {
            tokio::time::sleep(SECOND).await;
            if self
                .failing
                .fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1))
                .is_ok()
            {
                return Err(StoreError::Other("not now".into()));
            }
            let swap = self.inner.update(task).await;
            tokio::time::sleep(SECOND).await;
            swap
        })
    }

    crate::store::delegate!(inner: get, remove, list, count, expired, next_expiry, heartbeat, claim);
}

#[tokio::test(start_paused = true)]
async fn a_change_is_seen_through_when_its_caller_leaves() {
    let engine = Engine::new(Slow::new()).unwrap();
    let id = engine.go(endless()).await;
    let mut subscription = engine.subscribe(&id, None).await.unwrap();
    let cancel = engine.cancel(&id, None, Cancel::Now);
    assert!(tokio::time::timeout(SECOND / 2, cancel).await.is_err());
    let task = subscription.next().await.unwrap();
    assert_eq!(task.status(), Status::Cancelled);
    settle().await;
    assert_eq!(engine.stats().running, 0);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_leaves_while_its_task_is_stored_leaves_a_whole_task() {
    let store = Slow::new();
    let engine = Engine::new(Arc::clone(&store) as Arc<dyn TaskStore>).unwrap();
    let call = engine.start(launch(tool(|_| async { done("x") })));
    assert!(tokio::time::timeout(SECOND / 2, call).await.is_err());
    tokio::time::sleep(10 * SECOND).await;
    let tasks = engine.list(None, None).await.unwrap().tasks;
    assert_eq!(tasks.len(), 1);
    assert_eq!(tasks[0].status(), Status::Completed);
}

#[tokio::test(start_paused = true)]
async fn the_end_of_a_task_is_stored_as_soon_as_the_store_can() {
    let store = Slow::new();
    store.failing.store(4, std::sync::atomic::Ordering::Relaxed);
    let engine = Engine::new(Arc::clone(&store) as Arc<dyn TaskStore>).unwrap();
    let id = engine.go(tool(|_| async { done("x") })).await;
    assert_eq!(result(&engine.end(&id).await), text("x"));
}

#[tokio::test(start_paused = true)]
async fn a_slow_store_does_not_hold_a_tool_up_that_reports() {
    let engine = Engine::new(Slow::new()).unwrap();
    let before = tokio::time::Instant::now();
    let id = engine
        .go(tool(move |ctx| async move {
            for n in 0..1000 {
                ctx.status(format!("line {n}")).await;
            }
            done(&format!("{:?}", before.elapsed() < 2 * SECOND))
        }))
        .await;
    let task = engine.end(&id).await;
    assert_eq!(
        (result(&task), task.status_message()),
        (text("true"), Some("line 999"))
    );
}

/// As does a tool that works on each answer when it comes, and asks more for it.
#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn questions_that_are_not_polled_hold_no_other_up() {
    use futures_util::{StreamExt, stream::FuturesUnordered};
    use std::future::IntoFuture;

    let folder = tempfile::tempdir().unwrap();
    let store = crate::store::SqliteStore::open(folder.path().join("tasks.db")).unwrap();
    let engine = Engine::new(Arc::new(store)).unwrap();
    let id = engine
        .go(tool(|ctx| async move {
            let ask = |name: &str| ctx.elicit::<String>("?").named(name).into_future();
            let mut first: FuturesUnordered<_> = (0..20).map(|_| ask("first")).collect();
            while first.next().await.is_some() {
                let _ = ask("second").await;
            }
            done("x")
        }))
        .await;
    let mut subscription = engine.subscribe(&id, None).await.unwrap();
    let mut asked = Vec::new();
    let all = async {
        while let Some(task) = subscription.next().await {
            for question in task.input_requests() {
                if !asked.contains(&question.key) {
                    asked.push(question.key.clone());
                }
                let answer = (question.key.clone(), json!({"action": "decline"}));
                engine.answer(&id, None, [answer]).await.unwrap();
            }
        }
    };
    let over = tokio::time::timeout(30 * SECOND, all).await;
    assert!(over.is_ok(), "after {asked:?} nothing more was asked");
    assert_eq!(result(&engine.end(&id).await), text("x"));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_is_given_up_while_it_is_put_is_withdrawn() {
    use std::future::IntoFuture;

    let engine = Engine::new(Slow::new()).unwrap();
    let id = engine
        .go(tool(|ctx| async move {
            let question = ctx.elicit::<String>("?").into_future();
            assert!(tokio::time::timeout(SECOND / 2, question).await.is_err());
            tokio::time::sleep(10 * SECOND).await;
            done("x")
        }))
        .await;
    tokio::time::sleep(8 * SECOND).await;
    let task = engine.get(&id, None).await.unwrap();
    assert_eq!(
        (task.status(), task.input_requests().count()),
        (Status::Working, 0)
    );
    assert_eq!(result(&engine.end(&id).await), text("x"));
}

/// covers: M-UPD-2
#[tokio::test(start_paused = true)]
async fn answers_that_come_at_once_are_stored_once_each() {
    const QUESTIONS: usize = 8;
    let store = Slow::new();
    let engine = Engine::new(Arc::clone(&store) as Arc<dyn TaskStore>).unwrap();
    let id = engine
        .go(tool(|ctx| async move {
            let asks = (0..QUESTIONS)
                .map(|n| ctx.elicit::<String>("?").named(n.to_string()).into_future());
            futures_util::future::join_all(asks).await;
            done("x")
        }))
        .await;
    while engine.look(&id).await.input_requests().count() < QUESTIONS {
        tokio::time::sleep(SECOND).await;
    }
    let before = store.updates.load(Relaxed);
    let answers = (0..QUESTIONS)
        .map(|n| engine.answer(&id, None, [(n.to_string(), json!({"action": "decline"}))]));
    for answered in futures_util::future::join_all(answers).await {
        answered.unwrap();
    }
    let ended = engine.wait(&id, None).await.unwrap();
    assert_eq!(ended.status(), Status::Completed);
    // One for each answer, and one for the end of the task.
    assert_eq!(store.updates.load(Relaxed) - before, QUESTIONS + 1);
}
