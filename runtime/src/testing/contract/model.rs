//! A walk of random steps, with a model beside the store. What differs is reported with the seed and the steps.

use std::{collections::BTreeMap, fmt::Write as _, sync::Arc};

use serde_json::json;

use super::kit::{Case, NOW, later, oops, task};
use crate::{
    context::InputRequest,
    store::{Count, Position, Swap, TaskStore},
    task::{Answer, Payload, Principal, Task, TaskFailure, Timestamp, WorkerId},
};

pub(super) const RULE: &str = "a store behaves like a map of tasks";
pub(super) const WALKS: u64 = 8;
const STEPS: usize = 100;

/// Enough of a random number generator (xorshift64*), so that no dependency is needed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % sides
    }
}

#[derive(Default)]
struct Model {
    tasks: BTreeMap<String, Task>,
    alive: BTreeMap<WorkerId, Timestamp>,
}

impl Model {
    fn shown(&self, now: Timestamp) -> impl Iterator<Item = &Task> {
        self.tasks
            .values()
            .filter(move |task| !task.is_expired(now))
    }

    fn due(&self, now: Timestamp) -> Vec<String> {
        let mut due: Vec<&Task> = self
            .tasks
            .values()
            .filter(|task| task.is_expired(now))
            .collect();
        due.sort_by_key(|task| (task.expires_at(), task.id().clone()));
        due.iter().map(|task| task.id().to_string()).collect()
    }

    fn listed(&self, owner: Option<&Principal>, now: Timestamp) -> Vec<String> {
        let mut listed: Vec<&Task> = self
            .shown(now)
            .filter(|task| task.owner() == owner)
            .collect();
        listed.sort_by_key(|task| Position::of(task));
        listed.iter().map(|task| task.id().to_string()).collect()
    }
}

/// Walks, and gives the first difference.
pub(super) async fn walk(store: Arc<dyn TaskStore>, seed: u64) -> Case {
    let mut log = String::new();
    let result = steps(&store, seed, &mut log).await;
    result.map_err(|difference| format!("{difference}\nseed {seed}, steps:\n{log}"))
}

async fn steps(store: &Arc<dyn TaskStore>, seed: u64, log: &mut String) -> Case {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut model = Model::default();
    let mut clock = 0u64;
    for step in 0..STEPS {
        clock += dice.roll(4);
        let now = later(clock);
        let kind = dice.roll(12);
        // Writing to a String does not fail.
        let _ = write!(log, "{step}: t+{clock} ");
        match kind {
            0..=2 => create(store, &mut model, &mut dice, now, step, log).await?,
            3..=7 => change(store, &mut model, &mut dice, now, log).await?,
            8 => stale(store, &model, &mut dice, log).await?,
            9 => remove(store, &mut model, &mut dice, now, log).await?,
            10 => claim(store, &mut model, &mut dice, now, log).await?,
            _ => {
                let worker = worker(&mut dice);
                let until = now.after_millis(dice.roll(30));
                let _ = writeln!(
                    log,
                    "heartbeat {worker} until t+{}",
                    until.as_millis() - NOW.as_millis()
                );
                store.heartbeat(&worker, until, now).await.map_err(oops)?;
                model.alive.insert(worker, until);
            }
        }
        compare(store, &model, now).await?;
    }
    Ok(())
}

fn worker(dice: &mut Dice) -> WorkerId {
    WorkerId::from(format!("worker-{}", 1 + dice.roll(3)))
}

fn owner(dice: &mut Dice) -> Option<&'static str> {
    [None, Some("alice"), Some("bob")][usize::try_from(dice.roll(3)).unwrap_or_default()]
}

fn pick(model: &Model, dice: &mut Dice) -> Option<Task> {
    let count = u64::try_from(model.tasks.len()).unwrap_or_default();
    if count == 0 {
        return None;
    }
    let index = usize::try_from(dice.roll(count)).unwrap_or_default();
    model.tasks.values().nth(index).cloned()
}

