use mcp_tasks::task_tool;
use mcp_tasks::tool::IntoTools;

struct Shop;

#[task_tool]
async fn tool() {}

fn main() {
    let _ = IntoTools::into_tools(Shop);
}
