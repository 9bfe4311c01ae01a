//! A client for tests: it talks to a built server in memory, in either era, through the same code as any other client.

mod builder;
mod call;
mod connection;
mod error;
mod notice;
mod question;
mod task;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    Era, JsonObject, Server,
    protocol::MODERN,
    types::{
        ext_tasks::{Task, methods::TasksGet},
        method::Method,
        v2025_11_25::{self, methods::TasksList},
        v2026_07_28::{
            CallToolResult, ClientCapabilities, Implementation, RequestMetaObject, Tool,
            methods::{ToolsCall, ToolsList},
        },
    },
};

use self::{
    call::{Called, unanswered},
    connection::{Connection, Open, object},
    question::{accepted, declined},
};

pub use builder::TestClientBuilder;
pub use error::ClientError;
pub use notice::{Listening, Notification};
pub use question::Question;
pub use task::TestTask;

/// A client for tests. It is connected to a server in the same process, and speaks one of the two eras.
///
/// [`call`](Self::call) is what a user does: it calls a tool and gets the result, whether the server makes a task of it
/// or not, and whatever is asked on the way. [`start`](Self::start) gives the task in between.
///
/// ```
/// use mcp_tasks::{Server, TaskContext, ToolError, task_tool, testing::TestClient};
/// use serde_json::json;
///
/// /// Greets whoever the user names.
/// #[task_tool]
/// async fn greet(ctx: TaskContext) -> Result<String, ToolError> {
///     let name: String = ctx.elicit("Who?").await?.required()?;
///     Ok(format!("Hello, {name}!"))
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::builder().name("greeter").version("1.0.0").tool(greet).build()?;
/// for client in [TestClient::modern(&server), TestClient::legacy(&server).await?] {
///     assert_eq!(client.list_tools().await?[0].name, "greet");
///
///     let task = client.start("greet", json!({})).await?;
///     assert_eq!(task.settled().await?.status.as_str(), "input_required");
///     let question = &task.questions().await?[0];
///     assert_eq!(question.message(), Some("Who?"));
///     task.accept(question, json!({"value": "Ada"})).await?;
///     let result = task.result().await?;
///     assert_eq!(serde_json::to_value(&result.content)?[0]["text"], "Hello, Ada!");
///
///     client.accept(json!({"value": "Grace"})); // the answer to the next question
///     let result = client.call("greet", json!({})).await?;
///     assert_eq!(serde_json::to_value(&result.content)?[0]["text"], "Hello, Grace!");
/// }
/// # Ok(())
/// # }
/// ```
///
/// Results come in the types of 2026-07-28 and of the tasks extension, in both eras. Nothing is polled: the client is told
/// of changes, so tests wait no longer than the tool takes. Clones share the connection, which ends with the last of them.
#[derive(Clone)]
pub struct TestClient {
    connection: Arc<Connection>,
    capabilities: Arc<ClientCapabilities>,
    _open: Arc<Open>,
}

impl TestClient {
    /// A client of 2026-07-28 that follows tasks and can be asked anything. Needs a tokio runtime.
    pub fn modern(server: &Server) -> Self {
        Self::builder().modern(server)
    }

    /// A client of 2025-11-25 that can be asked anything, with an open session.
    ///
    /// # Errors
    /// When the server refuses the session, as one does that was built without the legacy era.
    pub async fn legacy(server: &Server) -> Result<Self, ClientError> {
        Self::builder().legacy(server).await
    }

    /// A client that is somebody, or that can do less, or that speaks over streams of yours.
    pub fn builder() -> TestClientBuilder {
        TestClientBuilder::default()
    }

    /// The era that it speaks.
    pub fn era(&self) -> Era {
        self.connection.era
    }

    // --- tools ---

