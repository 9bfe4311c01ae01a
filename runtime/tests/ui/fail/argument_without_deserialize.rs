use mcp_tasks::task_tool;

#[derive(schemars::JsonSchema)]
struct Person {
    name: String,
}

#[task_tool]
async fn greet(person: Person) -> String {
    person.name
}

fn main() {}
