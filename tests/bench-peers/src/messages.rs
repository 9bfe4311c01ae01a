//! The messages that are decoded and encoded.

use serde_json::{Value, json};

/// A `tools/call` request of 2026-07-28, with the members that every request has to carry.
pub fn tools_call() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 4711,
        "method": "tools/call",
        "params": {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": { "name": "bench-client", "version": "1.4.0" },
                "io.modelcontextprotocol/clientCapabilities": {
                    "elicitation": { "form": {} },
                    "extensions": { "io.modelcontextprotocol/tasks": {} }
                },
                "progressToken": "call-4711"
            },
            "name": "build_report",
            "arguments": {
                "dataset": "sales-2025",
                "limit": 250,
                "columns": ["region", "month", "amount"],
                "filter": { "region": "north", "minimum": 12.5 },
                "draft": false
            }
        }
    })
}

/// The same call as a client of 2025-11-25 sends it, as a task.
pub fn tools_call_2025() -> Value {
    let mut message = tools_call();
    message["params"]["_meta"] = json!({ "progressToken": "call-4711" });
    message["params"]["task"] = json!({ "ttl": 60_000 });
    message
}

/// A result with three blocks and structured content.
pub fn tool_result() -> Value {
    json!({
        "resultType": "complete",
        "content": [
            { "type": "text", "text": "The report has 250 rows; the largest amount is 9120.75 in \"north\".\n" },
            {
                "type": "resource_link",
                "uri": "file:///reports/2025/sales.csv",
                "name": "sales.csv",
                "mimeType": "text/csv",
                "size": 18_234,
                "annotations": { "audience": ["user"], "priority": 0.8 }
            },
            {
                "type": "resource",
                "resource": { "uri": "file:///reports/2025/notes.md", "mimeType": "text/markdown", "text": "# Notes\n\nNothing unusual." }
            }
        ],
        "structuredContent": {
            "rows": 250,
            "largest": { "region": "north", "month": 11, "amount": 9120.75 },
            "columns": ["region", "month", "amount"]
        },
        "isError": false
    })
}

/// `tasks/get` of a finished task of the extension.
pub fn task_completed() -> Value {
    let mut task = task("completed");
    task["result"] = tool_result();
    task["resultType"] = "complete".into();
    task
}

/// The handle of a new task of the extension.
pub fn task_created() -> Value {
    let mut task = task("working");
    task["resultType"] = "task".into();
    task
}

fn task(status: &str) -> Value {
    json!({
        "taskId": "0mJxkQz3T5mYw1n8aF2b7Q",
        "status": status,
        "statusMessage": "250 of 250 rows written",
        "createdAt": "2026-08-01T10:30:00Z",
        "lastUpdatedAt": "2026-08-01T10:31:40Z",
        "ttlMs": 3_600_000,
        "pollIntervalMs": 2000
    })
}

/// A page of 200 tools, each with a schema of its arguments.
pub fn list_tools() -> Value {
    let tools: Vec<Value> = (0..200).map(tool).collect();
    json!({ "resultType": "complete", "cacheScope": "private", "ttlMs": 300_000, "nextCursor": "page-2", "tools": tools })
}

fn tool(number: usize) -> Value {
    json!({
        "name": format!("tool_{number}"),
        "title": format!("Tool number {number}"),
        "description": "Builds the yearly report of one data set and says how many rows it has.",
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "dataset": { "type": "string", "description": "Data set to read" },
                "limit": { "type": "integer", "minimum": 1, "maximum": 10_000, "default": 10 }
            },
            "required": ["dataset"]
        },
        "annotations": { "readOnlyHint": true, "openWorldHint": false }
    })
}

/// A result of one text block of 1 MB, with line breaks to escape.
pub fn large_text() -> Value {
    let line = "The quick brown fox jumps over the lazy dog, again and again and again.\n";
    let text = line.repeat((1 << 20) / line.len());
    json!({ "resultType": "complete", "content": [{ "type": "text", "text": text }] })
}
