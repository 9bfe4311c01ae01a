use mcp_tasks::task_tool;

#[task_tool]
async fn sum(numbers: &[u8]) -> String {
    numbers.len().to_string()
}

fn main() {}
