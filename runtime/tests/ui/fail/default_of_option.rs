use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[arg(default = "world")] name: Option<String>) {
    let _ = name;
}

fn main() {}
