use mcp_tasks::task_tools;

struct Shop(std::cell::Cell<u8>);

#[task_tools]
impl Shop {
    #[task_tool]
    async fn sell(&self) -> String {
        self.0.get().to_string()
    }
}

fn main() {}