    /// The server's tools, page by page.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn list_tools(&self) -> Result<Vec<Tool>, ClientError> {
        self.all_pages(ToolsList::NAME, "tools").await
    }

    /// Calls a tool as a user does, and waits for the result: with tasks where the server wants one, answering
    /// questions from what the test has in store.
    ///
    /// A modern client says that it follows tasks, if its capabilities do; a legacy client asks for a task only where the
    /// tool requires one. The call carries a progress token.
    ///
    /// # Errors
    /// See [`ClientError`]. An error that the tool reports is a result, with `is_error`.
    pub async fn call(
        &self,
        tool: impl Into<String>,
        arguments: Value,
    ) -> Result<CallToolResult, ClientError> {
        let tool = tool.into();
        let as_task = match self.era() {
            Era::Modern => true,
            Era::Legacy => self.requires_task(&tool).await?,
        };
        match self.called(&tool, arguments, as_task).await? {
            Called::Result(result) => Ok(*result),
            Called::Task(task) => task.result().await,
        }
    }

    /// Calls a tool as a client does that knows nothing of tasks.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn call_plain(
        &self,
        tool: impl Into<String>,
        arguments: Value,
    ) -> Result<CallToolResult, ClientError> {
        let tool = tool.into();
        match self.called(&tool, arguments, false).await? {
            Called::Result(result) => Ok(*result),
            Called::Task(_) => Err(ClientError::unreadable(
                ToolsCall::NAME,
                "a task came to a client that had not asked for one",
            )),
        }
    }

    /// Calls a tool, and gives the task that the server makes of it.
    ///
    /// # Errors
    /// [`ClientError::NoTask`] if the tool answered at once; see the others there.
    pub async fn start(
        &self,
        tool: impl Into<String>,
        arguments: Value,
    ) -> Result<TestTask, ClientError> {
        let tool = tool.into();
        match self.called(&tool, arguments, true).await? {
            Called::Task(task) => Ok(task),
            Called::Result(result) => Err(ClientError::NoTask { tool, result }),
        }
    }

    /// A task by its id, as a client has it that took the id down before.
    pub fn task(&self, id: impl Into<String>) -> TestTask {
        TestTask::new(self.clone(), id.into())
    }

    /// Every task of this client's user. Only the legacy era has the method.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn list_tasks(&self) -> Result<Vec<Task>, ClientError> {
        let tasks: Vec<v2025_11_25::Task> = self.all_pages(TasksList::NAME, "tasks").await?;
        tasks
            .into_iter()
            .map(|task| renamed(task, TasksList::NAME))
            .collect()
    }

    // --- answers ---

    /// The next question that is not answered yet gets this result object.
    ///
    /// Of questions that are open at the same time, as those of `join` and of several `#[ask]` parameters are, a legacy
    /// client is asked in turn. A modern client is given them as an object, by the alphabet of their keys: tell such
    /// questions apart by their [`message`](Question::message), with [`answer_with`](Self::answer_with).
    pub fn answer(&self, result: Value) -> &Self {
        self.connection.with_answers(|answers| answers.push(result));
        self
    }

    /// The next form is accepted with this content: the members of the struct that is asked for, or of a single value
    /// `{"value": ..}`, with the parameter's name in place of `value` if it is an `#[ask]` parameter.
    pub fn accept(&self, content: Value) -> &Self {
        self.answer(accepted(content))
    }

    /// The next form is declined.
    pub fn decline(&self) -> &Self {
        self.answer(declined())
    }

    /// What answers when no answer is in line. `None` leaves the question open.
    pub fn answer_with(
        &self,
        responder: impl Fn(&Question) -> Option<Value> + Send + Sync + 'static,
    ) -> &Self {
        self.connection
            .with_answers(|answers| answers.respond_with(Arc::new(responder)));
        self
    }

    // --- anything else ---

    /// Sends any request, and gives its result. In the modern era `_meta` is added, unless it is there, and `resultType`
    /// is checked: a result without one is complete.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn send(&self, method: &str, params: Value) -> Result<JsonObject, ClientError> {
        let params = self.with_meta(object(params), None);
        let request = self
            .connection
            .request(self.connection.new_id(), method, &params)
            .result()
            .await;
        self.checked(method, request?)
    }

    /// Adds what each request of the modern era carries.
    fn with_meta(
        &self,
        mut params: JsonObject,
        capabilities: Option<ClientCapabilities>,
    ) -> JsonObject {
        if self.era() == Era::Modern {
            let capabilities = capabilities.unwrap_or_else(|| (*self.capabilities).clone());
            let meta = RequestMetaObject::new(capabilities, MODERN).with_client_info(me());
            let meta = serde_json::to_value(meta).expect("metadata is JSON");
            match params.get_mut("_meta") {
                Some(Value::Object(given)) => {
                    for (name, value) in object(meta) {
                        given.entry(name).or_insert(value);
                    }
                }
                Some(_) => {}
                None => {
                    params.insert("_meta".into(), meta);
                }
            }
        }
        params
    }

    /// Looks at `resultType`. The legacy era has none, and a result without one is complete.
    fn checked(&self, method: &str, mut result: JsonObject) -> Result<JsonObject, ClientError> {
        let kind = result
            .entry("resultType")
            .or_insert_with(|| "complete".into());
        let known = match (self.era(), kind.as_str()) {
            (Era::Legacy, _) | (Era::Modern, Some("complete")) => true,
            (Era::Modern, Some("task" | "input_required")) => method == ToolsCall::NAME,
            _ => false,
        };
        if known {
            return Ok(result);
        }
        Err(ClientError::UnknownResultType {
            method: method.to_owned(),
            kind: kind
                .as_str()
                .map_or_else(|| kind.to_string(), str::to_owned),
        })
    }

    async fn all_pages<T: DeserializeOwned>(
        &self,
        method: &str,
        member: &str,
    ) -> Result<Vec<T>, ClientError> {
        let mut all = Vec::new();
        let mut params = json!({});
        loop {
            let mut page = self.send(method, params).await?;
            let items = page.remove(member).unwrap_or_default();
            let items: Vec<T> = serde_json::from_value(items)
                .map_err(|error| ClientError::unreadable(method, format!("{member}{error}")))?;
            all.extend(items);
            match page.remove("nextCursor") {
                None | Some(Value::Null) => return Ok(all),
                Some(cursor) => params = json!({"cursor": cursor}),
            }
        }
    }
}

impl fmt::Debug for TestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClient")
            .field("era", &self.era())
            .finish_non_exhaustive()
    }
}

/// Who the client says that it is.
fn me() -> Implementation {
    Implementation::new("mcp-tasks-test-client", env!("CARGO_PKG_VERSION"))
}

/// A legacy task in the names of the modern era.
fn renamed(task: v2025_11_25::Task, method: &str) -> Result<Task, ClientError> {
    Task::try_from(task).map_err(|error| ClientError::unreadable(method, error))
}

fn decode<T: DeserializeOwned>(method: &str, members: JsonObject) -> Result<T, ClientError> {
    serde_json::from_value(Value::Object(members))
        .map_err(|error| ClientError::unreadable(method, error))
}

/// The method that asks for a task's state has one name in both eras.
const GET: &str = TasksGet::NAME;
