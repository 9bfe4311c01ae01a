//! What an era says on the wire: requests of one era in, results of that era out. Holds no state of tasks.

pub(crate) mod client;
pub(crate) mod failure;
pub(crate) mod headers;
pub(crate) mod legacy;
pub(crate) mod modern;
pub(crate) mod negotiate;
pub(crate) mod seal;

/// The key of the tasks extension in `capabilities.extensions`.
pub(crate) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The revision of the modern era.
pub(crate) const MODERN: &str = "2026-07-28";

/// The revisions of the legacy era, newest first.
pub(crate) const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// Whether any era has a method of this name that a client may call.
pub(crate) fn is_known_method(method: &str) -> bool {
    const METHODS: [&str; 20] = [
        "completion/complete",
        "initialize",
        "logging/setLevel",
        "ping",
        "prompts/get",
        "prompts/list",
        "resources/list",
        "resources/read",
        "resources/subscribe",
        "resources/templates/list",
        "resources/unsubscribe",
        "server/discover",
        "subscriptions/listen",
        "tasks/cancel",
        "tasks/get",
        "tasks/list",
        "tasks/result",
        "tasks/update",
        "tools/call",
        "tools/list",
    ];
    METHODS.contains(&method)
}
