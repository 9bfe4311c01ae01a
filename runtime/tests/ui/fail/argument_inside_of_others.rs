use mcp_tasks::task_tool;

struct Person {
    name: String,
}

#[task_tool]
async fn greet(people: Vec<Person>) -> String {
    people[0].name.clone()
}

#[task_tool]
async fn meet(person: Option<Person>) -> String {
    person.unwrap().name
}

fn main() {}
