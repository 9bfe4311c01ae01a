use mcp_tasks::task_tool;

#[task_tool(colour = "red")]
async fn greet() {}

fn main() {}
