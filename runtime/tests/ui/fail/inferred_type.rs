use mcp_tasks::task_tool;

#[task_tool]
async fn sum(numbers: Vec<_>) -> String {
    numbers.len().to_string()
}

fn main() {}
