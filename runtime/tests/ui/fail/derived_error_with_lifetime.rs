use mcp_tasks::ToolError;

#[derive(Debug, thiserror::Error, ToolError)]
#[error("there is no {0}")]
struct Missing<'a>(&'a str);

fn main() {}
