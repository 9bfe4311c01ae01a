//! Cancelling, timeouts, shutting down.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

use super::*;
use crate::tool::CancelMode;

#[tokio::test(start_paused = true)]
async fn cancelling_drops_the_work_and_stays() {
    for how in [Cancel::Now, Cancel::Request] {
        let engine = engine();
        let dropped = CancellationToken::new();
        let guard = dropped.clone();
        let id = engine
            .go(tool(move |_| {
                let guard = guard.clone().drop_guard();
                async move {
                    let _guard = guard;
                    std::future::pending().await
                }
            }))
            .await;
        let task = engine.cancel(&id, None, how).await.unwrap();
        assert_eq!(task.status(), Status::Cancelled);
        dropped.cancelled().await;
        settle().await;
        assert_eq!(engine.look(&id).await, task);
        assert_eq!(engine.stats(), Stats::default());
    }
}

#[tokio::test(start_paused = true)]
async fn cancelling_a_finished_task_changes_nothing() {
    let engine = engine();
    let id = engine.go(tool(|_| async { done("x") })).await;
    let before = engine.end(&id).await;
    let refused = engine.cancel(&id, None, Cancel::Now).await.unwrap_err();
    assert!(matches!(refused, EngineError::Terminal(task) if task == before));
    assert_eq!(
        engine.cancel(&id, None, Cancel::Request).await.unwrap(),
        before
    );
    assert_eq!(engine.look(&id).await, before);
}

fn cooperative(end: fn(bool) -> Result<ToolOutput, ToolError>, saw: Arc<AtomicBool>) -> Tool {
    let tool = tool(move |ctx| {
        let saw = Arc::clone(&saw);
        async move {
            ctx.cancelled().await;
            saw.store(ctx.is_cancelled(), Ordering::Relaxed);
            tokio::time::sleep(SECOND).await;
            end(true)
        }
    });
    with(tool, |options| options.cancel = CancelMode::Cooperative)
}

#[tokio::test(start_paused = true)]
async fn a_cooperative_tool_decides_itself_when_asked() {
    let engine = engine();
    let saw = Arc::new(AtomicBool::new(false));
    let finishes = engine
        .go(cooperative(|_| done("made it"), Arc::clone(&saw)))
        .await;
    let gives_up = engine
        .go(cooperative(|_| Err("stopped".into()), Arc::clone(&saw)))
        .await;
    for id in [&finishes, &gives_up] {
        let task = engine.cancel(id, None, Cancel::Request).await.unwrap();
        assert_eq!(task.status(), Status::Working);
    }
    assert_eq!(result(&engine.end(&finishes).await), text("made it"));
    let task = engine.end(&gives_up).await;
    assert_eq!(
        (task.status(), task.status_message()),
        (Status::Cancelled, Some("stopped"))
    );
    assert!(saw.load(Ordering::Relaxed));
}

#[tokio::test(start_paused = true)]
async fn a_task_cancelled_now_stays_cancelled_whatever_a_cooperative_tool_does() {
    let engine = engine();
    let saw = Arc::new(AtomicBool::new(false));
    let id = engine
        .go(cooperative(|_| done("made it"), Arc::clone(&saw)))
        .await;
    settle().await;
    let task = engine.cancel(&id, None, Cancel::Now).await.unwrap();
    assert_eq!(task.status(), Status::Cancelled);
    tokio::time::sleep(5 * SECOND).await;
    assert!(saw.load(Ordering::Relaxed), "the tool ran on");
    assert_eq!(engine.look(&id).await, task);
    assert_eq!(engine.stats(), Stats::default());
}

#[tokio::test(start_paused = true)]
async fn cancelling_ends_an_open_question() {
    let engine = engine();
    let asks = with(
        tool(|ctx| async move {
            let error = ctx.elicit::<bool>("Sure?").await.unwrap_err();
            Err(error.into())
        }),
        |options| options.cancel = CancelMode::Cooperative,
    );
    let id = engine.go(asks).await;
    assert_eq!(engine.look(&id).await.status(), Status::InputRequired);
    engine.cancel(&id, None, Cancel::Request).await.unwrap();
    let task = engine.end(&id).await;
    assert_eq!(task.status(), Status::Cancelled);
    assert!(task.status_message().unwrap().contains("cancelled"));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_only_reports_can_be_aborted() {
    let engine = engine();
    let chatty = tool(|ctx| async move {
        loop {
            ctx.status("still here").await;
        }
    });
    let id = engine.go(chatty).await;
    settle().await;
    engine.cancel(&id, None, Cancel::Now).await.unwrap();
    settle().await;
    assert_eq!(engine.stats().running, 0);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_runs_too_long_fails() {
    let engine = engine();
    let slow = with(endless(), |options| options.timeout = Some(3 * SECOND));
    let id = engine.go(slow.clone()).await;
    let task = engine.end(&id).await;
    assert!(error(&task).message.contains("3s"), "{task:?}");
    let call = ToolCall::new(JsonObject::new(), TaskContext::for_test().0);
    assert!(matches!(
        engine.run(&slow, call).await,
        Err(ToolError::Protocol { code: -32603, .. })
    ));
}

/// covers: L-RES-3
#[tokio::test(start_paused = true)]
async fn shutting_down_waits_a_while_then_fails_what_is_left_and_answers_all() {
    let engine = engine();
    let quick = engine
        .go(tool(|_| async {
            tokio::time::sleep(SECOND).await;
            done("in time")
        }))
        .await;
    let stuck = engine.go(endless()).await;
    let parked = engine
        .go(tool(|ctx| async move {
            done(&format!("{:?}", ctx.roots().await))
        }))
        .await;
    let waits: Vec<_> = [&quick, &stuck, &parked]
        .map(|id| {
            let (engine, id) = (engine.clone(), id.clone());
            tokio::spawn(async move { engine.wait(&id, None).await })
        })
        .into();
    settle().await;
    engine.shutdown(5 * SECOND).await;
    let mut ends = Vec::new();
    for wait in waits {
        ends.push(wait.await.unwrap().unwrap());
    }
    assert_eq!(result(&ends[0]), text("in time"));
    for end in &ends[1..] {
        assert!(error(end).message.contains("shut down"), "{end:?}");
    }
    assert!(matches!(
        engine.start(launch(endless())).await,
        Err(EngineError::ShuttingDown)
    ));
    assert_eq!(engine.stats(), Stats::default());
}

/// What waits for a place gets one when a shutdown stops the call that had it.
#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_a_place_does_not_begin_when_the_engine_stops() {
    for inline_for in [None, Some(3600 * SECOND)] {
        let engine = engine();
        let begun = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&begun);
        let counts = tool(move |_| {
            let begun = Arc::clone(&counted);
            async move {
                begun.fetch_add(1, Ordering::Relaxed);
                std::future::pending().await
            }
        });
        let counts = with(counts, |options| {
            options.concurrency = Some(1);
            options.inline_for = inline_for;
        });
        let call = async || match inline_for {
            None => {
                let call = ToolCall::new(JsonObject::new(), TaskContext::for_test().0);
                assert!(engine.run(&counts, call).await.is_err());
            }
            Some(_) => {
                let started = engine.start(launch(counts.clone())).await;
                assert!(matches!(started, Err(EngineError::ShuttingDown)));
            }
        };
        let shut_down = async {
            settle().await;
            assert_eq!(begun.load(Ordering::Relaxed), 1);
            engine.shutdown(5 * SECOND).await;
        };
        tokio::join!(call(), call(), shut_down);
        assert_eq!(begun.load(Ordering::Relaxed), 1, "{inline_for:?}");
    }
}
