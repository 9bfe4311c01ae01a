//! A task as a test's client holds it.

use serde_json::{Value, json};

use crate::{
    Era, JsonObject,
    types::{
        ext_tasks::{
            DetailedTask, Task,
            methods::{TasksCancel, TasksUpdate},
        },
        method::Method,
        v2025_11_25::methods::TasksResult,
        v2026_07_28::{CallToolResult, methods::SubscriptionsListen},
    },
};

use super::{
    ClientError, GET, Question, TestClient,
    connection::{Pending, object},
    decode,
    question::{accepted, declined},
    renamed, unanswered,
};

/// A task, and the client that asks for it.
#[derive(Clone, Debug)]
pub struct TestTask {
    client: TestClient,
    id: String,
}

impl TestTask {
    pub(super) fn new(client: TestClient, id: String) -> Self {
        Self { client, id }
    }

    /// Its id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How it stands (`tasks/get`). A tool's error makes a task `failed` in the legacy era and `completed` in the modern.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn get(&self) -> Result<Task, ClientError> {
        let mut task = self.client.send(GET, self.named()).await?;
        task.remove("resultType");
        match self.client.era() {
            Era::Modern => decode(GET, task),
            Era::Legacy => renamed(decode(GET, task)?, GET),
        }
    }

    /// Waits until it is over, or until it asks something that the test has no answer to. Then gives how it stands.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn settled(&self) -> Result<Task, ClientError> {
        let _told = self.watch();
        let mut news = self.client.connection.news();
        loop {
            news.mark_unchanged();
            let task = self.get().await?;
            let over = match task.status.as_str() {
                "working" => false,
                "input_required" => match self.client.era() {
                    Era::Modern => !self.answer_open().await?,
                    Era::Legacy => !self.client.connection.held(Some(&self.id)).is_empty(),
                },
                _ => true,
            };
            if over {
                return Ok(task);
            }
            self.client.wait(&mut news, GET).await?;
        }
    }

    /// What the call would have given without a task, waiting for it. The legacy era asks with `tasks/result`.
    ///
    /// # Errors
    /// [`ClientError::Unanswered`] when the task waits for an answer that the test does not have,
    /// [`ClientError::Cancelled`] when it was cancelled, and a JSON-RPC error when it failed with one.
    pub async fn result(&self) -> Result<CallToolResult, ClientError> {
        match self.client.era() {
            Era::Modern => self.result_modern().await,
            Era::Legacy => self.result_legacy().await,
        }
    }

    /// The open questions. In the legacy era the server sends each once: those that it has sent, and that the test had no
    /// answer to.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn questions(&self) -> Result<Vec<Question>, ClientError> {
        if self.client.era() == Era::Legacy {
            return Ok(self.client.connection.held(Some(&self.id)));
        }
        let mut task = self.client.send(GET, self.named()).await?;
        object(task.remove("inputRequests").unwrap_or_default())
            .into_iter()
            .map(|(key, request)| Question::read(key, Some(self.id.clone()), &request))
            .collect()
    }

    /// Answers a question with a result object (`tasks/update`, or the reply to the server's request).
    ///
    /// # Errors
    /// When the server refuses the answer, or a legacy question is not open any more.
    pub async fn answer(&self, question: &Question, result: Value) -> Result<(), ClientError> {
        let connection = &self.client.connection;
        match self.client.era() {
            Era::Modern => {
                let mut answers = JsonObject::new();
                answers.insert(question.key.clone(), result);
                self.update(answers).await
            }
            Era::Legacy if connection.answer_held(question, result) => Ok(()),
            Era::Legacy => Err(ClientError::unreadable(
                &question.method,
                "the question is not open any more",
            )),
        }
    }

    /// Accepts a form with this content.
    ///
    /// # Errors
    /// As for [`answer`](Self::answer).
    pub async fn accept(&self, question: &Question, content: Value) -> Result<(), ClientError> {
        self.answer(question, accepted(content)).await
    }

    /// Declines a form.
    ///
    /// # Errors
    /// As for [`answer`](Self::answer).
    pub async fn decline(&self, question: &Question) -> Result<(), ClientError> {
        self.answer(question, declined()).await
    }

    /// Asks for it to be cancelled (`tasks/cancel`).
    ///
    /// # Errors
    /// See [`ClientError`]. A legacy server refuses to cancel what is over.
    pub async fn cancel(&self) -> Result<(), ClientError> {
        let cancelled = self.client.send(TasksCancel::NAME, self.named()).await;
        cancelled.map(drop)
    }

    fn named(&self) -> Value {
        json!({"taskId": self.id})
    }

    /// Makes the server tell of changes. A legacy server does so anyway, once the task was asked for.
    fn watch(&self) -> Option<Pending> {
        if self.client.era() == Era::Legacy {
            return None;
        }
        let connection = &self.client.connection;
        let id = connection.new_id();
        drop(connection.expect_acknowledgement(&id, true));
        let params = object(json!({"notifications": {"taskIds": [self.id]}}));
        let params = self.client.with_meta(params, None);
        Some(connection.request(id, SubscriptionsListen::NAME, &params))
    }

    /// Answers what the test has answers to; false if a question is left.
    async fn answer_open(&self) -> Result<bool, ClientError> {
        let mut answers = JsonObject::new();
        let mut left = false;
        for question in self.questions().await? {
            match self.client.connection.answer_to(&question) {
                Some(answer) => {
                    answers.insert(question.key, answer);
                }
                None => left = true,
            }
        }
        if !answers.is_empty() {
            self.update(answers).await?;
        }
        Ok(!left)
    }

    async fn update(&self, answers: JsonObject) -> Result<(), ClientError> {
        let params = json!({"taskId": self.id, "inputResponses": answers});
        self.client.send(TasksUpdate::NAME, params).await.map(drop)
    }

    async fn result_modern(&self) -> Result<CallToolResult, ClientError> {
        self.settled().await?;
        let mut task = self.client.send(GET, self.named()).await?;
        task.remove("resultType");
        match decode(GET, task)? {
            // What a task keeps is the end of its call, and may say so or leave it out like any other result.
            DetailedTask::Completed(task) => decode(GET, self.client.checked(GET, task.result)?),
            DetailedTask::Failed(task) => {
                let error = serde_json::to_value(task.error).unwrap_or_default();
                Err(ClientError::Rpc {
                    method: GET.to_owned(),
                    error: Box::new(crate::RpcError {
                        code: error["code"].as_i64().unwrap_or_default(),
                        message: error["message"].as_str().unwrap_or_default().to_owned(),
                        data: error.get("data").cloned(),
                    }),
                })
            }
            DetailedTask::Cancelled(_) => Err(self.cancelled()),
            DetailedTask::Working(_) | DetailedTask::InputRequired(_) => {
                let question = self.questions().await?.into_iter().next();
                Err(question.map_or_else(
                    || ClientError::unreadable(GET, "the task went on after it had settled"),
                    unanswered,
                ))
            }
        }
    }

    async fn result_legacy(&self) -> Result<CallToolResult, ClientError> {
        let connection = &self.client.connection;
        let mut request = connection.request(
            connection.new_id(),
            TasksResult::NAME,
            &object(self.named()),
        );
        let outcome = self.client.unless_asked(&mut request, Some(&self.id)).await;
        match outcome {
            Ok(result) => decode(TasksResult::NAME, result),
            // A cancelled task is told by an error without a code of its own.
            Err(error @ ClientError::Rpc { .. }) => match self.get().await {
                Ok(task) if task.status.as_str() == "cancelled" => Err(self.cancelled()),
                _ => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    fn cancelled(&self) -> ClientError {
        ClientError::Cancelled {
            task: self.id.clone(),
        }
    }
}
