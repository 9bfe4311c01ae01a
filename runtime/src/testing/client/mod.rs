//! A client for tests: it talks to a built server in memory, in either era, through the same code as any other client.

mod connection;
mod error;
mod question;
mod task;
#[cfg(test)]
mod tests;

use std::{fmt, sync::Arc};

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::{
    Era, JsonObject, Principal, Server,
    protocol::{LEGACY, MODERN},
    types::{
        ext_tasks::{Task, keys::TASKS, methods::TasksGet},
        method::Method,
        v2025_11_25::{
            self,
            methods::{Initialize, NotificationsInitialized, TasksList},
        },
        v2026_07_28::{
            CallToolResult, ClientCapabilities, Implementation, RequestMetaObject, Tool,
            methods::{SubscriptionsListen, ToolsCall, ToolsList},
        },
    },
};

use self::{
    connection::{Connection, Open, Pending, object},
    question::{accepted, declined},
};

pub use error::ClientError;
pub use question::Question;
pub use task::TestTask;

/// How much a pipe holds before its writer waits.
const PIPE: usize = 64 << 10;

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
    pub fn answer(&self, result: Value) -> &Self {
        self.connection.with_answers(|answers| answers.push(result));
        self
    }

    /// The next form is accepted with this content.
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

    // --- notifications ---

    /// Every notification so far.
    pub fn notifications(&self) -> Vec<Notification> {
        self.connection.notifications()
    }

    /// The params of the next notification of a kind, waiting for one if need be. Each is given out once.
    ///
    /// # Errors
    /// When the connection ends, or the params do not fit.
    pub async fn notification<M>(&self) -> Result<M::Params, ClientError>
    where
        M: Method<Params: DeserializeOwned>,
    {
        let mut news = self.connection.news();
        loop {
            news.mark_unchanged();
            if let Some(said) = self.connection.take_notification(M::NAME) {
                return decode(M::NAME, said.params);
            }
            self.wait(&mut news, M::NAME).await?;
        }
    }

    /// Subscribes to tasks: from then on `notifications/tasks` come, until what is returned is dropped. Only the modern
    /// era has the method.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn listen(
        &self,
        tasks: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Listening, ClientError> {
        let ids: Vec<String> = tasks.into_iter().map(Into::into).collect();
        let id = self.connection.new_id();
        let acknowledged = self.connection.expect_acknowledgement(&id, false);
        let params = self.with_meta(object(json!({"notifications": {"taskIds": ids}})), None);
        let mut request = self
            .connection
            .request(id, SubscriptionsListen::NAME, &params);
        let accepted = tokio::select! {
            biased;
            Ok(params) = acknowledged => params,
            reply = request.result() => {
                reply?;
                return Err(ClientError::closed(SubscriptionsListen::NAME));
            }
        };
        let accepted = accepted
            .get("notifications")
            .map(|granted| granted["taskIds"].clone())
            .unwrap_or_default();
        Ok(Listening {
            accepted: serde_json::from_value(accepted).unwrap_or_default(),
            request,
        })
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

    /// Whether a legacy server says that a tool can only be called as a task.
    async fn requires_task(&self, name: &str) -> Result<bool, ClientError> {
        let tools: Vec<v2025_11_25::Tool> = self.all_pages(ToolsList::NAME, "tools").await?;
        let tool = tools.into_iter().find(|tool| tool.name == name);
        let support = tool
            .and_then(|tool| tool.execution)
            .and_then(|execution| execution.task_support);
        Ok(support.is_some_and(|support| support.as_str() == "required"))
    }

    async fn called(
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
    async fn unless_asked(
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

    /// Waits until the server has said something.
    async fn wait(
        &self,
        news: &mut tokio::sync::watch::Receiver<u64>,
        what: &str,
    ) -> Result<(), ClientError> {
        if self.connection.is_closed() || news.changed().await.is_err() {
            return Err(ClientError::closed(what));
        }
        Ok(())
    }

    async fn shake_hands(&self) -> Result<(), ClientError> {
        let mut capabilities =
            serde_json::to_value(&*self.capabilities).expect("capabilities are JSON");
        if let Value::Object(members) = &mut capabilities {
            members.remove("extensions");
        }
        let params = json!({
            "protocolVersion": LEGACY[0],
            "capabilities": capabilities,
            "clientInfo": serde_json::to_value(me()).expect("a name is JSON"),
        });
        let welcome = self.send(Initialize::NAME, params).await?;
        let _: v2025_11_25::InitializeResult = decode(Initialize::NAME, welcome)?;
        self.connection
            .notify(NotificationsInitialized::NAME, &JsonObject::new());
        Ok(())
    }
}

impl fmt::Debug for TestClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestClient")
            .field("era", &self.era())
            .finish_non_exhaustive()
    }
}

