//! What is stored is what is read, and stays so.

use std::sync::Arc;

use serde_json::json;

use super::kit::*;
use crate::{
    store::{StoreError, Swap, TaskStore},
    task::{Answer, Asked, Task, TaskFailure},
};

pub(super) async fn created(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn taken_once(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn survives(store: Arc<dyn TaskStore>) -> Case {
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

pub(super) async fn keys_once(store: Arc<dyn TaskStore>) -> Case {
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
