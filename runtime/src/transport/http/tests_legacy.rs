//! The legacy era over HTTP, in one process.

use axum::body::Body;
use http::{Request, Response, StatusCode};
use serde_json::{Value, json};

use crate::{Server, transport::kit::*};

/// A client of a session.
pub(super) struct Client {
    server: Server,
    session: String,
    version: &'static str,
    who: Option<&'static str>,
}

impl Client {
    pub(super) async fn open(
        server: &Server,
        who: Option<&'static str>,
        capabilities: Value,
    ) -> (Self, Value) {
        Self::open_at("2025-11-25", server, who, capabilities).await
    }

    /// Opens a session of a revision.
    pub(super) async fn open_at(
        version: &'static str,
        server: &Server,
        who: Option<&'static str>,
        capabilities: Value,
    ) -> (Self, Value) {
        let params = json!({"protocolVersion": version, "capabilities": capabilities,
                            "clientInfo": {"name": "test", "version": "1"}});
        let mut client = Self {
            server: server.clone(),
            session: String::new(),
            version,
            who,
        };
        let response = client.post(legacy(0, "initialize", params)).await;
        client.session = response.headers()["mcp-session-id"]
            .to_str()
            .unwrap()
            .to_owned();
        let welcome = read(response).await.1.remove(0)["result"].clone();
        let response = client
            .post(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
            .await;
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        (client, welcome)
    }

    fn request(&self, mut request: http::request::Builder, body: Body) -> Request<Body> {
        if !self.session.is_empty() {
            request = request
                .header("mcp-session-id", &self.session)
                .header("mcp-protocol-version", self.version);
        }
        let request = request.body(body).unwrap();
        match self.who {
            Some(who) => by(who, request),
            None => request,
        }
    }

    pub(super) async fn post(&self, message: Value) -> Response<Body> {
        send(
            &self.server,
            self.request(post(), Body::from(message.to_string())),
        )
        .await
    }

    pub(super) async fn get(&self, last_event: Option<&str>) -> Response<Body> {
        let mut request = Request::get("/mcp").header("accept", "text/event-stream");
        if let Some(id) = last_event {
            request = request.header("last-event-id", id);
        }
        send(&self.server, self.request(request, Body::empty())).await
    }

    /// A stream of the session, as the server keeps it.
    pub(super) fn stream(&self, number: &str) -> std::sync::Arc<super::log::EventLog> {
        let (inner, principal) = (&self.server.inner, self.who.map(crate::Principal::new));
        let limits = &inner.config.limits;
        let http = inner
            .sessions
            .get(&self.session, principal.as_ref(), limits);
        http.unwrap().stream(number.parse().unwrap()).unwrap()
    }

    pub(super) async fn delete(&self) -> Response<Body> {
        send(
            &self.server,
            self.request(Request::delete("/mcp"), Body::empty()),
        )
        .await
    }

    /// The reply to a request, whatever was said before it.
    pub(super) async fn reply(&self, message: Value) -> Value {
        let (status, mut messages) = read(self.post(message).await).await;
        assert_eq!(status, StatusCode::OK, "{messages:?}");
        messages.pop().unwrap()
    }

    pub(super) async fn answer(&self, question: &Value, result: Value) {
        let response = self
            .post(json!({"jsonrpc": "2.0", "id": question["id"], "result": result}))
            .await;
        assert_eq!(response.status(), StatusCode::ACCEPTED);
    }
}

pub(super) fn legacy(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

async fn until(server: &Server, id: &Value, owner: Option<&str>, status: &str) {
    let owner = owner.map(crate::Principal::new);
    let mut watched = server
        .engine()
        .subscribe(id.as_str().unwrap(), owner.as_ref())
        .await
        .unwrap();
    while watched.current().status().as_str() != status {
        watched.next().await.expect("the task has ended");
    }
}

/// covers: X-HTTP-2, X-NEG-1, L-ERR-1
#[tokio::test]
async fn a_session_is_opened_used_and_ended() {
    let (server, _) = server();
    let (client, welcome) = Client::open(&server, None, json!({})).await;
    assert!(
        client
            .session
            .bytes()
            .all(|byte| (0x21..=0x7e).contains(&byte))
    );
    assert_eq!(welcome["protocolVersion"], "2025-11-25");
    assert_eq!(
        client.reply(legacy(1, "ping", json!({}))).await["result"],
        json!({})
    );
    let unknown = client.reply(legacy(2, "no/such", json!({}))).await;
    assert_eq!(unknown["error"]["code"], -32601);
    let malformed = client.reply(legacy(2, "tools/list", json!([]))).await;
    assert_eq!(malformed["error"]["code"], -32602);
    let prompts = client.reply(legacy(3, "prompts/list", json!({}))).await;
    assert_eq!(prompts["result"], json!({"prompts": []}));
    assert_eq!(server.open_sessions(), 1);

    let nameless = Client {
        server: server.clone(),
        session: String::new(),
        version: "2025-11-25",
        who: None,
    };
    assert_eq!(
        nameless
            .post(legacy(1, "tools/list", json!({})))
            .await
            .status(),
        400
    );
    assert_eq!(nameless.get(None).await.status(), 400);
    let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(nameless.post(told).await.status(), 400);
    let stranger = Client {
        server: server.clone(),
        session: "unknown".into(),
        version: "2025-11-25",
        who: None,
    };
    assert_eq!(
        stranger
            .post(legacy(1, "tools/list", json!({})))
            .await
            .status(),
        404
    );
    let thief = Client {
        server: server.clone(),
        session: client.session.clone(),
        version: "2025-11-25",
        who: Some("bob"),
    };
    assert_eq!(
        thief
            .post(legacy(1, "tools/list", json!({})))
            .await
            .status(),
        404
    );

    assert!(client.delete().await.status().is_success());
    assert_eq!(
        client.post(legacy(4, "ping", json!({}))).await.status(),
        404
    );
    assert_eq!(client.delete().await.status(), 404);
    assert_eq!(server.open_sessions(), 0);
}

/// covers: T04-L, T24-L
#[tokio::test]
async fn tasks_are_listed_only_to_someone() {
    let (server, _) = server();
    let (anyone, welcome) = Client::open(&server, None, json!({})).await;
    assert!(welcome["capabilities"]["tasks"].get("list").is_none());
    assert_eq!(
        anyone.reply(legacy(1, "tasks/list", json!({}))).await["error"]["code"],
        -32601
    );
    let (alice, welcome) = Client::open(&server, Some("alice"), json!({})).await;
    assert_eq!(welcome["capabilities"]["tasks"]["list"], json!({}));
    let (bob, _) = Client::open(&server, Some("bob"), json!({})).await;
    let made = alice
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "failing_job", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    let own = alice
        .reply(legacy(2, "tasks/list", json!({"cursor": null})))
        .await;
    assert_eq!(own["result"]["tasks"][0]["taskId"], id);
    assert_eq!(
        bob.reply(legacy(1, "tasks/list", json!({}))).await["result"]["tasks"],
        json!([])
    );
    for method in ["tasks/get", "tasks/result", "tasks/cancel"] {
        let foreign = bob.reply(legacy(3, method, json!({"taskId": id}))).await;
        assert_eq!(
            foreign,
            bob.reply(legacy(3, method, json!({"taskId": "none"})))
                .await,
            "{method}"
        );
        assert_eq!(foreign["error"]["code"], -32602);
    }
}

/// covers: T18-L, L-INP-1, L-INP-2
#[tokio::test]
async fn a_question_goes_to_an_open_result_stream() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, None, json!({"elicitation": {}})).await;
    let mut channel = Events::of(client.get(None).await);
    let made = client
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "ask_name", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    until(&server, &id, None, "input_required").await;
    let mut waiting = Events::of(
        client
            .post(legacy(2, "tasks/result", json!({"taskId": id})))
            .await,
    );
    let question = waiting.message().await;
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(
        question["params"]["_meta"]["io.modelcontextprotocol/related-task"]["taskId"],
        id
    );
    client
        .answer(
            &question,
            json!({"action": "accept", "content": {"name": "Ada"}}),
        )
        .await;
    let done = waiting.message().await;
    assert_eq!(done["result"]["content"][0]["text"], "Hello, Ada!");
    assert!(waiting.next().await.is_none());
    // The session's stream heard of the status, and of no question.
    loop {
        let told = channel.message().await;
        assert_eq!(told["method"], "notifications/tasks/status");
        if told["params"]["status"] == "completed" {
            break;
        }
    }
}

