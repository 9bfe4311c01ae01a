//! Limits, owners and listings.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

fn limit(error: EngineError) -> (LimitKind, u64) {
    match error {
        EngineError::Limit { kind, max, .. } => (kind, max),
        other => panic!("no limit but {other:?}"),
    }
}

fn of(owner: &str, tool: Tool) -> Launch {
    Launch {
        owner: Some(owner.into()),
        ..launch(tool)
    }
}

#[tokio::test(start_paused = true)]
async fn running_tasks_are_limited_for_each_principal_and_overall() {
    let engine = limited(Limits::default().tasks(3).tasks_per_principal(2));
    let first = started(engine.start(of("alice", endless())).await.unwrap());
    engine.start(of("alice", endless())).await.unwrap();
    let refused = engine.start(of("alice", endless())).await.unwrap_err();
    assert_eq!(limit(refused.clone()), (LimitKind::TasksPerPrincipal, 2));
    assert!(refused.to_string().contains("limited to 2"), "{refused}");
    engine.start(of("bob", endless())).await.unwrap();
    assert_eq!(
        limit(engine.start(of("bob", endless())).await.unwrap_err()),
        (LimitKind::Tasks, 3)
    );
    // A task that has ended makes room.
    let alice = Principal::from("alice");
    engine
        .cancel(first.id().as_str(), Some(&alice), Cancel::Now)
        .await
        .unwrap();
    settle().await;
    engine.start(of("alice", endless())).await.unwrap();
}

/// A tool that ends at once.
fn brief() -> Tool {
    tool(|_| std::future::ready(done("x")))
}

