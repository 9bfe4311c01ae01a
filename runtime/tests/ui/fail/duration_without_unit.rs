use mcp_tasks::task_tool;

#[task_tool(ttl = "60", poll_interval = 2)]
async fn greet() {}

fn main() {}
