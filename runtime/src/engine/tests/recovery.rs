//! Processes that die, and those that come after. A process is a tokio runtime here; it dies by being dropped.

use std::{
    future::IntoFuture,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};

use super::*;
use crate::{
    BoxFuture,
    store::{Position, StoreError, Swap},
    task::{Timestamp, WorkerId},
    testing::TestClock,
    tool::{OnRestart, StateMap},
};

/// A store that outlives its processes.
#[derive(Default)]
struct Disk {
    inner: MemoryStore,
    /// Signs of life get lost.
    deaf: AtomicBool,
    /// So many updates fail.
    failing: AtomicUsize,
}

impl TaskStore for Disk {
    fn is_durable(&self) -> bool {
        true
    }

    fn heartbeat<'a>(
        &'a self,
        worker: &'a WorkerId,
        until: Timestamp,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        if self.deaf.load(Relaxed) {
            return Box::pin(std::future::ready(Ok(())));
        }
        self.inner.heartbeat(worker, until, now)
    }

    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
        let fails = self
            .failing
            .fetch_update(Relaxed, Relaxed, |n| n.checked_sub(1));
        if fails.is_ok() {
            let error = StoreError::Other("not now".to_owned());
            return Box::pin(std::future::ready(Err(error)));
        }
        self.inner.update(task)
    }

    crate::store::delegate!(inner: create, get, remove, list, count, expired, next_expiry, claim);
}

struct Process {
    runtime: tokio::runtime::Runtime,
    engine: Engine,
}

impl Process {
    /// Starts at an hour after the test's begin.
    fn start(disk: &Arc<Disk>, hour: i64) -> Self {
        Self::limited(disk, hour, Limits::default())
    }

    fn limited(disk: &Arc<Disk>, hour: i64, limits: Limits) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        let clock = runtime.block_on(async {
            Arc::new(TestClock::at(Timestamp::from_millis(
                1_800_000_000_000 + hour * 3_600_000,
            )))
        });
        let engine = Engine::builder(Arc::clone(disk) as Arc<dyn TaskStore>)
            .clock(clock)
            .limits(limits.max_ttl(None).default_ttl(None))
            .build()
            .unwrap();
        Self { runtime, engine }
    }

    fn run<T>(&self, work: impl AsyncFnOnce(&Engine) -> T) -> T {
        self.runtime.block_on(work(&self.engine))
    }

    /// Takes up what is left, running it by this tool.
    fn recover(&self, tool: &Tool) {
        let tool = tool.clone();
        self.run(async move |engine| {
            engine.recover(move |_| Recovery::Rerun {
                tool: tool.clone(),
                state: StateMap::default(),
            });
            settle().await;
        });
    }

    fn die(self) {
        drop(self.runtime);
    }
}

fn rerun(tool: Tool) -> Tool {
    with(tool, |options| options.on_restart = OnRestart::Rerun)
}

fn name(name: &str) -> Value {
    json!({"action": "accept", "content": {"value": name}})
}

#[test]
fn a_task_that_is_run_again_asks_nobody_twice_and_repeats_no_side_effect() {
    let disk = Arc::new(Disk::default());
    let effects = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&effects);
    let tool = rerun(tool(move |ctx| {
        let count = Arc::clone(&count);
        async move {
            let first = ctx.elicit::<String>("First?").await?.required()?;
            let effect = ctx
                .once("effect", async { count.fetch_add(1, Relaxed) })
                .await?;
            let second = ctx.elicit::<String>("Second?").await?.required()?;
            done(&format!("{first} {second} {effect}"))
        }
    }));
    let process = Process::start(&disk, 0);
    let (id, asked) = process.run(async |engine| {
        let id = engine.go(tool.clone()).await;
        engine.look(&id).await;
        engine
            .answer(&id, None, [("elicitation".to_owned(), name("Ada"))])
            .await
            .unwrap();
        let asked = engine.look(&id).await;
        (id, asked)
    });
    process.die();

    let process = Process::start(&disk, 1);
    process.recover(&tool);
    process.run(async |engine| {
        let again = engine.look(&id).await;
        assert!(again.looks_like(&asked), "{again:?}");
        let keys: Vec<_> = again
            .input_requests()
            .map(|question| question.key.as_str())
            .collect();
        assert_eq!(keys, ["elicitation-2"]);
        engine
            .answer(&id, None, [("elicitation-2".to_owned(), name("Lovelace"))])
            .await
            .unwrap();
        assert_eq!(result(&engine.end(&id).await), text("Ada Lovelace 0"));
    });
    assert_eq!(effects.load(Relaxed), 1);
}

