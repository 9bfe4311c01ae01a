//! What the protocol's schema says that the macros need.

/// Values of `execution.taskSupport`.
pub(crate) const TASK_SUPPORT: &[&str] = &["forbidden", "optional", "required"];

/// What methods on tasks begin with; no tool may be called so.
pub(crate) const RESERVED_PREFIXES: &[&str] = &["tasks/", "notifications/"];
