use mcp_tasks::task_tool;

#[task_tool(ttl = "1m", inline_for = "1h")]
async fn greet() {}

fn main() {}
