use mcp_tasks::task_tool;

struct Report;

#[task_tool]
async fn report() -> Report {
    Report
}

#[task_tool]
async fn count() -> u32 {
    1
}

fn main() {}
