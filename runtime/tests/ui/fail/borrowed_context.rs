use mcp_tasks::task_tool;
use mcp_tasks::TaskContext;

#[task_tool]
async fn greet(ctx: &TaskContext) {
    let _ = ctx;
}

fn main() {}
