use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[arg(default = 1)] #[ask("How many?")] n: u8) {
    let _ = n;
}

fn main() {}
