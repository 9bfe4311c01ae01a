use mcp_tasks::task_tool;

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Range {
    from: u32,
}

struct Cache;

#[task_tool]
async fn greet(#[arg(default)] range: Range, #[arg(skip)] cache: Cache) {
    let _ = (range.from, cache);
}

fn main() {}
