//! The stream on which a legacy call is answered, for tools that let go of it.

use std::{fmt, sync::Arc};

/// The stream on which a legacy call over HTTP is answered. A tool finds it in its
/// [`Extensions`](crate::Extensions), unless the call runs as a task.
///
/// A tool that works for long can let go of the connection; the client comes back for the result.
///
/// ```
/// use mcp_tasks::{Extensions, server::CallStream, task_tool};
///
/// #[task_tool]
/// async fn count_everything(extensions: Extensions) -> String {
///     if let Some(stream) = extensions.get::<CallStream>() {
///         stream.let_go();
///     }
///     // It takes its time.
///     "many".to_owned()
/// }
/// ```
#[derive(Clone)]
pub struct CallStream(Arc<dyn Fn() + Send + Sync>);

impl CallStream {
    #[cfg_attr(not(feature = "http"), allow(dead_code, reason = "only HTTP needs it"))]
    pub(crate) fn new(let_go: impl Fn() + Send + Sync + 'static) -> Self {
        Self(Arc::new(let_go))
    }

    /// Closes the connection. The call goes on, and the client fetches the result with `Last-Event-ID`. Does nothing in a
    /// session of a revision before 2025-11-25, whose clients cannot do that.
    pub fn let_go(&self) {
        (self.0)();
    }
}

impl fmt::Debug for CallStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CallStream")
    }
}
