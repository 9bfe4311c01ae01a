//! A client of revision 2025-11-25 over HTTP, as small as tests need it.

use std::time::Duration;

use reqwest::Response;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::modern::{Reply, last_message};

/// How long a test waits for a message before it is given up.
const PATIENCE: Duration = Duration::from_secs(30);
/// The revision it speaks.
pub const REVISION: &str = "2025-11-25";

/// A request without anything around it, as it goes over a byte stream too.
pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// The params of `initialize`.
pub fn initialize_params(capabilities: Value) -> Value {
    json!({"protocolVersion": REVISION, "capabilities": capabilities, "clientInfo": {"name": "tests", "version": "1"}})
}

/// A client with an open session.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    token: Option<String>,
    session: String,
    /// What the server said on `initialize`.
    pub initialized: Value,
}

impl Client {
    /// Opens a session; with a bearer token if one is given.
    pub async fn open(url: &str, token: Option<&str>) -> Self {
        let mut client = Self {
            http: reqwest::Client::new(),
            url: url.to_owned(),
            token: token.map(str::to_owned),
            session: String::new(),
            initialized: Value::Null,
        };
        let params = initialize_params(json!({"elicitation": {"form": {}}}));
        let response = client
            .post(&request(0, "initialize", params))
            .send()
            .await
            .expect("the server answers");
        let session = response.headers().get("mcp-session-id").expect("a session");
        client.session = session.to_str().expect("an ASCII id").to_owned();
        let text = response.text().await.expect("the answer is text");
        client.initialized = last_message(&text)["result"].clone();
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let response = client.post(&done).send().await.expect("the server answers");
        assert_eq!(response.status().as_u16(), 202);
        client
    }

    fn post(&self, message: &Value) -> reqwest::RequestBuilder {
        let mut post = self
            .http
            .post(&self.url)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(message.to_string());
        if !self.session.is_empty() {
            post = post
                .header("mcp-session-id", &self.session)
                .header("mcp-protocol-version", REVISION);
        }
        match &self.token {
            Some(token) => post.bearer_auth(token),
            None => post,
        }
    }

    /// Sends a request and waits for its answer.
    pub async fn send(&self, method: &str, params: Value) -> Reply {
        let response = self
            .post(&request(1, method, params))
            .send()
            .await
            .expect("the server answers");
        let status = response.status().as_u16();
        let text = response.text().await.expect("the answer is text");
        Reply {
            status,
            message: last_message(&text),
        }
    }

    /// Sends a request and reads what comes back while it comes.
    pub async fn stream(&self, id: u64, method: &str, params: Value) -> Stream {
        let post = self.post(&request(id, method, params));
        Stream::of(post.send().await.expect("the server answers"))
    }

    /// Opens the session's own stream, or takes up another after the event that was seen last.
    pub async fn listen(&self, last_event: Option<&str>) -> Stream {
        let mut get = self
            .http
            .get(&self.url)
            .header("accept", "text/event-stream")
            .header("mcp-session-id", &self.session)
            .header("mcp-protocol-version", REVISION);
        if let Some(token) = &self.token {
            get = get.bearer_auth(token);
        }
        if let Some(id) = last_event {
            get = get.header("last-event-id", id);
        }
        Stream::of(get.send().await.expect("the server answers"))
    }

    /// Answers a request of the server.
    pub async fn answer(&self, question: &Value, result: Value) {
        let answer = json!({"jsonrpc": "2.0", "id": question["id"], "result": result});
        let response = self.post(&answer).send().await.expect("the server answers");
        assert_eq!(response.status().as_u16(), 202);
    }

    /// Calls a tool as a task, and gives its id.
    pub async fn start(&self, tool: &str, arguments: Value) -> String {
        let reply = self
            .send(
                "tools/call",
                json!({"name": tool, "arguments": arguments, "task": {}}),
            )
            .await;
        reply.result()["task"]["taskId"]
            .as_str()
            .unwrap_or_else(|| panic!("no handle: {reply:?}"))
            .to_owned()
    }
}

/// A response while it comes. Dropping it closes the connection.
#[derive(Debug)]
pub struct Stream {
    response: Response,
    text: String,
    /// The id of the newest event.
    pub last_event: Option<String>,
}

impl Stream {
    fn of(response: Response) -> Self {
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self {
            response,
            text: String::new(),
            last_event: None,
        }
    }

    /// The next message; `None` at the end of the stream.
    pub async fn message(&mut self) -> Option<Value> {
        timeout(PATIENCE, self.read())
            .await
            .expect("a message or the end comes in time")
    }

    async fn read(&mut self) -> Option<Value> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (event, rest) = (event.to_owned(), rest.to_owned());
                self.text = rest;
                let line = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                if let Some(id) = line("id: ") {
                    self.last_event = Some(id.to_owned());
                }
                if let Some(data) = line("data: ").filter(|data| !data.is_empty()) {
                    return Some(serde_json::from_str(data).expect("a message is JSON"));
                }
                continue;
            }
            let chunk = self.response.chunk().await.expect("the stream goes on")?;
            self.text
                .push_str(std::str::from_utf8(&chunk).expect("the stream is text"));
        }
    }

    /// The next message of a method, whatever comes before it.
    pub async fn message_of(&mut self, method: &str) -> Value {
        loop {
            let message = self.message().await.expect("the stream goes on");
            if message["method"] == method {
                return message;
            }
        }
    }

    /// The last message.
    pub async fn last(mut self) -> Value {
        let mut last = Value::Null;
        while let Some(message) = self.message().await {
            last = message;
        }
        last
    }
}
