use mcp_tasks::task_tool;

#[task_tool]
async fn greet(#[ask("Who are you?", "And why?")] who: String) -> String {
    who
}

fn main() {}
