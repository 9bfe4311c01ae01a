use mcp_tasks::task_tool;

#[task_tool(ttl = "30m1h")]
async fn greet() {}

fn main() {}
