//! What is in memory of the tasks that run here or that someone watches.
//!
//! The store is the truth; a [`Live`] entry carries the newest snapshot that this process knows to those who wait, and
//! the signals to a run. It goes when the task is terminal, or when the last watcher of a task that runs elsewhere goes.

use std::{
    collections::{BTreeMap, HashMap, hash_map::Entry},
    hash::{BuildHasher, RandomState},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::task::{Task, TaskId};

const SHARDS: usize = 32;

/// Whether a run has become a task yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It may still end inline; nothing is stored.
    Inline,
    /// It is being stored.
    Storing,
    /// It is a task.
    Stored,
}

/// What the tool last said of itself. The run's own copy; the store gets it as fast as it can take it.
pub(super) struct Notes {
    pub(super) phase: Phase,
    pub(super) text: Option<String>,
    pub(super) progress: Option<(f64, Option<f64>)>,
    /// Changed since it was last sent to the store.
    pub(super) dirty: bool,
    /// Someone is sending it.
    pub(super) flushing: bool,
    /// Values kept before there was a task.
    pub(super) kept: BTreeMap<String, Value>,
}

impl Notes {
    fn new(phase: Phase) -> Self {
        Self {
            phase,
            text: None,
            progress: None,
            dirty: false,
            flushing: false,
            kept: BTreeMap::new(),
        }
    }

    /// The status message.
    pub(super) fn message(&self) -> Option<Arc<str>> {
        let progress = self.progress.map(|(done, total)| match total {
            Some(total) => format!("{done} of {total}"),
            None => done.to_string(),
        });
        match (&self.text, progress) {
            (Some(text), Some(progress)) => Some(format!("{text} ({progress})").into()),
            (Some(text), None) => Some(text.as_str().into()),
            (None, Some(progress)) => Some(progress.into()),
            (None, None) => None,
        }
    }
}

/// One task in memory.
pub(super) struct Live {
    pub(super) id: TaskId,
    pub(super) newest: watch::Sender<Arc<Task>>,
    /// Tells the tool to stop.
    pub(super) cancel: CancellationToken,
    /// Drops the tool.
    pub(super) abort: CancellationToken,
    /// Told when the run cannot go on without being a task.
    pub(super) promote: Notify,
    /// Told when the run has become a task.
    pub(super) stored: Notify,
    pub(super) notes: Mutex<Notes>,
    /// Held by the step that is being made: of those that start from one snapshot all but one are made again.
    pub(super) steps: tokio::sync::Mutex<()>,
    /// A run of this process stands behind it.
    runs: AtomicBool,
    /// The run is over or being dropped, so its questions are not to be withdrawn.
    pub(super) leaving: AtomicBool,
}

impl Live {
    fn new(task: Arc<Task>, phase: Phase, runs: bool) -> Self {
        Self {
            id: task.id().clone(),
            newest: watch::Sender::new(task),
            cancel: CancellationToken::new(),
            abort: CancellationToken::new(),
            promote: Notify::new(),
            stored: Notify::new(),
            notes: Mutex::new(Notes::new(phase)),
            steps: tokio::sync::Mutex::default(),
            runs: AtomicBool::new(runs),
            leaving: AtomicBool::new(false),
        }
    }

    /// The newest snapshot known here.
    pub(super) fn task(&self) -> Arc<Task> {
        Arc::clone(&self.newest.borrow())
    }

    pub(super) fn runs(&self) -> bool {
        self.runs.load(Ordering::Acquire)
    }

    /// Makes a snapshot known, unless a newer one is, and passes its signals on to the run.
    pub(super) fn show(&self, task: &Arc<Task>) {
        self.newest.send_if_modified(|newest| {
            let newer = task.version() > newest.version();
            if newer {
                *newest = Arc::clone(task);
            }
            newer
        });
        if task.cancel_requested() {
            self.cancel.cancel();
        }
        if task.is_terminal() {
            self.cancel.cancel();
            // A cooperative tool that was called off may run on; nothing else may.
            let called_off = task.status() == crate::task::Status::Cancelled;
            if !(called_off && task.call().cooperative) {
                self.abort.cancel();
            }
        }
    }
}

type Shard = Mutex<HashMap<TaskId, Arc<Live>>>;

/// All live tasks.
pub(super) struct LiveMap {
    hasher: RandomState,
    shards: Box<[Shard]>,
}

impl Default for LiveMap {
    fn default() -> Self {
        Self {
            hasher: RandomState::new(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }
}

impl LiveMap {
    fn shard(&self, id: &str) -> &Shard {
        // SHARDS is small, so the cast loses nothing that matters.
        &self.shards[(self.hasher.hash_one(id) as usize) % SHARDS]
    }

    pub(super) fn get(&self, id: &str) -> Option<Arc<Live>> {
        self.shard(id).lock().get(id).cloned()
    }

    pub(super) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.lock().len()).sum()
    }

    /// The runs of this process.
    pub(super) fn runs(&self) -> Vec<Arc<Live>> {
        let runs = |shard: &Shard| {
            shard
                .lock()
                .values()
                .filter(|live| live.runs())
                .cloned()
                .collect::<Vec<_>>()
        };
        self.shards.iter().flat_map(runs).collect()
    }

    /// The entry of a task that starts to run here, adopting the watchers it may have already.
    pub(super) fn run(&self, task: Arc<Task>, phase: Phase) -> Arc<Live> {
        match self
            .shard(task.id().as_str())
            .lock()
            .entry(task.id().clone())
        {
            Entry::Occupied(watched) => {
                let live = Arc::clone(watched.get());
                live.runs.store(true, Ordering::Release);
                live.show(&task);
                live
            }
            Entry::Vacant(free) => Arc::clone(free.insert(Arc::new(Live::new(task, phase, true)))),
        }
    }

    /// Watches a task; true if it had no entry before.
    pub(super) fn watch(&self, task: &Arc<Task>) -> (Arc<Live>, watch::Receiver<Arc<Task>>, bool) {
        let mut shard = self.shard(task.id().as_str()).lock();
        let (live, new) = match shard.entry(task.id().clone()) {
            Entry::Occupied(known) => (Arc::clone(known.get()), false),
            Entry::Vacant(free) => {
                let live = Live::new(Arc::clone(task), Phase::Stored, false);
                (Arc::clone(free.insert(Arc::new(live))), true)
            }
        };
        let receiver = live.newest.subscribe();
        (live, receiver, new)
    }

    /// Drops an entry that neither runs nor is watched. False if it stays.
    pub(super) fn release(&self, id: &str) -> bool {
        let mut shard = self.shard(id).lock();
        let idle = shard
            .get(id)
            .is_none_or(|live| !live.runs() && live.newest.receiver_count() == 0);
        if idle {
            shard.remove(id);
        }
        idle
    }

    pub(super) fn remove(&self, id: &str) {
        self.shard(id).lock().remove(id);
    }
}
