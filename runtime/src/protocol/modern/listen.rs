//! `subscriptions/listen`: an open request on which changes of tasks are told until the client or the server ends it.

use std::{collections::BTreeSet, pin::Pin};

use futures_util::{StreamExt, stream};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    JsonObject,
    engine::{EngineError, Subscription},
    protocol::{failure, plain},
    server::{RpcError, rpc},
    task::Task,
    types::{
        ext_tasks::{
            TaskSubscriptionAcknowledgedNotifications, TaskSubscriptionNotifications,
            methods::NotificationsTasks,
        },
        v2026_07_28::{
            SubscriptionFilter,
            keys::SUBSCRIPTION_ID,
            methods::{Method, NotificationsCancelled, NotificationsSubscriptionsAcknowledged},
        },
    },
};

use super::{Exchange, shape};

impl Exchange<'_> {
    pub(super) async fn listen(&self) -> Result<JsonObject, RpcError> {
        let filter = failure::object(self.params, "notifications")?
            .ok_or_else(|| failure::bad_member("params.notifications", "is missing"))?;
        if filter.contains_key("taskIds") {
            self.require_tasks()?;
        }
        let filter = Value::Object(filter.clone());
        let _: SubscriptionFilter = read(filter.clone())?;
        let TaskSubscriptionNotifications {
            task_ids: wanted, ..
        } = read(filter)?;
        let limits = &self.server.config.limits;
        let _permit = limits.open_stream(&self.server.streams, self.caller.principal.as_ref())?;

        let mut accepted = BTreeSet::new();
        let mut watched = Vec::new();
        for id in wanted.iter().flatten() {
            if accepted.contains(id) {
                continue;
            }
            match self.server.engine.subscribe(id, self.owner()).await {
                Ok(subscription) => {
                    accepted.insert(id.clone());
                    watched.push(subscription);
                }
                // Left out of the acknowledgement; nothing more is said of it.
                Err(EngineError::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut granted = TaskSubscriptionAcknowledgedNotifications::new();
        granted.task_ids = wanted.is_some().then(|| accepted.into_iter().collect());
        let mut acknowledgement = JsonObject::new();
        acknowledgement.insert("notifications".into(), plain(&granted)?.into());
        self.notify(
            NotificationsSubscriptionsAcknowledged::NAME,
            acknowledgement,
        )
        .await;

        let mut changes: stream::SelectAll<_> = watched.into_iter().map(changes).collect();
        let end = async {
            tokio::select! {
                () = self.server.shutdown.cancelled() => {}
                () = self.caller.hangup.cancelled() => {}
                () = self.outbox.closed() => {}
            }
        };
        tokio::pin!(end);
        loop {
            tokio::select! {
                biased;
                () = &mut end => break,
                // With nothing left to watch, the stream stays open until someone ends it.
                Some(task) = changes.next() => self.tell(&task).await,
            }
        }
        let mut cancelled = JsonObject::new();
        cancelled.insert("requestId".into(), self.id.to_value());
        cancelled.insert("reason".into(), "the server is shutting down".into());
        self.notify(NotificationsCancelled::NAME, cancelled).await;
        let mut result = JsonObject::new();
        result.insert(
            "_meta".into(),
            json!({ SUBSCRIPTION_ID: self.id.to_value() }),
        );
        Ok(result)
    }

    /// Tells how a task stands, in the same words as `tasks/get`.
    async fn tell(&self, task: &Task) {
        match shape::detailed(task).and_then(|task| plain(&task)) {
            Ok(params) => self.notify(NotificationsTasks::NAME, params).await,
            Err(error) => tracing::error!(%error, task = %task.id(), "the task cannot be told"),
        }
    }

    /// Sends a notification of this subscription.
    async fn notify(&self, method: &str, mut params: JsonObject) {
        params.insert(
            "_meta".into(),
            json!({ SUBSCRIPTION_ID: self.id.to_value() }),
        );
        self.outbox.send(rpc::notification(method, &params)).await;
    }
}

fn read<T: DeserializeOwned>(filter: Value) -> Result<T, RpcError> {
    serde_json::from_value(filter)
        .map_err(|error| failure::bad_member("params.notifications", &error.to_string()))
}

type Changes = Pin<Box<dyn futures_core::Stream<Item = std::sync::Arc<Task>> + Send>>;

/// The state of a task now, and each newer one until its last. What happened between the call and this request is
/// told by the first.
fn changes(subscription: Subscription) -> Changes {
    let first = subscription.current();
    let seen = first.version();
    let newer = stream::unfold(
        (subscription, seen),
        |(mut subscription, mut seen)| async move {
            loop {
                let task = subscription.next().await?;
                if task.version() > seen {
                    seen = task.version();
                    return Some((task, (subscription, seen)));
                }
            }
        },
    );
    Box::pin(stream::once(std::future::ready(first)).chain(newer))
}
