use mcp_tasks::task_tool;

#[task_tool]
async fn greet(a: u8, #[arg(rename = "a")] b: u8) {
    let _ = (a, b);
}

fn main() {}
