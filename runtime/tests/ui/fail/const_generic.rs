use mcp_tasks::task_tool;

#[task_tool]
async fn greet<const N: usize>(name: String) -> String {
    name.repeat(N)
}

fn main() {}
