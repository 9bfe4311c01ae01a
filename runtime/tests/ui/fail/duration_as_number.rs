use mcp_tasks::task_tool;

#[task_tool(ttl = 60 * 60)]
async fn greet() {}

fn main() {}
