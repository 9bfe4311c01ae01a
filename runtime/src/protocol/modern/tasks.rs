//! `tasks/get`, `tasks/update` and `tasks/cancel`: the methods that the extension's schema has.

use serde_json::Value;

use crate::{
    JsonObject,
    engine::Cancel,
    protocol::failure,
    server::RpcError,
    types::{
        ext_tasks::{
            CancelTaskRequestParams, CancelTaskResult, GetTaskRequestParams, GetTaskResult,
            TaskHandler, TaskRequest, TaskResponse, UpdateTaskRequestParams, UpdateTaskResult,
        },
        v2026_07_28::ResultMetaObject,
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
    pub(super) async fn on_task(&self) -> Result<TaskResponse, RpcError> {
        self.require_tasks()?;
        self.check_task_name()?;
        let mut params = JsonObject::new();
        let mut answers = Answers::new();
        for (name, value) in self.params {
            match (name.as_str(), value) {
                // Has been read already.
                ("_meta", _) => {}
                ("inputResponses", Value::Object(given)) => {
                    answers = given.clone();
                    params.insert(name.clone(), JsonObject::new().into());
                }
                _ => {
                    params.insert(name.clone(), value.clone());
                }
            }
        }
        let request = TaskRequest::decode(self.method, Value::Object(params))
            .ok_or_else(|| RpcError::method_not_found(self.method))?
            .map_err(failure::invalid)?;
        request.dispatch(self, answers).await
    }

    /// Metadata of an answer: who gives it.
    fn meta(&self) -> ResultMetaObject {
        self.server.result_meta.clone()
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
        Ok(GetTaskResult::new(shape::detailed(&task)?).with_meta(self.meta()))
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
        Ok(UpdateTaskResult::new().with_meta(self.meta()))
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
        Ok(CancelTaskResult::new().with_meta(self.meta()))
    }
}
