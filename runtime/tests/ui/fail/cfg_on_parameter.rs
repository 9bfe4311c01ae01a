use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[cfg(unix)] n: u8) {
    let _ = n;
}

fn main() {}
