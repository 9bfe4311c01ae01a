use mcp_tasks::task_tool;

#[task_tool(concurrency = 0)]
async fn greet() {}

#[task_tool(concurrency = "four")]
async fn part() {}

fn main() {}
