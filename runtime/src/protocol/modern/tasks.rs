//! `tasks/get`, `tasks/update` and `tasks/cancel`.

use crate::{JsonObject, engine::Cancel, protocol::failure, server::RpcError};

use super::{Exchange, shape};

impl Exchange<'_> {
    pub(super) async fn get_task(&self) -> Result<JsonObject, RpcError> {
        let id = failure::text(self.params, "taskId")?;
        let task = self
            .server
            .engine
            .get(id, self.caller.principal.as_ref())
            .await?;
        Ok(shape::detailed(&task))
    }

    pub(super) async fn update_task(&self) -> Result<JsonObject, RpcError> {
        let id = failure::text(self.params, "taskId")?;
        let answers = failure::object(self.params, "inputResponses")?
            .ok_or_else(|| failure::bad_member("params.inputResponses", "is missing"))?;
        self.server
            .engine
            .answer(id, self.caller.principal.as_ref(), answers.clone())
            .await?;
        Ok(JsonObject::new())
    }

    pub(super) async fn cancel_task(&self) -> Result<JsonObject, RpcError> {
        let id = failure::text(self.params, "taskId")?;
        self.server
            .engine
            .cancel(id, self.caller.principal.as_ref(), Cancel::Request)
            .await?;
        Ok(JsonObject::new())
    }
}
