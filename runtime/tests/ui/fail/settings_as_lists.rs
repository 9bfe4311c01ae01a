use mcp_tasks::task_tool;

#[task_tool(
    ttl("1h"),
    task(required),
    cancel("abort"),
    concurrency(4),
    title("Greeting"),
    annotations = read_only,
    icons = "x.png",
    read_only(true)
)]
async fn greet(
    #[arg(schema({"type": "string"}), rename("x"))] _name: String,
    #[arg(default = 1, skip(5))] _times: u8,
) {
}

fn main() {}
