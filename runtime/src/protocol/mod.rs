//! What an era says on the wire: requests of one era in, results of that era out. Holds no state of tasks.

pub(crate) mod headers;
pub(crate) mod negotiate;
pub(crate) mod seal;

/// The key of the tasks extension in `capabilities.extensions`.
pub(crate) const TASKS_EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// The revision of the modern era.
pub(crate) const MODERN: &str = "2026-07-28";

/// The revisions of the legacy era, newest first.
pub(crate) const LEGACY: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
