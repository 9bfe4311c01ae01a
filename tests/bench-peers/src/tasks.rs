//! Getting and creating a task while many others are live: our stores at several sizes, rmcp's `TaskManager` and
//! tower-mcp's `MemoryTaskStore` at 10,000.
//!
//! Prints `ratio tasks.WHAT ours/PEER VALUE` on stdout, and the times on stderr. A ratio of two sizes of ours says how
//! the cost grows. `memory` is the bare engine, which is what compares with the peers' managers; `request` is a whole
//! `tasks/get` through the server, from the bytes of the request to those of the answer. Ids are drawn evenly from all, so
//! in the bare engine nearly every step to a task among a million waits for main memory. Arguments: the number of rounds, and the greatest number of tasks.

mod turns;

use std::{
    future::Future,
    hint::black_box,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::body::Body;
use futures_util::future::join_all;
use mcp_tasks::{
    Limits as ServerLimits, Server,
    engine::{Cancel, Engine, Launch, Limits, Started},
    store::{MemoryStore, SqliteStore, TaskStore},
    task::{Call, NewTask, Payload, Task, TaskId, Timestamp},
    task_tool,
    tool::{IntoTool, Tool},
};
use rmcp::task_manager::{TaskManager, TaskOptions};
use serde_json::json;
use tokio::runtime::Runtime;
use tower::ServiceExt;
use tower_mcp::async_task::{MemoryTaskStore, TaskRetentionLimits, TaskStore as _};
use turns::{Times, Turn, ratio, take_turns};

/// How many tasks the peers can stand.
const PEERS: usize = 10_000;
const SLOT: Duration = Duration::from_millis(2);

/// Works for ever.
#[task_tool(task = "required")]
async fn forever() -> String {
    std::future::pending().await
}

/// Our engine with so many running tasks.
struct Ours {
    name: String,
    store: Arc<dyn TaskStore>,
    engine: Engine,
    tool: Tool,
    ids: Vec<String>,
}

fn limits() -> Limits {
    Limits::default()
        .tasks(usize::MAX)
        .tasks_per_principal(usize::MAX)
        .stored_tasks(usize::MAX)
}

impl Ours {
    fn new(name: String, store: Arc<dyn TaskStore>) -> Self {
        let engine = Engine::builder(Arc::clone(&store)).limits(limits());
        Self {
            name,
            store,
            engine: engine.build().expect("an engine"),
            tool: forever.into_tool(),
            ids: Vec::new(),
        }
    }

    async fn start(&self) -> String {
        match self.engine.start(Launch::new(self.tool.clone())).await {
            Ok(Started::Task(task)) => task.id().to_string(),
            other => panic!("no task: {other:?}"),
        }
    }

    /// In memory, all of them running.
    async fn in_memory(count: usize) -> Self {
        let mut ours = Self::new(format!("memory_{count}"), Arc::new(MemoryStore::new()));
        let before = resident();
        ours.ids.reserve(count);
        for _ in 0..count {
            ours.ids.push(ours.start().await);
        }
        let each = resident().saturating_sub(before) / count.max(1);
        eprintln!(
            "{:24} {each} bytes of memory for each running task",
            ours.name
        );
        ours
    }

    /// In a file, left by another process that still lives.
    async fn in_file(count: usize, folder: &Path) -> Self {
        let path = folder.join(format!("{count}.db"));
        let store = Arc::new(SqliteStore::open(&path).expect("a store"));
        let mut ours = Self::new(
            format!("sqlite_{count}"),
            Arc::clone(&store) as Arc<dyn TaskStore>,
        );
        let start = Instant::now();
        while ours.ids.len() < count {
            let batch: Vec<_> = (0..512.min(count - ours.ids.len()))
                .map(|_| stored_task())
                .collect();
            ours.ids
                .extend(batch.iter().map(|task| task.id().to_string()));
            for stored in join_all(batch.into_iter().map(|task| store.create(task))).await {
                stored.expect("stored");
            }
        }
        let size = |end: &str| {
            let file = std::fs::metadata(format!("{}{end}", path.display()));
            file.map_or(0, |file| file.len())
        };
        let bytes = (size("") + size("-wal")) / count as u64;
        eprintln!(
            "{:24} filled in {:.1?}, {bytes} bytes of the file for each",
            ours.name,
            start.elapsed()
        );
        ours
    }

    fn any(&self) -> &str {
        &self.ids[fastrand::usize(..self.ids.len())]
    }

    async fn get(&self, count: u32) -> Duration {
        timed(count, async || {
            black_box(self.engine.get(self.any(), None).await.expect("the task"));
        })
        .await
    }

    async fn create(&self, count: u32) -> Duration {
        let mut made = Vec::with_capacity(count as usize);
        let start = Instant::now();
        for _ in 0..count {
            made.push(self.start().await);
        }
        let took = start.elapsed();
        for id in made {
            self.engine
                .cancel(&id, None, Cancel::Now)
                .await
                .expect("cancelled");
            self.store.remove(&id).await.expect("removed");
        }
        took
    }
}

fn stored_task() -> Arc<Task> {
    let empty = || Payload::from_text("{}".to_owned()).expect("JSON");
    let now = Timestamp::from_millis(1_800_000_000_000);
    Arc::new(Task::new(NewTask {
        id: TaskId::random().expect("random bytes"),
        owner: None,
        call: Call {
            tool: "forever".to_owned(),
            arguments: empty(),
            answers: empty(),
            can_ask: Default::default(),
            cooperative: false,
        },
        created_at: now,
        ttl_ms: Some(3_600_000),
        expires_at: Some(Timestamp::from_millis(i64::MAX / 2)),
        poll_interval_ms: None,
        worker: None,
        status_message: None,
        kept: Default::default(),
    }))
}

/// A whole `tasks/get` as the server's HTTP service answers it, without sockets.
struct Requests<'a> {
    ours: &'a Ours,
    app: axum::Router,
}

