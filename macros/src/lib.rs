//! `#[task_tool]`.
