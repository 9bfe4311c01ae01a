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

/// Types of `ttl` and the like.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no duration",
    label = "not a duration",
    note = "write a string with units, such as `\"1h30m\"` or `\"90s\"`, or an expression of type `std::time::Duration`"
)]
pub trait IsDuration {
    /// The same.
    fn is(self) -> Duration;
}

impl IsDuration for Duration {
    fn is(self) -> Duration {
        self
    }
}

/// A setting that the program computes.
pub fn duration<D: IsDuration>(duration: D) -> Duration {
    duration.is()
}

/// Types of parameters that have a default of their own.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default of its own",
    label = "this needs `Default`",
    note = "write the value, as in `#[arg(default = ..)]` or `#[arg(skip, default = ..)]`, or implement `Default` for \
            the type"
)]
pub trait HasDefault {
    /// The default.
    fn of_type() -> Self;
}

#[diagnostic::do_not_recommend]
impl<T: Default> HasDefault for T {
    fn of_type() -> Self {
        Self::default()
    }
}

/// The default of a parameter's type.
pub fn default_of_type<T: HasDefault>() -> T {
    T::of_type()
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

/// The code of a derived error.
pub fn code(code: i64) -> Option<i64> {
    Some(code)
}

/// What a derived error becomes: a JSON-RPC error if it has a code, else a report.
pub fn tool_error<E: DerivedError>(error: &E, code: Option<i64>) -> ToolError {
    let text = crate::tool::describe(error);
    match code {
        Some(code) => ToolError::protocol(code, text),
        None => ToolError::new(text),
    }
}