/// covers: L-INP-2, T18-L, F26
#[tokio::test]
async fn a_question_goes_to_the_sessions_stream_once_the_client_has_named_the_task() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, None, json!({"elicitation": {}})).await;
    let made = client
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "ask_name", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    until(&server, &id, None, "input_required").await;
    let got = client
        .reply(legacy(2, "tasks/get", json!({"taskId": id})))
        .await;
    assert_eq!(got["result"]["status"], "input_required");
    // The stream opens last of all: the question has waited for it.
    let mut channel = Events::of(client.get(None).await);
    let question = channel.message_of("elicitation/create").await;
    client.answer(&question, json!({"action": "decline"})).await;
    let result = client
        .reply(legacy(3, "tasks/result", json!({"taskId": id})))
        .await;
    assert_eq!(result["result"]["isError"], true);
}

/// covers: L-INP-2
#[tokio::test]
async fn a_question_is_asked_by_one_session_at_a_time() {
    let (server, _) = server();
    let (one, _) = Client::open(&server, Some("alice"), json!({"elicitation": {}})).await;
    let (two, _) = Client::open(&server, Some("alice"), json!({"elicitation": {}})).await;
    let made = one
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "ask_name", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    let mut first = Events::of(
        one.post(legacy(2, "tasks/result", json!({"taskId": id})))
            .await,
    );
    let question = first.message().await;
    assert_eq!(question["method"], "elicitation/create");
    let mut channel = Events::of(two.get(None).await);
    two.reply(legacy(1, "tasks/get", json!({"taskId": id})))
        .await;
    one.answer(
        &question,
        json!({"action": "accept", "content": {"name": "Ada"}}),
    )
    .await;
    assert_eq!(
        first.message().await["result"]["content"][0]["text"],
        "Hello, Ada!"
    );
    let told = channel.message().await;
    assert_eq!(told["method"], "notifications/tasks/status");
}

