//! The example `http_auth`, as a user starts it: what one user began, another does not find.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, missing_docs)]

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

/// Where cargo has put the example.
fn built() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(|deps| deps.parent()).unwrap();
    built.join("examples").join("http_auth")
}

/// The started example. It is ended when this is dropped.
struct Example {
    process: Child,
    url: String,
}

impl Example {
    fn start() -> Self {
        let binary = built();
        let mut process = Command::new(&binary)
            .arg("127.0.0.1:0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!(
                    "cannot start {}: {error}; build it with `cargo build -p mcp-tasks --examples`",
                    binary.display()
                )
            });
        let mut url = String::new();
        let output = process.stdout.as_mut().unwrap();
        BufReader::new(output).read_line(&mut url).unwrap();
        Self {
            process,
            url: url.trim().to_owned(),
        }
    }

    /// Sends a request of 2026-07-28; gives the status and the message, or null.
    async fn send(&self, token: Option<&str>, method: &str, mut params: Value) -> (u16, Value) {
        let name = params["name"].as_str().or(params["taskId"].as_str());
        let mut post = reqwest::Client::new()
            .post(&self.url)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", method);
        if let Some(name) = name {
            post = post.header("mcp-name", name);
        }
        if let Some(token) = token {
            post = post.bearer_auth(token);
        }
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let response = post.body(message.to_string()).send().await.unwrap();
        let status = response.status().as_u16();
        let text = response.text().await.unwrap();
        (status, serde_json::from_str(&text).unwrap_or_default())
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        // It may have ended by itself; the test has failed then.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test]
async fn a_task_is_seen_by_its_user_alone() {
    let example = Example::start();
    let (alice, bob) = (Some("token-of-alice"), Some("token-of-bob"));
    for stranger in [None, Some("guess")] {
        let (status, _) = example.send(stranger, "tools/list", json!({})).await;
        assert_eq!(status, 401);
    }
    for (user, name) in [(alice, "alice"), (bob, "bob")] {
        let call = json!({"name": "who_am_i", "arguments": {}});
        let (_, reply) = example.send(user, "tools/call", call).await;
        assert_eq!(reply["result"]["content"][0]["text"], name, "{reply}");
    }
    let call = json!({"name": "bake", "arguments": {"cake": "cheesecake"}});
    let (_, made) = example.send(alice, "tools/call", call).await;
    assert_eq!(made["result"]["resultType"], "task", "{made}");
    let id = &made["result"]["taskId"];
    let named = || json!({"taskId": id});
    let (_, got) = example.send(alice, "tasks/get", named()).await;
    assert_eq!(got["result"]["status"], "working", "{got}");
    for method in ["tasks/get", "tasks/cancel"] {
        let (_, refused) = example.send(bob, method, named()).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let (_, got) = example.send(alice, "tasks/get", named()).await;
    assert_eq!(got["result"]["status"], "working", "{got}");
}

#[test]
fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = Command::new(built()).arg(&address).output().unwrap();
    assert!(!ended.status.success());
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains(&address), "{said}");
}
