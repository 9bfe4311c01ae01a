use mcp_tasks::task_tools;

struct Shop;

#[task_tools]
impl Shop {
    #[task_tool]
    async fn sell(&mut self) {}

    #[task_tool]
    async fn close(self) {}

    #[task_tool(tll = "1h")]
    fn count(&self, name: &str) {
        let _ = name;
    }
}

fn main() {}
