use mcp_tasks::task_tool;

#[task_tool]
async fn greet<'a>(name: &'a str) -> String {
    name.to_owned()
}

fn main() {}
