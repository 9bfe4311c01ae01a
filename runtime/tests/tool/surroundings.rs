//! Parameters that come with the call: state, context, principal, extensions.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use mcp_tasks::{
    Extensions, Principal, State, TaskContext, ToolError, task_tool,
    tool::{StateMap, ToolSet},
};
use serde_json::json;

use crate::support::{call, run, tool};

#[derive(Clone, Default)]
struct Counter(Arc<AtomicUsize>);

#[derive(Clone)]
struct Greeting(&'static str);

#[task_tool]
async fn count(
    State(counter): State<Counter>,
    greeting: State<Greeting>,
    by: usize,
    ctx: TaskContext,
    who: Option<Principal>,
    extensions: Extensions,
) -> String {
    let before = counter.0.fetch_add(by, Ordering::Relaxed);
    let who = who.as_ref().map_or("nobody", Principal::as_str);
    let tenant = extensions.get::<u8>();
    format!(
        "{} {who} {before} {tenant:?} {:?}",
        greeting.0.0,
        ctx.backend().task_id()
    )
}

#[tokio::test]
async fn a_call_brings_what_surrounds_it() {
    let count = tool(count);
    let counter = Counter::default();
    let mut call = call(json!({"by": 2}));
    call.state.insert(counter.clone());
    call.state.insert(Greeting("hello"));
    call.extensions.insert(7_u8);
    assert_eq!(
        run(&count, call.clone()).await.unwrap().joined_text(),
        "hello nobody 0 Some(7) None"
    );
    call.principal = Some(Principal::new("ada"));
    assert_eq!(
        run(&count, call).await.unwrap().joined_text(),
        "hello ada 2 Some(7) None"
    );
    assert_eq!(counter.0.load(Ordering::Relaxed), 4);
    assert_eq!(count.descriptor.input_schema["required"], json!(["by"]));
}

#[tokio::test]
async fn state_that_is_not_there_is_noticed_when_the_server_is_built() {
    let mut set = ToolSet::new();
    set.add(tool(count)).unwrap();
    let mut state = StateMap::new();
    state.insert(Counter::default());
    let error = set.check_state(&state).unwrap_err().to_string();
    assert!(error.contains("Greeting"), "{error}");
    let error = run(&tool(count), call(json!({"by": 1}))).await.unwrap_err();
    assert!(
        matches!(&error, ToolError::Protocol { code: -32603, .. }),
        "{error}"
    );
}

#[task_tool]
async fn private(principal: Principal) -> String {
    principal.to_string()
}

#[tokio::test]
async fn a_tool_for_principals_refuses_everybody_else() {
    let private = tool(private);
    let error = run(&private, call(json!({}))).await.unwrap_err();
    assert!(matches!(error, ToolError::Tool(_)), "{error}");
    let mut known = call(json!({}));
    known.principal = Some(Principal::new("ada"));
    assert_eq!(run(&private, known).await.unwrap().joined_text(), "ada");
}

/// Types of the user may have names of ours.
mod names {
    use mcp_tasks::task_tool;
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema, Debug)]
    pub(super) enum State {
        Ohio,
    }

    #[derive(Deserialize, JsonSchema, Debug)]
    pub(super) struct Principal {
        amount: u32,
    }

    #[task_tool]
    pub(super) async fn loan(state: State, #[arg] principal: Principal) -> String {
        format!("{state:?} {}", principal.amount)
    }
}

#[tokio::test]
async fn arg_makes_an_argument_of_a_type_with_a_name_of_ours() {
    let call = call(json!({"state": "Ohio", "principal": {"amount": 5}}));
    assert_eq!(
        run(&tool(names::loan), call).await.unwrap().joined_text(),
        "Ohio 5"
    );
}
