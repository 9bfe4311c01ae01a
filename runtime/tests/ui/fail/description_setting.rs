use mcp_tasks::task_tool;

#[task_tool(description = "Greets.")]
async fn greet() {}

fn main() {}
