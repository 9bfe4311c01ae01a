use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[serde(default)] n: u8) {
    let _ = n;
}

fn main() {}
