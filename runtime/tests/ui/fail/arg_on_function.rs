use mcp_tasks::task_tool;

#[task_tool]
#[arg(default = 1)]
async fn greet(n: u8) {
    let _ = n;
}

fn main() {}