async fn create(
    store: &Arc<dyn TaskStore>,
    model: &mut Model,
    dice: &mut Dice,
    now: Timestamp,
    step: usize,
    log: &mut String,
) -> Case {
    // Ids in no order of time.
    let id = format!("{:03}-{step}", dice.roll(1000));
    let ttl = [None, Some(20 + dice.roll(60))][usize::try_from(dice.roll(2)).unwrap_or_default()];
    let new = task(&id, owner(dice), now, ttl);
    let _ = writeln!(log, "create {id} of {:?} ttl {ttl:?}", new.owner());
    store.create(Arc::new(new.clone())).await.map_err(oops)?;
    model.tasks.insert(id, new);
    Ok(())
}

async fn change(
    store: &Arc<dyn TaskStore>,
    model: &mut Model,
    dice: &mut Dice,
    now: Timestamp,
    log: &mut String,
) -> Case {
    let Some(current) = pick(model, dice) else {
        return Ok(());
    };
    let id = current.id().to_string();
    let Ok(mut change) = current.change(now) else {
        return Ok(());
    };
    let open: Vec<String> = current
        .input_requests()
        .map(|question| question.key.clone())
        .collect();
    let kind = dice.roll(7);
    let _ = writeln!(log, "change {id} by {kind}");
    let next = match kind {
        0 => {
            change.message(Some(format!("at {}", now.as_millis()).into()));
            change.commit()
        }
        1 => {
            let slot = format!("q{}", dice.roll(4));
            let request = InputRequest {
                method: "roots/list".to_owned(),
                params: None,
            };
            // A question asked before is no change.
            let _ = change.ask(&slot, &request, 99);
            change.commit()
        }
        2 => {
            open.first()
                .map(|key| change.answer(key, Answer::Result(json!({"roots": []}))));
            change.commit()
        }
        3 => {
            open.last().map(|key| change.withdraw(key));
            change.commit()
        }
        4 => Payload::of(&json!({"content": []}))
            .ok()
            .map(|result| change.complete(result, false)),
        5 => Some(change.fail(TaskFailure::internal("no"))),
        _ => Some(change.cancel("enough")),
    };
    let Some(next) = next else { return Ok(()) };
    match store.update(Arc::new(next.clone())).await.map_err(oops)? {
        Swap::Done => {
            model.tasks.insert(id, next);
            Ok(())
        }
        other => Err(format!("the successor of {id} is refused: {other:?}")),
    }
}

async fn stale(
    store: &Arc<dyn TaskStore>,
    model: &Model,
    dice: &mut Dice,
    log: &mut String,
) -> Case {
    let Some(current) = pick(model, dice) else {
        return Ok(());
    };
    let mut record = current.to_record();
    record.version = record.version.saturating_sub(dice.roll(3)) + 2 * dice.roll(2);
    if record.version == current.version() + 1 {
        return Ok(());
    }
    record.status_message = Some("stale".into());
    let _ = writeln!(
        log,
        "stale update of {} as version {}",
        current.id(),
        record.version
    );
    let forged = Task::from_record(record).map_err(|error| error.to_string())?;
    match store.update(Arc::new(forged)).await.map_err(oops)? {
        Swap::Conflict(stored) if *stored == current => Ok(()),
        other => Err(format!(
            "a stale update of {} gives {other:?}",
            current.id()
        )),
    }
}

async fn remove(
    store: &Arc<dyn TaskStore>,
    model: &mut Model,
    dice: &mut Dice,
    now: Timestamp,
    log: &mut String,
) -> Case {
    // Mostly what is due, as the engine does.
    let id = match model.due(now).into_iter().next() {
        Some(due) => due,
        None => match pick(model, dice) {
            Some(task) if dice.roll(3) == 0 => task.id().to_string(),
            _ => return Ok(()),
        },
    };
    let _ = writeln!(log, "remove {id}");
    let was = store.remove(&id).await.map_err(oops)?;
    model.tasks.remove(&id);
    if was {
        Ok(())
    } else {
        Err(format!("removing {id} says that there was none"))
    }
}

