use mcp_tasks::task_tool;

const NAME: &str = "greet";

#[task_tool(name = NAME)]
async fn greet() {}

fn main() {}
