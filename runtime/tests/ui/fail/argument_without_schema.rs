use mcp_tasks::task_tool;

#[derive(serde::Deserialize)]
struct Person {
    name: String,
}

#[task_tool]
async fn greet(person: Option<Person>) -> String {
    person.map(|person| person.name).unwrap_or_default()
}

fn main() {}
