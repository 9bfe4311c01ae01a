//! Both eras on a byte stream, in one process.
#![allow(clippy::unwrap_used)]

use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf},
    task::JoinHandle,
};

use crate::{
    Server,
    transport::kit::{Gate, all, modern, server},
};

/// The other end of a server's pipes.
pub(super) struct Client {
    input: Option<WriteHalf<DuplexStream>>,
    output: Lines<BufReader<ReadHalf<DuplexStream>>>,
    served: JoinHandle<std::io::Result<()>>,
}

impl Client {
    pub(super) fn of(server: &Server) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(theirs);
        let server = server.clone();
        let served = tokio::spawn(async move { server.serve_io(input, output).await });
        let (output, input) = tokio::io::split(ours);
        Self {
            input: Some(input),
            output: BufReader::new(output).lines(),
            served,
        }
    }

    async fn write(&mut self, text: impl AsRef<[u8]>) {
        let input = self.input.as_mut().unwrap();
        input.write_all(text.as_ref()).await.unwrap();
        input.write_all(b"\n").await.unwrap();
    }

    pub(super) async fn send(&mut self, message: Value) {
        self.write(message.to_string()).await;
    }

    pub(super) async fn next(&mut self) -> Value {
        let line = self
            .output
            .next_line()
            .await
            .unwrap()
            .expect("the output has ended");
        serde_json::from_str(&line).unwrap()
    }

    /// The reply to a request that is sent now.
    pub(super) async fn reply(&mut self, message: Value) -> Value {
        let id = message["id"].clone();
        self.send(message).await;
        loop {
            let next = self.next().await;
            if next["id"] == id && next.get("method").is_none() {
                return next;
            }
        }
    }

    /// Ends the input, and reads what is still said.
    pub(super) async fn hang_up(mut self) -> Vec<Value> {
        self.input.take().unwrap().shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.output.next_line().await.unwrap() {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        self.served.await.unwrap().unwrap();
        rest
    }
}

pub(super) fn client() -> (Client, Server, Gate) {
    let (server, gate) = server();
    (Client::of(&server), server, gate)
}

pub(super) fn ping(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "ping"})
}

/// covers: X-STD-1, X-RPC-1
#[tokio::test]
async fn whatever_is_sent_gets_its_error_and_the_next_request_works() {
    let (mut client, _, _) = client();
    let long = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"{}"}}"#,
        "x".repeat(100_000)
    );
    let cases: [(&[u8], i64); 6] = [
        (b"{broken", -32700),
        (b"[]", -32600),
        (b"\"text\"", -32600),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}",
            -32600,
        ),
        (b"\xff\xfe", -32700),
        (long.as_bytes(), -31900),
    ];
    for (id, (line, code)) in cases.into_iter().enumerate() {
        client.write(line).await;
        let error = client.next().await;
        assert_eq!(error["error"]["code"], code, "{error}");
        assert!(error.get("id").is_none());
        let pong = client.reply(ping(id as u64)).await;
        assert_eq!(pong["result"], json!({}));
    }
    client.write("").await;
    client.write("  \r").await;
    let unknown = client
        .reply(json!({"jsonrpc": "2.0", "id": "u", "method": "no/such"}))
        .await;
    assert_eq!(unknown["error"]["code"], -32601);
    let lost = client
        .reply(json!({"jsonrpc": "2.0", "id": 1.0, "method": "tools/list"}))
        .await;
    assert_eq!(lost["error"]["code"], -32602);
    assert_eq!(client.hang_up().await, [] as [Value; 0]);
}

/// covers: X-STD-1
#[tokio::test]
async fn requests_run_side_by_side_and_are_finished_when_the_input_ends() {
    let (mut client, _, gate) = client();
    let call = |id: u64| {
        modern(
            id,
            "tools/call",
            json!({"name": "wait_at_gate", "arguments": {"label": "x"}}),
            json!({}),
        )
    };
    client.send(call(1)).await;
    gate.arrived.notified().await;
    let quick = client
        .reply(modern(
            2,
            "tools/call",
            json!({"name": "greet", "arguments": {"name": "b"}}),
            json!({}),
        ))
        .await;
    assert_eq!(quick["result"]["content"][0]["text"], "Hello, b!");
    let again = client.reply(ping(1)).await;
    assert!(again.get("result").is_some(), "{again}");
    client.send(call(1)).await;
    let taken = client.next().await;
    assert_eq!(taken["error"]["code"], -32600);
    gate.open();
    let rest = client.hang_up().await;
    assert_eq!(rest.len(), 1);
    assert_eq!(rest[0]["result"]["content"][0]["text"], "through: x");
}

#[tokio::test]
async fn a_plain_call_that_is_called_off_gets_no_reply() {
    let (mut client, _, gate) = client();
    client
        .send(modern(
            "a",
            "tools/call",
            json!({"name": "wait_at_gate", "arguments": {"label": "x"}}),
            json!({}),
        ))
        .await;
    gate.arrived.notified().await;
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}}))
        .await;
    gate.dropped.notified().await;
    assert_eq!(client.hang_up().await, [] as [Value; 0]);
}

/// covers: M-CAN-1
#[tokio::test]
async fn calling_the_call_off_does_not_touch_its_task() {
    let (mut client, _, _) = client();
    let made = client
        .reply(modern(
            1,
            "tools/call",
            json!({"name": "wait_at_gate", "arguments": {"label": "x"}}),
            all(),
        ))
        .await;
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}))
        .await;
    let got = client
        .reply(modern(
            2,
            "tasks/get",
            json!({"taskId": made["result"]["taskId"]}),
            all(),
        ))
        .await;
    assert_eq!(got["result"]["status"], "working");
}

/// covers: M-LSN-2
#[tokio::test]
async fn subscriptions_end_when_called_off_and_when_the_input_ends() {
    let (mut client, server, _) = client();
    for id in ["one", "two"] {
        client
            .send(modern(
                id,
                "subscriptions/listen",
                json!({"notifications": {}}),
                json!({}),
            ))
            .await;
        let first = client.next().await;
        assert_eq!(
            first["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
            id
        );
        assert_eq!(first["params"]["notifications"], json!({}));
    }
    client
        .send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "one"}}))
        .await;
    client.reply(ping(1)).await;
    let rest = client.hang_up().await;
    assert_eq!(rest.last().unwrap()["id"], "two");
    assert!(
        rest.iter().all(|message| message["id"] != "one"),
        "{rest:?}"
    );
    assert_eq!(server.open_streams(), 0);
}
