//! Just enough of a client to show what goes over the wire.

use std::{error::Error, time::Duration};

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Map, Value, json};

/// What can go wrong in the tour.
pub(crate) type Failure = Box<dyn Error + Send + Sync>;

const REVISION: &str = "2026-07-28";

/// A client of revision 2026-07-28 that declares the tasks extension and forms.
pub(crate) struct Client {
    http: reqwest::Client,
    url: String,
    next_id: u64,
}

impl Client {
    /// A client of the server at this URL.
    pub(crate) fn new(url: String) -> Self {
        Self {
            http: reqwest::Client::new(),
            url,
            next_id: 1,
        }
    }

    /// Calls a tool. The answer is a result, an error or a task's handle.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Result<Value, Failure> {
        self.request(
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
            tool,
            true,
        )
        .await
    }

    /// Sends a request about a task.
    pub(crate) async fn task(
        &mut self,
        method: &str,
        id: &str,
        params: Value,
    ) -> Result<Value, Failure> {
        self.request(method, about(id, params), id, true).await
    }

    /// Polls a task in the pace that the server asks for, with a progress line, until it needs something or is over.
    pub(crate) async fn follow(&mut self, handle: &Value) -> Result<Value, Failure> {
        let id = text(handle, "taskId")?.to_owned();
        let bar = ProgressBar::new_spinner().with_style(ProgressStyle::with_template(
            "    {spinner} {elapsed} {msg}",
        )?);
        bar.enable_steady_tick(Duration::from_millis(100));
        let mut state = handle.clone();
        let mut polls = 0;
        while state["status"] == "working" {
            let pause = state["pollIntervalMs"].as_u64().unwrap_or(1_000);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            state = self
                .request("tasks/get", about(&id, json!({})), &id, false)
                .await?["result"]
                .take();
            polls += 1;
            let message = state["statusMessage"].as_str().unwrap_or("working");
            bar.set_message(message.to_owned());
            if bar.is_hidden() && state["status"] == "working" {
                println!("    ... {message}"); // no terminal to draw on
            }
        }
        bar.finish_and_clear();
        println!("    ({polls} x tasks/get)");
        show("<--", &state);
        Ok(state)
    }

    async fn request(
        &mut self,
        method: &str,
        mut params: Value,
        name: &str,
        aloud: bool,
    ) -> Result<Value, Failure> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": {"name": "demo", "version": env!("CARGO_PKG_VERSION")},
            "io.modelcontextprotocol/clientCapabilities": {
                "elicitation": {},
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
        });
        let message =
            json!({"jsonrpc": "2.0", "id": self.next_id, "method": method, "params": params});
        self.next_id += 1;
        if aloud {
            show("-->", &message);
        }
        let reply = self
            .http
            .post(&self.url)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json")
            .header("mcp-protocol-version", REVISION)
            .header("mcp-method", method)
            .header("mcp-name", name)
            .body(message.to_string())
            .send()
            .await?
            .text()
            .await?;
        let reply: Value = serde_json::from_str(&reply)?;
        if aloud {
            show("<--", &reply);
        }
        Ok(reply)
    }
}

/// A member that must be a string.
pub(crate) fn text<'a>(value: &'a Value, member: &str) -> Result<&'a str, Failure> {
    value[member]
        .as_str()
        .ok_or_else(|| format!("no `{member}` in {value}").into())
}

fn about(id: &str, mut params: Value) -> Value {
    params["taskId"] = json!(id);
    params
}

/// Prints a message in one line. `_meta` is left out of what is printed, not of what is sent.
fn show(arrow: &str, message: &Value) {
    fn without_meta(value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let kept = members.iter().filter(|(name, _)| *name != "_meta");
                Value::Object(
                    kept.map(|(name, value)| (name.clone(), without_meta(value)))
                        .collect::<Map<_, _>>(),
                )
            }
            other => other.clone(),
        }
    }
    println!("    {arrow} {}", without_meta(message));
}
