//! How a function marked `#[task_tool]` is found to be a tool.
//!
//! The macro leaves a function of the same name and arguments that returns an [`Invocation`]. Awaiting it runs the
//! function as written; its type names the tool's definition, by which [`IntoTool`] finds it.

use std::{
    future::Future,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll},
};

use pin_project_lite::pin_project;

use super::Tool;

/// What `#[task_tool]` knows about a function. Implemented by the macro for a hidden type.
pub trait ToolDefinition {
    /// The tool.
    fn tool() -> Tool;
}

pin_project! {
    /// The future of a tool function called directly. Awaiting it runs the function as it was written.
    #[must_use = "futures do nothing unless you `.await` or poll them"]
    pub struct Invocation<D, F> {
        #[pin]
        future: F,
        definition: PhantomData<fn() -> D>,
    }
}

impl<D: ToolDefinition, F: Future> Invocation<D, F> {
    /// Ties a function's future to its definition.
    pub fn new(_definition: D, future: F) -> Self {
        Self {
            future,
            definition: PhantomData,
        }
    }
}

impl<D, F: Future> Future for Invocation<D, F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        self.project().future.poll(cx)
    }
}

/// Things that are a tool: a function marked `#[task_tool]`, or a [`Tool`].
///
/// `Marker` only tells the implementations apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "not a tool",
    note = "pass the name of a function that is marked `#[task_tool]`"
)]
pub trait IntoTool<Marker> {
    /// The tool.
    fn into_tool(self) -> Tool;
}

/// Tells a finished [`Tool`] from functions.
#[derive(Debug)]
pub struct Finished(());

#[diagnostic::do_not_recommend]
impl IntoTool<Finished> for Tool {
    fn into_tool(self) -> Tool {
        self
    }
}

macro_rules! functions {
    ($($argument:ident)*) => {
        #[diagnostic::do_not_recommend]
        impl<Function, Definition, Running, $($argument),*> IntoTool<(Definition, Running, $($argument,)*)> for Function
        where
            Function: FnOnce($($argument),*) -> Invocation<Definition, Running>,
            Definition: ToolDefinition,
        {
            fn into_tool(self) -> Tool {
                Definition::tool()
            }
        }
    };
}

functions!();
functions!(A1);
functions!(A1 A2);
functions!(A1 A2 A3);
functions!(A1 A2 A3 A4);
functions!(A1 A2 A3 A4 A5);
functions!(A1 A2 A3 A4 A5 A6);
functions!(A1 A2 A3 A4 A5 A6 A7);
functions!(A1 A2 A3 A4 A5 A6 A7 A8);
functions!(A1 A2 A3 A4 A5 A6 A7 A8 A9);
functions!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10);
functions!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11);
functions!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12);
functions!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13);
functions!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14);
functions!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15);
functions!(A1 A2 A3 A4 A5 A6 A7 A8 A9 A10 A11 A12 A13 A14 A15 A16);

/// A list of tools, one for each function named.
///
/// ```
/// use mcp_tasks::{task_tool, tools};
///
/// #[task_tool]
/// async fn hello() -> &'static str {
///     "hello"
/// }
///
/// #[task_tool]
/// async fn double(n: u32) -> String {
///     (n * 2).to_string()
/// }
///
/// let tools = tools![hello, double];
/// assert_eq!(tools[1].name(), "double");
/// ```
#[macro_export]
macro_rules! tools {
    ($($tool:expr),* $(,)?) => {
        <[_]>::into_vec($crate::__private::Box::new([$($crate::tool::IntoTool::into_tool($tool)),*]))
    };
}
