//! Expiry, and clocks that step.

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
    assert!(engine.list(None, None).await.unwrap().tasks.is_empty());
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
