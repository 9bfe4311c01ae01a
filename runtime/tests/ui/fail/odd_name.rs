use mcp_tasks::task_tool;

#[task_tool(name = "two words")]
async fn one() {}

#[task_tool(name = "")]
async fn two() {}

#[task_tool]
async fn größe() {}

fn main() {}
