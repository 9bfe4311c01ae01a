use mcp_tasks::task_tool;

struct Person {
    name: String,
}

#[task_tool]
async fn greet(#[ask("Who?")] person: Person) -> String {
    person.name
}

fn main() {}
