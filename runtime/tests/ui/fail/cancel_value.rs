use mcp_tasks::task_tool;

#[task_tool(cancel = "kill", on_restart = "reru")]
async fn greet() {}

fn main() {}
