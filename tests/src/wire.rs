//! A client's end of a byte stream to a server in the same process: one message a line.

use mcp_tasks::Server;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, duplex,
    split,
};

use crate::legacy;

/// One connection. Dropping it hangs up.
#[derive(Debug)]
pub struct Wire {
    input: WriteHalf<DuplexStream>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
}

impl Wire {
    /// Connects to a server.
    pub fn connect(server: &Server) -> Self {
        let (ours, theirs) = duplex(1 << 16);
        let (input, output) = split(theirs);
        let server = server.clone();
        tokio::spawn(async move { server.serve_io(input, output).await });
        let (output, input) = split(ours);
        Self {
            input,
            output: BufReader::new(output).lines(),
        }
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.input
            .write_all(line.as_bytes())
            .await
            .expect("the server reads");
    }

    /// The next message.
    pub async fn receive(&mut self) -> Value {
        let line = self
            .output
            .next_line()
            .await
            .expect("UTF-8")
            .expect("a message");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Sends a request; gives its answer and what came before it.
    pub async fn ask(&mut self, message: &Value) -> (Value, Vec<Value>) {
        self.send(message).await;
        let mut before = Vec::new();
        loop {
            let received = self.receive().await;
            if received["id"] == message["id"] {
                return (received, before);
            }
            before.push(received);
        }
    }

    /// Shakes hands as a client of the legacy era.
    pub async fn open_session(&mut self) {
        self.ask(&legacy::request(
            "init",
            "initialize",
            legacy::initialize_params(json!({})),
        ))
        .await;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
    }
}
