//! The store in memory: a sharded map and three indexes beside it.
//!
//! Every operation touches one shard; indexes are ordered sets. Nothing runs in the background. Locks are taken in the
//! order shard, owners, workers; where a read needs owners or workers first, it lets go before it looks at a shard.

mod weight;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    hash::{BuildHasher, Hash, RandomState},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;

use self::weight::Weight;
use super::{Count, Position, StoreError, Swap, TaskStore};
use crate::{
    BoxFuture,
    task::{Principal, Task, TaskId, Timestamp, WorkerId},
};

const SHARDS: usize = 64;

/// Keeps tasks in memory, until the process ends.
///
/// `get` and `update` cost the same whatever the number of tasks; `create` and `remove` add the logarithm that an
/// ordered index costs.
///
/// # Memory
/// About 1 KiB a task beside its own JSON: the arguments, the result (at most
/// [`Limits::payload_bytes`](crate::engine::Limits::payload_bytes) each) and, while it is unfinished, its questions and
/// answers (at most [`Limits::inputs_per_task`](crate::engine::Limits::inputs_per_task)). All of it goes when the task
/// expires. A task that runs takes 3 KiB more in the engine, in whatever store it is kept, and what its tool holds.
///
/// [`limited`](Self::limited) bounds the sum, which [`bytes`](Self::bytes) gives. The process takes more than that: what
/// is read and written for a moment, and what the allocator holds back of memory that was given back to it.
pub struct MemoryStore {
    /// The most that tasks may weigh together.
    most: usize,
    /// The same of one owner.
    most_of_owner: usize,
    hasher: RandomState,
    shards: Box<[Mutex<Shard>]>,
    owners: Box<[Mutex<Owners>]>,
    workers: Mutex<Workers>,
    /// How many tasks are kept.
    tasks: AtomicUsize,
    /// What they weigh.
    bytes: AtomicUsize,
}

type Owners = HashMap<Option<Principal>, Owned>;

/// What one owner has.
#[derive(Default)]
struct Owned {
    positions: BTreeSet<Position>,
    bytes: usize,
}

/// A task that is kept, and what it weighs.
struct Kept {
    task: Arc<Task>,
    weight: Weight,
}

#[derive(Default)]
struct Shard {
    tasks: HashMap<TaskId, Kept>,
    expiry: BTreeSet<(Timestamp, TaskId)>,
}

#[derive(Default)]
struct Workers {
    alive: HashMap<WorkerId, Timestamp>,
    unfinished: HashMap<Option<WorkerId>, HashSet<TaskId>>,
}

impl Workers {
    fn forget(&mut self, task: &Task) {
        let worker = task.worker().cloned();
        if let Some(held) = self.unfinished.get_mut(&worker) {
            held.remove(task.id());
            if held.is_empty() {
                self.unfinished.remove(&worker);
            }
        }
    }

    fn hold(&mut self, task: &Task) {
        self.unfinished
            .entry(task.worker().cloned())
            .or_default()
            .insert(task.id().clone());
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryStore")
            .field("tasks", &self.len())
            .finish()
    }
}

impl MemoryStore {
    /// An empty store without limits of its own.
    pub fn new() -> Self {
        Self::limited(usize::MAX, usize::MAX)
    }

    /// An empty store that keeps so many bytes, and so many of each owner; tasks that belong to nobody share the first
    /// number alone. A task weighs 1 KiB and what its JSON takes in memory.
    ///
    /// Over it, new tasks, questions, answers, kept values and results are refused ([`StoreError::NoRoom`]). Status
    /// messages are not, and neither are failures of less than 4 KiB: a task must be able to end.
    pub fn limited(bytes: usize, bytes_of_owner: usize) -> Self {
        Self {
            most: bytes,
            most_of_owner: bytes_of_owner,
            bytes: AtomicUsize::new(0),
            hasher: RandomState::new(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            owners: (0..SHARDS).map(|_| Mutex::default()).collect(),
            workers: Mutex::default(),
            tasks: AtomicUsize::new(0),
        }
    }

    /// How many tasks are kept, expired ones that were not removed yet included.
    pub fn len(&self) -> usize {
        self.tasks.load(Ordering::Acquire)
    }

    /// What the tasks weigh, in bytes.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Ordering::Acquire)
    }

