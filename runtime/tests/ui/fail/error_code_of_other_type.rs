use mcp_tasks::ToolError;

const CODE: &str = "5";

#[derive(Debug, thiserror::Error, ToolError)]
enum Failure {
    #[error("busy")]
    #[tool_error(code = CODE)]
    Busy,
}

#[derive(Debug, thiserror::Error, ToolError)]
#[error("gone")]
#[tool_error(code = CODE)]
struct Gone;

fn main() {}
