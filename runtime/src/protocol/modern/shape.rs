//! Tasks and results as the modern era writes them.

use std::collections::BTreeMap;

use crate::{
    JsonObject,
    protocol::{failure, millis, plain, wire_status},
    server::RpcError,
    task::{Outcome, Question, Status, Task},
    types::{
        ext_tasks::{
            CancelledTask, CompletedTask, CreateTaskResult, DetailedTask, ErrorObject, FailedTask,
            InputRequest, InputRequiredTask, WorkingTask,
        },
        v2026_07_28::InputRequiredResult,
    },
};

/// Makes one of the forms of a task; they differ in what comes first.
macro_rules! form {
    ($form:ident, $task:expr, ($($before:expr),*), ($($after:expr),*)) => {{
        let task: &Task = $task;
        let mut form = $form::new(
            task.created_at().to_string(),
            $($before,)*
            task.last_updated_at().to_string(),
            $($after,)*
            task.id().as_str(),
            task.ttl_ms().map(millis),
        );
        form.poll_interval_ms = task.poll_interval_ms().map(millis);
        form.status_message = task.status_message().map(str::to_owned);
        form
    }};
}

/// The handle, which holds neither questions nor outcome.
pub(super) fn handle(task: &Task) -> Result<JsonObject, RpcError> {
    plain(&form!(
        CreateTaskResult,
        task,
        (),
        (wire_status(task.status()))
    ))
}

/// The whole task, as `tasks/get` and `notifications/tasks` give it.
pub(super) fn detailed(task: &Task) -> Result<DetailedTask, RpcError> {
    Ok(match task.outcome() {
        None if task.status() == Status::InputRequired => form!(
            InputRequiredTask,
            task,
            (questions(task.input_requests())?),
            ()
        )
        .into(),
        None => form!(WorkingTask, task, (), ()).into(),
        Some(Outcome::Completed { result, .. }) => {
            let mut result = result.to_object();
            result
                .entry("resultType")
                .or_insert_with(|| "complete".into());
            form!(CompletedTask, task, (), (result)).into()
        }
        Some(Outcome::Failed(error)) => {
            let mut shown = ErrorObject::new(error.code, error.message.as_str());
            shown.data = error.data.clone();
            form!(FailedTask, task, (shown), ()).into()
        }
        Some(Outcome::Cancelled) => form!(CancelledTask, task, (), ()).into(),
    })
}

/// Open questions by key.
fn questions<'a>(
    questions: impl Iterator<Item = &'a Question>,
) -> Result<BTreeMap<String, InputRequest>, RpcError> {
    questions
        .map(|question| Ok((question.key.clone(), request(question)?)))
        .collect()
}

fn request(question: &Question) -> Result<InputRequest, RpcError> {
    failure::question(&question.request).map_err(|error| {
        RpcError::internal(format!(
            "the tool's question `{}` is malformed: {error}",
            question.key
        ))
    })
}

/// The result that asks for input before the call can go on.
pub(super) fn input_required<'a>(
    open: impl Iterator<Item = &'a Question>,
    state: String,
) -> Result<JsonObject, RpcError> {
    let result = InputRequiredResult::new("input_required")
        .with_input_requests(questions(open)?)
        .with_request_state(state);
    plain(&result)
}
