use mcp_tasks::task_tool;

#[task_tool]
async fn greet() -> impl ToString {
    "hello"
}

fn main() {}
