use mcp_tasks::{ToolError, task_tool, tools};

#[task_tool]
async fn greet() -> Result<_, ToolError> {
    Ok("hello")
}

fn main() {
    let _ = tools![greet];
}
