//! The stdio server keeps its footing: whatever a line holds, the next one works.

use std::{
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use mcp_tasks_tests::{
    legacy,
    modern::{all_capabilities, request},
    stdio::StdioServer,
};
use serde_json::{Value, json};

fn start() -> StdioServer {
    StdioServer::start(
        Path::new(env!("CARGO_BIN_EXE_fixture-server")),
        &["--stdio"],
    )
}

fn call(id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
    request(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
        &all_capabilities(),
    )
}

/// A plain request gets its answer, so the server still stands.
#[track_caller]
fn still_works(server: &mut StdioServer) {
    let reply = server.ask(&call("again", "greet", json!({"name": "you"})));
    assert_eq!(reply["id"], "again", "{reply}");
    assert_eq!(
        reply["result"]["content"][0]["text"], "Hello, you!",
        "{reply}"
    );
}

/// covers: X-STD-1
#[test]
fn a_broken_line_is_a_parse_error_and_the_next_line_works() {
    let mut server = start();
    for line in ["{\"jsonrpc\": \"2.0\", \"id\": 1,", "nonsense", "\u{fffd}"] {
        server.send_line(line.as_bytes());
        let reply = server.receive();
        assert_eq!(reply["error"]["code"], -32700, "{reply}");
        assert!(reply["id"].is_null(), "{reply}");
        still_works(&mut server);
    }
    server.send_line(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}");
    assert_eq!(server.receive()["error"]["code"], -32700);
    still_works(&mut server);
}

/// covers: X-RPC-1
#[test]
fn a_batch_is_refused_and_the_next_line_works() {
    let mut server = start();
    let batch = json!([
        call(1, "greet", json!({"name": "a"})),
        call(2, "greet", json!({"name": "b"}))
    ]);
    let reply = server.ask(&batch);
    assert_eq!(reply["error"]["code"], -32600, "{reply}");
    still_works(&mut server);
}

#[test]
fn an_unknown_method_is_method_not_found() {
    let mut server = start();
    let reply = server.ask(&request(7, "no/such", json!({}), &all_capabilities()));
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(7), &json!(-32601)),
        "{reply}"
    );
    still_works(&mut server);
}

/// covers: X-ARG-1
#[test]
fn an_unknown_tool_is_invalid_params() {
    let mut server = start();
    let reply = server.ask(&call(7, "no_such_tool", json!({})));
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(7), &json!(-32602)),
        "{reply}"
    );
    still_works(&mut server);
}

/// covers: X-ARG-1
#[test]
fn arguments_of_the_wrong_type_are_a_tool_error_that_names_the_field() {
    let mut server = start();
    let reply = server.ask(&call(7, "greet", json!({"name": 5})));
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    let text = reply["result"]["content"][0]["text"]
        .as_str()
        .expect("a text");
    assert!(text.contains("name"), "{text}");
    still_works(&mut server);
}

/// covers: X-STD-1
#[test]
fn a_line_of_nine_megabytes_is_refused_and_the_next_line_works() {
    let mut server = start();
    server.send(&call(7, "greet", json!({"name": "x".repeat(9 << 20)})));
    let reply = server.receive();
    assert!(reply["error"]["code"].is_i64(), "{reply}");
    assert_eq!(reply["error"]["data"]["limit"], "messageBytes", "{reply}");
    still_works(&mut server);
}

/// covers: X-STD-1
#[test]
fn a_quick_call_overtakes_a_slow_one() {
    let mut server = start();
    let plain = |id: &str, seconds: f64| {
        let params =
            json!({"name": "slow_compute", "arguments": {"seconds": seconds, "label": id}});
        request(id, "tools/call", params, &json!({}))
    };
    server.send(&plain("slow", 1.0));
    server.send(&plain("quick", 0.0));
    assert_eq!(server.receive()["id"], "quick");
    assert_eq!(server.receive()["id"], "slow");
}

/// covers: X-STD-1
#[test]
fn the_end_of_the_input_lets_running_calls_finish_and_ends_the_server() {
    let mut server = start();
    let params = json!({"name": "slow_compute", "arguments": {"seconds": 0.3, "label": "last"}});
    server.send(&request(1, "tools/call", params, &json!({})));
    let (rest, well) = server.close();
    assert_eq!(rest.len(), 1, "{rest:?}");
    assert_eq!(rest[0]["id"], 1);
    assert!(well);
}