/// covers: L-INP-2
#[tokio::test]
async fn a_question_that_a_session_leaves_behind_is_asked_by_the_next() {
    let (server, _) = server();
    let (one, _) = Client::open(&server, Some("alice"), json!({"elicitation": {}})).await;
    let (two, _) = Client::open(&server, Some("alice"), json!({"elicitation": {}})).await;
    let made = one
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "ask_name", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    let mut first = Events::of(
        one.post(legacy(2, "tasks/result", json!({"taskId": id})))
            .await,
    );
    assert_eq!(first.message().await["method"], "elicitation/create");
    let mut channel = Events::of(two.get(None).await);
    two.reply(legacy(1, "tasks/get", json!({"taskId": id})))
        .await;
    one.delete().await;
    let question = channel.message().await;
    assert_eq!(question["method"], "elicitation/create");
    two.answer(
        &question,
        json!({"action": "accept", "content": {"name": "Ada"}}),
    )
    .await;
    let result = two
        .reply(legacy(2, "tasks/result", json!({"taskId": id})))
        .await;
    assert_eq!(result["result"]["content"][0]["text"], "Hello, Ada!");
}

/// covers: T15-L
#[tokio::test]
async fn a_question_that_is_taken_back_names_its_task() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, None, json!({"elicitation": {}})).await;
    let mut channel = Events::of(client.get(None).await);
    let made = client
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "ask_name", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    client
        .reply(legacy(2, "tasks/get", json!({"taskId": id})))
        .await;
    let question = channel.message_of("elicitation/create").await;
    client
        .reply(legacy(3, "tasks/cancel", json!({"taskId": id})))
        .await;
    let params = channel.message_of("notifications/cancelled").await["params"].clone();
    assert_eq!(params["requestId"], question["id"]);
    assert_eq!(params["_meta"], question["params"]["_meta"]);
    assert_eq!(
        params["_meta"],
        json!({"io.modelcontextprotocol/related-task": {"taskId": id}})
    );
}

/// covers: T26-L
#[tokio::test]
async fn a_plain_call_asks_on_its_own_stream() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, None, json!({"elicitation": {}})).await;
    let mut stream = Events::of(
        client
            .post(legacy(1, "tools/call", json!({"name": "ask_name"})))
            .await,
    );
    let prime = stream.next().await.unwrap();
    assert!(prime.id.is_some() && prime.message.is_none() && prime.retry.is_some());
    let question = stream.message().await;
    assert!(question["params"].get("_meta").is_none());
    client
        .answer(
            &question,
            json!({"action": "accept", "content": {"name": "Ada"}}),
        )
        .await;
    assert_eq!(
        stream.message().await["result"]["content"][0]["text"],
        "Hello, Ada!"
    );
}