#[test]
fn what_cannot_be_run_again_fails_and_what_was_to_be_cancelled_is() {
    let disk = Arc::new(Disk::default());
    let stubborn = with(endless(), |options| {
        options.cancel = crate::tool::CancelMode::Cooperative
    });
    let process = Process::start(&disk, 0);
    let (fails, cancelled) = process.run(async |engine| {
        let (fails, cancelled) = (engine.go(endless()).await, engine.go(stubborn).await);
        engine
            .cancel(&cancelled, None, Cancel::Request)
            .await
            .unwrap();
        (fails, cancelled)
    });
    process.die();
    let process = Process::start(&disk, 1);
    process.run(async |engine| {
        engine.recover(|_| Recovery::Fail("the server was restarted".to_owned()));
        let task = engine.end(&fails).await;
        assert_eq!(task.status_message(), Some("the server was restarted"));
        assert_eq!(error(&task).code, -32603);
        assert_eq!(engine.end(&cancelled).await.status(), Status::Cancelled);
    });
}

#[test]
fn what_cannot_be_run_again_fails_as_soon_as_the_store_can() {
    let disk = Arc::new(Disk::default());
    let process = Process::start(&disk, 0);
    let ids = process.run(async |engine| [engine.go(endless()).await, engine.go(endless()).await]);
    process.die();
    disk.failing.store(3, Relaxed);
    let process = Process::start(&disk, 1);
    process.run(async |engine| {
        engine.recover(|_| Recovery::Fail("the server was restarted".to_owned()));
        for id in &ids {
            let end = tokio::time::timeout(60 * SECOND, engine.end(id)).await;
            let task = end.expect("it is not left working");
            assert_eq!(task.status(), Status::Failed);
        }
    });
}

#[test]
fn a_function_that_asks_something_else_is_told_so() {
    let disk = Arc::new(Disk::default());
    let run = Arc::new(AtomicUsize::new(0));
    let tool = rerun(tool(move |ctx| {
        let question = format!("Question {}?", run.fetch_add(1, Relaxed));
        async move { done(&format!("{:?}", ctx.elicit::<String>(question).await?)) }
    }));
    let process = Process::start(&disk, 0);
    let id = process.run(async |engine| {
        let id = engine.go(tool.clone()).await;
        engine.look(&id).await;
        id
    });
    process.die();
    let process = Process::start(&disk, 1);
    process.recover(&tool);
    process.run(async |engine| {
        let task = engine.end(&id).await;
        assert!(
            task.status_message()
                .unwrap()
                .contains("same questions in the same order"),
            "{task:?}"
        );
    });
}

#[test]
fn tasks_of_a_living_process_are_left_alone_and_those_of_a_silent_one_are_taken() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let disk = Arc::new(Disk::default());
        let engines = [0, 1].map(|_| {
            Engine::builder(Arc::clone(&disk) as Arc<dyn TaskStore>)
                .lease(6 * SECOND)
                .build()
                .unwrap()
        });
        let (tool, tell) = told();
        let first = rerun(tool);
        let again = rerun(super::tool(|_| async { done("second run") }));
        let id = engines[0].go(first).await;
        engines[1].recover(move |_| Recovery::Rerun {
            tool: again.clone(),
            state: StateMap::default(),
        });
        tokio::time::sleep(60 * SECOND).await;
        assert_eq!(
            engines[1].look(&id).await.status(),
            Status::Working,
            "taken from a living process"
        );
        // Watching from the other process works too.
        let watching = {
            let (engine, id) = (engines[1].clone(), id.clone());
            tokio::spawn(async move { engine.wait(&id, None).await })
        };
        settle().await;
        disk.deaf.store(true, Relaxed);
        let end = watching.await.unwrap().unwrap();
        assert_eq!(result(&end), text("second run"));
        // The first process still runs it; its end does not count any more.
        let _ = tell.send(done("first run"));
        tokio::time::sleep(60 * SECOND).await;
        assert_eq!(engines[0].look(&id).await, end);
        for engine in &engines {
            assert_eq!(engine.stats(), Stats::default());
        }
    });
}

