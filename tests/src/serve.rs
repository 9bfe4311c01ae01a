//! The fixture inside the test's own process, on a free port.

use std::net::Ipv4Addr;

use axum::{
    Router,
    extract::Request,
    http::header::AUTHORIZATION,
    middleware::{self, Next},
    response::Response,
};
use mcp_tasks::{Principal, Server};
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

/// Serves the fixture to those who bear a token; the token is their name.
pub async fn serve_with_owners() -> Served {
    let server = fixture::server().expect("the fixture is a server");
    let app = server.router().layer(middleware::from_fn(name_the_owner));
    serve_app(server, app).await
}

async fn name_the_owner(mut request: Request, next: Next) -> Response {
    let header = request.headers().get(AUTHORIZATION);
    let token = header.and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "));
    if let Some(principal) = token.map(|name| Principal::new(name.to_owned())) {
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}

/// Serves any server.
pub async fn serve_this(server: Server) -> Served {
    let app = server.router();
    serve_app(server, app).await
}

/// Serves any server as part of an application.
pub async fn serve_app(server: Server, app: Router) -> Served {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a free port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let serving =
        tokio::spawn(async move { axum::serve(listener, app).await.expect("serving goes on") });
    Served {
        url,
        server,
        serving,
    }
}
