use mcp_tasks::task_tool;

#[task_tool]
async fn greet(names: Option<&str>) {
    let _ = names;
}

fn main() {}