#[tokio::test(start_paused = true)]
async fn a_handle_keeps_its_place_in_the_store_until_its_time_is_over() {
    let engine = limited(
        Limits::default()
            .stored_tasks(3)
            .stored_tasks_per_principal(2)
            .default_ttl(Some(100 * SECOND)),
    );
    let alice = Principal::from("alice");
    for _ in 0..2 {
        let task = started(engine.start(of("alice", brief())).await.unwrap());
        engine.wait(task.id().as_str(), Some(&alice)).await.unwrap();
    }
    assert_eq!(engine.stats().running, 0);
    let refused = engine.start(of("alice", brief())).await.unwrap_err();
    let text = refused.to_string();
    assert!(text.ends_with("until their time to live is over is limited to 2"));
    assert_eq!(limit(refused), (LimitKind::StoredTasksPerPrincipal, 2));
    // What is over at once needs no place, and what cannot have one leaves nothing behind.
    let inline = Launch {
        inline_for: Some(SECOND),
        ..of("alice", brief())
    };
    let inline = engine.start(inline).await.unwrap();
    assert!(matches!(inline, Started::Inline(_)), "{inline:?}");
    let slow = Launch {
        inline_for: Some(SECOND),
        ..of("alice", endless())
    };
    engine.start(slow).await.unwrap_err();
    settle().await;
    assert_eq!(engine.stats(), Stats::default());

    engine.start(of("bob", brief())).await.unwrap();
    for owner in [Some("bob".into()), None] {
        let call = Launch {
            owner,
            ..launch(brief())
        };
        let refused = engine.start(call).await.unwrap_err();
        assert_eq!(limit(refused), (LimitKind::StoredTasks, 3));
    }
    tokio::time::sleep(101 * SECOND).await;
    settle().await;
    engine.start(of("alice", brief())).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_that_are_made_together_do_not_share_the_last_place() {
    let engine = limited(Limits::default().stored_tasks(20));
    let starts = (0..100).map(|_| {
        let engine = engine.clone();
        tokio::spawn(async move { engine.start(launch(brief())).await.is_ok() })
    });
    let made = futures_util::future::join_all(starts).await;
    let made = made
        .into_iter()
        .filter(|made| *made.as_ref().unwrap())
        .count();
    assert_eq!(engine.list(None, None).await.unwrap().tasks.len(), made);
    assert!((1..=20).contains(&made), "{made}");
}

/// Gives a text of so many bytes when asked for roots, and nothing before.
fn large(bytes: usize) -> Tool {
    tool(move |ctx| async move {
        match ctx.roots().await {
            Ok(_) => done(&"x".repeat(bytes)),
            Err(error) => done(&format!("refused: {error}")),
        }
    })
}

#[tokio::test(start_paused = true)]
async fn what_has_no_room_in_memory_is_refused_and_fails_its_task() {
    let store = Arc::new(MemoryStore::limited(30_000, 20_000));
    let engine = Engine::builder(store.clone()).build().unwrap();
    let alice = Principal::from("alice");
    let launch = || Launch {
        can_ask: InputKinds::ALL,
        ..of("alice", large(15_000))
    };
    let first = started(engine.start(launch()).await.unwrap());
    let second = started(engine.start(launch()).await.unwrap());
    settle().await;
    let answer = async |task: &Arc<Task>, bytes: usize| {
        let roots = json!({"roots": [{"uri": format!("file:///{}", "x".repeat(bytes))}]});
        let answers = [("roots".to_owned(), roots)];
        engine
            .answer(task.id().as_str(), Some(&alice), answers)
            .await
    };
    let refused = answer(&first, 20_000).await.unwrap_err();
    assert_eq!(limit(refused), (LimitKind::StoredBytesPerPrincipal, 20_000));
    let ended = async |task: &Arc<Task>| {
        answer(task, 10).await.unwrap();
        engine.wait(task.id().as_str(), Some(&alice)).await.unwrap()
    };
    assert_eq!(ended(&first).await.status(), Status::Completed);
    let failed = error(&ended(&second).await);
    assert_eq!(
        failed.data,
        Some(json!({"limit": "storedBytesPerPrincipal", "max": 20_000}))
    );
    assert!(
        failed.message.contains("was not kept"),
        "{}",
        failed.message
    );
    // What nobody owns has the rest, and what ends has room again.
    let mut arguments = JsonObject::new();
    arguments.insert("a".into(), json!("x".repeat(14_000)));
    let call = |owner: Option<&str>| Launch {
        arguments: arguments.clone(),
        owner: owner.map(Principal::from),
        ..super::launch(brief())
    };
    let refused = engine.start(call(Some("bob"))).await.unwrap_err();
    assert_eq!(limit(refused), (LimitKind::StoredBytes, 30_000));
    let refused = engine.start(call(None)).await.unwrap_err();
    assert!(
        refused.to_string().contains("limited to 30000"),
        "{refused}"
    );
    store.remove(first.id().as_str()).await.unwrap();
    engine.start(call(None)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_question_and_a_kept_value_without_room_fail_in_the_tool() {
    let store = Arc::new(MemoryStore::limited(10_000, 10_000));
    let engine = Engine::builder(store).build().unwrap();
    let id = engine
        .go(tool(|ctx| async move {
            let kept = ctx.once("k", async { "x".repeat(20_000) }).await;
            done(&kept.unwrap_err().to_string())
        }))
        .await;
    let said = result(&engine.end(&id).await).to_string();
    assert!(
        said.contains("tasks in memory may take 10000 bytes"),
        "{said}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_with_much_data_is_limited_as_a_result_is() {
    let engine = limited(Limits::default().payload_bytes(100));
    let id = engine
        .go(tool(|_| {
            std::future::ready(Err(ToolError::Protocol {
                code: -32000,
                message: "no".to_owned(),
                data: Some(json!("x".repeat(200))),
            }))
        }))
        .await;
    let failed = error(&engine.end(&id).await);
    assert_eq!(failed.data.unwrap()["limit"], "payloadBytes");
}

#[tokio::test(start_paused = true)]
async fn status_messages_are_cut_wherever_they_come_from() {
    use crate::task::STATUS;
    let engine = engine();
    let long = || "é".repeat(STATUS);
    let reports: [(&str, Tool); 5] = [
        (
            "a status",
            tool(move |ctx| async move {
                ctx.status(long()).await;
                std::future::pending().await
            }),
        ),
        (
            "progress",
            tool(move |ctx| async move {
                ctx.backend().progress(1.0, Some(2.0), Some(long())).await;
                std::future::pending().await
            }),
        ),
        (
            "an error of the tool",
            tool(move |_| std::future::ready(Err(ToolError::new(long())))),
        ),
        (
            "an error of the protocol",
            tool(move |_| {
                std::future::ready(Err(ToolError::Protocol {
                    code: -32000,
                    message: long(),
                    data: None,
                }))
            }),
        ),
        (
            "what a tool says when it is called off",
            with(
                tool(move |ctx| async move {
                    ctx.cancelled().await;
                    Err(ToolError::new(long()))
                }),
                |options| options.cancel = crate::tool::CancelMode::Cooperative,
            ),
        ),
    ];
    for (what, tool) in reports {
        let id = engine.go(tool).await;
        let mut task = engine.look(&id).await;
        if task.status_message().is_none() {
            engine.cancel(&id, None, Cancel::Request).await.unwrap();
            task = engine.end(&id).await;
        }
        let message = task.status_message().unwrap();
        assert!(message.len() <= STATUS, "{what}: {} bytes", message.len());
        assert!(
            message.starts_with("éé") && message.ends_with('…'),
            "{what}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn callers_without_a_principal_are_limited_together_only() {
    let engine = limited(Limits::default().tasks(3).tasks_per_principal(1));
    for _ in 0..3 {
        engine.start(launch(endless())).await.unwrap();
    }
    assert_eq!(
        limit(engine.start(launch(endless())).await.unwrap_err()),
        (LimitKind::Tasks, 3)
    );
}

#[tokio::test(start_paused = true)]
async fn payloads_are_limited_each_way() {
    let engine = limited(Limits::default().payload_bytes(100));
    let big = "x".repeat(200);
    let mut arguments = JsonObject::new();
    arguments.insert("a".into(), json!(big));
    let call = Launch {
        arguments,
        ..launch(endless())
    };
    assert_eq!(
        limit(engine.start(call).await.unwrap_err()),
        (LimitKind::PayloadBytes, 100)
    );
    assert_eq!(engine.stats().running, 0);

    let id = engine
        .go(tool(move |_| std::future::ready(done(&big))))
        .await;
    let failed = error(&engine.end(&id).await);
    assert_eq!(failed.data.unwrap()["limit"], "payloadBytes");

    let id = engine
        .go(tool(|ctx| async move {
            done(&format!("{:?}", ctx.roots().await))
        }))
        .await;
    engine.look(&id).await;
    let answer = json!({"roots": [{"uri": "x".repeat(200)}]});
    let refused = engine
        .answer(&id, None, [("roots".to_owned(), answer)])
        .await
        .unwrap_err();
    assert_eq!(limit(refused), (LimitKind::PayloadBytes, 100));
    assert_eq!(engine.look(&id).await.status(), Status::InputRequired);
}

/// covers: L-RES-2
#[tokio::test(start_paused = true)]
async fn waiters_are_limited_and_a_gone_one_makes_room() {
    let engine = limited(Limits::default().waiters(1));
    let id = engine.go(endless()).await;
    let first = engine.subscribe(&id, None).await.unwrap();
    let refused = engine.subscribe(&id, None).await.unwrap_err();
    assert_eq!(limit(refused), (LimitKind::Waiters, 1));
    drop(first);
    engine.subscribe(&id, None).await.unwrap();
    assert_eq!(engine.stats().waiters, 0);
}

#[tokio::test(start_paused = true)]
async fn waiters_are_limited_for_each_principal_that_there_is() {
    let engine = limited(Limits::default().waiters(4).waiters_per_principal(1));
    let (alice, bob) = (Principal::from("alice"), Principal::from("bob"));
    let alices = started(engine.start(of("alice", endless())).await.unwrap());
    let bobs = started(engine.start(of("bob", endless())).await.unwrap());
    let alices = async || engine.subscribe(alices.id().as_str(), Some(&alice)).await;
    let bobs = async || engine.subscribe(bobs.id().as_str(), Some(&bob)).await;
    let first = bobs().await.unwrap();
    let refused = bobs().await.unwrap_err();
    assert_eq!(limit(refused), (LimitKind::WaitersPerPrincipal, 1));
    let _other = alices().await.unwrap();
    drop(first);
    let _again = bobs().await.unwrap();
    let id = engine.go(endless()).await;
    let nobodys = async || engine.subscribe(&id, None).await;
    let _two = [nobodys().await.unwrap(), nobodys().await.unwrap()];
    let refused = nobodys().await.unwrap_err();
    assert_eq!(limit(refused), (LimitKind::Waiters, 4));
}

#[tokio::test(start_paused = true)]
async fn a_tools_concurrency_makes_calls_wait_in_line() {
    let engine = engine();
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (n, m) = (Arc::clone(&now), Arc::clone(&most));
    let narrow = with(
        tool(move |_| {
            let (now, most) = (Arc::clone(&n), Arc::clone(&m));
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::Relaxed) + 1, Ordering::Relaxed);
                tokio::time::sleep(SECOND).await;
                now.fetch_sub(1, Ordering::Relaxed);
                done("x")
            }
        }),
        |options| options.concurrency = Some(2),
    );
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(engine.go(narrow.clone()).await);
    }
    let waiting = engine.look(&ids[4]).await;
    assert_eq!(waiting.status_message(), Some("waiting for a free place"));
    for id in &ids {
        assert_eq!(engine.end(id).await.status_message(), None);
    }
    assert_eq!(most.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn a_time_to_live_is_the_clients_else_the_tools_up_to_the_ceiling() {
    let engine = limited(
        Limits::default()
            .max_ttl(Some(100 * SECOND))
            .default_ttl(None),
    );
    let ttl = async |asked, tool: Option<Duration>| {
        let call = Launch {
            ttl_ms: asked,
            ..launch(with(endless(), |options| options.ttl = tool))
        };
        started(engine.start(call).await.unwrap()).ttl_ms()
    };
    assert_eq!(ttl(Some(5000), Some(7 * SECOND)).await, Some(5000));
    assert_eq!(ttl(None, Some(7 * SECOND)).await, Some(7000));
    assert_eq!(ttl(Some(u64::MAX), None).await, Some(100_000));
    assert_eq!(ttl(None, None).await, Some(100_000));
    let free = limited(Limits::default().max_ttl(None).default_ttl(None));
    assert_eq!(
        started(free.start(launch(endless())).await.unwrap()).ttl_ms(),
        None
    );
}

#[tokio::test(start_paused = true)]
async fn a_foreign_task_is_like_none() {
    let engine = engine();
    let task = started(engine.start(of("alice", endless())).await.unwrap());
    let id = task.id().as_str();
    let (alice, bob) = (Principal::from("alice"), Principal::from("bob"));
    for other in [None, Some(&bob)] {
        let answers = [("k".to_owned(), json!({}))];
        for refused in [
            engine.get(id, other).await.map(drop),
            engine.wait(id, other).await.map(drop),
            engine.subscribe(id, other).await.map(drop),
            engine.answer(id, other, answers).await.map(drop),
            engine.refuse(id, other, "k", "no").await.map(drop),
            engine.cancel(id, other, Cancel::Now).await.map(drop),
            engine.cancel(id, other, Cancel::Request).await.map(drop),
            engine.get(&"x".repeat(300), other).await.map(drop),
        ] {
            assert!(matches!(refused, Err(EngineError::NotFound)), "{refused:?}");
        }
        assert!(engine.list(other, None).await.unwrap().tasks.is_empty());
    }
    assert_eq!(
        engine.get(id, Some(&alice)).await.unwrap().status(),
        Status::Working
    );
    assert_eq!(
        engine.list(Some(&alice), None).await.unwrap().tasks.len(),
        1
    );
}

/// covers: L-LIST-1
#[tokio::test(start_paused = true)]
async fn listings_come_in_pages_with_opaque_cursors() {
    let engine = limited(Limits::default().page_size(3));
    let mut ids = Vec::new();
    for _ in 0..7 {
        ids.push(engine.go(endless()).await);
        tokio::time::sleep(SECOND / 100).await;
    }
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = engine.list(None, cursor.as_deref()).await.unwrap();
        seen.extend(page.tasks.iter().map(|task| task.id().to_string()));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    ids.sort();
    seen.sort();
    assert_eq!(seen, ids);
    for bad in ["", "x", "bm9uc2Vuc2U", "!!!", "MS4", "MDEuYQ"] {
        let refused = engine.list(None, Some(bad)).await;
        assert!(
            matches!(refused, Err(EngineError::BadCursor)),
            "{bad}: {refused:?}"
        );
    }
}
