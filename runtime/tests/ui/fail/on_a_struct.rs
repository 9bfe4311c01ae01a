use mcp_tasks::task_tool;

#[task_tool]
struct Shop;

fn main() {}
