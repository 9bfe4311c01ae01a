use mcp_tasks::task_tool;

#[task_tool(pol_interval = "2s")]
async fn greet() {}

fn main() {}
