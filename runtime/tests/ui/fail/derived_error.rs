use mcp_tasks::ToolError;

#[derive(Debug, thiserror::Error, ToolError)]
enum Failure {
    #[error("busy")]
    #[tool_error(cod = -32000)]
    Busy,
    #[error("gone")]
    #[tool_error]
    Gone,
}

#[derive(Debug, ToolError)]
struct Silent;

fn main() {}
