use mcp_tasks::task_tool;

#[task_tool(ttl, poll_interval = )]
async fn greet() {}

fn main() {}