#[tokio::test]
async fn a_request_that_is_called_off_gets_no_reply() {
    let (server, gate) = server();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let call = json!({"name": "wait_at_gate", "arguments": {"label": "x"}});
    let calling = client.post(legacy("c", "tools/call", call));
    tokio::pin!(calling);
    tokio::select! {
        _ = &mut calling => panic!("the gate is closed"),
        () = gate.arrived.notified() => {}
    }
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "c"}});
    assert_eq!(client.post(cancel).await.status(), StatusCode::ACCEPTED);
    gate.dropped.notified().await;
    let (_, messages) = read(calling.await).await;
    assert_eq!(messages, [] as [Value; 0]);
}

/// covers: T27-L, T27-M
#[tokio::test]
async fn a_task_of_one_era_is_read_in_the_other() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, Some("alice"), json!({})).await;
    let made = client
        .reply(legacy(
            1,
            "tools/call",
            json!({"name": "failing_job", "task": {}}),
        ))
        .await;
    let id = made["result"]["task"]["taskId"].clone();
    client
        .reply(legacy(2, "tasks/result", json!({"taskId": id})))
        .await;
    let message = modern(1, "tasks/get", json!({"taskId": id}), all());
    let request = modern_post(&message)
        .body(Body::from(message.to_string()))
        .unwrap();
    let got = read(send(&server, by("alice", request)).await)
        .await
        .1
        .remove(0);
    assert_eq!(got["result"]["status"], "completed");
    assert_eq!(got["result"]["result"]["isError"], true);

    let message = modern(2, "tools/call", json!({"name": "failing_job"}), all());
    let request = modern_post(&message)
        .body(Body::from(message.to_string()))
        .unwrap();
    let made = read(send(&server, by("alice", request)).await)
        .await
        .1
        .remove(0);
    let result = client
        .reply(legacy(
            3,
            "tasks/result",
            json!({"taskId": made["result"]["taskId"]}),
        ))
        .await;
    assert_eq!(result["result"]["isError"], true);
}

#[tokio::test]
async fn streams_and_sessions_are_limited() {
    let limits = crate::Limits::default().sessions(2).streams(1);
    let server = Server::builder().limits(limits).build().unwrap();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let (second, _) = Client::open(&server, None, json!({})).await;
    let other = Client {
        server: server.clone(),
        session: String::new(),
        version: "2025-11-25",
        who: None,
    };
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}});
    let refused = other.reply(legacy(0, "initialize", params)).await;
    assert_eq!(refused["error"]["data"]["limit"], "sessions");
    let _open = Events::of(client.get(None).await);
    assert_eq!(second.get(None).await.status(), 429);
}

/// covers: T02-L
#[tokio::test]
async fn only_a_tool_call_becomes_a_task() {
    let (server, _) = server();
    let (client, welcome) = Client::open(&server, None, json!({})).await;
    assert_eq!(
        welcome["capabilities"]["tasks"]["requests"],
        json!({"tools": {"call": {}}})
    );
    let listed = client
        .reply(legacy(1, "prompts/list", json!({"task": {}})))
        .await;
    assert_eq!(listed["result"], json!({"prompts": []}));
}

/// covers: X-RPC-2
#[tokio::test]
async fn the_same_id_in_two_sessions_is_two_requests() {
    let (server, gate) = server();
    let (one, _) = Client::open(&server, None, json!({})).await;
    let (two, _) = Client::open(&server, None, json!({})).await;
    let call = |label: &str| {
        legacy(
            "same",
            "tools/call",
            json!({"name": "wait_at_gate", "arguments": {"label": label}}),
        )
    };
    let first = one.reply(call("one"));
    tokio::pin!(first);
    tokio::select! {
        _ = &mut first => panic!("the gate is closed"),
        () = gate.arrived.notified() => {}
    }
    let second = two.reply(call("two"));
    tokio::pin!(second);
    tokio::select! {
        _ = &mut second => panic!("the gate is closed"),
        () = gate.arrived.notified() => {}
    }
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "same"}});
    two.post(cancel).await;
    gate.dropped.notified().await;
    gate.open();
    assert_eq!(first.await["result"]["content"][0]["text"], "through: one");
}

#[tokio::test]
async fn the_sessions_stream_ends_when_the_server_shuts_down() {
    let (server, _) = server();
    let (client, _) = Client::open(&server, None, json!({})).await;
    let mut channel = Events::of(client.get(None).await);
    assert!(channel.next().await.unwrap().id.is_some());
    server.shutdown().await;
    assert!(channel.next().await.is_none());
    assert_eq!(server.open_streams(), 0);
}
