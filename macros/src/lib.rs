//! The attributes of `mcp-tasks`: `#[task_tool]` and `#[task_tools]`.
//!
//! Reads like a pipeline: `settings` and `attr` say what was asked for, `ast` what was understood, `check`
//! what cannot be, `expand` what is written. Every mistake found on the way is collected in `ctxt`.

mod ast;
mod attr;
mod check;
mod ctxt;
mod duration;
mod error;
mod expand;
mod settings;
mod spec;
mod suggest;

use proc_macro::TokenStream;

/// Makes a tool of an async function.
///
/// The documentation is that of `mcp_tasks::task_tool`.
#[proc_macro_attribute]
pub fn task_tool(settings: TokenStream, item: TokenStream) -> TokenStream {
    expand::function(settings.into(), item.into()).into()
}

/// Makes tools of the methods of an `impl` block that are marked `#[task_tool]`.
///
/// The documentation is that of `mcp_tasks::task_tools`.
#[proc_macro_attribute]
pub fn task_tools(settings: TokenStream, item: TokenStream) -> TokenStream {
    expand::methods(settings.into(), item.into()).into()
}

/// Makes an error type one that tools may return.
///
/// The documentation is that of `mcp_tasks::ToolError`.
#[proc_macro_derive(ToolError, attributes(tool_error))]
pub fn tool_error(item: TokenStream) -> TokenStream {
    error::derive(item.into()).into()
}
