use mcp_tasks::task_tool;

#[task_tool]
async fn greet((a, b): (u8, u8), _: u8) {
    let _ = (a, b);
}

fn main() {}
