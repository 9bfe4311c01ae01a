//! Who takes up the tasks of workers that are gone.

use std::sync::Arc;

use super::kit::*;
use crate::{store::TaskStore, task::WorkerId};

pub(super) async fn claims(store: Arc<dyn TaskStore>) -> Case {
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