impl<'a> Requests<'a> {
    fn new(ours: &'a Ours) -> Self {
        let server = Server::builder()
            .tool(forever)
            .limits(ServerLimits::default())
            .shared_store(Arc::clone(&ours.store))
            .build();
        let app = server.expect("a server").router();
        Self { ours, app }
    }

    fn request(&self) -> axum::http::Request<Body> {
        let id = self.ours.any();
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": {"taskId": id, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        }}});
        axum::http::Request::post("/mcp")
            .header("host", "localhost")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tasks/get")
            .header("mcp-name", id)
            .body(Body::from(body.to_string()))
            .expect("a request")
    }

    async fn get(&self, count: u32) -> Duration {
        let requests: Vec<_> = (0..count).map(|_| self.request()).collect();
        let start = Instant::now();
        for request in requests {
            let response = self.app.clone().oneshot(request).await.expect("a response");
            let status = response.status();
            let body = axum::body::to_bytes(response.into_body(), usize::MAX)
                .await
                .expect("a body");
            assert!(status.is_success(), "{status} {body:?}");
            black_box(body);
        }
        start.elapsed()
    }
}

async fn timed(count: u32, mut once: impl AsyncFnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..count {
        once().await;
    }
    start.elapsed()
}

/// rmcp's manager with so many running tasks.
struct Rmcp {
    manager: TaskManager,
    ids: Vec<String>,
}

impl Rmcp {
    fn start(&self) -> String {
        let options = TaskOptions::new().with_ttl_ms(3_600_000);
        let work = |_| Box::pin(std::future::pending()) as rmcp::task_manager::TaskFuture;
        self.manager.spawn(options, work).task_id
    }

    fn new(count: usize) -> Self {
        let mut peer = Self {
            manager: TaskManager::new(),
            ids: Vec::new(),
        };
        let before = resident();
        for _ in 0..count {
            let id = peer.start();
            peer.ids.push(id);
        }
        let each = resident().saturating_sub(before) / count;
        eprintln!("rmcp_{count:<19} {each} bytes of memory for each running task");
        peer
    }

    fn get(&self, count: u32) -> Duration {
        let start = Instant::now();
        for _ in 0..count {
            let id = &self.ids[fastrand::usize(..self.ids.len())];
            black_box(self.manager.get_task(id).expect("the task"));
        }
        start.elapsed()
    }

    /// There is no way to remove a task, so a few hundred more gather on top of the 10,000.
    async fn create(&self, count: u32) -> Duration {
        timed(count, async || {
            black_box(self.start());
            tokio::task::yield_now().await;
        })
        .await
    }
}

/// tower-mcp's store with so many tasks.
struct TowerMcp {
    store: MemoryTaskStore,
    ids: Vec<String>,
}

impl TowerMcp {
    async fn start(&self) -> String {
        let task = self
            .store
            .create_task("forever", json!({}), Some(3_600_000), None);
        task.await.expect("a task").0
    }

    async fn new(count: usize) -> Self {
        let mut peer = Self {
            store: MemoryTaskStore::with_retention_limits(TaskRetentionLimits::unbounded()),
            ids: Vec::new(),
        };
        let before = resident();
        for _ in 0..count {
            let id = peer.start().await;
            peer.ids.push(id);
        }
        let each = resident().saturating_sub(before) / count;
        eprintln!("tower-mcp_{count:<14} {each} bytes of memory for each stored task");
        peer
    }

    async fn get(&self, count: u32) -> Duration {
        timed(count, async || {
            let id = &self.ids[fastrand::usize(..self.ids.len())];
            black_box(
                self.store
                    .get_task(id)
                    .await
                    .expect("the store")
                    .expect("the task"),
            );
        })
        .await
    }

