use mcp_tasks::task_tool;

struct Shop;

impl Shop {
    #[task_tool]
    async fn sell(&self, item: String) -> String {
        item
    }
}

fn main() {}
