//! `tasks/get`, `tasks/result`, `tasks/list` and `tasks/cancel`: the methods that the schema has.

use serde_json::Value;

use crate::{
    JsonObject,
    engine::{Cancel, EngineError},
    protocol::{failure, plain},
    server::{RpcError, error::INTERNAL_ERROR},
    task::{Outcome, Task},
    types::v2025_11_25::{
        CancelTaskRequestParams, CancelTaskResult, GetTaskPayloadRequestParams,
        GetTaskPayloadResult, GetTaskRequestParams, GetTaskResult, ListTasksResult,
        PaginatedRequestParams, TaskHandler, TaskRequest,
        methods::{Method, TasksList},
    },
};

use super::{Exchange, push, shape};

impl Exchange<'_> {
    /// Answers a request on tasks.
    pub(super) async fn on_task(&self) -> Result<JsonObject, RpcError> {
        if self.method == TasksList::NAME && !self.session.lists_tasks {
            return Err(RpcError::method_not_found(self.method));
        }
        let mut params = self.params.clone();
        // Some clients write what they leave out, as in `tools/list`.
        if params.get("cursor").is_some_and(Value::is_null) {
            params.remove("cursor");
        }
        let request = TaskRequest::decode(self.method, Value::Object(params))
            .ok_or_else(|| RpcError::method_not_found(self.method))?
            .map_err(failure::invalid)?;
        plain(&request.dispatch(self, ()).await?)
    }
}

impl TaskHandler for Exchange<'_> {
    type Context = ();
    type Error = RpcError;

    async fn get(&self, (): (), params: GetTaskRequestParams) -> Result<GetTaskResult, RpcError> {
        let task = self.inner.engine.get(&params.task_id, self.owner()).await?;
        push::named(self.inner, self.session, &task).await;
        Ok(shape::got(&task))
    }

    /// Waits until the task is terminal and gives what the call would have given.
    async fn result(
        &self,
        (): (),
        params: GetTaskPayloadRequestParams,
    ) -> Result<GetTaskPayloadResult, RpcError> {
        let id = params.task_id.as_str();
        let task = self.inner.engine.get(id, self.owner()).await?;
        if task.is_terminal() {
            push::told(self.session, &task).await;
            return outcome(&task);
        }
        // The wait's own place first: a wait that is refused must leave nothing that holds another.
        let waiting = self.inner.engine.subscribe(id, self.owner()).await?;
        let open = push::result_opened(self.inner, self.session, &task, self.wire.clone()).await?;
        let stuck = async {
            if let Some(open) = &open {
                open.stuck().await;
            }
            // A server that shuts down reads no more either, and has yet to say what becomes of the task.
            if open.is_none() || self.inner.shutdown.is_cancelled() {
                std::future::pending().await
            }
        };
        let task = tokio::select! {
            biased;
            ended = waiting.end() => ended?,
            () = stuck => return Err(RpcError::new(
                INTERNAL_ERROR,
                "The task waits for an answer, and the client has ended its input; the task is kept as it is",
            )),
        };
        push::told(self.session, &task).await;
        drop(open);
        outcome(&task)
    }

    async fn cancel(
        &self,
        (): (),
        params: CancelTaskRequestParams,
    ) -> Result<CancelTaskResult, RpcError> {
        let task = self
            .inner
            .engine
            .cancel(&params.task_id, self.owner(), Cancel::Now)
            .await
            .map_err(|error| match error {
                // The engine's word is the modern era's, in which a tool's error is `completed`.
                EngineError::Terminal(task) => RpcError::invalid_params(format!(
                    "the task is already {}",
                    shape::status(&task)
                )),
                other => other.into(),
            })?;
        Ok(shape::cancelled(&task))
    }

    async fn list(
        &self,
        (): (),
        params: Option<PaginatedRequestParams>,
    ) -> Result<ListTasksResult, RpcError> {
        let cursor = params.and_then(|params| params.cursor);
        let page = self
            .inner
            .engine
            .list(self.owner(), cursor.as_deref())
            .await?;
        let mut result =
            ListTasksResult::new(page.tasks.iter().map(|task| shape::task(task)).collect());
        result.next_cursor = page.next_cursor;
        Ok(result)
    }
}

fn outcome(task: &Task) -> Result<GetTaskPayloadResult, RpcError> {
    match task.outcome() {
        Some(Outcome::Completed { result, .. }) => {
            let mut members = shape::result(result.to_object());
            push::relate_result(&mut members, task.id().as_str());
            let mut result = GetTaskPayloadResult::new();
            if let Some(Value::Object(meta)) = members.remove("_meta") {
                result.meta = Some(meta);
            }
            result.extra = members;
            Ok(result)
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
        None => Err(RpcError::internal("Internal error: the task has no result")),
    }
}