    async fn create(&self, count: u32) -> Duration {
        let mut made = Vec::new();
        let start = Instant::now();
        for _ in 0..count {
            made.push(self.start().await);
        }
        let took = start.elapsed();
        for id in made {
            self.store.discard_task(&id).await.expect("discarded");
        }
        took
    }
}

/// Bytes of memory that the process has.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text
        .split_whitespace()
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or_default() * 4096
}

struct Bench {
    rounds: usize,
    runtime: Runtime,
}

impl Bench {
    /// Prints how the first named grows to each other size, and how it compares with the peers at their size.
    fn compare(&self, what: &str, turns: &mut [Turn<'_>]) {
        let times = take_turns(what, turns, self.rounds, SLOT);
        let all: Vec<(&str, Times)> = turns
            .iter()
            .map(|turn| turn.name.as_str())
            .zip(times)
            .collect();
        for kind in ["memory", "request", "sqlite"] {
            let mut sizes = all.iter().filter(|(name, _)| name.starts_with(kind));
            let Some((smallest, base)) = sizes.next() else {
                continue;
            };
            for (name, times) in sizes {
                ratio(&format!("tasks.{what}.{name}"), smallest, *times, *base);
            }
        }
        // Bare engine against bare peers, and our whole request against the bare peers.
        for kind in ["memory", "request"] {
            let at = format!("{kind}_{PEERS}");
            let Some((_, ours)) = all.iter().find(|(name, _)| *name == at) else {
                continue;
            };
            for (name, times) in all
                .iter()
                .filter(|(name, _)| name.starts_with("rmcp") || name.starts_with("tower"))
            {
                ratio(&format!("tasks.{what}.{at}"), name, *ours, *times);
            }
        }
    }

    fn turn<'a, F: Future<Output = Duration>>(
        &'a self,
        name: &str,
        mut run: impl FnMut(u32) -> F + 'a,
    ) -> Turn<'a> {
        Turn::new(name, move |count| self.runtime.block_on(run(count)))
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let rounds = args.next().and_then(|a| a.parse().ok()).unwrap_or(50);
    let most: usize = args
        .next()
        .and_then(|a| a.parse().ok())
        .unwrap_or(1_000_000);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let bench = Bench { rounds, runtime };
    let block_on = &bench.runtime;
    let folder = std::env::temp_dir().join(format!("mcp-tasks-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");

    // Files by themselves, before gigabytes of running tasks take turns with them in the processor's caches.
    let files: Vec<Ours> = [1_000, most]
        .iter()
        .map(|count| block_on.block_on(Ours::in_file(*count, &folder)))
        .collect();
    for ours in &files {
        // A server that has been up for a while: the first touch of each part of a file costs once.
        block_on.block_on(ours.get(50_000));
    }
    let turns = files.iter();
    let mut get: Vec<Turn<'_>> = turns
        .map(|ours| bench.turn(&ours.name, move |count| ours.get(count)))
        .collect();
    bench.compare("get", &mut get);
    drop(get);
    let turns = files.iter();
    let mut create: Vec<Turn<'_>> = turns
        .map(|ours| bench.turn(&ours.name, move |count| ours.create(count)))
        .collect();
    bench.compare("create", &mut create);
    drop(create);
    drop(files);

    let sizes = [100, PEERS, most];
    let memory: Vec<Ours> = sizes
        .iter()
        .map(|count| block_on.block_on(Ours::in_memory(*count)))
        .collect();
    let rmcp = block_on.block_on(async { Rmcp::new(PEERS) });
    let tower = block_on.block_on(TowerMcp::new(PEERS));
    let requests: Vec<Requests<'_>> = memory.iter().map(Requests::new).collect();

    let mut get: Vec<Turn<'_>> = Vec::new();
    get.extend(
        memory
            .iter()
            .map(|ours| bench.turn(&ours.name, move |count| ours.get(count))),
    );
    get.extend(requests.iter().map(|requests| {
        let name = requests.ours.name.replace("memory", "request");
        bench.turn(&name, move |count| requests.get(count))
    }));
    get.push(Turn::new(format!("rmcp_{PEERS}"), |count| rmcp.get(count)));
    get.push(bench.turn(&format!("tower-mcp_{PEERS}"), |count| tower.get(count)));
    bench.compare("get", &mut get);
    drop(get);

    let mut create: Vec<Turn<'_>> = Vec::new();
    create.extend(
        memory
            .iter()
            .map(|ours| bench.turn(&ours.name, move |count| ours.create(count))),
    );
    create.push(bench.turn(&format!("rmcp_{PEERS}"), |count| rmcp.create(count)));
    create.push(bench.turn(&format!("tower-mcp_{PEERS}"), |count| tower.create(count)));
    bench.compare("create", &mut create);
    drop(create);

    drop(requests);
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        eprintln!("{} was not removed: {error}", folder.display());
    }
    // A million running tasks are not worth taking apart.
    std::process::exit(0);
}
