//! Streamable HTTP: one endpoint for both eras, as a tower service and as an axum router.
//!
//! Here: which handler takes a request. What a browser may send is checked in `guard`, how replies are written in
//! `reply`.

mod guard;
mod legacy;
mod log;
mod post;
mod reply;
mod sessions;
#[cfg(test)]
mod tests_legacy;
#[cfg(test)]
mod tests_logging;
#[cfg(test)]
mod tests_model;
#[cfg(test)]
mod tests_modern;
#[cfg(test)]
mod tests_modern_tasks;
#[cfg(test)]
mod tests_refusals;
#[cfg(test)]
mod tests_socket;
#[cfg(test)]
mod tests_streams;

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use axum::{
    body::{Body, HttpBody},
    extract::connect_info::Connected,
    serve::IncomingStream,
};
use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use tokio::net::TcpListener;

use crate::server::{Connection, Inner, RpcError, Server};

pub(crate) use sessions::Sessions;

/// The path that [`Server::router`] serves.
const PATH: &str = "/mcp";

/// The endpoint as a tower service. Cheap to clone.
///
/// A legacy session has one stream of its own, opened with GET: opening it again closes the connection that had it. Each of
/// its requests has a stream besides.
///
/// Put a [`Principal`](crate::Principal) into the extensions of the request in a layer around it; tasks are then bound
/// to it.
#[derive(Clone)]
pub struct McpService {
    inner: Arc<Inner>,
}

impl Server {
    /// The endpoint as a tower service, to be mounted at a path of your choice.
    pub fn http_service(&self) -> McpService {
        McpService {
            inner: Arc::clone(&self.inner),
        }
    }

    /// The routes of this server (`/mcp`), to be merged into an application of yours.
    pub fn router(&self) -> axum::Router {
        axum::Router::new().route_service(PATH, self.http_service())
    }

    /// Serves both eras on `/mcp` of a bound listener, until [`Server::shutdown`] is called.
    ///
    /// Bind to a loopback address unless you have set up authentication and
    /// [the allowed hosts](crate::ServerBuilder::allow_host).
    ///
    /// # Errors
    /// When the listener fails.
    pub async fn serve_http(&self, listener: TcpListener) -> std::io::Result<()> {
        self.inner.start();
        let app = self.router();
        axum::serve(
            listener,
            app.into_make_service_with_connect_info::<Connection>(),
        )
        .with_graceful_shutdown(self.shutting_down().cancelled_owned())
        .await
    }
}

impl<B> tower::Service<Request<B>> for McpService
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let inner = Arc::clone(&self.inner);
        Box::pin(async move { Ok(answer(inner, request.map(Body::new)).await) })
    }
}

impl Connected<IncomingStream<'_, TcpListener>> for Connection {
    fn connect_info(_: IncomingStream<'_, TcpListener>) -> Self {
        Self::default()
    }
}

async fn answer(inner: Arc<Inner>, request: Request<Body>) -> Response<Body> {
    inner.start();
    let (parts, body) = request.into_parts();
    if let Err(error) = guard::check_origin(
        &parts,
        &inner.config.allowed_hosts,
        &inner.config.allowed_origins,
    ) {
        return reply::error(StatusCode::FORBIDDEN, None, &error);
    }
    if parts.method != Method::POST
        && let Err(error) = post::check_single(&parts.headers, false)
    {
        return reply::error(StatusCode::BAD_REQUEST, None, &error);
    }
    // The modern era knows neither streams to be opened nor sessions to be ended.
    let legacy = inner.config.legacy && !post::is_modern(&parts);
    match parts.method {
        Method::POST => post::answer(inner, parts, body).await,
        Method::GET if legacy => legacy::get(&inner, &parts),
        Method::DELETE if legacy => legacy::delete(&inner, &parts),
        _ => {
            let error = RpcError::invalid_request("messages are sent with POST");
            let allowed = if legacy { "GET, POST, DELETE" } else { "POST" };
            let mut response = reply::error(StatusCode::METHOD_NOT_ALLOWED, None, &error);
            response
                .headers_mut()
                .insert(http::header::ALLOW, http::HeaderValue::from_static(allowed));
            response
        }
    }
}
