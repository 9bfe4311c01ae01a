//! Durable creates: our engine over SQLite with 1 and 64 clients, against one synced append of the same bytes for each
//! create, which is the most that is possible without putting several into one sync.
//!
//! Prints `ratio durable.CLIENTS ours/fsync VALUE` on stdout: how many times the appends' rate, so above 1 is better.
//! Rates are on stderr. Arguments: the number of rounds.

#[allow(dead_code)] // the turns themselves are of another length here
mod turns;

use std::{
    fs::File,
    io::Write,
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::future::join_all;
use mcp_tasks::{
    engine::{Engine, Launch, Limits, Started},
    store::{SqliteStore, TaskStore},
    task::Task,
    task_tool,
    tool::{IntoTool, Tool},
};
use serde_json::json;
use turns::times;

/// How long a contender works in a round.
const SLOT: Duration = Duration::from_millis(500);

/// Works for ever.
#[task_tool(task = "required")]
async fn forever(
    /// Some text, so that there is something to keep
    text: String,
) -> String {
    std::future::pending::<()>().await;
    text
}

async fn create(engine: &Engine, tool: &Tool) -> Arc<Task> {
    let mut launch = Launch::new(tool.clone());
    launch.arguments = json!({"text": "x".repeat(200)})
        .as_object()
        .cloned()
        .expect("an object");
    match engine.start(launch).await {
        Ok(Started::Task(task)) => task,
        other => panic!("no task: {other:?}"),
    }
}

/// Nanoseconds for each create by so many clients at once.
async fn ours(engine: &Engine, tool: &Tool, clients: usize) -> f64 {
    let start = Instant::now();
    let client = async || {
        let mut made = 0_u32;
        while start.elapsed() < SLOT {
            create(engine, tool).await;
            made += 1;
        }
        made
    };
    let made: u32 = join_all((0..clients).map(|_| client()))
        .await
        .into_iter()
        .sum();
    start.elapsed().as_nanos() as f64 / f64::from(made)
}

/// Nanoseconds for each synced append.
fn appends(file: &mut File, record: &[u8]) -> f64 {
    let start = Instant::now();
    let mut made = 0_u32;
    while start.elapsed() < SLOT {
        file.write_all(record).expect("room on the disk");
        file.sync_data().expect("a sync");
        made += 1;
    }
    start.elapsed().as_nanos() as f64 / f64::from(made)
}

fn main() {
    let rounds = std::env::args()
        .nth(1)
        .and_then(|a| a.parse().ok())
        .unwrap_or(10);
    let folder = std::env::var_os("BENCH_DIR").map_or_else(std::env::temp_dir, Into::into);
    let folder = folder.join(format!("mcp-tasks-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let store = Arc::new(SqliteStore::open(folder.join("tasks.db")).expect("a store"));
    let limits = Limits::default()
        .tasks(usize::MAX)
        .tasks_per_principal(usize::MAX)
        .stored_tasks(usize::MAX);
    let engine = Engine::builder(Arc::clone(&store) as Arc<dyn TaskStore>)
        .limits(limits)
        .build()
        .expect("an engine");
    let tool = forever.into_tool();
    let mut file = File::create(folder.join("appends")).expect("a file");
    let task = runtime.block_on(create(&engine, &tool));
    let record = serde_json::to_vec(&task.to_record()).expect("JSON");

    let (mut one, mut many, mut synced) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        synced.push(appends(&mut file, &record));
        one.push(runtime.block_on(ours(&engine, &tool, 1)));
        many.push(runtime.block_on(ours(&engine, &tool, 64)));
    }
    let (one, many, synced) = (times(one), times(many), times(synced));
    for (name, time) in [
        ("fsync each", synced),
        ("1 client", one),
        ("64 clients", many),
    ] {
        eprintln!(
            "durable {name:12} {:10.0} a second at best, {:10.0} in the median round ({} bytes each)",
            1e9 / time.least,
            1e9 / time.median,
            record.len()
        );
    }
    // Rates, so the other way round than times; medians, because one lucky sync is no rate.
    for (name, time) in [("1_client", one), ("64_clients", many)] {
        println!(
            "ratio durable.{name} ours/fsync {:.3}",
            synced.median / time.median
        );
    }
    if let Err(error) = std::fs::remove_dir_all(&folder) {
        eprintln!("{} was not removed: {error}", folder.display());
    }
    std::process::exit(0);
}
