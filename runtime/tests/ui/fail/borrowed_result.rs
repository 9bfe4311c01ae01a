use mcp_tasks::task_tool;

#[task_tool]
async fn greet(name: String) -> &str {
    "hello"
}

fn main() {}
