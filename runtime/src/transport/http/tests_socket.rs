//! Both eras over real sockets: what only a connection can show.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::body::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

use crate::{Server, transport::kit::*};

async fn served(
    server: &Server,
) -> (
    std::net::SocketAddr,
    tokio::task::JoinHandle<std::io::Result<()>>,
) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = server.clone();
    (
        address,
        tokio::spawn(async move { server.serve_http(listener).await }),
    )
}

/// The text of an HTTP request.
fn text(request: http::request::Builder, message: &Value) -> String {
    let parts = request.body(()).unwrap().into_parts().0;
    let body = message.to_string();
    let mut text = format!(
        "{} /mcp HTTP/1.1\r\ncontent-length: {}\r\n",
        parts.method,
        body.len()
    );
    for (name, value) in &parts.headers {
        text.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap()));
    }
    text + "\r\n" + &body
}

/// covers: X-HTTP-3
#[tokio::test]
async fn a_connection_that_breaks_ends_its_plain_call() {
    let (server, gate) = server();
    let (address, _) = served(&server).await;
    let message = modern(
        1,
        "tools/call",
        json!({"name": "wait_at_gate", "arguments": {"label": "x"}}),
        json!({}),
    );
    let mut socket = TcpStream::connect(address).await.unwrap();
    socket
        .write_all(text(modern_post(&message), &message).as_bytes())
        .await
        .unwrap();
    gate.arrived.notified().await;
    drop(socket);
    gate.dropped.notified().await;
}

/// covers: M-LSN-2
#[tokio::test]
async fn a_server_ends_with_open_streams_of_both_eras() {
    let (server, _) = server();
    let (address, serving) = served(&server).await;
    let message = modern(
        1,
        "subscriptions/listen",
        json!({"notifications": {}}),
        json!({}),
    );
    let mut listening = TcpStream::connect(address).await.unwrap();
    listening
        .write_all(text(modern_post(&message), &message).as_bytes())
        .await
        .unwrap();
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let response = send(&server, post().body(Body::from(hello.to_string())).unwrap()).await;
    let session = response.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let mut channel = TcpStream::connect(address).await.unwrap();
    let get = format!(
        "GET /mcp HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\nmcp-session-id: {session}\r\n\r\n"
    );
    channel.write_all(get.as_bytes()).await.unwrap();
    let mut bytes = [0; 1024];
    assert!(listening.read(&mut bytes).await.unwrap() > 0);
    assert!(channel.read(&mut bytes).await.unwrap() > 0);
    server.shutdown().await;
    serving.await.unwrap().unwrap();
}

/// What is logged while a test runs.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Written {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// covers: T21-M, F10
#[tokio::test]
async fn a_client_that_leaves_the_name_out_is_logged_once_a_connection() {
    let written = Written::default();
    let writer = written.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    // Everything here runs on this thread.
    let _logging = tracing::subscriber::set_default(subscriber);
    let (server, _) = server();
    let (address, _) = served(&server).await;
    let message = modern(1, "tasks/get", json!({"taskId": "none"}), all());
    let request = || {
        post()
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tasks/get")
    };
    for connection in 1..=2 {
        let mut socket = TcpStream::connect(address).await.unwrap();
        for _ in 0..3 {
            socket
                .write_all(text(request(), &message).as_bytes())
                .await
                .unwrap();
            let mut bytes = [0; 4096];
            assert!(socket.read(&mut bytes).await.unwrap() > 0);
        }
        let log = String::from_utf8(written.0.lock().clone()).unwrap();
        assert_eq!(log.matches("Mcp-Name").count(), connection, "{log}");
    }
}

#[tokio::test]
async fn the_end_of_a_sessions_older_stream_is_logged() {
    let written = Written::default();
    let writer = written.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .finish();
    let _logging = tracing::subscriber::set_default(subscriber);
    let (server, _) = server();
    let (client, _) = super::tests_legacy::Client::open(&server, None, json!({})).await;
    let logged = || {
        let log = String::from_utf8(written.0.lock().clone()).unwrap();
        log.matches("stream is opened again").count()
    };
    let mut first = Events::of(client.get(None).await);
    assert!(first.next().await.is_some());
    assert_eq!(logged(), 0);
    let _second = client.get(None).await;
    assert_eq!(logged(), 1);
    assert!(first.next().await.is_none());
}

/// covers: L-RES-1, L-RES-2
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_hundred_waiters_do_not_slow_others_and_are_all_answered() {
    const WAITERS: usize = 500;
    let (server, gate) = server();
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize",
                       "params": {"protocolVersion": "2025-11-25", "capabilities": {}}});
    let mut sessions = Vec::new();
    for _ in 0..WAITERS {
        let response = send(&server, post().body(Body::from(hello.to_string())).unwrap()).await;
        sessions.push(
            response.headers()["mcp-session-id"]
                .to_str()
                .unwrap()
                .to_owned(),
        );
    }
    let in_session = |session: &str, message: &Value| {
        post()
            .header("mcp-session-id", session)
            .body(Body::from(message.to_string()))
            .unwrap()
    };
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                      "params": {"name": "wait_at_gate", "arguments": {"label": "x"}, "task": {}}});
    let made = read(send(&server, in_session(&sessions[0], &call)).await)
        .await
        .1
        .remove(0);
    let id = made["result"]["task"]["taskId"].clone();

    let alone = median_get(&server, &id).await;
    let before = server.engine().stats().waiters;
    let wait =
        json!({"jsonrpc": "2.0", "id": 2, "method": "tasks/result", "params": {"taskId": id}});
    let waiting: Vec<_> = sessions
        .iter()
        .map(|session| {
            let (server, request) = (server.clone(), in_session(session, &wait));
            tokio::spawn(async move { read(send(&server, request).await).await.1.pop().unwrap() })
        })
        .collect();
    while server.engine().stats().waiters < before + 2 * WAITERS - 1 {
        tokio::task::yield_now().await;
    }
    let crowded = median_get(&server, &id).await;
    // Waiting costs nobody else anything; the bound is wide because machines are busy.
    assert!(
        crowded < alone * 20 + Duration::from_millis(1),
        "{alone:?} alone, {crowded:?} among {WAITERS} waiters"
    );
    gate.open();
    for reply in waiting {
        assert_eq!(
            reply.await.unwrap()["result"]["content"][0]["text"],
            "through: x"
        );
    }
    while server.engine().stats().waiters > 0 {
        tokio::task::yield_now().await;
    }
}

async fn median_get(server: &Server, id: &Value) -> Duration {
    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        result(server, "tasks/get", json!({"taskId": id}), all()).await;
        times.push(begun.elapsed());
    }
    times.sort();
    times[times.len() / 2]
}
