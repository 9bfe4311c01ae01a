//! Expiry, and clocks that step.

#[cfg(feature = "sqlite")]
use std::sync::atomic::{AtomicI64, Ordering::SeqCst};

use tokio_util::sync::CancellationToken;

use super::*;
use crate::testing::TestClock;

const DAY: i64 = 24 * 3600 * 1000;

fn for_ms(ttl: u64, tool: Tool) -> Launch {
    Launch {
        ttl_ms: Some(ttl),
        ..launch(tool)
    }
}

async fn gone(engine: &Engine, id: &str) {
    gone_from(engine, id).await;
    assert!(engine.list(None, None).await.unwrap().tasks.is_empty());
}

async fn gone_from(engine: &Engine, id: &str) {
    for refused in [
        engine.get(id, None).await.map(drop),
        engine.wait(id, None).await.map(drop),
        engine.subscribe(id, None).await.map(drop),
        engine
            .answer(id, None, [("k".to_owned(), json!({}))])
            .await
            .map(drop),
        engine.refuse(id, None, "k", "no").await.map(drop),
        engine.cancel(id, None, Cancel::Now).await.map(drop),
        engine.cancel(id, None, Cancel::Request).await.map(drop),
    ] {
        assert!(matches!(refused, Err(EngineError::NotFound)), "{refused:?}");
    }
}

/// covers: M-TIME-2, L-RES-3, F07
#[tokio::test(start_paused = true)]
async fn work_that_outlives_its_task_is_failed_told_dropped_and_removed() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::new(Arc::clone(&store) as Arc<dyn TaskStore>).unwrap();
    let dropped = CancellationToken::new();
    let guard = dropped.clone();
    let works = tool(move |_| {
        let guard = guard.clone().drop_guard();
        async move {
            let _guard = guard;
            std::future::pending().await
        }
    });
    let id = started(engine.start(for_ms(5000, works)).await.unwrap())
        .id()
        .to_string();
    let mut subscription = engine.subscribe(&id, None).await.unwrap();
    let failed = engine.end(&id).await;
    assert!(error(&failed).message.contains("5000 ms"), "{failed:?}");
    assert_eq!(subscription.next().await, Some(failed));
    assert_eq!(subscription.next().await, None);
    dropped.cancelled().await;
    settle().await;
    gone(&engine, &id).await;
    assert!(store.is_empty());
    drop(subscription);
    assert_eq!(engine.stats(), Stats::default());
}

/// covers: M-TIME-2
#[tokio::test(start_paused = true)]
async fn a_result_can_be_fetched_until_its_time_is_over() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::new(Arc::clone(&store) as Arc<dyn TaskStore>).unwrap();
    let task = started(
        engine
            .start(for_ms(5000, tool(|_| async { done("x") })))
            .await
            .unwrap(),
    );
    let id = task.id().as_str();
    tokio::time::sleep(Duration::from_millis(4990)).await;
    assert_eq!(
        engine.get(id, None).await.unwrap().status(),
        Status::Completed
    );
    tokio::time::sleep(Duration::from_millis(10)).await;
    gone(&engine, id).await;
    settle().await;
    assert!(store.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_sooner_deadline_wakes_the_one_who_sleeps_for_a_later_one() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::new(Arc::clone(&store) as Arc<dyn TaskStore>).unwrap();
    engine.start(for_ms(3_600_000, endless())).await.unwrap();
    settle().await;
    engine.start(for_ms(1000, endless())).await.unwrap();
    tokio::time::sleep(2 * SECOND).await;
    settle().await;
    assert_eq!(store.len(), 1);
}

/// covers: F24
#[tokio::test(start_paused = true)]
async fn steps_of_the_wall_clock_neither_expire_a_task_nor_keep_it() {
    for step in [DAY, -DAY] {
        let clock = Arc::new(TestClock::default());
        let store = Arc::new(MemoryStore::new());
        let engine = Engine::builder(Arc::clone(&store) as Arc<dyn TaskStore>)
            .clock(Arc::clone(&clock) as Arc<dyn Clock>)
            .build()
            .unwrap();
        let task = started(engine.start(for_ms(60_000, endless())).await.unwrap());
        let id = task.id().as_str();
        clock.step_millis(step);
        tokio::time::sleep(59 * SECOND).await;
        assert_eq!(
            engine.get(id, None).await.unwrap().status(),
            Status::Working,
            "step {step}"
        );
        tokio::time::sleep(2 * SECOND).await;
        gone(&engine, id).await;
        settle().await;
        assert!(store.is_empty(), "step {step}");
    }
}

