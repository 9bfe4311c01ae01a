use mcp_tasks::task_tool;
use std::rc::Rc;

#[task_tool]
async fn greet() -> String {
    let name = Rc::new("Ada");
    std::future::ready(()).await;
    name.to_string()
}

fn main() {}
