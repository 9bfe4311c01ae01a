//! An HTTP client that costs next to nothing, so that the servers are what is measured: one connection, one request at
//! a time, answers looked at as text.

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// One connection that stays open.
pub struct Connection {
    stream: TcpStream,
    port: u16,
    buffer: Vec<u8>,
}

fn message(method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"extensions": {"io.modelcontextprotocol/tasks": {}}},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

impl Connection {
    /// Connects.
    pub async fn open(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port))
            .await
            .expect("a connection");
        stream.set_nodelay(true).expect("an option");
        Self {
            stream,
            port,
            buffer: Vec::new(),
        }
    }

    /// Calls the tool and asks for the task until it is completed.
    pub async fn follow_one_task(&mut self) {
        let arguments = json!({"name": "sum", "arguments": {"a": 20, "b": 22}});
        let handle = self.ask("tools/call", "sum", arguments).await;
        let id = after(&handle, "\"taskId\":\"")
            .unwrap_or_else(|| panic!("no handle: {handle}"))
            .to_owned();
        loop {
            let task = self.ask("tasks/get", &id, json!({"taskId": id})).await;
            match after(&task, "\"status\":\"") {
                Some("completed") => {
                    assert!(task.contains("42"), "no result: {task}");
                    return;
                }
                Some("working") => {}
                _ => panic!("no task: {task}"),
            }
        }
    }

    async fn ask(&mut self, method: &str, name: &str, params: Value) -> String {
        let (body, port) = (message(method, params), self.port);
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n\
             accept: application/json, text/event-stream\r\nmcp-protocol-version: 2026-07-28\r\nmcp-method: {method}\r\n\
             mcp-name: {name}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        );
        self.stream
            .write_all(request.as_bytes())
            .await
            .expect("the server reads");
        self.response().await
    }

    /// Reads a response: of a length that is said, or in chunks up to the empty one.
    async fn response(&mut self) -> String {
        self.buffer.clear();
        loop {
            let read = self
                .stream
                .read_buf(&mut self.buffer)
                .await
                .expect("the server answers");
            let text = String::from_utf8_lossy(&self.buffer);
            assert!(read > 0, "the server closed the connection after {text:?}");
            let Some((head, body)) = text.split_once("\r\n\r\n") else {
                continue;
            };
            let head = head.to_ascii_lowercase();
            let whole = match after_until(&head, "content-length: ", '\r') {
                Some(length) => body.len() >= length.parse().expect("a length"),
                None => body.ends_with("0\r\n\r\n"),
            };
            if whole {
                assert!(head.starts_with("http/1.1 200"), "{text}");
                return body.to_owned();
            }
        }
    }
}

/// The text from a mark to the next quote.
fn after<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    after_until(text, mark, '"')
}

fn after_until<'a>(text: &'a str, mark: &str, end: char) -> Option<&'a str> {
    let rest = &text[text.find(mark)? + mark.len()..];
    Some(&rest[..rest.find(end).unwrap_or(rest.len())])
}
