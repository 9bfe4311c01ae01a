use mcp_tasks::task_tool;

#[task_tool(ttl = "0s")]
async fn greet() {}

fn main() {}
