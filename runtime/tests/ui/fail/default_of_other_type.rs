use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[arg(default = "ten")] n: u8) {
    let _ = n;
}

fn main() {}
