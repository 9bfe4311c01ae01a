use mcp_tasks::ToolError;

#[derive(Debug, thiserror::Error, ToolError)]
enum Failure {
    #[error("busy")]
    #[tool_error(5)]
    Busy,
    #[error("gone")]
    #[tool_error(code = "5")]
    Gone,
}

fn main() {}
