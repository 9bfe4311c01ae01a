use mcp_tasks::task_tool;

#[task_tool(read_only = true)]
async fn greet() {}

fn main() {}