/// A clock moved by hand: a store with a thread of its own would not wait for paused time.
#[cfg(feature = "sqlite")]
#[derive(Default)]
struct ByHand {
    wall: AtomicI64,
    monotonic: AtomicI64,
}

#[cfg(feature = "sqlite")]
impl ByHand {
    fn at(wall: i64) -> Arc<Self> {
        let clock = Self::default();
        clock.step(wall);
        Arc::new(clock)
    }

    fn step(&self, millis: i64) {
        self.wall.fetch_add(millis, SeqCst);
    }

    fn pass(&self, millis: i64) {
        self.step(millis);
        self.monotonic.fetch_add(millis, SeqCst);
    }
}

#[cfg(feature = "sqlite")]
impl Clock for ByHand {
    fn wall(&self) -> crate::task::Timestamp {
        crate::task::Timestamp::from_millis(self.wall.load(SeqCst))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_millis(self.monotonic.load(SeqCst).unsigned_abs())
    }
}

#[cfg(feature = "sqlite")]
fn over_file(path: &std::path::Path, clock: &Arc<ByHand>) -> Engine {
    let store = crate::store::SqliteStore::open(path).unwrap();
    Engine::builder(Arc::new(store))
        .clock(Arc::clone(clock) as Arc<dyn Clock>)
        .build()
        .unwrap()
}

#[cfg(feature = "sqlite")]
const START: i64 = 1_800_000_000_000;

/// covers: F24
#[cfg(feature = "sqlite")]
#[tokio::test]
async fn steps_of_the_wall_clock_neither_expire_a_task_in_a_file_nor_keep_it() {
    for step in [DAY, -DAY] {
        let folder = tempfile::tempdir().unwrap();
        let clock = ByHand::at(START);
        let engine = over_file(&folder.path().join("tasks.db"), &clock);
        let task = started(engine.start(for_ms(60_000, endless())).await.unwrap());
        let id = task.id().as_str();
        clock.step(step);
        clock.pass(59_000);
        assert_eq!(
            engine.get(id, None).await.unwrap().status(),
            Status::Working,
            "step {step}"
        );
        clock.pass(2_000);
        gone(&engine, id).await;
    }
}

/// covers: F24
#[cfg(feature = "sqlite")]
#[tokio::test]
async fn a_clock_set_back_between_two_processes_keeps_no_task_for_longer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let clock = ByHand::at(START);
    let first = over_file(&path, &clock);
    let task = started(first.start(for_ms(60_000, endless())).await.unwrap());
    clock.pass(30_000);
    // A sign of life, with the time of it.
    started(first.start(for_ms(1000, endless())).await.unwrap());
    let id = task.id().as_str();
    let set_back = ByHand::at(START + 30_000 - DAY);
    let second = over_file(&path, &set_back);
    for pass in [0, 29_000] {
        set_back.pass(pass);
        assert_eq!(second.get(id, None).await.unwrap().id(), task.id());
    }
    set_back.pass(2_000);
    gone_from(&second, id).await;
}

/// covers: M-TIME-1
#[tokio::test(start_paused = true)]
async fn times_of_change_never_run_backwards() {
    let clock = Arc::new(TestClock::default());
    let engine = Engine::builder(Arc::new(MemoryStore::new()))
        .clock(Arc::clone(&clock) as Arc<dyn Clock>)
        .build()
        .unwrap();
    let id = engine
        .go(tool(|ctx| async move {
            for n in 0.. {
                tokio::time::sleep(SECOND).await;
                ctx.status(n.to_string()).await;
            }
            done("never")
        }))
        .await;
    let mut subscription = engine.subscribe(&id, None).await.unwrap();
    let mut last = subscription.current();
    for n in 0..6 {
        if n == 3 {
            clock.step_millis(-DAY);
        }
        let next = subscription.next().await.unwrap();
        assert_eq!(next.created_at(), last.created_at());
        let moved = next.last_updated_at() > last.last_updated_at();
        assert_eq!(
            moved,
            n < 3,
            "time stands still until the clock has caught up"
        );
        assert!(next.last_updated_at() >= last.last_updated_at());
        last = next;
    }
}
