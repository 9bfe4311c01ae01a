//! The `mcp-codegen` command.
fn main() {}
