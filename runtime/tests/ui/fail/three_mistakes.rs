use mcp_tasks::task_tool;

#[task_tool(tll = "1h", poll_interval = "2")]
fn greet(name: &str) -> String {
    name.to_owned()
}

fn main() {
    let _ = mcp_tasks::tools![greet];
}
