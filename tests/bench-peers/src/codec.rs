//! Decode and encode: our types, `serde_json::Value`, rmcp and rust-mcp-schema.
//!
//! Prints `ratio codec.DIRECTION.MESSAGE ours/PEER VALUE` on stdout, and the times on stderr.
//! Arguments: the number of rounds, and a part of the names to run.

mod measure;
mod messages;

use std::hint::black_box;

use mcp_tasks_types::{ext_tasks, v2025_11_25, v2026_07_28};
use measure::{Contender, measure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

struct Bench {
    rounds: u32,
    only: String,
}

/// One message in one contender: how to decode its text, and how to encode what came of it.
struct Codec<'a> {
    name: &'static str,
    decode: Box<dyn FnMut() + 'a>,
    encode: Box<dyn FnMut() + 'a>,
}

fn codec<'a, T: DeserializeOwned + Serialize + 'a>(name: &'static str, text: &'a str) -> Codec<'a> {
    let value: T = serde_json::from_str(text)
        .unwrap_or_else(|e| panic!("{name} does not take the message: {e}\n{text:.300}"));
    Codec {
        name,
        decode: Box::new(move || {
            black_box(serde_json::from_str::<T>(black_box(text)).is_ok());
        }),
        encode: Box::new(move || {
            black_box(serde_json::to_vec(black_box(&value)).is_ok());
        }),
    }
}

impl Bench {
    /// Compares the first contender with the others.
    fn compare(&self, message: &str, codecs: Vec<Codec<'_>>) {
        let (mut decode, mut encode) = (Vec::new(), Vec::new());
        for Codec {
            name,
            decode: d,
            encode: e,
        } in codecs
        {
            decode.push(Contender { name, run: d });
            encode.push(Contender { name, run: e });
        }
        for (direction, mut contenders) in [("decode", decode), ("encode", encode)] {
            let name = format!("codec.{direction}.{message}");
            if !name.contains(&self.only) {
                continue;
            }
            let times = measure(&mut contenders, self.rounds);
            for (contender, time) in contenders.iter().zip(&times) {
                eprintln!("{name:40} {:16} {time:12.0} ns", contender.name);
            }
            for (peer, time) in contenders.iter().zip(&times).skip(1) {
                println!("ratio {name} ours/{} {:.3}", peer.name, times[0] / time);
            }
        }
    }
}

fn main() {
    let mut args = std::env::args().skip(1);
    let rounds = args.next().and_then(|a| a.parse().ok()).unwrap_or(100);
    let bench = Bench {
        rounds,
        only: args.next().unwrap_or_default(),
    };

    let text = messages::compact(messages::TOOLS_CALL);
    bench.compare(
        "tools_call",
        vec![
            codec::<v2026_07_28::CallToolRequest>("ours", &text),
            codec::<Value>("serde_json", &text),
            codec::<rmcp::model::JsonRpcRequest<rmcp::model::CallToolRequest>>("rmcp", &text),
            codec::<rust_mcp_schema::CallToolRequest>("rust-mcp-schema", &text),
        ],
    );
    bench.compare(
        "client_request",
        vec![
            codec::<v2026_07_28::ClientRequest>("ours", &text),
            codec::<Value>("serde_json", &text),
            codec::<rmcp::model::ClientJsonRpcMessage>("rmcp", &text),
            codec::<rust_mcp_schema::ClientRequest>("rust-mcp-schema", &text),
        ],
    );
    let text = messages::compact(messages::TOOLS_CALL_2025);
    bench.compare(
        "tools_call_2025",
        vec![
            codec::<v2025_11_25::CallToolRequest>("ours", &text),
            codec::<Value>("serde_json", &text),
            codec::<rmcp::model::JsonRpcRequest<rmcp::model::CallToolRequest>>("rmcp", &text),
        ],
    );
    for (name, text) in [
        ("text_result", messages::compact(messages::TEXT_RESULT)),
        ("tool_result", messages::compact(messages::TOOL_RESULT)),
        // `type` comes after most of the block that it tells apart.
        (
            "tool_result_sorted",
            messages::sorted(messages::TOOL_RESULT),
        ),
        ("text_1mb", messages::large_text()),
    ] {
        bench.compare(
            name,
            vec![
                codec::<v2026_07_28::CallToolResult>("ours", &text),
                codec::<Value>("serde_json", &text),
                codec::<rmcp::model::CallToolResult>("rmcp", &text),
                codec::<rust_mcp_schema::CallToolResult>("rust-mcp-schema", &text),
            ],
        );
    }
    let text = messages::compact(messages::TASK_CREATED);
    bench.compare(
        "task_created",
        vec![
            codec::<ext_tasks::CreateTaskResult>("ours", &text),
            codec::<Value>("serde_json", &text),
            codec::<rmcp::model::CreateTaskResult>("rmcp", &text),
        ],
    );
    let text = messages::compact(&messages::task_completed());
    bench.compare(
        "task_completed",
        vec![
            codec::<ext_tasks::GetTaskResult>("ours", &text),
            codec::<Value>("serde_json", &text),
            codec::<rmcp::model::GetTaskResult>("rmcp", &text),
        ],
    );
    let text = messages::compact(&messages::list_tools());
    bench.compare(
        "list_tools_200",
        vec![
            codec::<v2026_07_28::ListToolsResult>("ours", &text),
            codec::<Value>("serde_json", &text),
            codec::<rmcp::model::ListToolsResult>("rmcp", &text),
            codec::<rust_mcp_schema::ListToolsResult>("rust-mcp-schema", &text),
        ],
    );
}
