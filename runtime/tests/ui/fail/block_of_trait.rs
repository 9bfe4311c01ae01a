use mcp_tasks::task_tools;

struct Shop;

#[task_tools]
impl Clone for Shop {
    #[task_tool]
    async fn clone(&self) -> Self {
        Shop
    }
}

fn main() {}
