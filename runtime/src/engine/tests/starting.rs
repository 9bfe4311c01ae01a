//! From a call to a handle, or to a result at once.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio_util::sync::CancellationToken;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_handle_is_stored_before_it_is_out() {
    let engine = engine();
    let task = started(engine.start(launch(endless())).await.unwrap());
    let read = engine.get(task.id().as_str(), None).await.unwrap();
    assert_eq!(read, task);
    assert_eq!(task.status(), Status::Working);
    assert_eq!(task.ttl_ms(), Some(3_600_000));
}

#[tokio::test(start_paused = true)]
async fn a_result_is_kept_as_the_call_gave_it() {
    let engine = engine();
    let id = engine.go(tool(|_| async { done("42") })).await;
    let task = engine.end(&id).await;
    assert_eq!(task.status(), Status::Completed);
    assert_eq!(result(&task), text("42"));
    assert_eq!(engine.look(&id).await, task);
    assert_eq!(engine.stats(), Stats::default());
}

/// covers: M-RACE-1
#[tokio::test(start_paused = true)]
async fn a_short_call_answers_at_once_and_leaves_no_task() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::new(Arc::clone(&store) as Arc<dyn TaskStore>).unwrap();
    let short = with(
        tool(|ctx| async move {
            ctx.status("quick").await;
            tokio::time::sleep(SECOND / 2).await;
            done("fast")
        }),
        |options| options.inline_for = Some(SECOND),
    );
    match engine.start(launch(short)).await.unwrap() {
        Started::Inline(outcome) => assert_eq!(outcome, done("fast")),
        Started::Task(task) => panic!("a task: {task:?}"),
    }
    assert!(store.is_empty());
    assert_eq!(engine.stats(), Stats::default());
}

/// covers: M-RACE-1
#[tokio::test(start_paused = true)]
async fn a_long_call_becomes_a_task_with_what_it_said_so_far() {
    let engine = engine();
    let runs = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&runs);
    let long = with(
        tool(move |ctx| {
            count.fetch_add(1, Ordering::Relaxed);
            async move {
                ctx.status("halfway").await;
                let kept = ctx.once("k", async { 7 }).await.unwrap();
                tokio::time::sleep(3 * SECOND).await;
                assert_eq!(ctx.once("k", async { 8 }).await, Ok(kept));
                done("slow")
            }
        }),
        |options| options.inline_for = Some(SECOND),
    );
    let task = started(engine.start(launch(long)).await.unwrap());
    assert_eq!(task.status_message(), Some("halfway"));
    assert_eq!(task.journal().unwrap().kept("k"), Some(&json!(7)));
    assert_eq!(result(&engine.end(task.id().as_str()).await), text("slow"));
    assert_eq!(
        runs.load(Ordering::Relaxed),
        1,
        "the call went on, it was not begun again"
    );
}

#[tokio::test(start_paused = true)]
async fn a_question_makes_a_task_at_once() {
    let engine = engine();
    let asks = with(
        tool(|ctx| async move {
            let sure = ctx.elicit::<bool>("Sure?").await?.accepted();
            done(&format!("{sure:?}"))
        }),
        |options| options.inline_for = Some(3600 * SECOND),
    );
    let task = started(engine.start(launch(asks)).await.unwrap());
    let task = engine.look(task.id().as_str()).await;
    assert_eq!(task.status(), Status::InputRequired);
}

#[tokio::test(start_paused = true)]
async fn a_caller_that_leaves_before_there_is_a_task_drops_the_call() {
    let engine = engine();
    let dropped = CancellationToken::new();
    let guard = dropped.clone();
    let slow = with(
        tool(move |_| {
            let guard = guard.clone().drop_guard();
            async move {
                let _guard = guard;
                std::future::pending().await
            }
        }),
        |options| options.inline_for = Some(60 * SECOND),
    );
    let call = tokio::time::timeout(SECOND, engine.start(launch(slow)));
    assert!(call.await.is_err());
    dropped.cancelled().await;
    settle().await;
    assert_eq!(engine.stats(), Stats::default());
}

#[tokio::test(start_paused = true)]
async fn a_tools_error_completes_and_is_told_in_the_message() {
    let engine = engine();
    let id = engine
        .go(tool(|_| async { Err(ToolError::new("no such file")) }))
        .await;
    let task = engine.end(&id).await;
    assert_eq!(task.status(), Status::Completed);
    assert!(matches!(
        task.outcome(),
        Some(Outcome::Completed { is_error: true, .. })
    ));
    assert_eq!(result(&task)["isError"], json!(true));
    assert_eq!(task.status_message(), Some("no such file"));
}

/// covers: M-LIFE-5
#[tokio::test(start_paused = true)]
async fn a_protocol_error_fails_the_task_with_that_error() {
    let engine = engine();
    let id = engine
        .go(tool(|_| async {
            Err(ToolError::protocol(-32001, "busy").with_data(json!({"x": 1})))
        }))
        .await;
    let task = engine.end(&id).await;
    let error = error(&task);
    assert_eq!((error.code, error.message.as_str()), (-32001, "busy"));
    assert_eq!(error.data, Some(json!({"x": 1})));
    assert_eq!(task.status_message(), Some("busy"));
}

/// covers: F21
#[tokio::test(start_paused = true)]
async fn a_panic_fails_the_task_and_keeps_its_words_from_the_client() {
    let engine = engine();
    for panics in [
        tool(|_| async { panic!("secret path /x") }),
        tool(|_| -> ToolFuture { panic!("early") }),
    ] {
        let id = engine.go(panics).await;
        let task = engine.end(&id).await;
        let error = error(&task);
        assert_eq!(error.code, -32603);
        assert!(
            error.message.contains("panicked") && !error.message.contains("secret"),
            "{error:?}"
        );
    }
    let call = ToolCall::new(JsonObject::new(), TaskContext::for_test().0);
    let plain = engine
        .run(&tool(|_| async { panic!("secret") }), call)
        .await
        .unwrap_err();
    assert!(
        matches!(plain, ToolError::Protocol { code: -32603, .. }),
        "{plain:?}"
    );
}
