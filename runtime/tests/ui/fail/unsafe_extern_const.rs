use mcp_tasks::task_tool;

#[task_tool]
async unsafe extern "C" fn greet() {}

fn main() {}
