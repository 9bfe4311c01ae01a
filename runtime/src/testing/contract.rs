//! What every store promises, as code: one function a rule, and a walk of random steps beside a model.

use std::{fmt, future::Future, sync::Arc};

use serde_json::json;

use super::model;
use crate::{
    context::{InputKinds, InputRequest},
    store::{Position, StoreError, Swap, TaskStore},
    task::{
        Answer, Asked, Call, NewTask, Payload, Principal, Task, TaskFailure, TaskId, Timestamp,
        WorkerId,
    },
};

/// A promise that a store did not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenRule {
    /// The rule, in a sentence.
    pub rule: &'static str,
    /// What happened instead.
    pub detail: String,
}

impl fmt::Display for BrokenRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the store breaks the rule \"{}\": {}",
            self.rule, self.detail
        )
    }
}

impl std::error::Error for BrokenRule {}

/// Panics if a store does not keep the promises of [`TaskStore`].
///
/// `make_store` gives a new empty store each time it is called. Run it inside a multi-threaded tokio runtime, so that
/// races are real.
///
/// ```
/// # #[tokio::main]
/// # async fn main() {
/// mcp_tasks::testing::store_contract(|| std::sync::Arc::new(mcp_tasks::store::MemoryStore::new())).await;
/// # }
/// ```
///
/// # Panics
/// On the first broken rule, with a message that names it.
pub async fn store_contract<S: TaskStore>(make_store: impl Fn() -> Arc<S>) {
    if let Err(broken) = check_store(make_store).await {
        panic!("{broken}");
    }
}

/// As [`store_contract`], with the broken rule as an error.
///
/// # Errors
/// The first broken rule.
pub async fn check_store<S: TaskStore>(make_store: impl Fn() -> Arc<S>) -> Result<(), BrokenRule> {
    let store = || make_store() as Arc<dyn TaskStore>;
    rule(
        "a created task is there for every later read, with every fact of it",
        created(store()),
    )
    .await?;
    rule("an id is taken once", taken_once(store())).await?;
    rule("a key is used once in a task's life", keys_once(store())).await?;
    rule(
        "every fact of a task survives its updates",
        survives(store()),
    )
    .await?;
    rule("an update needs the version before it", versions(store())).await?;
    rule(
        "of updates that race from one version exactly one wins",
        races(store()),
    )
    .await?;
    rule("a terminal task never changes", terminal(store())).await?;
    rule("a task's owner never changes", owner(store())).await?;
    rule("a removed task is gone everywhere", removed(store())).await?;
    rule(
        "an expired task is absent everywhere but in `expired`",
        expired(store()),
    )
    .await?;
    rule(
        "paging visits each task once while tasks come and go",
        paging(store()),
    )
    .await?;
    rule(
        "a listing shows its owner's tasks and no one else's",
        owners(store()),
    )
    .await?;
    rule(
        "only abandoned tasks are claimed, each by one worker",
        claims(store()),
    )
    .await?;
    for seed in 0..model::WALKS {
        rule(model::RULE, model::walk(store(), seed)).await?;
    }
    Ok(())
}

async fn rule(
    rule: &'static str,
    case: impl Future<Output = Result<(), String>>,
) -> Result<(), BrokenRule> {
    case.await.map_err(|detail| BrokenRule { rule, detail })
}

pub(super) type Case = Result<(), String>;

pub(super) const NOW: Timestamp = Timestamp::from_millis(1_800_000_000_000);

pub(super) fn later(millis: u64) -> Timestamp {
    NOW.after_millis(millis)
}

pub(super) fn oops(error: StoreError) -> String {
    format!("it fails with \"{error}\"")
}

fn ensure(holds: bool, otherwise: impl Into<String>) -> Case {
    if holds { Ok(()) } else { Err(otherwise.into()) }
}

fn request(message: &str) -> InputRequest {
    let params =
        json!({"message": message, "requestedSchema": {"type": "object", "properties": {}}});
    InputRequest {
        method: "elicitation/create".to_owned(),
        params: params.as_object().cloned(),
    }
}

