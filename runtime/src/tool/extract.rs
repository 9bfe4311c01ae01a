//! Parameters of a tool function that are not arguments: what surrounds the call.

use super::{State, StateKey, ToolCall, ToolError};
use crate::{Principal, context::TaskContext};

/// All arguments of a tool as one struct.
///
/// The struct's schema is the tool's `inputSchema`; it stands alone, beside no other argument.
///
/// ```
/// use mcp_tasks::{task_tool, tool::Args};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Range {
///     from: u32,
///     to: u32,
/// }
///
/// #[task_tool]
/// async fn width(Args(range): Args<Range>) -> String {
///     range.to.saturating_sub(range.from).to_string()
/// }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Args<T>(pub T);

impl<T> std::ops::Deref for Args<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// What can be taken from a call beside its arguments.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be taken from a call",
    label = "not something that a call holds",
    note = "a call holds `TaskContext`, `State<T>` with `T: Clone + Send + Sync`, `Principal`, `Option<Principal>` and \
            `Extensions`; mark the parameter `#[arg]` if it is an argument of the tool"
)]
pub trait FromCall: Sized {
    /// Takes it.
    ///
    /// # Errors
    ///
    /// When the call or the server does not have it.
    fn from_call(call: &ToolCall) -> Result<Self, ToolError>;

    /// The state that it needs, so that a server without it is refused when it is built.
    fn state() -> Option<StateKey> {
        None
    }
}

impl FromCall for TaskContext {
    fn from_call(call: &ToolCall) -> Result<Self, ToolError> {
        Ok(call.context.clone())
    }
}

impl<T: Clone + Send + Sync + 'static> FromCall for State<T> {
    fn from_call(call: &ToolCall) -> Result<Self, ToolError> {
        let value = call.state.get::<T>().cloned().map(State);
        value.ok_or_else(|| {
            ToolError::internal(format!(
                "the server has no state of type `{}`",
                StateKey::of::<T>().name()
            ))
        })
    }

    fn state() -> Option<StateKey> {
        Some(StateKey::of::<T>())
    }
}

impl FromCall for Principal {
    fn from_call(call: &ToolCall) -> Result<Self, ToolError> {
        call.principal
            .clone()
            .ok_or_else(|| ToolError::new("this tool can only be called by a signed-in user"))
    }
}

impl FromCall for Option<Principal> {
    fn from_call(call: &ToolCall) -> Result<Self, ToolError> {
        Ok(call.principal.clone())
    }
}

impl FromCall for http::Extensions {
    fn from_call(call: &ToolCall) -> Result<Self, ToolError> {
        Ok(call.extensions.clone())
    }
}
