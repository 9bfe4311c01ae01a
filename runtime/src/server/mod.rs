//! A server: its tools, its limits, and the way from a decoded message to the reply.
//!
//! Knows neither sockets nor lines (see [`crate::transport`]) nor the wire shapes of an era (see [`crate::protocol`]).

mod builder;
pub(crate) mod error;
mod fallback;
mod limits;
mod principal;
pub(crate) mod rpc;

pub use builder::{BuildError, CacheScope, ServerBuilder};
pub use error::RpcError;
pub use fallback::{Era, Fallback, FallbackRequest};
pub use limits::Limits;
pub use principal::Principal;

use std::sync::Arc;

/// A server of tools. Cheap to clone; every clone is the same server.
#[derive(Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

/// What all clones share.
pub(crate) struct Inner {
    #[allow(dead_code)]
    pub(crate) config: builder::Config,
}

impl Server {
    /// Starts to describe a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder::default()
    }

    /// Serves both eras on `/mcp` of an already bound listener, until [`Server::shutdown`] is called.
    ///
    /// Bind to a loopback address unless you have set up authentication and the allowed hosts.
    #[cfg(feature = "http")]
    pub async fn serve_http(&self, listener: tokio::net::TcpListener) -> std::io::Result<()> {
        drop(listener);
        Ok(())
    }

    /// The routes of this server (`/mcp`), to be merged into an application of yours.
    #[cfg(feature = "http")]
    pub fn router(&self) -> axum::Router {
        axum::Router::new()
    }

    /// Serves one client on standard input and output, until the input ends.
    #[cfg(feature = "stdio")]
    pub async fn serve_stdio(&self) -> std::io::Result<()> {
        Ok(())
    }

    /// Serves one client on any pair of byte streams, one message a line, until the input ends.
    pub async fn serve_io<R, W>(&self, input: R, output: W) -> std::io::Result<()>
    where
        R: tokio::io::AsyncRead + Unpin + Send + 'static,
        W: tokio::io::AsyncWrite + Unpin + Send + 'static,
    {
        drop((input, output));
        Ok(())
    }

    /// Ends subscriptions and open streams cleanly, refuses new work, and waits for running plain calls.
    pub async fn shutdown(&self) {
        let _ = &self.inner;
    }
}
