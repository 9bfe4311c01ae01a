//! A client of revision 2026-07-28 as small as tests need it: it sends what it is told and shows what came back.

use serde_json::{Map, Value, json};

/// The revision it speaks.
pub const REVISION: &str = "2026-07-28";
/// The tasks extension's id.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The capabilities of a client that follows tasks and answers every kind of question.
pub fn all_capabilities() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}, "extensions": {TASKS: {}}})
}

/// The same, without tasks.
pub fn no_tasks() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

/// A whole request message, `_meta` included.
pub fn request(id: impl Into<Value>, method: &str, params: Value, capabilities: &Value) -> Value {
    let mut params = match params {
        Value::Object(members) => members,
        Value::Null => Map::new(),
        other => {
            return json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": other});
        }
    };
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": REVISION,
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params.entry("_meta").or_insert(meta);
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// A reply over HTTP.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: u16,
    /// The message; null if there was no JSON.
    pub message: Value,
}

impl Reply {
    /// The result; fails the test if there is none.
    #[track_caller]
    pub fn result(&self) -> &Value {
        assert_eq!(self.status, 200, "{}", self.message);
        assert!(
            self.message.get("result").is_some(),
            "no result in {}",
            self.message
        );
        &self.message["result"]
    }

    /// HTTP status and code of an error.
    pub fn error(&self) -> (u16, Option<i64>) {
        (self.status, self.message["error"]["code"].as_i64())
    }
}

/// A client over HTTP.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    url: String,
    /// What it declares on each request.
    pub capabilities: Value,
    token: Option<String>,
}

impl Client {
    /// A client of the server at this URL that declares everything.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            http: reqwest::Client::new(),
            url: url.into(),
            capabilities: all_capabilities(),
            token: None,
        }
    }

    /// The same client with other capabilities.
    #[must_use]
    pub fn declaring(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// The same client with a bearer token.
    #[must_use]
    pub fn bearing(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Sends a request with the headers that belong to it.
    pub async fn send(&self, method: &str, params: Value) -> Reply {
        self.send_with(method, params, &[]).await
    }

    /// The same with headers set anew, or left out where the value is empty.
    pub async fn send_with(&self, method: &str, params: Value, headers: &[(&str, &str)]) -> Reply {
        let name = ["name", "taskId", "uri"]
            .iter()
            .find_map(|member| params[*member].as_str())
            .unwrap_or_default();
        let name = name.to_owned();
        let mut all = vec![
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("mcp-protocol-version", REVISION),
            ("mcp-method", method),
            ("mcp-name", &name),
        ];
        all.retain(|(header, _)| {
            !headers
                .iter()
                .any(|(other, _)| header.eq_ignore_ascii_case(other))
        });
        all.extend(headers);
        let message = request(1, method, params, &self.capabilities);
        self.post(message.to_string(), &all).await
    }

    /// Posts any body with any headers.
    pub async fn post(&self, body: impl Into<reqwest::Body>, headers: &[(&str, &str)]) -> Reply {
        let mut post = self.http.post(&self.url).body(body);
        if let Some(token) = &self.token {
            post = post.bearer_auth(token);
        }
        for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
            post = post.header(*name, *value);
        }
        let response = post.send().await.expect("the server answers");
        let status = response.status().as_u16();
        let text = response.text().await.expect("the answer is text");
        Reply {
            status,
            message: last_message(&text),
        }
    }

    /// Calls a tool.
    pub async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.send("tools/call", json!({"name": tool, "arguments": arguments}))
            .await
    }

    /// Asks for a task until it is no longer working, and gives the task.
    pub async fn settle(&self, id: &str) -> Value {
        loop {
            let task = self
                .send("tasks/get", json!({"taskId": id}))
                .await
                .result()
                .clone();
            if task["status"] != "working" {
                return task;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await; // the pace of polling, as a client has one
        }
    }
}

/// The message of a JSON body, or the last one of an event stream.
pub(crate) fn last_message(text: &str) -> Value {
    if let Ok(message) = serde_json::from_str(text) {
        return message;
    }
    let last = text
        .lines()
        .filter_map(|line| line.strip_prefix("data:"))
        .next_back();
    last.and_then(|data| serde_json::from_str(data.trim()).ok())
        .unwrap_or(Value::Null)
}