/// What came of a call.
enum Called {
    Result(Box<CallToolResult>),
    Task(TestTask),
}

/// A notification of the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notification {
    /// Its method.
    pub method: String,
    /// Its params.
    pub params: JsonObject,
}

/// An open subscription to tasks. Dropping it ends the subscription.
pub struct Listening {
    accepted: Vec<String>,
    #[expect(dead_code, reason = "dropping it calls the request off")]
    request: Pending,
}

impl Listening {
    /// The ids that the server took; those that are unknown or somebody else's are left out.
    pub fn accepted(&self) -> &[String] {
        &self.accepted
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening")
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}

/// Describes a [`TestClient`].
#[derive(Clone, Debug)]
#[must_use]
pub struct TestClientBuilder {
    principal: Option<Principal>,
    capabilities: ClientCapabilities,
}

impl Default for TestClientBuilder {
    fn default() -> Self {
        let capabilities = json!({
            "elicitation": {"form": {}, "url": {}},
            "sampling": {},
            "roots": {},
            "extensions": {TASKS: {}},
        });
        Self {
            principal: None,
            capabilities: serde_json::from_value(capabilities).expect("these are capabilities"),
        }
    }
}

impl TestClientBuilder {
    /// Who the client is, as an authentication layer in front of the server would have found out.
    pub fn principal(mut self, principal: impl Into<Principal>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// What the client declares; by default tasks and every kind of question. A legacy client declares the same but the
    /// extensions.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// A client of 2026-07-28. Needs a tokio runtime.
    pub fn modern(self, server: &Server) -> TestClient {
        let (input, output) = self.connect(server);
        self.modern_over(input, output)
    }

    /// A client of 2025-11-25 with an open session.
    ///
    /// # Errors
    /// When the server refuses the session.
    pub async fn legacy(self, server: &Server) -> Result<TestClient, ClientError> {
        let (input, output) = self.connect(server);
        self.legacy_over(input, output).await
    }

    /// A client of 2026-07-28 over streams of yours, such as the output and the input of a child process. Who the client
    /// is, the other side knows.
    pub fn modern_over<R, W>(self, input: R, output: W) -> TestClient
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        self.over(Era::Modern, input, output)
    }

    /// A client of 2025-11-25 over streams of yours, with an open session.
    ///
    /// # Errors
    /// When the server refuses the session.
    pub async fn legacy_over<R, W>(self, input: R, output: W) -> Result<TestClient, ClientError>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let client = self.over(Era::Legacy, input, output);
        client.shake_hands().await?;
        Ok(client)
    }

    fn over<R, W>(self, era: Era, input: R, output: W) -> TestClient
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (connection, open) = Connection::open(era, input, output);
        TestClient {
            connection,
            capabilities: Arc::new(self.capabilities),
            _open: Arc::new(open),
        }
    }

    /// Serves this client in memory; gives its ends of the pipes.
    fn connect(
        &self,
        server: &Server,
    ) -> (
        impl AsyncRead + Unpin + Send + use<>,
        impl AsyncWrite + Unpin + Send + use<>,
    ) {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let (input, output) = tokio::io::split(theirs);
        let (server, principal) = (server.clone(), self.principal.clone());
        tokio::spawn(async move {
            if let Err(error) = server.serve_as(principal, input, output).await {
                tracing::debug!(%error, "the test client's connection broke");
            }
        });
        tokio::io::split(ours)
    }
}

/// Who the client says that it is.
fn me() -> Implementation {
    Implementation::new("mcp-tasks-test-client", env!("CARGO_PKG_VERSION"))
}

fn unanswered(question: Question) -> ClientError {
    ClientError::Unanswered {
        question: Box::new(question),
    }
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
