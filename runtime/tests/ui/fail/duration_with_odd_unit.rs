use mcp_tasks::task_tool;

#[task_tool(ttl = "5 minutes", timeout = "1min")]
async fn greet() {}

fn main() {}
