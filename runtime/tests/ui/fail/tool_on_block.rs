use mcp_tasks::task_tool;

struct Shop;

#[task_tool]
impl Shop {
    async fn sell(&self) {}
}

fn main() {}
