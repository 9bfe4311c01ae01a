use mcp_tasks::task_tool;

#[task_tool(task = "forbidden", ttl = "1h", inline_for = "1s")]
async fn greet() {}

fn main() {}
