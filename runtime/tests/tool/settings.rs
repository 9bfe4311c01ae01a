//! Everything that `#[task_tool(..)]` takes.

use std::time::Duration;

use mcp_tasks::{
    task_tool,
    tool::{CancelMode, OnRestart, TaskOptions, TaskSupport, ToolSet},
    tools,
};
use serde_json::json;

use crate::support::tool;

const TIMEOUT: Duration = Duration::from_secs(5);

#[task_tool(
    name = "full-report",
    title = "Full report",
    task = "required",
    ttl = "1h30m",
    poll_interval = "2s",
    inline_for = "250ms",
    timeout = TIMEOUT * 2,
    cancel = "cooperative",
    on_restart = "rerun",
    concurrency = 4,
    annotations(read_only, destructive = false, open_world),
    icons("https://example.com/a.png", (src = "https://example.com/b.svg", mime_type = "image/svg+xml", sizes = "any 48x48")),
    meta = json!({"example.com/team": "reports"}),
)]
async fn everything() {}

#[test]
fn every_setting_reaches_the_descriptor() {
    let tool = tool(everything);
    let descriptor = &tool.descriptor;
    assert_eq!(descriptor.name, "full-report");
    assert_eq!(descriptor.title.as_deref(), Some("Full report"));
    assert_eq!(
        descriptor.options,
        TaskOptions {
            task: TaskSupport::Required,
            ttl: Some(Duration::from_secs(5400)),
            poll_interval: Some(Duration::from_secs(2)),
            inline_for: Some(Duration::from_millis(250)),
            timeout: Some(Duration::from_secs(10)),
            cancel: CancelMode::Cooperative,
            on_restart: OnRestart::Rerun,
            concurrency: Some(4),
        }
    );
    assert_eq!(
        json!(descriptor.annotations),
        json!({"readOnlyHint": true, "destructiveHint": false, "openWorldHint": true})
    );
    assert_eq!(
        json!(descriptor.icons),
        json!([
            {"src": "https://example.com/a.png"},
            {"src": "https://example.com/b.svg", "mimeType": "image/svg+xml", "sizes": ["any", "48x48"]},
        ])
    );
    assert_eq!(
        json!(descriptor.meta),
        json!({"example.com/team": "reports"})
    );
}

#[task_tool]
async fn plain() {}

#[test]
fn a_bare_tool_leaves_everything_to_the_server() {
    let tool = tool(plain);
    let descriptor = &tool.descriptor;
    assert_eq!(descriptor.name, "plain");
    assert_eq!(descriptor.options, TaskOptions::default());
    assert_eq!((&descriptor.title, &descriptor.description), (&None, &None));
    assert!(
        descriptor.annotations.is_none()
            && descriptor.icons.is_empty()
            && descriptor.meta.is_none()
    );
    assert!(
        descriptor
            .location
            .starts_with("runtime/tests/tool/settings.rs:"),
        "{}",
        descriptor.location
    );
}

#[task_tool(task = "forbidden", timeout = "1m", cancel = "abort")]
async fn never() {}

#[task_tool(task = "optional", meta = json!(3))]
async fn odd() {}

#[task_tool(name = "plain")]
async fn impostor() {}

#[test]
fn tools_are_registered_once_and_whole() {
    let mut set = ToolSet::new();
    for tool in tools![plain, never, everything] {
        set.add(tool).unwrap();
    }
    let faulty = set.add(tool(odd)).unwrap_err().to_string();
    assert!(faulty.contains("`meta` is no object: 3"), "{faulty}");
    let twice = set.add(tool(impostor)).unwrap_err().to_string();
    assert_eq!(twice.matches("settings.rs:").count(), 2, "{twice}");
    assert_eq!(
        set.get("never").unwrap().descriptor.options.task,
        TaskSupport::Forbidden
    );
}

mod documented {
    use mcp_tasks::task_tool;

    /** Reads a file:

        * line by line
    */
    #[task_tool]
    pub(super) async fn block() {}

    #[doc = concat!("one", " ", "two")]
    #[task_tool]
    pub(super) async fn computed() {}

    /// Counts:
    ///
    #[doc = concat!(" * from ", 1)]
    #[task_tool]
    pub(super) async fn mixed(
        #[doc = concat!("at ", "most")]
        /// this many
        most: u8,
    ) {
        let _ = most;
    }
}

#[test]
fn documentation_in_any_form_is_the_description() {
    let block = tool(documented::block).descriptor.description.clone();
    assert_eq!(
        block.as_deref(),
        Some("Reads a file:\n\n       * line by line")
    );
    let computed = tool(documented::computed).descriptor.description.clone();
    assert_eq!(computed.as_deref(), Some("one two"));
    let mixed = tool(documented::mixed);
    assert_eq!(
        mixed.descriptor.description.as_deref(),
        Some("Counts:\n\n* from 1")
    );
    assert_eq!(
        mixed.descriptor.input_schema["properties"]["most"]["description"],
        "at most\n this many"
    );
}

mod first {
    /// One of the two.
    #[mcp_tasks::task_tool]
    pub(super) async fn twin() {}
}

mod second {
    /// The other.
    #[mcp_tasks::task_tool]
    pub(super) async fn twin() {}
}

#[test]
fn a_server_with_two_tools_of_one_name_is_not_built_and_both_places_are_named() {
    let line = |nth: usize| {
        let lines = include_str!("settings.rs").lines().enumerate();
        let mut twins = lines.filter(|(_, text)| text.trim() == "pub(super) async fn twin() {}");
        twins.nth(nth).unwrap().0 + 1
    };
    let error = mcp_tasks::Server::builder()
        .tools(mcp_tasks::tools![first::twin, second::twin])
        .build()
        .err()
        .unwrap();
    let text = error.to_string();
    for place in [line(0), line(1)] {
        assert!(text.contains(&format!("settings.rs:{place}")), "{text}");
    }
    assert!(text.contains("two tools are called `twin`"), "{text}");
}
