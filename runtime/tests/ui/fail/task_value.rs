use mcp_tasks::task_tool;

#[task_tool(task = "optionl")]
async fn greet() {}

#[task_tool(task = true)]
async fn part() {}

fn main() {}
