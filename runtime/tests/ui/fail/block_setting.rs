use mcp_tasks::task_tools;

struct Shop;

#[task_tools(name = "shop")]
impl Shop {
    #[task_tool(crate = "x")]
    async fn sell(&self) {}
}

fn main() {}
