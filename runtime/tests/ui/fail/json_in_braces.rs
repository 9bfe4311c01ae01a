use mcp_tasks::task_tool;

#[task_tool(meta = {"team": "reports"})]
async fn greet(#[arg(schema = {"minimum": 1})] n: u8) {
    let _ = n;
}

#[task_tool(meta = {})]
async fn part() {}

fn main() {}
