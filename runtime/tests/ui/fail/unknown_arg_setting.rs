use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[arg(defualt = 1)] n: u8, #[arg(name = "x")] y: u8, #[arg(description = "z")] z: u8) {
    let _ = (n, y, z);
}

fn main() {}