#[test]
fn a_clean_stop_leaves_tasks_that_the_next_process_takes_up_at_once() {
    let disk = Arc::new(Disk::default());
    let tool = rerun(tool(|ctx| async move {
        let name = ctx.elicit::<String>("Name?").await?.required()?;
        done(&name)
    }));
    let process = Process::start(&disk, 0);
    let id = process.run(async |engine| {
        let id = engine.go(tool.clone()).await;
        engine.look(&id).await;
        let waiting = {
            let (engine, id) = (engine.clone(), id.clone());
            tokio::spawn(async move { engine.wait(&id, None).await })
        };
        settle().await;
        engine.shutdown(SECOND).await;
        assert!(matches!(
            waiting.await.unwrap(),
            Err(EngineError::ShuttingDown)
        ));
        id
    });
    process.die();
    // No time has passed, so only a lease that was given back lets it in.
    let process = Process::start(&disk, 0);
    process.recover(&tool);
    process.run(async |engine| {
        let task = engine.look(&id).await;
        assert_eq!(task.status(), Status::InputRequired);
        engine
            .answer(&id, None, [("elicitation".to_owned(), name("Ada"))])
            .await
            .unwrap();
        assert_eq!(result(&engine.end(&id).await), text("Ada"));
    });
}

#[test]
fn many_tasks_are_taken_up_within_the_limit() {
    let disk = Arc::new(Disk::default());
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (n, m) = (Arc::clone(&running), Arc::clone(&most));
    let tool = rerun(tool(move |_| {
        let (running, most) = (Arc::clone(&n), Arc::clone(&m));
        async move {
            most.fetch_max(running.fetch_add(1, Relaxed) + 1, Relaxed);
            tokio::time::sleep(60 * SECOND).await;
            running.fetch_sub(1, Relaxed);
            done("x")
        }
    }));
    let process = Process::start(&disk, 0);
    let ids = process.run(async |engine| {
        let mut ids = Vec::new();
        for _ in 0..50 {
            ids.push(engine.go(tool.clone()).await);
        }
        ids
    });
    process.die();
    // The dead count no more.
    running.store(0, Relaxed);
    most.store(0, Relaxed);
    let process = Process::limited(&disk, 1, Limits::default().tasks(7));
    process.recover(&tool);
    process.run(async |engine| {
        for id in &ids {
            assert_eq!(engine.end(id).await.status(), Status::Completed);
        }
    });
    assert_eq!(most.load(Relaxed), 7);
}

#[test]
fn a_question_given_up_in_the_first_run_gets_a_new_key_in_the_second() {
    let disk = Arc::new(Disk::default());
    let tool = rerun(tool(|ctx| async move {
        let name = ctx.elicit::<String>("Name?").named("name").into_future();
        let name = tokio::time::timeout(SECOND, name).await;
        if name.is_err() {
            std::future::pending::<()>().await;
        }
        done(&format!("{:?}", name))
    }));
    let process = Process::start(&disk, 0);
    let id = process.run(async |engine| {
        let id = engine.go(tool.clone()).await;
        tokio::time::sleep(2 * SECOND).await;
        assert_eq!(engine.look(&id).await.status(), Status::Working);
        id
    });
    process.die();
    let process = Process::start(&disk, 1);
    process.recover(&tool);
    process.run(async |engine| {
        let task = engine.look(&id).await;
        let keys: Vec<_> = task
            .input_requests()
            .map(|question| question.key.as_str())
            .collect();
        assert_eq!(keys, ["name~2"]);
    });
}

#[cfg(feature = "sqlite")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_in_a_file_is_cancelled_from_another_process() {
    let directory = tempfile::tempdir().unwrap();
    let open = || {
        let store = crate::store::SqliteStore::open(directory.path().join("tasks.db")).unwrap();
        Engine::builder(Arc::new(store))
            .lease(SECOND / 5)
            .build()
            .unwrap()
    };
    let (one, two) = (open(), open());
    let id = one.go(endless()).await;
    let waiting = {
        let (engine, id) = (one.clone(), id.clone());
        tokio::spawn(async move { engine.wait(&id, None).await })
    };
    let cancelled = two.cancel(&id, None, Cancel::Now).await.unwrap();
    assert_eq!(one.get(&id, None).await.unwrap(), cancelled);
    assert_eq!(waiting.await.unwrap().unwrap(), cancelled);
    // The run notices with its next sign of life.
    one.shutdown(Duration::from_secs(60)).await;
    assert_eq!(two.get(&id, None).await.unwrap(), cancelled);
}
