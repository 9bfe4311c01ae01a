use mcp_tasks::{ToolError, task_tool};

#[task_tool]
async fn pair() -> (u32, String) {
    (1, "one".to_owned())
}

#[task_tool]
async fn list() -> Result<Vec<u32>, ToolError> {
    Ok(vec![1])
}

fn main() {}
