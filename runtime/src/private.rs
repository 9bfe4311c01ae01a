//! What the macros' code refers to. No part of the public interface; it changes without notice.

pub use core::{
    convert::{From, Into},
    default::Default,
    future::Future,
    option::Option,
    result::Result,
    time::Duration,
};
pub use std::{boxed::Box, string::ToString, sync::Arc, vec::Vec};

pub use serde_json::json;

pub use crate::tool::{
    CancelMode, IntoTool, Invocation, OnRestart, TaskSupport, Tool, ToolDefinition, ToolError,
    Toolbox,
    parts::{ToolBuilder, argument, arguments, extract, from_text, output, question},
};

/// Another handle on a value, without need of `Clone` in scope.
pub fn share<T>(value: &Arc<T>) -> Arc<T> {
    Arc::clone(value)
}

/// Types that `#[derive(ToolError)]` goes on.
#[diagnostic::on_unimplemented(
    message = "`#[derive(ToolError)]` needs `{Self}` to implement `std::error::Error`",
    label = "not an error yet",
    note = "derive `thiserror::Error` as well, or write `impl std::error::Error for {Self}`"
)]
pub trait DerivedError: std::error::Error + 'static {}

#[diagnostic::do_not_recommend]
impl<E: std::error::Error + 'static> DerivedError for E {}

/// What a derived error becomes: a JSON-RPC error if it has a code, else a report.
pub fn tool_error<E: DerivedError>(error: &E, code: Option<i64>) -> ToolError {
    let text = crate::tool::describe(error);
    match code {
        Some(code) => ToolError::protocol(code, text),
        None => ToolError::new(text),
    }
}
