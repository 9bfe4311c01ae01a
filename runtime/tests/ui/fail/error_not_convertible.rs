use mcp_tasks::task_tool;

struct Failure;

#[task_tool]
async fn report() -> Result<String, Failure> {
    Err(Failure)
}

fn main() {}
