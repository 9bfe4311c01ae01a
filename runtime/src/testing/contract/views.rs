//! What is seen of tasks that come, go and expire.

use std::sync::Arc;

use super::kit::*;
use crate::{
    store::{Count, Position, StoreError, Swap, TaskStore},
    task::{Principal, TaskFailure, WorkerId},
};

pub(super) async fn removed(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn expired(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn paging(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn owners(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn counted(store: Arc<dyn TaskStore>) -> Case {
    let expect = async |step: &str, alices: u64, nobodys: u64| {
        let alice = Principal::from("alice");
        let bob = Principal::from("bob");
        let owners = [(Some(&alice), alices), (None, nobodys), (Some(&bob), 0)];
        for (owner, of_owner) in owners {
            let all = alices + nobodys;
            let count = store.count(owner).await.map_err(oops)?;
            ensure(
                count == Count { all, of_owner },
                format!("{step}, `count` of {owner:?} gives {count:?}, not {of_owner} of {all}"),
            )?;
        }
        Ok::<_, String>(())
    };
    expect("with no task", 0, 0).await?;
    let first = put(&store, task("first", Some("alice"), NOW, Some(10))).await?;
    put(&store, task("second", Some("alice"), NOW, None)).await?;
    put(&store, task("third", None, NOW, None)).await?;
    expect("after three were made", 2, 1).await?;
    let taken = store.create(Arc::new(task("first", None, NOW, None))).await;
    ensure(
        matches!(taken, Err(StoreError::Exists(_))),
        "an id was taken twice",
    )?;
    expect("after an id was refused", 2, 1).await?;
    // Ended and expired ones are kept all the same.
    update(&store, completed(&first)?).await?;
    store.expired(later(10), 9).await.map_err(oops)?;
    expect("after one has ended and expired", 2, 1).await?;
    for _ in 0..2 {
        store.remove("first").await.map_err(oops)?;
    }
    expect("after one was removed", 1, 1).await?;
    store.remove("third").await.map_err(oops)?;
    store.remove("second").await.map_err(oops)?;
    expect("after all were removed", 0, 0).await
}
