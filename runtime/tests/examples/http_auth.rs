//! `http_auth`: what one user began, another does not find.

use std::process::Command;

use serde_json::{Value, json};

use super::{Example, built};

/// The example on a port of its own.
struct Server {
    url: String,
    #[cfg_attr(not(unix), allow(dead_code))]
    example: Example,
}

impl Server {
    fn start() -> Self {
        let mut example = Example::start("http_auth", |command| command.arg("127.0.0.1:0"));
        let url = example.line("http://");
        Self { url, example }
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

#[tokio::test]
async fn a_task_is_seen_by_its_user_alone() {
    let server = Server::start();
    let (alice, bob) = (Some("token-of-alice"), Some("token-of-bob"));
    for stranger in [None, Some("guess")] {
        let (status, _) = server.send(stranger, "tools/list", json!({})).await;
        assert_eq!(status, 401);
    }
    for (user, name) in [(alice, "alice"), (bob, "bob")] {
        let call = json!({"name": "who_am_i", "arguments": {}});
        let (_, reply) = server.send(user, "tools/call", call).await;
        assert_eq!(reply["result"]["content"][0]["text"], name, "{reply}");
    }
    let call = json!({"name": "bake", "arguments": {"cake": "cheesecake"}});
    let (_, made) = server.send(alice, "tools/call", call).await;
    assert_eq!(made["result"]["resultType"], "task", "{made}");
    let id = &made["result"]["taskId"];
    let named = || json!({"taskId": id});
    let (_, got) = server.send(alice, "tasks/get", named()).await;
    assert_eq!(got["result"]["status"], "working", "{got}");
    for method in ["tasks/get", "tasks/cancel"] {
        let (_, refused) = server.send(bob, method, named()).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    let (_, got) = server.send(alice, "tasks/get", named()).await;
    assert_eq!(got["result"]["status"], "working", "{got}");
}

#[cfg(unix)]
#[test]
fn the_command_that_it_prints_says_who_you_are() {
    let found = Command::new("curl").arg("--version").output();
    if !found.is_ok_and(|found| found.status.success()) {
        println!("skipped: there is no curl");
        return;
    }
    let mut server = Server::start();
    let command = server.example.line("curl ");
    for (token, user) in [("token-of-alice", "alice"), ("token-of-bob", "bob")] {
        let reply = super::paste(&command.replace("token-of-alice", token));
        assert_eq!(reply["result"]["content"][0]["text"], user, "{reply}");
    }
}

#[test]
fn an_address_that_is_taken_is_named() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ended = Command::new(built("http_auth"))
        .arg(&address)
        .output()
        .unwrap();
    assert!(!ended.status.success());
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains(&address), "{said}");
}
