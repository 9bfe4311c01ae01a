use mcp_tasks::task_tool;

#[task_tool(ttl = "1h", title = "Greet", ttl = "2h")]
async fn greet() {}

fn main() {}
