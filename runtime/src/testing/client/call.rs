//! How a tool is called: in the era's way, as a task or not, with the questions on the way.

use serde_json::{Value, json};

use super::{
    ClientError, Question, TestClient, TestTask,
    connection::{Pending, object},
    decode,
};
use crate::{
    Era, JsonObject,
    types::{
        ext_tasks::{Task, keys::TASKS},
        method::Method,
        v2025_11_25,
        v2026_07_28::{
            CallToolResult,
            methods::{ToolsCall, ToolsList},
        },
    },
};

/// What came of a call.
pub(super) enum Called {
    Result(Box<CallToolResult>),
    Task(TestTask),
}

impl TestClient {
    /// Whether a legacy server says that a tool can only be called as a task.
    pub(super) async fn requires_task(&self, name: &str) -> Result<bool, ClientError> {
        let tools: Vec<v2025_11_25::Tool> = self.all_pages(ToolsList::NAME, "tools").await?;
        let tool = tools.into_iter().find(|tool| tool.name == name);
        let support = tool
            .and_then(|tool| tool.execution)
            .and_then(|execution| execution.task_support);
        Ok(support.is_some_and(|support| support.as_str() == "required"))
    }

    /// Calls a tool as the era does; `as_task` says whether the client follows tasks.
    pub(super) async fn called(
        &self,
        tool: &str,
        arguments: Value,
        as_task: bool,
    ) -> Result<Called, ClientError> {
        let mut call = json!({"name": tool, "arguments": arguments});
        match self.era() {
            Era::Legacy => {
                if as_task {
                    call["task"] = json!({});
                }
                self.called_legacy(call).await
            }
            Era::Modern => self.called_modern(call, as_task).await,
        }
    }

    async fn called_legacy(&self, mut call: Value) -> Result<Called, ClientError> {
        let id = self.connection.new_id();
        call["_meta"] = json!({"progressToken": id.to_value()});
        let mut request = self.connection.request(id, ToolsCall::NAME, &object(call));
        let mut result = self.unless_asked(&mut request, None).await?;
        match result.remove("task") {
            Some(task) => {
                let task: v2025_11_25::Task = decode(ToolsCall::NAME, object(task))?;
                Ok(Called::Task(self.task(task.task_id)))
            }
            None => Ok(Called::Result(Box::new(decode(ToolsCall::NAME, result)?))),
        }
    }

    async fn called_modern(&self, mut call: Value, as_task: bool) -> Result<Called, ClientError> {
        let mut capabilities = (*self.capabilities).clone();
        if !as_task && let Some(extensions) = &mut capabilities.extensions {
            extensions.remove(TASKS);
        }
        loop {
            let id = self.connection.new_id();
            call["_meta"] = json!({"progressToken": id.to_value()});
            let params = self.with_meta(object(call.clone()), Some(capabilities.clone()));
            let reply = self
                .connection
                .request(id, ToolsCall::NAME, &params)
                .result()
                .await?;
            let mut result = self.checked(ToolsCall::NAME, reply)?;
            match result.get("resultType").and_then(Value::as_str) {
                Some("task") => {
                    let task: Task = decode(ToolsCall::NAME, result)?;
                    return Ok(Called::Task(self.task(task.task_id)));
                }
                Some("input_required") => {
                    let asked = result.remove("inputRequests").unwrap_or_default();
                    let mut answers = JsonObject::new();
                    for (key, request) in object(asked) {
                        let question = Question::read(key, None, &request)?;
                        let Some(answer) = self.connection.answer_to(&question) else {
                            return Err(unanswered(question));
                        };
                        answers.insert(question.key, answer);
                    }
                    call["inputResponses"] = answers.into();
                    if let Some(state) = result.remove("requestState") {
                        call["requestState"] = state;
                    }
                }
                _ => return Ok(Called::Result(Box::new(decode(ToolsCall::NAME, result)?))),
            }
        }
    }

    /// Waits for a legacy reply, or for a question that the test has no answer to.
    pub(super) async fn unless_asked(
        &self,
        request: &mut Pending,
        task: Option<&str>,
    ) -> Result<JsonObject, ClientError> {
        let mut news = self.connection.news();
        loop {
            news.mark_unchanged();
            if let Some(question) = self.connection.held(task).into_iter().next() {
                if task.is_none() {
                    // Its call is called off, so nobody can answer it later.
                    self.connection.forget_held(&question);
                }
                return Err(unanswered(question));
            }
            tokio::select! {
                biased;
                reply = request.result() => {
                    let mut result = reply?;
                    result.entry("resultType").or_insert_with(|| "complete".into());
                    return Ok(result);
                }
                _ = news.changed() => {}
            }
        }
    }
}

pub(super) fn unanswered(question: Question) -> ClientError {
    ClientError::Unanswered {
        question: Box::new(question),
    }
}
