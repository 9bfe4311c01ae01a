use mcp_tasks::{TaskContext as Ctx, task_tool};

#[task_tool]
async fn greet(ctx: Ctx) {
    ctx.status("hello").await;
}

fn main() {}
