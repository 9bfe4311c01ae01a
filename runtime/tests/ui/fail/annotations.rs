use mcp_tasks::task_tool;

#[task_tool(annotations(readonly))]
async fn one() {}

#[task_tool(annotations(read_only, destructive))]
async fn two() {}

#[task_tool(annotations(read_only = "yes"))]
async fn three() {}

#[task_tool(annotations = true)]
async fn four() {}

fn main() {}
