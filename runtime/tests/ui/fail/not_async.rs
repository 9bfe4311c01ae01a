use mcp_tasks::task_tool;

#[task_tool]
fn greet(name: String) -> String {
    name
}

fn main() {}
