//! A server: its tools, its limits, and the way from a decoded message to the reply.
//!
//! Knows neither sockets nor lines (they are the transports') nor the wire shapes of an era.

mod builder;
mod call_stream;
mod caller;
mod catalog;
pub(crate) mod error;
mod fallback;
pub(crate) mod limits;
pub(crate) mod rpc;

use std::{
    sync::{Arc, Once},
    time::Duration,
};

use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub use builder::{BuildError, ServerBuilder};
pub use call_stream::CallStream;
pub use error::RpcError;
pub use fallback::{Era, Fallback, FallbackRequest};
pub use limits::Limits;

pub use crate::types::v2026_07_28::CacheScope;

pub(crate) use caller::{Caller, Connection, Outbox};
pub(crate) use catalog::{Catalog, Entry};

use crate::{
    JsonObject,
    context::TaskContext,
    engine::{Engine, Recovery},
    gauge::Gauge,
    protocol::{legacy::Asking, seal::Sealer},
    tool::{OnRestart, StateMap, ToolCall},
    types::v2026_07_28::ResultMetaObject,
};

/// How long running work may take to end when the server shuts down.
const GRACE: Duration = Duration::from_secs(5);
/// How long replies may take once what still ran was stopped.
const LAST_REPLIES: Duration = Duration::from_millis(500);

/// A server of tools. Cheap to clone; every clone is the same server.
///
/// ```no_run
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// use mcp_tasks::{Server, task_tool};
///
/// #[task_tool]
/// async fn hello(name: String) -> String {
///     format!("Hello, {name}!")
/// }
///
/// let server = Server::builder().name("greeter").version("1.0.0").tool(hello).build()?;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
/// server.serve_http(listener).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Server {
    pub(crate) inner: Arc<Inner>,
}

/// What all clones share.
pub(crate) struct Inner {
    pub(crate) config: builder::Config,
    /// `Implementation`: who we say that we are.
    pub(crate) info: JsonObject,
    /// The same as results of the modern era carry it.
    pub(crate) result_meta: ResultMetaObject,
    pub(crate) catalog: Catalog,
    pub(crate) state: StateMap,
    pub(crate) engine: Engine,
    pub(crate) sealer: Sealer,
    /// Questions of tasks that legacy sessions are being asked.
    pub(crate) asking: Asking,
    #[cfg(feature = "http")]
    pub(crate) sessions: crate::transport::Sessions,
    /// Calls of tools that are being answered.
    pub(crate) calls: Gauge,
    /// Open subscriptions and GET streams.
    pub(crate) streams: Gauge,
    /// Fires when the server shuts down: ends streams and stops transports.
    pub(crate) shutdown: CancellationToken,
    /// Fires at the end of the grace time: cancels what still runs.
    pub(crate) shutdown_calls: CancellationToken,
    /// Requests that are being answered.
    pub(crate) requests: TaskTracker,
    /// What is said once where connections are not known.
    connection: Connection,
    started: Once,
}

impl Server {
    /// Starts to describe a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// The engine that runs the tasks, to look at or to use from elsewhere.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// How many calls of tools are being answered.
    pub fn open_calls(&self) -> usize {
        self.inner.calls.open()
    }

    /// How many subscriptions and GET streams are open.
    pub fn open_streams(&self) -> usize {
        self.inner.streams.open()
    }

    /// How many legacy sessions are open over HTTP.
    #[cfg(feature = "http")]
    pub fn open_sessions(&self) -> usize {
        self.inner.sessions.count()
    }

    /// Ends subscriptions and open streams cleanly, refuses new work, and gives what runs a few seconds to end. What
    /// cannot be taken up after a restart is failed then.
    pub async fn shutdown(&self) {
        let end = tokio::time::Instant::now() + GRACE;
        self.inner.shutdown.cancel();
        self.inner.engine.shutdown(GRACE).await;
        self.inner.requests.close();
        let end = end.max(tokio::time::Instant::now() + LAST_REPLIES);
        // What is not over by then is cancelled.
        let _ = tokio::time::timeout_at(end, self.inner.requests.wait()).await;
        self.inner.shutdown_calls.cancel();
    }

    /// Fires when [`shutdown`](Self::shutdown) begins, for what runs beside this server.
    pub fn shutting_down(&self) -> CancellationToken {
        self.inner.shutdown.clone()
    }
}

impl Inner {
    /// Takes up the tasks of earlier runs, once, when the first request or client comes.
    pub(crate) fn start(self: &Arc<Self>) {
        self.started.call_once(|| {
            // The engine must not keep the server alive that keeps the engine alive.
            let inner = Arc::downgrade(self);
            self.engine.recover(move |task| {
                let name = &task.call().tool;
                let Some(inner) = inner.upgrade() else {
                    return Recovery::Fail("The server is shutting down.".to_owned());
                };
                match inner.catalog.get(name) {
                    Some(entry) if entry.tool.descriptor.options.on_restart == OnRestart::Rerun => {
                        Recovery::Rerun { tool: entry.tool.clone(), state: inner.state.clone() }
                    }
                    Some(_) => Recovery::Fail(
                        "The server was restarted while this task was running, and the tool cannot be run again."
                            .to_owned(),
                    ),
                    None => Recovery::Fail(format!(
                        "The server was restarted while this task was running, and has no tool `{name}` any more."
                    )),
                }
            });
        });
    }

    /// A call of a tool for this caller.
    pub(crate) fn tool_call(
        &self,
        arguments: JsonObject,
        answers: JsonObject,
        context: TaskContext,
        caller: &Caller,
    ) -> ToolCall {
        let mut call = ToolCall::new(arguments, context);
        call.answers = answers;
        call.state = self.state.clone();
        call.principal = caller.principal.clone();
        call.extensions = caller.extensions.clone();
        call
    }

    /// Says once a connection that a client leaves `Mcp-Name` out; once a server where connections are not known.
    pub(crate) fn warn_missing_name(&self, method: &str, caller: &Caller) {
        let connection = caller.connection.as_ref().unwrap_or(&self.connection);
        if connection.warns() {
            tracing::warn!(
                method,
                "a client sends tasks/* requests without the Mcp-Name header; they are served all the same \
                 (see ServerBuilder::strict_task_headers)"
            );
        }
    }
}
