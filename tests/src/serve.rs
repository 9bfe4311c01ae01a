//! The fixture inside the test's own process, on a free port.

use std::net::Ipv4Addr;

use mcp_tasks::Server;
use tokio::{net::TcpListener, task::JoinHandle};

use crate::{fixture, modern::Client};

/// A server that is ended when this is dropped.
pub struct Served {
    /// Where it serves.
    pub url: String,
    /// The server.
    pub server: Server,
    serving: JoinHandle<()>,
}

impl Served {
    /// A client that declares everything.
    pub fn client(&self) -> Client {
        Client::new(self.url.clone())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Serves the fixture.
pub async fn serve() -> Served {
    serve_this(fixture::server().expect("the fixture is a server")).await
}

/// Serves any server.
pub async fn serve_this(server: Server) -> Served {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a free port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let serving = tokio::spawn({
        let server = server.clone();
        async move { server.serve_http(listener).await.expect("serving goes on") }
    });
    Served {
        url,
        server,
        serving,
    }
}
