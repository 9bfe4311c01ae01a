use mcp_tasks::task_tool;

#[task_tool]
#[task_tool]
async fn greet() {}

fn main() {}
