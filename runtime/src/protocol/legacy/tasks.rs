//! `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`.

use serde_json::Value;

use crate::{
    JsonObject,
    engine::Cancel,
    protocol::failure,
    server::{RpcError, error::INTERNAL_ERROR},
    task::{Outcome, Task},
};

use super::{Exchange, push, shape};

impl Exchange<'_> {
    pub(super) async fn get_task(&self) -> Result<JsonObject, RpcError> {
        let id = failure::text(self.params, "taskId")?;
        let task = self.inner.engine.get(id, self.owner()).await?;
        push::named(self.inner, self.session, &task).await;
        Ok(shape::task(&task))
    }

    /// Waits until the task is terminal and gives what the call would have given.
    pub(super) async fn task_result(&self) -> Result<JsonObject, RpcError> {
        let id = failure::text(self.params, "taskId")?;
        let task = self.inner.engine.get(id, self.owner()).await?;
        if task.is_terminal() {
            return outcome(&task);
        }
        let open = push::result_opened(self.inner, self.session, &task, self.wire.clone()).await;
        let task = self.inner.engine.wait(id, self.owner()).await?;
        drop(open);
        outcome(&task)
    }

    pub(super) async fn cancel_task(&self) -> Result<JsonObject, RpcError> {
        let id = failure::text(self.params, "taskId")?;
        let task = self
            .inner
            .engine
            .cancel(id, self.owner(), Cancel::Now)
            .await?;
        Ok(shape::task(&task))
    }

    pub(super) async fn list_tasks(&self) -> Result<JsonObject, RpcError> {
        if !self.session.lists_tasks {
            return Err(RpcError::method_not_found(self.method));
        }
        let cursor = match self.params.get("cursor") {
            None | Some(Value::Null) => None,
            Some(Value::String(cursor)) => Some(cursor.as_str()),
            Some(_) => return Err(failure::bad_member("params.cursor", "must be a string")),
        };
        let page = self.inner.engine.list(self.owner(), cursor).await?;
        let mut result = JsonObject::new();
        result.insert(
            "tasks".into(),
            page.tasks
                .iter()
                .map(|task| Value::Object(shape::task(task)))
                .collect(),
        );
        if let Some(cursor) = page.next_cursor {
            result.insert("nextCursor".into(), cursor.into());
        }
        Ok(result)
    }
}

fn outcome(task: &Task) -> Result<JsonObject, RpcError> {
    match task.outcome() {
        Some(Outcome::Completed { result, .. }) => {
            Ok(push::related(result.to_object(), task.id().as_str()))
        }
        Some(Outcome::Failed(error)) => Err(RpcError {
            code: error.code,
            message: error.message.clone(),
            data: error.data.clone(),
        }),
        Some(Outcome::Cancelled) => Err(RpcError::new(
            INTERNAL_ERROR,
            "The task was cancelled before it had a result",
        )),
        None => Err(RpcError::internal("The task has no result")),
    }
}