/// A task in which every member has a value.
pub(super) fn task(id: &str, owner: Option<&str>, created: Timestamp, ttl: Option<u64>) -> Task {
    let text = r#"{"text":"snow \u2603 \" \\ 雪","n":1.50,"big":9007199254740993,"null":null}"#;
    // Constant JSON, and numbers that a careless store would change.
    let payload =
        |text: &str| Payload::from_text(text.to_owned()).unwrap_or_else(|e| panic!("{e}"));
    Task::new(NewTask {
        id: TaskId::from(id),
        owner: owner.map(Principal::from),
        call: Call {
            tool: "tool with 'quotes'".to_owned(),
            arguments: payload(text),
            answers: payload(r#"{"name":{"first":"A"}}"#),
            can_ask: InputKinds {
                form: true,
                roots: true,
                ..InputKinds::default()
            },
            cooperative: true,
        },
        created_at: created,
        ttl_ms: ttl,
        expires_at: ttl.map(|ttl| created.after_millis(ttl)),
        poll_interval_ms: Some(1500),
        worker: Some(WorkerId::from("worker-1")),
        status_message: Some("began".into()),
        kept: [("seed".to_owned(), json!(7))].into(),
    })
}

async fn put(store: &Arc<dyn TaskStore>, task: Task) -> Result<Arc<Task>, String> {
    let task = Arc::new(task);
    store.create(Arc::clone(&task)).await.map_err(oops)?;
    Ok(task)
}

async fn get(
    store: &Arc<dyn TaskStore>,
    id: &str,
    now: Timestamp,
) -> Result<Option<Arc<Task>>, String> {
    store.get(id, now).await.map_err(oops)
}

async fn update(store: &Arc<dyn TaskStore>, task: Task) -> Result<Swap, String> {
    store.update(Arc::new(task)).await.map_err(oops)
}

fn message(task: &Task, text: &str) -> Result<Task, String> {
    let mut change = task
        .change(later(5))
        .map_err(|terminal| terminal.to_string())?;
    change.message(Some(text.into()));
    change
        .commit()
        .ok_or_else(|| "the message did not change".to_owned())
}

fn cancelled(task: &Task) -> Result<Task, String> {
    Ok(task
        .change(later(9))
        .map_err(|terminal| terminal.to_string())?
        .cancel("called off"))
}

fn completed(task: &Task) -> Result<Task, String> {
    let result =
        Payload::of(&json!({"content": [], "n": 1.5})).map_err(|error| error.to_string())?;
    Ok(task
        .change(later(9))
        .map_err(|terminal| terminal.to_string())?
        .complete(result, true))
}

async fn created(store: Arc<dyn TaskStore>) -> Case {
    ensure(
        get(&store, "none", NOW).await?.is_none(),
        "an id never used gives a task",
    )?;
    for (id, owner, ttl) in [("a", Some("alice"), Some(60_000)), ("b", None, None)] {
        let stored = put(&store, task(id, owner, NOW, ttl)).await?;
        let Some(read) = get(&store, id, NOW).await? else {
            return Err(format!("`{id}` is not found right after it was created"));
        };
        ensure(
            *read == *stored,
            format!("stored {stored:?}, read {read:?}"),
        )?;
        let listed = store
            .list(stored.owner(), None, 10, NOW)
            .await
            .map_err(oops)?;
        ensure(
            listed.iter().any(|task| **task == *stored),
            format!("`{id}` is not listed"),
        )?;
    }
    Ok(())
}

async fn taken_once(store: Arc<dyn TaskStore>) -> Case {
    let first = put(&store, task("a", Some("alice"), NOW, None)).await?;
    match store
        .create(Arc::new(task("a", Some("bob"), later(1), None)))
        .await
    {
        Err(StoreError::Exists(_)) => {}
        other => return Err(format!("creating the same id again gives {other:?}")),
    }
    ensure(
        get(&store, "a", NOW).await?.as_deref() == Some(&*first),
        "the first task was replaced",
    )
}

async fn survives(store: Arc<dyn TaskStore>) -> Case {
    let mut last = (*put(&store, task("a", Some("alice"), NOW, Some(60_000))).await?).clone();
    for step in 0..6 {
        let mut change = last
            .change(later(step))
            .map_err(|terminal| terminal.to_string())?;
        match step {
            0 => change.message(None),
            1 => drop(
                change
                    .ask("name", &request("who?"), 9)
                    .map_err(|error| error.to_string())?,
            ),
            2 => drop(change.answer(
                "name",
                Answer::Result(json!({"action": "accept", "content": {"n": 1.0}})),
            )),
            3 => drop(change.keep("other", json!(null), 9)),
            4 => change.poll_interval_ms(None),
            _ => change.request_cancel(),
        }
        let next = change.commit().ok_or("the step changed nothing")?;
        match update(&store, next.clone()).await? {
            Swap::Done => {}
            other => return Err(format!("the direct successor is refused: {other:?}")),
        }
        let read = get(&store, "a", NOW)
            .await?
            .ok_or("the task is gone after an update")?;
        ensure(*read == next, format!("stored {next:?}, read {read:?}"))?;
        last = next;
    }
    for (id, end) in [("c", 0), ("d", 1), ("e", 2)] {
        let begun = put(&store, task(id, None, NOW, None)).await?;
        let ended = match end {
            0 => completed(&begun)?,
            1 => cancelled(&begun)?,
            _ => {
                let change = begun
                    .change(later(1))
                    .map_err(|terminal| terminal.to_string())?;
                let data = Some(json!({"why": [1, 2.5, null]}));
                change.fail(TaskFailure {
                    code: -32000,
                    message: "broken".to_owned(),
                    data,
                })
            }
        };
        update(&store, ended.clone()).await?;
        let read = get(&store, id, NOW)
            .await?
            .ok_or("a terminal task is gone")?;
        ensure(*read == ended, format!("stored {ended:?}, read {read:?}"))?;
    }
    Ok(())
}

async fn keys_once(store: Arc<dyn TaskStore>) -> Case {
    let begun = put(&store, task("a", None, NOW, None)).await?;
    let change = |task: &Task| {
        task.change(later(1))
            .map_err(|terminal| terminal.to_string())
    };
    let mut ask = change(&begun)?;
    for slot in ["one", "two"] {
        ask.ask(slot, &request(slot), 9)
            .map_err(|error| error.to_string())?;
    }
    let asked = ask.commit().ok_or("asking changed nothing")?;
    update(&store, asked.clone()).await?;
    let mut answer = change(&asked)?;
    answer.answer("one", Answer::Result(json!({"action": "decline"})));
    answer.withdraw("two");
    update(&store, answer.commit().ok_or("answering changed nothing")?).await?;

    let read = get(&store, "a", NOW).await?.ok_or("the task is gone")?;
    let mut again = change(&read)?;
    for key in ["one", "two"] {
        let taken = again.answer(key, Answer::Result(json!({"action": "cancel"})));
        ensure(
            !taken,
            format!("after a read the closed key `{key}` takes another answer"),
        )?;
    }
    let asked = again
        .ask("one", &request("one"), 9)
        .map_err(|error| error.to_string())?;
    ensure(
        asked == Asked::Answered(Answer::Result(json!({"action": "decline"}))),
        format!("after a read the answered question `one` is asked again: {asked:?}"),
    )?;
    let asked = again
        .ask("two", &request("two"), 9)
        .map_err(|error| error.to_string())?;
    ensure(
        asked != Asked::Open("two".to_owned()),
        "after a read the withdrawn key `two` is used again",
    )
}

async fn versions(store: Arc<dyn TaskStore>) -> Case {
    let first = put(&store, task("a", None, NOW, None)).await?;
    let second = message(&first, "second")?;
    let third = message(&second, "third")?;
    ensure(
        matches!(update(&store, third).await?, Swap::Conflict(stored) if *stored == *first),
        "a version was skipped, or the conflict does not give what is stored",
    )?;
    ensure(
        matches!(update(&store, second.clone()).await?, Swap::Done),
        "the successor is refused",
    )?;
    let stale = message(&first, "stale")?;
    ensure(
        matches!(update(&store, stale).await?, Swap::Conflict(stored) if *stored == second),
        "a stale update is taken, or the conflict does not give what is stored",
    )?;
    ensure(
        matches!(
            update(&store, message(&task("b", None, NOW, None), "x")?).await?,
            Swap::Gone
        ),
        "updating a task that does not exist is not `Gone`",
    )
}

async fn races(store: Arc<dyn TaskStore>) -> Case {
    for round in 0..8 {
        let id = format!("race-{round}");
        let begun = put(&store, task(&id, None, NOW, None)).await?;
        let mut racers = tokio::task::JoinSet::new();
        for racer in 0..8 {
            let store = Arc::clone(&store);
            let next = match racer % 3 {
                0 => completed(&begun)?,
                1 => cancelled(&begun)?,
                _ => message(&begun, &format!("racer {racer}"))?,
            };
            racers.spawn(async move { (next.clone(), store.update(Arc::new(next)).await) });
        }
        let mut winners = Vec::new();
        while let Some(done) = racers.join_next().await {
            let (next, swap) = done.map_err(|error| error.to_string())?;
            if matches!(swap.map_err(oops)?, Swap::Done) {
                winners.push(next);
            }
        }
        ensure(
            winners.len() == 1,
            format!("{} of 8 racing updates won", winners.len()),
        )?;
        let read = get(&store, &id, NOW)
            .await?
            .ok_or("the task is gone after a race")?;
        ensure(
            *read == winners[0],
            "what is stored is not what the winner stored",
        )?;
    }
    Ok(())
}

async fn terminal(store: Arc<dyn TaskStore>) -> Case {
    let begun = put(&store, task("a", None, NOW, None)).await?;
    let ended = completed(&begun)?;
    update(&store, ended.clone()).await?;
    // The state machine gives no successor of a terminal task, so one is forged.
    let mut forged = ended.to_record();
    forged.version += 1;
    forged.status_message = Some("forged".into());
    let forged = Task::from_record(forged).map_err(|error| error.to_string())?;
    let swap = store.update(Arc::new(forged)).await;
    ensure(
        !matches!(swap, Ok(Swap::Done)),
        "the successor of a terminal task is taken",
    )?;
    let cancel = update(&store, cancelled(&begun)?).await?;
    ensure(
        matches!(cancel, Swap::Conflict(_)),
        "a finished task can be cancelled",
    )?;
    let read = get(&store, "a", NOW)
        .await?
        .ok_or("the terminal task is gone")?;
    ensure(
        *read == ended,
        format!("the terminal task has changed to {read:?}"),
    )
}

async fn owner(store: Arc<dyn TaskStore>) -> Case {
    let begun = put(&store, task("a", Some("alice"), NOW, None)).await?;
    let mut forged = message(&begun, "mine now")?.to_record();
    forged.owner = Some(Principal::from("mallory"));
    let forged = Task::from_record(forged).map_err(|error| error.to_string())?;
    // Refusing the update or leaving the owner out of it are both right.
    let _ = store.update(Arc::new(forged)).await;
    let read = get(&store, "a", NOW).await?.ok_or("the task is gone")?;
    ensure(
        read.owner() == begun.owner(),
        format!("the owner is now {:?}", read.owner()),
    )?;
    let mallory = Principal::from("mallory");
    let listed = store
        .list(Some(&mallory), None, 10, NOW)
        .await
        .map_err(oops)?;
    ensure(listed.is_empty(), "the task is listed for another owner")
}

async fn removed(store: Arc<dyn TaskStore>) -> Case {
    put(&store, task("a", None, NOW, Some(10))).await?;
    ensure(
        store.remove("a").await.map_err(oops)?,
        "removing a task says that there was none",
    )?;
    ensure(
        !store.remove("a").await.map_err(oops)?,
        "removing twice says that there was one",
    )?;
    ensure(
        get(&store, "a", NOW).await?.is_none(),
        "a removed task is found",
    )?;
    ensure(
        store
            .list(None, None, 9, NOW)
            .await
            .map_err(oops)?
            .is_empty(),
        "a removed task is listed",
    )?;
    ensure(
        store.expired(later(99), 9).await.map_err(oops)?.is_empty(),
        "a removed task expires",
    )?;
    ensure(
        store.next_expiry().await.map_err(oops)?.is_none(),
        "a removed task has a deadline",
    )?;
    let other = WorkerId::from("worker-2");
    let claimed = store.claim(&other, NOW, 9).await.map_err(oops)?;
    ensure(claimed.is_empty(), "a removed task is claimed")
}

async fn expired(store: Arc<dyn TaskStore>) -> Case {
    let first = put(&store, task("first", None, NOW, Some(100))).await?;
    put(&store, task("second", None, NOW, Some(200))).await?;
    put(&store, task("forever", None, NOW, None)).await?;
    ensure(
        store.next_expiry().await.map_err(oops)? == Some(later(100)),
        "`next_expiry` is not the earliest deadline",
    )?;
    ensure(
        get(&store, "first", later(99)).await?.is_some(),
        "a task is absent before its time is over",
    )?;
    ensure(
        store.expired(later(99), 9).await.map_err(oops)?.is_empty(),
        "a task expires too early",
    )?;
    for now in [later(100), later(150)] {
        ensure(
            get(&store, "first", now).await?.is_none(),
            "`get` finds an expired task",
        )?;
        let listed = store.list(None, None, 9, now).await.map_err(oops)?;
        ensure(
            listed.iter().all(|task| task.id() != first.id()),
            "`list` shows an expired task",
        )?;
        let due = store.expired(now, 9).await.map_err(oops)?;
        ensure(
            due.len() == 1 && due[0].id() == first.id(),
            format!(
                "`expired` gives {} tasks instead of the one that is due",
                due.len()
            ),
        )?;
    }
    let due = store.expired(later(999), 9).await.map_err(oops)?;
    let due: Vec<&str> = due.iter().map(|task| task.id().as_str()).collect();
    ensure(
        due == ["first", "second"],
        format!("`expired` gives {due:?}, not the longest overdue first"),
    )?;
    let claimed = store
        .claim(&WorkerId::from("w"), later(150), 9)
        .await
        .map_err(oops)?;
    ensure(
        claimed.iter().all(|task| task.id() != first.id()),
        "`claim` takes an expired task",
    )?;
    let failed = first
        .change(later(150))
        .map_err(|terminal| terminal.to_string())?;
    let swap = update(&store, failed.fail(TaskFailure::internal("too late"))).await?;
    ensure(
        matches!(swap, Swap::Done),
        "an expired task cannot be failed before it goes",
    )?;
    store.remove("first").await.map_err(oops)?;
    ensure(
        store.next_expiry().await.map_err(oops)? == Some(later(200)),
        "`next_expiry` does not move on after a removal",
    )
}

async fn paging(store: Arc<dyn TaskStore>) -> Case {
    let alice = Principal::from("alice");
    let mut stay = Vec::new();
    for n in 0..30u64 {
        // Several in one millisecond, since clocks are that coarse.
        let id = format!("stay-{:02}", (n * 7) % 30);
        put(&store, task(&id, Some("alice"), later(n / 4), None)).await?;
        stay.push(id);
        put(
            &store,
            task(&format!("go-{n}"), Some("alice"), later(n / 4), None),
        )
        .await?;
    }
    let mut seen: Vec<String> = Vec::new();
    let mut after: Option<Position> = None;
    for round in 0.. {
        let page = store
            .list(Some(&alice), after.as_ref(), 7, NOW)
            .await
            .map_err(oops)?;
        ensure(page.len() <= 7, "a page holds more than asked for")?;
        let Some(last) = page.last() else { break };
        after = Some(Position::of(last));
        seen.extend(page.iter().map(|task| task.id().to_string()));
        ensure(round < 60, "paging does not end")?;
        // The last one seen goes as well: a position must not need its task.
        for gone in page
            .iter()
            .filter(|task| task.id().as_str().starts_with("go"))
        {
            store.remove(gone.id().as_str()).await.map_err(oops)?;
        }
        if round < 5 {
            let (gone, new) = (format!("go-{}", 29 - round), format!("new-{round}"));
            store.remove(&gone).await.map_err(oops)?;
            put(&store, task(&new, Some("alice"), later(round), None)).await?;
        }
    }
    for id in &stay {
        let times = seen.iter().filter(|seen| *seen == id).count();
        ensure(
            times == 1,
            format!("`{id}`, which was there throughout, was visited {times} times"),
        )?;
    }
    let mut unique = seen.clone();
    unique.sort();
    unique.dedup();
    ensure(unique.len() == seen.len(), "a task was visited twice")
}

async fn owners(store: Arc<dyn TaskStore>) -> Case {
    let names = [Some("alice"), Some("bob"), None, Some("")];
    for (n, name) in names.into_iter().enumerate() {
        put(&store, task(&format!("task-{n}"), name, NOW, None)).await?;
    }
    for (n, name) in names.into_iter().enumerate() {
        let owner = name.map(Principal::from);
        let listed = store
            .list(owner.as_ref(), None, 9, NOW)
            .await
            .map_err(oops)?;
        let ids: Vec<&str> = listed.iter().map(|task| task.id().as_str()).collect();
        ensure(
            ids == [format!("task-{n}")],
            format!("the listing of {name:?} shows {ids:?}"),
        )?;
    }
    Ok(())
}

async fn claims(store: Arc<dyn TaskStore>) -> Case {
    let (one, two, three) = (
        WorkerId::from("worker-1"),
        WorkerId::from("worker-2"),
        WorkerId::from("worker-3"),
    );
    store
        .heartbeat(&one, later(1000), NOW)
        .await
        .map_err(oops)?;
    for n in 0..10 {
        put(&store, task(&format!("task-{n}"), None, NOW, None)).await?;
    }
    let ended = completed(&*get(&store, "task-9", NOW).await?.ok_or("a task is gone")?)?;
    update(&store, ended).await?;
    for worker in [&two, &three] {
        store
            .heartbeat(worker, later(9999), NOW)
            .await
            .map_err(oops)?;
    }
    let claimed = store.claim(&two, later(999), 99).await.map_err(oops)?;
    ensure(claimed.is_empty(), "tasks of a living worker are claimed")?;
    let (left, right) = tokio::join!(
        store.claim(&two, later(1000), 4),
        store.claim(&three, later(1000), 99)
    );
    let (left, right) = (left.map_err(oops)?, right.map_err(oops)?);
    ensure(left.len() <= 4, "more tasks are claimed than asked for")?;
    ensure(
        left.len() + right.len() == 9,
        format!(
            "{} and {} of 9 abandoned tasks were claimed",
            left.len(),
            right.len()
        ),
    )?;
    for (worker, tasks) in [(&two, &left), (&three, &right)] {
        for task in tasks {
            let read = get(&store, task.id().as_str(), NOW)
                .await?
                .ok_or("a claimed task is gone")?;
            ensure(
                read.worker() == Some(worker),
                "a claimed task is not its worker's",
            )?;
            ensure(
                *read == **task && read.version() == 2,
                "a claim is not returned as it is stored",
            )?;
        }
    }
    for worker in [&two, &three] {
        store
            .heartbeat(worker, later(1000), later(1000))
            .await
            .map_err(oops)?;
    }
    let claimed = store.claim(&one, later(1000), 99).await.map_err(oops)?;
    ensure(
        claimed.len() == 9,
        format!("{} of 9 tasks of dead workers were claimed", claimed.len()),
    )
}
