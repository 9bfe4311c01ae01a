use mcp_tasks::task_tool;

#[derive(serde::Deserialize, schemars::JsonSchema, Default)]
struct Range {
    from: u32,
}

#[task_tool]
async fn greet(#[arg(default)] range: Range) {
    let _ = range.from;
}

fn main() {}
