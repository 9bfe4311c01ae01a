//! Who may change a task, and what of it.

use std::sync::Arc;

use super::kit::*;
use crate::{
    store::{Swap, TaskStore},
    task::{Principal, Task},
};

pub(super) async fn versions(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn races(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn terminal(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn owner(store: Arc<dyn TaskStore>) -> Case {
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
