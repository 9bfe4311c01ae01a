//! What a tool is: its description, how it is called, and what it gives back.
//!
//! Knows nothing of tasks' storage, of eras' wire shapes or of transports. `#[task_tool]` makes one from a function;
//! a [`Tool`] can also be put together by hand from a [`ToolDescriptor`] and a [`ToolHandler`].

mod builder;
mod checks;
pub(crate) mod decode;
mod descriptor;
mod error;
mod extract;
mod fit;
pub mod form;
mod function;
mod output;
mod parameter;
pub(crate) mod schema;
mod set;
mod state;

/// What `#[task_tool]` expands to calls of. No part of the public interface.
pub(crate) mod parts {
    pub use super::{
        builder::{ToolBuilder, output},
        parameter::{argument, arguments, extract, from_text, question},
    };
}

pub(crate) use self::error::describe;

use std::{fmt, sync::Arc};

pub use self::{
    descriptor::{Ask, CancelMode, OnRestart, TaskOptions, TaskSupport, ToolDescriptor},
    error::{INTERNAL_ERROR, INVALID_PARAMS, ToolError},
    extract::{Args, FromCall},
    function::{IntoTool, Invocation, ToolDefinition},
    output::{IntoToolError, IntoToolOutput, Json, JsonOutput, ToolOutput},
    parameter::DefaultValue,
    schema::ToolArgument,
    set::{IntoTools, RegisterError, ToolSet, Toolbox},
    state::{State, StateKey, StateMap},
};
use crate::{BoxFuture, JsonObject, Principal, context::TaskContext};

pub use crate::types::v2026_07_28::{ContentBlock, Icon, ToolAnnotations};

/// One call: arguments as sent, answers to the tool's [`Ask`]s, and what surrounds the call.
#[derive(Clone)]
#[non_exhaustive]
pub struct ToolCall {
    /// The arguments as sent.
    pub arguments: JsonObject,
    /// What the user filled in, by [`Ask::name`]. A question that was declined or dismissed has no entry: the
    /// function gets `None` for an `Option`, otherwise the call ends with a tool error that says so.
    pub answers: JsonObject,
    /// What the running tool can do.
    pub context: TaskContext,
    /// Shared state, by type (`State<T>`).
    pub state: StateMap,
    /// Who calls.
    pub principal: Option<Principal>,
    /// What the transport's layers attached to the request; empty for a call taken up after a restart.
    pub extensions: http::Extensions,
}

impl ToolCall {
    /// A call with nothing but arguments.
    pub fn new(arguments: JsonObject, context: TaskContext) -> Self {
        Self {
            arguments,
            answers: JsonObject::new(),
            context,
            state: StateMap::new(),
            principal: None,
            extensions: http::Extensions::new(),
        }
    }
}

/// The future of a started call.
pub type ToolFuture = BoxFuture<'static, Result<ToolOutput, ToolError>>;

/// The code of a tool. Object-safe; `#[task_tool]` implements it.
pub trait ToolHandler: Send + Sync + 'static {
    /// Decodes the arguments (not the answers) and says what is wrong with them. Runs nothing.
    ///
    /// # Errors
    ///
    /// A tool error that names every argument that does not fit.
    fn check(&self, arguments: &JsonObject) -> Result<(), ToolError>;

    /// Decodes everything and returns the call's future without polling it.
    ///
    /// # Errors
    ///
    /// As [`check`](Self::check), and an error for a missing answer, state or principal.
    fn start(&self, call: ToolCall) -> Result<ToolFuture, ToolError>;
}

/// A tool: what is known about it, and its code. Cheap to clone.
#[derive(Clone)]
pub struct Tool {
    /// What clients and the engine may know.
    pub descriptor: Arc<ToolDescriptor>,
    /// The code.
    pub handler: Arc<dyn ToolHandler>,
    /// What is wrong with the definition; registration refuses it.
    pub(crate) fault: Option<String>,
}

impl Tool {
    /// Puts a tool together by hand.
    pub fn new(descriptor: ToolDescriptor, handler: impl ToolHandler) -> Self {
        Self {
            descriptor: Arc::new(descriptor),
            handler: Arc::new(handler),
            fault: None,
        }
    }

    /// The name by which clients call it.
    pub fn name(&self) -> &str {
        &self.descriptor.name
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("descriptor", &self.descriptor)
            .finish_non_exhaustive()
    }
}
