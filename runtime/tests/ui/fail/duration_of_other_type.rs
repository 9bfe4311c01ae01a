use mcp_tasks::task_tool;

const WAIT: u64 = 5;

#[task_tool(inline_for = WAIT)]
async fn greet() {}

fn main() {}