async fn claim(
    store: &Arc<dyn TaskStore>,
    model: &mut Model,
    dice: &mut Dice,
    now: Timestamp,
    log: &mut String,
) -> Case {
    let worker = worker(dice);
    let limit = usize::try_from(1 + dice.roll(4)).unwrap_or(1);
    let alive = |holder: Option<&WorkerId>| {
        holder
            .and_then(|holder| model.alive.get(holder))
            .is_some_and(|until| *until > now)
    };
    let abandoned = |task: &&Task| !task.is_terminal() && !alive(task.worker());
    // A worker that claims without a sign of life may be given what it holds already; nothing changes then.
    let movable = model
        .shown(now)
        .filter(abandoned)
        .filter(|task| task.worker() != Some(&worker))
        .count();
    let claimed = store.claim(&worker, now, limit).await.map_err(oops)?;
    let _ = writeln!(log, "claim {limit} for {worker}: {}", claimed.len());
    if claimed.len() > limit || claimed.len() < movable.min(limit) {
        return Err(format!(
            "{} tasks claimed of {movable} abandoned ones, limit {limit}",
            claimed.len()
        ));
    }
    for task in claimed {
        let id = task.id().to_string();
        let before = model
            .tasks
            .get(&id)
            .ok_or_else(|| format!("{id} claimed, which does not exist"))?;
        let right = !before.is_expired(now)
            && abandoned(&before)
            && task.worker() == Some(&worker)
            && task.version() == before.version() + 1
            && task.looks_like(before);
        if !right {
            return Err(format!("claimed {task:?}, which was {before:?}"));
        }
        model.tasks.insert(id, (*task).clone());
    }
    Ok(())
}

/// Compares everything that can be read.
async fn compare(store: &Arc<dyn TaskStore>, model: &Model, now: Timestamp) -> Case {
    for task in model.tasks.values() {
        let read = store.get(task.id().as_str(), now).await.map_err(oops)?;
        let expected = (!task.is_expired(now)).then_some(task);
        if read.as_deref() != expected {
            return Err(format!("`get` gives {read:?}, expected {expected:?}"));
        }
    }
    for owner in [
        None,
        Some(Principal::from("alice")),
        Some(Principal::from("bob")),
    ] {
        let listed = store
            .list(owner.as_ref(), None, usize::MAX >> 33, now)
            .await
            .map_err(oops)?;
        let count = store.count(owner.as_ref()).await.map_err(oops)?;
        let tasks = || model.tasks.values();
        let expected = Count {
            all: tasks().count() as u64,
            of_owner: tasks()
                .filter(|task| task.owner() == owner.as_ref())
                .count() as u64,
        };
        if count != expected {
            return Err(format!(
                "`count` of {owner:?} gives {count:?}, expected {expected:?}"
            ));
        }
        let listed: Vec<String> = listed.iter().map(|task| task.id().to_string()).collect();
        let expected = model.listed(owner.as_ref(), now);
        if listed != expected {
            return Err(format!(
                "`list` of {owner:?} gives {listed:?}, expected {expected:?}"
            ));
        }
    }
    let mut due: Vec<(Option<Timestamp>, String)> = Vec::new();
    for task in store.expired(now, usize::MAX >> 33).await.map_err(oops)? {
        due.push((task.expires_at(), task.id().to_string()));
    }
    if !due.is_sorted_by_key(|(at, _)| *at) {
        return Err(format!("`expired` is not in order: {due:?}"));
    }
    due.sort();
    let due: Vec<String> = due.into_iter().map(|(_, id)| id).collect();
    if due != model.due(now) {
        return Err(format!(
            "`expired` gives {due:?}, expected {:?}",
            model.due(now)
        ));
    }
    let next = store.next_expiry().await.map_err(oops)?;
    let expected = model.tasks.values().filter_map(Task::expires_at).min();
    if next != expected {
        return Err(format!(
            "`next_expiry` gives {next:?}, expected {expected:?}"
        ));
    }
    Ok(())
}
