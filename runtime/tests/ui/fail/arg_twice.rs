use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[arg(default = 1)] #[arg(rename = "x")] n: u8, #[arg(default = 1, default = 2)] m: u8) {
    let _ = (n, m);
}

fn main() {}
