//! The messages that are decoded and encoded, with their members in the order in which peers write them.

/// A `tools/call` request of 2026-07-28, with the members that every request has to carry.
pub const TOOLS_CALL: &str = r#"{
  "jsonrpc": "2.0",
  "id": 4711,
  "method": "tools/call",
  "params": {
    "name": "build_report",
    "arguments": {
      "dataset": "sales-2025",
      "limit": 250,
      "columns": ["region", "month", "amount"],
      "filter": { "region": "north", "minimum": 12.5 },
      "draft": false
    },
    "_meta": {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { "name": "bench-client", "version": "1.4.0" },
      "io.modelcontextprotocol/clientCapabilities": {
        "elicitation": { "form": {} },
        "extensions": { "io.modelcontextprotocol/tasks": {} }
      },
      "progressToken": "call-4711"
    }
  }
}"#;

/// The same call as a client of 2025-11-25 sends it, as a task.
pub const TOOLS_CALL_2025: &str = r#"{
  "jsonrpc": "2.0",
  "id": 4711,
  "method": "tools/call",
  "params": {
    "name": "build_report",
    "arguments": {
      "dataset": "sales-2025",
      "limit": 250,
      "columns": ["region", "month", "amount"],
      "filter": { "region": "north", "minimum": 12.5 },
      "draft": false
    },
    "task": { "ttl": 60000 },
    "_meta": { "progressToken": "call-4711" }
  }
}"#;

/// A result of one text block, as most tools give it.
pub const TEXT_RESULT: &str = r#"{
  "content": [
    { "type": "text", "text": "The report has 250 rows; the largest amount is 9120.75 in \"north\".\n" }
  ],
  "isError": false,
  "resultType": "complete"
}"#;

/// A result with three blocks and structured content.
pub const TOOL_RESULT: &str = r##"{
  "content": [
    { "type": "text", "text": "The report has 250 rows; the largest amount is 9120.75 in \"north\".\n" },
    {
      "type": "resource_link",
      "uri": "file:///reports/2025/sales.csv",
      "name": "sales.csv",
      "mimeType": "text/csv",
      "size": 18234,
      "annotations": { "audience": ["user"], "priority": 0.8 }
    },
    {
      "type": "resource",
      "resource": {
        "uri": "file:///reports/2025/notes.md",
        "mimeType": "text/markdown",
        "text": "# Notes\n\nNothing unusual."
      }
    }
  ],
  "structuredContent": {
    "rows": 250,
    "largest": { "region": "north", "month": 11, "amount": 9120.75 },
    "columns": ["region", "month", "amount"]
  },
  "isError": false,
  "resultType": "complete"
}"##;

/// The handle of a new task of the extension.
pub const TASK_CREATED: &str = r#"{
  "resultType": "task",
  "taskId": "0mJxkQz3T5mYw1n8aF2b7Q",
  "status": "working",
  "statusMessage": "0 of 250 rows written",
  "createdAt": "2026-08-01T10:30:00Z",
  "lastUpdatedAt": "2026-08-01T10:30:00Z",
  "ttlMs": 3600000,
  "pollIntervalMs": 2000
}"#;

/// `tasks/get` of a finished task of the extension.
pub fn task_completed() -> String {
    let open = TASK_CREATED
        .trim_end()
        .trim_end_matches('}')
        .replace("\"task\"", "\"complete\"");
    format!(
        "{}, \"result\": {TOOL_RESULT} }}",
        open.replace("working", "completed")
    )
}

/// A page of 200 tools, each with a schema of its arguments.
pub fn list_tools() -> String {
    let tools: Vec<String> = (0..200)
        .map(|n| TOOL.replace("NUMBER", &n.to_string()))
        .collect();
    format!(
        r#"{{"tools": [{}], "nextCursor": "page-2", "resultType": "complete", "ttlMs": 300000, "cacheScope": "private"}}"#,
        tools.join(",")
    )
}

const TOOL: &str = r#"{
  "name": "tool_NUMBER",
  "title": "Tool number NUMBER",
  "description": "Builds the yearly report of one data set and says how many rows it has.",
  "inputSchema": {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "properties": {
      "dataset": { "type": "string", "description": "Data set to read" },
      "limit": { "type": "integer", "minimum": 1, "maximum": 10000, "default": 10 }
    },
    "required": ["dataset"]
  },
  "annotations": { "readOnlyHint": true, "openWorldHint": false }
}"#;

/// A result of one text block of 1 MB, with line breaks to escape.
pub fn large_text() -> String {
    let line = "The quick brown fox jumps over the lazy dog, again and again and again.\\n";
    let text = line.repeat((1 << 20) / line.len());
    format!(r#"{{"content": [{{"type": "text", "text": "{text}"}}], "resultType": "complete"}}"#)
}

/// The message as programs write it that keep objects in sorted maps and save the white space.
pub fn sorted(text: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(text).expect("JSON");
    value.to_string()
}

/// The message without white space, its members in their order.
pub fn compact(text: &str) -> String {
    let (mut out, mut quoted, mut escaped) = (String::with_capacity(text.len()), false, false);
    for c in text.chars() {
        if quoted || !c.is_ascii_whitespace() {
            out.push(c);
        }
        quoted ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    out
}
