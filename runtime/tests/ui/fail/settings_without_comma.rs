use mcp_tasks::task_tool;

#[task_tool(ttl = "1h" title = "Greet")]
async fn greet() {}

fn main() {}
