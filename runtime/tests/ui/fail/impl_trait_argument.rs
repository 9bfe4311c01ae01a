use mcp_tasks::task_tool;

#[task_tool]
async fn greet(name: impl ToString) -> String {
    name.to_string()
}

fn main() {}
