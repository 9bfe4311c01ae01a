//! `tasks/get`, `tasks/update` and `tasks/cancel`: the methods that the extension's schema has.

use serde_json::Value;

use crate::{
    JsonObject,
    engine::Cancel,
    protocol::{failure, plain},
    server::RpcError,
    types::ext_tasks::{
        CancelTaskRequestParams, CancelTaskResult, GetTaskRequestParams, GetTaskResult,
        TaskHandler, TaskRequest, UpdateTaskRequestParams, UpdateTaskResult,
    },
};

use super::{Exchange, shape};

/// The answers of an update as they came.
///
/// They are read apart from the other params: one that fits no question's kind may be meant for a question that is
/// not open, and is ignored then.
type Answers = JsonObject;

impl Exchange<'_> {
    /// Answers a request on tasks.
    pub(super) async fn on_task(&self) -> Result<JsonObject, RpcError> {
        self.require_tasks()?;
        self.check_task_name()?;
        let mut params = self.params.clone();
        let mut answers = Answers::new();
        if let Some(Value::Object(given)) = params.get_mut("inputResponses") {
            answers = std::mem::take(given);
        }
        let request = TaskRequest::decode(self.method, Value::Object(params))
            .ok_or_else(|| RpcError::method_not_found(self.method))?
            .map_err(failure::invalid)?;
        plain(&request.dispatch(self, answers).await?)
    }
}

impl TaskHandler for Exchange<'_> {
    type Context = Answers;
    type Error = RpcError;

    async fn get(
        &self,
        _: Answers,
        params: GetTaskRequestParams,
    ) -> Result<GetTaskResult, RpcError> {
        let task = self
            .server
            .engine
            .get(&params.task_id, self.owner())
            .await?;
        Ok(GetTaskResult::new(shape::detailed(&task)?))
    }

    async fn update(
        &self,
        answers: Answers,
        params: UpdateTaskRequestParams,
    ) -> Result<UpdateTaskResult, RpcError> {
        self.server
            .engine
            .answer(&params.task_id, self.owner(), answers)
            .await?;
        Ok(UpdateTaskResult::new())
    }

    async fn cancel(
        &self,
        _: Answers,
        params: CancelTaskRequestParams,
    ) -> Result<CancelTaskResult, RpcError> {
        self.server
            .engine
            .cancel(&params.task_id, self.owner(), Cancel::Request)
            .await?;
        Ok(CancelTaskResult::new())
    }
}
