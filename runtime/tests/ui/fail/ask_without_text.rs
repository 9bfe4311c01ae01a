use mcp_tasks::task_tool;

#[task_tool]
async fn one(#[ask] n: u8) {
    let _ = n;
}

#[task_tool]
async fn two(#[ask()] n: u8) {
    let _ = n;
}

#[task_tool]
async fn three(#[ask(message = "How many?")] n: u8) {
    let _ = n;
}

fn main() {}
