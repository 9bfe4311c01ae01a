use mcp_tasks::task_tool;

#[task_tool(name = "tasks/get")]
async fn greet() {}

fn main() {}