    /// Whether no task is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn index<T: Hash + ?Sized>(&self, key: &T) -> usize {
        // SHARDS is small, so the cast loses nothing that matters.
        (self.hasher.hash_one(key) as usize) % SHARDS
    }

    fn shard(&self, id: &str) -> &Mutex<Shard> {
        &self.shards[self.index(id)]
    }

    fn owner(&self, owner: Option<&Principal>) -> &Mutex<Owners> {
        &self.owners[self.index(&owner)]
    }

    /// Changes the weight of a task. A step that needs room is refused if there is none.
    fn weigh(
        &self,
        owned: &mut Owned,
        owner: Option<&Principal>,
        (before, after): (usize, usize),
        needs_room: bool,
    ) -> Result<(), StoreError> {
        let next = |bytes: usize| (bytes - before).saturating_add(after);
        if needs_room && owner.is_some() && next(owned.bytes) > self.most_of_owner {
            return Err(StoreError::NoRoom {
                max: self.most_of_owner as u64,
                of_owner: true,
            });
        }
        let fits =
            |bytes: usize| Some(next(bytes)).filter(|bytes| !needs_room || *bytes <= self.most);
        self.bytes
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, fits)
            .map_err(|_| StoreError::NoRoom {
                max: self.most as u64,
                of_owner: false,
            })?;
        owned.bytes = next(owned.bytes);
        Ok(())
    }

    fn put(&self, task: Arc<Task>) -> Result<(), StoreError> {
        let weight = Weight::of(&task);
        let mut shard = self.shard(task.id().as_str()).lock();
        if shard.tasks.contains_key(task.id()) {
            return Err(StoreError::Exists(task.id().clone()));
        }
        {
            let mut owners = self.owner(task.owner()).lock();
            let owned = owners.entry(task.owner().cloned()).or_default();
            let weighed = self.weigh(owned, task.owner(), (0, weight.total()), true);
            if weighed.is_err() && owned.positions.is_empty() {
                owners.remove(&task.owner().cloned());
            } else if weighed.is_ok() {
                owned.positions.insert(Position::of(&task));
            }
            weighed?;
        }
        // Under the shard's lock, so that no update or removal comes between.
        if !task.is_terminal() {
            self.workers.lock().hold(&task);
        }
        if let Some(at) = task.expires_at() {
            shard.expiry.insert((at, task.id().clone()));
        }
        shard.tasks.insert(task.id().clone(), Kept { task, weight });
        self.tasks.fetch_add(1, Ordering::AcqRel);
        Ok(())
    }

    fn find(&self, id: &str, now: Timestamp) -> Option<Arc<Task>> {
        self.shard(id)
            .lock()
            .tasks
            .get(id)
            .map(|kept| &kept.task)
            .filter(|task| !task.is_expired(now))
            .cloned()
    }

    fn swap(&self, next: Arc<Task>) -> Result<Swap, StoreError> {
        let mut shard = self.shard(next.id().as_str()).lock();
        let Some(kept) = shard.tasks.get(next.id()) else {
            return Ok(Swap::Gone);
        };
        let (stored, before) = (Arc::clone(&kept.task), kept.weight);
        if stored.is_terminal() || next.version() != stored.version() + 1 {
            return Ok(Swap::Conflict(stored));
        }
        if let Some(reason) = super::changed_for_good(&stored, &next) {
            return Err(StoreError::Refused {
                id: next.id().clone(),
                reason,
            });
        }
        let weight = before.after(&stored, &next);
        if weight.total() != before.total() {
            let mut owners = self.owner(next.owner()).lock();
            let owned = owners.entry(next.owner().cloned()).or_default();
            let change = (before.total(), weight.total());
            self.weigh(
                owned,
                next.owner(),
                change,
                weight.needs_room(before, &next),
            )?;
        }
        if stored.expires_at() != next.expires_at() {
            if let Some(at) = stored.expires_at() {
                shard.expiry.remove(&(at, stored.id().clone()));
            }
            if let Some(at) = next.expires_at() {
                shard.expiry.insert((at, next.id().clone()));
            }
        }
        if next.is_terminal() || next.worker() != stored.worker() {
            let mut workers = self.workers.lock();
            workers.forget(&stored);
            if !next.is_terminal() {
                workers.hold(&next);
            }
        }
        let id = next.id().clone();
        shard.tasks.insert(id, Kept { task: next, weight });
        Ok(Swap::Done)
    }

    fn delete(&self, id: &str) -> bool {
        let mut shard = self.shard(id).lock();
        let Some(Kept { task, weight }) = shard.tasks.remove(id) else {
            return false;
        };
        if let Some(at) = task.expires_at() {
            shard.expiry.remove(&(at, task.id().clone()));
        }
        if !task.is_terminal() {
            self.workers.lock().forget(&task);
        }
        let mut owners = self.owner(task.owner()).lock();
        let owner = task.owner().cloned();
        if let Some(owned) = owners.get_mut(&owner) {
            owned.positions.remove(&Position::of(&task));
            owned.bytes -= weight.total();
            if owned.positions.is_empty() {
                owners.remove(&owner);
            }
        }
        self.bytes.fetch_sub(weight.total(), Ordering::AcqRel);
        self.tasks.fetch_sub(1, Ordering::AcqRel);
        true
    }

    fn page(
        &self,
        owner: Option<&Principal>,
        after: Option<&Position>,
        limit: usize,
        now: Timestamp,
    ) -> Vec<Arc<Task>> {
        use std::ops::Bound::{Excluded, Unbounded};
        let mut tasks = Vec::new();
        let mut after = after.cloned();
        while tasks.len() < limit {
            let from = after.as_ref().map_or(Unbounded, Excluded);
            let wanted = limit - tasks.len();
            let positions: Vec<Position> = self
                .owner(owner)
                .lock()
                .get(&owner.cloned())
                .map(|owned| {
                    let rest = owned.positions.range((from, Unbounded));
                    rest.take(wanted).cloned().collect()
                })
                .unwrap_or_default();
            let Some(last) = positions.last() else { break };
            after = Some(last.clone());
            tasks.extend(
                positions
                    .iter()
                    .filter_map(|position| self.find(position.id.as_str(), now)),
            );
        }
        tasks
    }

    fn due(&self, now: Timestamp, limit: usize) -> Vec<Arc<Task>> {
        let mut due: Vec<Arc<Task>> = Vec::new();
        for shard in &self.shards {
            let shard = shard.lock();
            let overdue = shard
                .expiry
                .iter()
                .take(limit)
                .take_while(|(at, _)| *at <= now);
            due.extend(overdue.filter_map(|(_, id)| Some(Arc::clone(&shard.tasks.get(id)?.task))));
        }
        due.sort_by_key(|task| task.expires_at());
        due.truncate(limit);
        due
    }

    fn take(&self, worker: &WorkerId, now: Timestamp, limit: usize) -> Vec<Arc<Task>> {
        let candidates: Vec<TaskId> = {
            let workers = self.workers.lock();
            let dead = |holder: &Option<WorkerId>| {
                let alive = holder.as_ref().and_then(|holder| workers.alive.get(holder));
                alive.is_none_or(|until| *until <= now)
            };
            let abandoned = workers.unfinished.iter().filter(|(holder, _)| dead(holder));
            // Some more than asked for, since a few may have expired or gone by now.
            abandoned
                .flat_map(|(_, held)| held)
                .take(limit.saturating_add(1024))
                .cloned()
                .collect()
        };
        let mut taken = Vec::new();
        for id in candidates {
            if taken.len() == limit {
                break;
            }
            let Some(task) = self.find(id.as_str(), now) else {
                continue;
            };
            // The wall clock is of no interest: a change of worker cannot be seen by clients.
            let Ok(mut change) = task.change(task.last_updated_at()) else {
                continue;
            };
            change.assign(Some(worker.clone()));
            let Some(next) = change.commit() else {
                continue;
            };
            let next = Arc::new(next);
            if matches!(self.swap(Arc::clone(&next)), Ok(Swap::Done)) {
                taken.push(next);
            }
        }
        taken
    }
}

