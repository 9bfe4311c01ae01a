use mcp_tasks::task_tool;
use mcp_tasks::Json;

#[derive(serde::Serialize)]
struct Report {
    pages: u32,
}

#[task_tool]
async fn report() -> Json<Report> {
    Json(Report { pages: 1 })
}

fn main() {}
