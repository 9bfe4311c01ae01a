use mcp_tasks::task_tool;

#[task_tool(ttl = 1h, poll_interval = 1m, inline_for = 1.5, timeout = "1h 30m")]
async fn greet() {}

fn main() {}
