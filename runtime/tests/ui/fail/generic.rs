use mcp_tasks::task_tool;

#[task_tool]
async fn greet<T: ToString>(name: T) -> String {
    name.to_string()
}

fn main() {}
