use mcp_tasks::task_tool;

async fn plain() -> String {
    String::new()
}

#[task_tool]
async fn tool() {}

fn main() {
    let _ = mcp_tasks::tools![tool, plain];
}
