use mcp_tasks::task_tools;

#[task_tools]
async fn sell() {}

fn main() {}
