use mcp_tasks::task_tools;

struct Shop;

#[task_tools]
impl Shop {
    async fn sell(&self) {}
}

fn main() {}
