use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[arg(skip, rename = "x")] n: u8) {
    let _ = n;
}

fn main() {}
