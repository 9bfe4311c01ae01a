//! Waiting for ends and seeing changes.

use super::*;
use crate::context::{LogLevel, LogRecord};

/// covers: L-RES-1, L-RES-2
#[tokio::test(start_paused = true)]
async fn all_of_many_waiters_are_answered() {
    let engine = engine();
    let (tool, tell) = told();
    let id = engine.go(tool).await;
    let waiters: Vec<_> = (0..500)
        .map(|_| {
            let (engine, id) = (engine.clone(), id.clone());
            tokio::spawn(async move { engine.wait(&id, None).await })
        })
        .collect();
    while engine.stats().waiters < 500 {
        tokio::task::yield_now().await;
    }
    waiters[0].abort();
    tell.send(done("x")).unwrap();
    let mut answered = 0;
    for waiter in waiters {
        if let Ok(task) = waiter.await {
            assert_eq!(task.unwrap().status(), Status::Completed);
            answered += 1;
        }
    }
    assert_eq!(answered, 499);
    assert_eq!(engine.stats(), Stats::default());
}

#[tokio::test(start_paused = true)]
async fn waiting_for_a_finished_task_answers_at_once() {
    let engine = engine();
    let id = engine.go(tool(|_| async { done("x") })).await;
    engine.end(&id).await;
    settle().await;
    assert_eq!(engine.end(&id).await.status(), Status::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_subscriber_sees_what_a_reader_sees() {
    let engine = engine();
    let id = engine
        .go(tool(|ctx| async move {
            tokio::time::sleep(SECOND).await;
            ctx.status("one").await;
            tokio::time::sleep(SECOND).await;
            ctx.progress(3, 10).await;
            tokio::time::sleep(SECOND).await;
            ctx.once("k", async { 1 }).await?;
            tokio::time::sleep(SECOND).await;
            ctx.roots().await?;
            done("x")
        }))
        .await;
    let mut subscription = engine.subscribe(&id, None).await.unwrap();
    let mut seen = Vec::new();
    while let Some(task) = subscription.next().await {
        if !task.is_terminal() {
            assert_eq!(engine.get(&id, None).await.unwrap(), task);
        }
        seen.push((task.status(), task.status_message().map(str::to_owned)));
        if task.status() == Status::InputRequired {
            engine
                .answer(&id, None, [("roots".to_owned(), json!({"roots": []}))])
                .await
                .unwrap();
        }
    }
    let both = Some("one (3 of 10)".to_owned());
    // The change of what `once` keeps is not to be seen.
    assert_eq!(seen[0], (Status::Working, Some("one".to_owned())));
    assert_eq!(seen[1], (Status::Working, both.clone()));
    assert_eq!(seen[2], (Status::InputRequired, both.clone()));
    assert_eq!(seen.last().unwrap(), &(Status::Completed, both));
}

/// covers: M-LSN-2, F22
#[tokio::test(start_paused = true)]
async fn a_late_subscriber_hears_the_end_once() {
    let engine = engine();
    let id = engine.go(tool(|_| async { done("x") })).await;
    let end = engine.end(&id).await;
    let mut late = engine.subscribe(&id, None).await.unwrap();
    assert_eq!(late.current(), end);
    assert_eq!(late.next().await, Some(end));
    assert_eq!(late.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn the_last_thing_said_is_kept_however_fast_it_was_said() {
    let engine = engine();
    let id = engine
        .go(tool(|ctx| async move {
            for n in 0..10_000 {
                ctx.status(format!("line {n}")).await;
            }
            done("x")
        }))
        .await;
    assert_eq!(engine.end(&id).await.status_message(), Some("line 9999"));
}

#[tokio::test(start_paused = true)]
async fn blocking_work_reports_and_its_panic_is_the_tools() {
    let engine = engine();
    let id = engine
        .go(tool(|ctx| async move {
            let sum: u32 = ctx
                .spawn_blocking(|ctx| {
                    ctx.status("adding");
                    (1..=10).sum()
                })
                .await;
            done(&sum.to_string())
        }))
        .await;
    let task = engine.end(&id).await;
    assert_eq!(
        (result(&task), task.status_message()),
        (text("55"), Some("adding"))
    );
    let id = engine
        .go(tool(|ctx| async move {
            ctx.spawn_blocking(|_| panic!("boom")).await
        }))
        .await;
    assert_eq!(error(&engine.end(&id).await).code, -32603);
}

#[tokio::test(start_paused = true)]
async fn progress_goes_to_the_message_and_reports_to_the_sink_until_the_end() {
    let engine = engine();
    let seen = Arc::new(parking_lot::Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let reports = with(
        tool(|ctx| async move {
            ctx.progress(1, 2).await;
            ctx.progress(f64::NAN, 2).await;
            ctx.log(LogLevel::Info, "halfway").await;
            ctx.cancelled().await;
            ctx.progress(2, 2).await;
            ctx.log(LogLevel::Info, "over").await;
            done("x")
        }),
        |options| options.cancel = crate::tool::CancelMode::Cooperative,
    );
    let taken: ReportSink = Arc::new(move |report| sink.lock().push(report));
    let call = Launch {
        reports: Some(taken),
        ..launch(reports)
    };
    let task = started(engine.start(call).await.unwrap());
    let id = task.id().as_str();
    assert_eq!(engine.look(id).await.status_message(), Some("1 of 2"));
    engine.cancel(id, None, Cancel::Now).await.unwrap();
    settle().await;
    let reports = [
        Report::Progress(Progress {
            done: 1.0,
            total: Some(2.0),
            message: None,
        }),
        Report::Log(LogRecord {
            level: LogLevel::Info,
            data: "halfway".into(),
        }),
    ];
    assert_eq!(*seen.lock(), reports, "nothing is reported after the end");
}
