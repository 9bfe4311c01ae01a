//! What the server says of its own accord.

use std::fmt;

use serde::de::DeserializeOwned;
use serde_json::json;

use super::{
    ClientError, TestClient,
    connection::{Pending, object},
    decode,
};
use crate::{
    JsonObject,
    types::{method::Method, v2026_07_28::methods::SubscriptionsListen},
};

impl TestClient {
    /// Every notification so far.
    pub fn notifications(&self) -> Vec<Notification> {
        self.connection.notifications()
    }

    /// The params of the next notification of a kind, waiting for one if need be. Each is given out once.
    ///
    /// # Errors
    /// When the connection ends, or the params do not fit.
    pub async fn notification<M>(&self) -> Result<M::Params, ClientError>
    where
        M: Method<Params: DeserializeOwned>,
    {
        let mut news = self.connection.news();
        loop {
            news.mark_unchanged();
            if let Some(said) = self.connection.take_notification(M::NAME) {
                return decode(M::NAME, said.params);
            }
            self.wait(&mut news, M::NAME).await?;
        }
    }

    /// Subscribes to tasks: from then on `notifications/tasks` come, until what is returned is dropped. Only the modern
    /// era has the method.
    ///
    /// # Errors
    /// See [`ClientError`].
    pub async fn listen(
        &self,
        tasks: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Listening, ClientError> {
        let ids: Vec<String> = tasks.into_iter().map(Into::into).collect();
        let id = self.connection.new_id();
        let acknowledged = self.connection.expect_acknowledgement(&id, false);
        let params = self.with_meta(object(json!({"notifications": {"taskIds": ids}})), None);
        let mut request = self
            .connection
            .request(id, SubscriptionsListen::NAME, &params);
        let accepted = tokio::select! {
            biased;
            Ok(params) = acknowledged => params,
            reply = request.result() => {
                reply?;
                return Err(ClientError::closed(SubscriptionsListen::NAME));
            }
        };
        let accepted = accepted
            .get("notifications")
            .map(|granted| granted["taskIds"].clone())
            .unwrap_or_default();
        Ok(Listening {
            accepted: serde_json::from_value(accepted).unwrap_or_default(),
            request,
        })
    }

    /// Waits until the server has said something.
    pub(super) async fn wait(
        &self,
        news: &mut tokio::sync::watch::Receiver<u64>,
        what: &str,
    ) -> Result<(), ClientError> {
        if self.connection.is_closed() || news.changed().await.is_err() {
            return Err(ClientError::closed(what));
        }
        Ok(())
    }
}

/// A notification of the server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Notification {
    /// Its method.
    pub method: String,
    /// Its params.
    pub params: JsonObject,
}

/// An open subscription to tasks. Dropping it ends the subscription.
pub struct Listening {
    accepted: Vec<String>,
    #[expect(dead_code, reason = "dropping it calls the request off")]
    request: Pending,
}

impl Listening {
    /// The ids that the server took; those that are unknown or somebody else's are left out.
    pub fn accepted(&self) -> &[String] {
        &self.accepted
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listening")
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}
