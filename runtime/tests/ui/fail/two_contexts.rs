use mcp_tasks::task_tool;
use mcp_tasks::TaskContext;

#[task_tool]
async fn greet(one: TaskContext, two: TaskContext) {
    let _ = (one, two);
}

fn main() {}
