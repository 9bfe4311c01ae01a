use mcp_tasks::task_tool;
use mcp_tasks::State;

struct Db;

#[task_tool]
async fn query(State(db): State<Db>) {
    let _ = db;
}

fn main() {}
