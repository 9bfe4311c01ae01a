use mcp_tasks::{Args, State, TaskContext, task_tool};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Range {
    from: u32,
}

#[task_tool]
async fn greet(ctx: Option<TaskContext>, db: Option<State<u8>>) {
    let _ = (ctx, db);
}

#[task_tool]
async fn part(range: Option<Args<Range>>) {
    let _ = range;
}

#[task_tool]
async fn meet(extensions: Option<http::Extensions>) {
    let _ = extensions;
}

fn main() {}
