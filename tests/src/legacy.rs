//! A client of revision 2025-11-25 over HTTP, as small as tests need it.

use serde_json::{Value, json};

use crate::modern::{Reply, last_message};

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
