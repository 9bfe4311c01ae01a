use mcp_tasks::task_tool;
use mcp_tasks::Args;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Range {
    from: u32,
}

#[task_tool]
async fn greet(Args(range): Args<Range>, name: String, again: Args<Range>) {
    let _ = (range.from, name, again.from);
}

fn main() {}
