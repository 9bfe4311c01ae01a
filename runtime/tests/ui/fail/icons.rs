use mcp_tasks::task_tool;

#[task_tool(icons("a.png", (mime_type = "image/png")))]
async fn one() {}

#[task_tool(icons((src = "a.png", size = "48x48")))]
async fn two() {}

#[task_tool(icons = "a.png")]
async fn three() {}

fn main() {}
