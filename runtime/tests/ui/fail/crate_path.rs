use mcp_tasks::task_tool;

#[task_tool(crate = "two words")]
async fn greet() {}

fn main() {}
