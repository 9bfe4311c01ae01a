//! Requests that may be cut off at any time, in either era.

use std::time::Duration;

use serde_json::{Value, json};

use super::Broken;
use crate::{
    legacy,
    modern::{self, last_message},
};

/// How long a server that lives may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Era {
    Modern,
    Legacy,
}

/// Why there is no result.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The connection broke: whether the server did what it was asked is unknown.
    Gone(String),
    /// The server refused.
    Refused(String),
}

impl Trouble {
    /// A refusal where none is due.
    pub(super) fn broken(self) -> Broken {
        match self {
            Self::Gone(why) => Broken(format!("the server went away by itself: {why}")),
            Self::Refused(why) => Broken(format!("the server refused: {why}")),
        }
    }
}

/// Connections to one server process.
pub(super) struct Wire {
    http: reqwest::Client,
    url: String,
    era: Era,
    session: Option<String>,
}

impl Wire {
    pub(super) fn new(url: String, era: Era) -> Self {
        Self {
            http: reqwest::Client::new(),
            url,
            era,
            session: None,
        }
    }

    /// Opens a session, in the era that has them.
    pub(super) async fn open(&mut self) -> Result<(), Trouble> {
        if self.era == Era::Modern {
            return Ok(());
        }
        let params = legacy::initialize_params(json!({}));
        let message = legacy::request(0, "initialize", params);
        let response = self.post(&message, &[]).await?;
        let session = response
            .headers()
            .get("mcp-session-id")
            .and_then(|id| id.to_str().ok());
        self.session = session.map(str::to_owned);
        if self.session.is_none() {
            return Err(Trouble::Refused("no session id".to_owned()));
        }
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.post(&done, &[]).await?;
        Ok(())
    }

    /// Sends a request and gives its result.
    pub(super) async fn ask(&self, method: &str, params: Value) -> Result<Value, Trouble> {
        let response = match self.era {
            Era::Modern => {
                let name = params["name"].as_str().or(params["taskId"].as_str());
                let name = name.unwrap_or_default().to_owned();
                let capabilities = modern::all_capabilities();
                let message = modern::request(1, method, params, &capabilities);
                let headers = [
                    ("mcp-protocol-version", modern::REVISION),
                    ("mcp-method", method),
                    ("mcp-name", &name),
                ];
                self.post(&message, &headers).await?
            }
            Era::Legacy => {
                let headers = [("mcp-protocol-version", legacy::REVISION)];
                self.post(&legacy::request(1, method, params), &headers)
                    .await?
            }
        };
        let status = response.status();
        let text = response.text().await.map_err(gone)?;
        let mut message = last_message(&text);
        if message["result"].is_object() {
            return Ok(message["result"].take());
        }
        if message["error"].is_object() {
            return Err(Trouble::Refused(format!("{method}: {}", message["error"])));
        }
        // A stream that breaks off before its result looks like a short body.
        if status.is_success() {
            return Err(Trouble::Gone(format!("{method}: the answer broke off")));
        }
        Err(Trouble::Refused(format!("{method}: HTTP {status}: {text}")))
    }

    async fn post(
        &self,
        message: &Value,
        headers: &[(&str, &str)],
    ) -> Result<reqwest::Response, Trouble> {
        let mut post = self
            .http
            .post(&self.url)
            .timeout(PATIENCE)
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .body(message.to_string());
        if let Some(session) = &self.session {
            post = post.header("mcp-session-id", session);
        }
        for (name, value) in headers {
            post = post.header(*name, *value);
        }
        post.send().await.map_err(gone)
    }
}

fn gone(error: reqwest::Error) -> Trouble {
    Trouble::Gone(format!("{error:?}"))
}