/// covers: X-STD-1
#[test]
fn a_server_that_nobody_reads_from_ends_though_its_input_is_open() {
    let mut server = start();
    still_works(&mut server);
    let message = call(7, "greet", json!({"name": "you"}));
    assert!(server.ends_unread(&message, Duration::from_secs(20)));
}

/// covers: X-STD-1
#[test]
fn a_question_that_nobody_can_answer_does_not_keep_the_server() {
    let mut server = start();
    server.ask(&legacy::request(
        0,
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
               "clientInfo": {"name": "test", "version": "1"}}),
    ));
    let params = json!({"name": "test_elicitation", "arguments": {"message": "Who?"}});
    let asked = server.ask(&legacy::request(1, "tools/call", params));
    assert_eq!(asked["method"], "elicitation/create", "{asked}");
    let begun = Instant::now();
    let (rest, well) = server.close();
    assert!(well && rest.len() == 1 && rest[0]["id"] == 1, "{rest:?}");
    assert!(rest[0]["error"].is_object(), "{rest:?}");
    // Without an answer it waited for half a minute.
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// covers: X-RPC-1, F20
#[test]
fn ids_come_back_as_they_were_sent() {
    let mut server = start();
    for id in ["1", "\"one\"", "1.0", "-3", "9007199254740991"] {
        let message = call("ID", "greet", json!({"name": "you"}))
            .to_string()
            .replace("\"ID\"", id);
        server.send_line(message.as_bytes());
        let reply = server.receive();
        let sent: Value = serde_json::from_str(id).expect("an id");
        assert_eq!(reply["id"].as_f64(), sent.as_f64(), "{reply}");
        assert_eq!(reply["id"].as_str(), sent.as_str(), "{reply}");
    }
}

/// covers: X-RPC-1
#[test]
fn unknown_notifications_and_blank_lines_are_passed_over() {
    let mut server = start();
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/of_the_future", "params": {}}));
    server.send_line(b"");
    still_works(&mut server);
}

/// covers: F19
#[test]
fn what_a_tool_logs_does_not_get_between_the_messages() {
    let mut server = start();
    // The next line on standard output is the answer, or the test fails.
    let reply = server.ask(&call(7, "test_logging_tool", json!({})));
    assert_eq!(reply["id"], 7, "{reply}");
    let (rest, _) = server.close();
    assert!(rest.is_empty(), "{rest:?}");
}

/// The example in `runtime/examples`, built as its readers build it.
fn example() -> StdioServer {
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--locked",
            "--quiet",
            "-p",
            "mcp-tasks",
            "--example",
            "stdio",
        ])
        .status()
        .expect("cargo runs");
    assert!(built.success(), "the example builds");
    let fixture = Path::new(env!("CARGO_BIN_EXE_fixture-server"));
    let binary = fixture.with_file_name("examples").join("stdio");
    StdioServer::start(&binary, &[])
}

#[test]
fn one_session_of_the_example_takes_every_abuse() {
    let mut server = example();
    let abuses = [
        ("{\"jsonrpc\": \"2.0\",".to_owned(), Some(-32700)),
        (
            json!([call(1, "add", json!({"a": 1, "b": 2}))]).to_string(),
            Some(-32600),
        ),
        (
            request(2, "no/such", json!({}), &all_capabilities()).to_string(),
            Some(-32601),
        ),
        (call(3, "no_such_tool", json!({})).to_string(), Some(-32602)),
        (
            call(4, "add", json!({"a": "one", "b": 2})).to_string(),
            None,
        ),
        ("x".repeat(9 << 20), Some(-31900)),
    ];
    for (line, code) in abuses {
        server.send_line(line.as_bytes());
        let reply = server.receive();
        assert_eq!(reply["error"]["code"].as_i64(), code, "{reply}");
        assert_eq!(
            reply["result"]["isError"] == true,
            code.is_none(),
            "{reply}"
        );
        let reply = server.ask(&call(5, "add", json!({"a": 1, "b": 2})));
        assert_eq!(reply["result"]["content"][0]["text"], "3", "{reply}");
    }
    let (rest, well) = server.close();
    assert!(rest.is_empty() && well, "{rest:?}");
}
