//! How a client comes to be connected.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};

use super::{ClientError, TestClient, connection::Connection, decode, me};
use crate::{
    Era, JsonObject, Principal, Server,
    protocol::LEGACY,
    types::{
        ext_tasks::keys::TASKS,
        method::Method,
        v2025_11_25::{
            self,
            methods::{Initialize, NotificationsInitialized},
        },
        v2026_07_28::ClientCapabilities,
    },
};

/// How much a pipe holds before its writer waits.
const PIPE: usize = 64 << 10;

/// Describes a [`TestClient`].
#[derive(Clone, Debug)]
#[must_use]
pub struct TestClientBuilder {
    principal: Option<Principal>,
    capabilities: ClientCapabilities,
}

impl Default for TestClientBuilder {
    fn default() -> Self {
        let capabilities = json!({
            "elicitation": {"form": {}, "url": {}},
            "sampling": {},
            "roots": {},
            "extensions": {TASKS: {}},
        });
        Self {
            principal: None,
            capabilities: serde_json::from_value(capabilities).expect("these are capabilities"),
        }
    }
}

impl TestClientBuilder {
    /// Who the client is, as an authentication layer in front of the server would have found out.
    pub fn principal(mut self, principal: impl Into<Principal>) -> Self {
        self.principal = Some(principal.into());
        self
    }

    /// What the client declares; by default tasks and every kind of question. A legacy client declares the same but the
    /// extensions.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// A client of 2026-07-28. Needs a tokio runtime.
    pub fn modern(self, server: &Server) -> TestClient {
        let (input, output) = self.connect(server);
        self.modern_over(input, output)
    }

    /// A client of 2025-11-25 with an open session.
    ///
    /// # Errors
    /// When the server refuses the session.
    pub async fn legacy(self, server: &Server) -> Result<TestClient, ClientError> {
        let (input, output) = self.connect(server);
        self.legacy_over(input, output).await
    }

    /// A client of 2026-07-28 over streams of yours, such as the output and the input of a child process. Who the client
    /// is, the other side knows.
    pub fn modern_over<R, W>(self, input: R, output: W) -> TestClient
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        self.over(Era::Modern, input, output)
    }

    /// A client of 2025-11-25 over streams of yours, with an open session.
    ///
    /// # Errors
    /// When the server refuses the session.
    pub async fn legacy_over<R, W>(self, input: R, output: W) -> Result<TestClient, ClientError>
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let client = self.over(Era::Legacy, input, output);
        client.shake_hands().await?;
        Ok(client)
    }

    fn over<R, W>(self, era: Era, input: R, output: W) -> TestClient
    where
        R: AsyncRead + Unpin + Send + 'static,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (connection, open) = Connection::open(era, input, output);
        TestClient {
            connection,
            capabilities: Arc::new(self.capabilities),
            _open: Arc::new(open),
        }
    }

    /// Serves this client in memory; gives its ends of the pipes.
    fn connect(
        &self,
        server: &Server,
    ) -> (
        impl AsyncRead + Unpin + Send + use<>,
        impl AsyncWrite + Unpin + Send + use<>,
    ) {
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let (input, output) = tokio::io::split(theirs);
        let (server, principal) = (server.clone(), self.principal.clone());
        tokio::spawn(async move {
            if let Err(error) = server.serve_as(principal, input, output).await {
                tracing::debug!(%error, "the test client's connection broke");
            }
        });
        tokio::io::split(ours)
    }
}

impl TestClient {
    async fn shake_hands(&self) -> Result<(), ClientError> {
        let mut capabilities =
            serde_json::to_value(&*self.capabilities).expect("capabilities are JSON");
        if let Value::Object(members) = &mut capabilities {
            members.remove("extensions");
        }
        let params = json!({
            "protocolVersion": LEGACY[0],
            "capabilities": capabilities,
            "clientInfo": serde_json::to_value(me()).expect("a name is JSON"),
        });
        let welcome = self.send(Initialize::NAME, params).await?;
        let _: v2025_11_25::InitializeResult = decode(Initialize::NAME, welcome)?;
        self.connection
            .notify(NotificationsInitialized::NAME, &JsonObject::new());
        Ok(())
    }
}