impl TaskStore for MemoryStore {
    fn create(&self, task: Arc<Task>) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move { self.put(task) })
    }

    fn get<'a>(
        &'a self,
        id: &'a str,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Option<Arc<Task>>, StoreError>> {
        Box::pin(async move { Ok(self.find(id, now)) })
    }

    fn update(&self, task: Arc<Task>) -> BoxFuture<'_, Result<Swap, StoreError>> {
        Box::pin(async move { self.swap(task) })
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(async move { Ok(self.delete(id)) })
    }

    fn count<'a>(
        &'a self,
        owner: Option<&'a Principal>,
    ) -> BoxFuture<'a, Result<Count, StoreError>> {
        Box::pin(async move {
            let owners = self.owner(owner).lock();
            let owned = owners.get(&owner.cloned());
            let of_owner = owned.map_or(0, |owned| owned.positions.len());
            Ok(Count {
                all: self.len() as u64,
                of_owner: of_owner as u64,
            })
        })
    }

    fn list<'a>(
        &'a self,
        owner: Option<&'a Principal>,
        after: Option<&'a Position>,
        limit: usize,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>> {
        Box::pin(async move { Ok(self.page(owner, after, limit, now)) })
    }

    fn expired(
        &self,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<Arc<Task>>, StoreError>> {
        Box::pin(async move { Ok(self.due(now, limit)) })
    }

    fn next_expiry(&self) -> BoxFuture<'_, Result<Option<Timestamp>, StoreError>> {
        Box::pin(async move {
            let first = |shard: &Mutex<Shard>| shard.lock().expiry.first().map(|(at, _)| *at);
            Ok(self.shards.iter().filter_map(first).min())
        })
    }

    fn heartbeat<'a>(
        &'a self,
        worker: &'a WorkerId,
        until: Timestamp,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(async move {
            let mut workers = self.workers.lock();
            workers.alive.retain(|_, until| *until > now);
            if until > now {
                workers.alive.insert(worker.clone(), until);
            } else {
                workers.alive.remove(worker);
            }
            Ok(())
        })
    }

    fn claim<'a>(
        &'a self,
        worker: &'a WorkerId,
        now: Timestamp,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Arc<Task>>, StoreError>> {
        Box::pin(async move { Ok(self.take(worker, now, limit)) })
    }
}

#[cfg(test)]
mod tests;
