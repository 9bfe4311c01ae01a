use mcp_tasks::task_tools;

struct Shop;

#[task_tools]
impl Shop {
    #[task_tool]
    async fn open(&self) {}
}

#[task_tools]
impl Shop {
    #[task_tool]
    async fn close(&self) {}
}

fn main() {}
