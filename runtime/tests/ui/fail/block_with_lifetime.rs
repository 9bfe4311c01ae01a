use mcp_tasks::task_tools;

struct Shop<'a>(&'a str);

#[task_tools]
impl<'a> Shop<'a> {
    #[task_tool]
    async fn sell(&self) -> String {
        self.0.to_owned()
    }
}

fn main() {}
