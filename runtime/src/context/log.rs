//! Messages of a tool to the log of its client.

use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

use super::{BlockingContext, TaskContext};
use crate::types::v2025_11_25::LoggingLevel;

/// How serious a log message is, as in syslog. Greater is more serious.
///
/// ```
/// use mcp_tasks::context::LogLevel;
///
/// assert!(LogLevel::Error > LogLevel::Info);
/// assert_eq!(LogLevel::Warning.as_str(), "warning");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Detail that helps to find faults.
    Debug,
    /// The ordinary course of things.
    Info,
    /// Ordinary, but worth knowing.
    Notice,
    /// Something may go wrong.
    Warning,
    /// Something went wrong.
    Error,
    /// A part of the system has failed.
    Critical,
    /// Someone has to act now.
    Alert,
    /// Nothing works any more.
    Emergency,
}

impl LogLevel {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        self.wire().as_str()
    }

    const fn wire(self) -> LoggingLevel {
        match self {
            Self::Debug => LoggingLevel::Debug,
            Self::Info => LoggingLevel::Info,
            Self::Notice => LoggingLevel::Notice,
            Self::Warning => LoggingLevel::Warning,
            Self::Error => LoggingLevel::Error,
            Self::Critical => LoggingLevel::Critical,
            Self::Alert => LoggingLevel::Alert,
            Self::Emergency => LoggingLevel::Emergency,
        }
    }
}

/// The wire's levels are in the order of the alphabet, ours in that of what they mean.
impl From<LoggingLevel> for LogLevel {
    fn from(level: LoggingLevel) -> Self {
        match level {
            LoggingLevel::Debug => Self::Debug,
            LoggingLevel::Info => Self::Info,
            LoggingLevel::Notice => Self::Notice,
            LoggingLevel::Warning => Self::Warning,
            LoggingLevel::Error => Self::Error,
            LoggingLevel::Critical => Self::Critical,
            LoggingLevel::Alert => Self::Alert,
            LoggingLevel::Emergency => Self::Emergency,
        }
    }
}

impl From<LogLevel> for LoggingLevel {
    fn from(level: LogLevel) -> Self {
        level.wire()
    }
}

impl TaskContext {
    /// Writes to the log of the client: a text, or anything that is JSON. It must hold no secrets.
    ///
    /// The server has to be built with [`logging`](crate::ServerBuilder::logging); else nothing is sent. The client says
    /// how serious a message must be: in the legacy era for its session (`logging/setLevel`; `info` until then), in the
    /// modern era for each request, and there a call that has become a task, or a request that names no level, is sent
    /// none. At most 100 messages of one call are sent in a
    /// second, the others are dropped.
    ///
    /// For the server's own log use `tracing`. The modern era has deprecated this one.
    ///
    /// ```
    /// use mcp_tasks::{Server, TaskContext, context::LogLevel, task_tool};
    /// use serde_json::json;
    ///
    /// #[task_tool]
    /// async fn tidy(ctx: TaskContext) -> String {
    ///     ctx.log(LogLevel::Info, "tidying up").await;
    ///     ctx.log(LogLevel::Warning, json!({"left": ["a.tmp", "b.tmp"]})).await;
    ///     "tidy".to_owned()
    /// }
    ///
    /// # fn main() -> Result<(), mcp_tasks::server::BuildError> {
    /// let server = Server::builder().tool(tidy).logging().build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn log(&self, level: LogLevel, data: impl Serialize) {
        match serde_json::to_value(data) {
            Ok(data) => self.backend.log(level, data).await,
            Err(error) => tracing::warn!(%error, "a log message is no JSON, and was dropped"),
        }
    }
}

impl BlockingContext {
    /// As [`TaskContext::log`].
    pub fn log(&self, level: LogLevel, data: impl Serialize) {
        self.wait(|context| async move { context.log(level, data).await });
    }
}

/// Keeps a call from flooding the log of its client.
#[derive(Debug, Default)]
pub(crate) struct LogRate(Mutex<Option<(Instant, u32)>>);

impl LogRate {
    /// Messages of one call in a second, at most.
    pub(crate) const MOST: u32 = 100;

    /// Whether one more message may be sent now.
    pub(crate) fn allows(&self) -> bool {
        let now = Instant::now();
        let mut window = self.0.lock();
        match &mut *window {
            Some((since, count)) if now - *since < Duration::from_secs(1) => {
                *count += 1;
                *count <= Self::MOST
            }
            window => {
                *window = Some((now, 1));
                true
            }
        }
    }
}

/// A message as it is sent: its level, and what it says.
#[derive(Clone, Debug, PartialEq)]
pub struct LogRecord {
    /// How serious it is.
    pub level: LogLevel,
    /// What it says.
    pub data: Value,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_by_what_they_mean_and_are_those_of_the_wire() {
        let mut levels: Vec<LogLevel> = LoggingLevel::ALL.iter().copied().map(Into::into).collect();
        levels.sort();
        let names: Vec<&str> = levels.iter().map(|level| level.as_str()).collect();
        assert_eq!(
            names,
            [
                "debug",
                "info",
                "notice",
                "warning",
                "error",
                "critical",
                "alert",
                "emergency"
            ]
        );
        for level in levels {
            assert_eq!(LogLevel::from(LoggingLevel::from(level)), level);
        }
    }

    #[tokio::test]
    async fn blocking_work_writes_to_the_log_and_what_is_no_json_is_dropped() {
        let (ctx, test) = TaskContext::for_test();
        ctx.spawn_blocking(|ctx| ctx.log(LogLevel::Notice, [1, 2]))
            .await;
        ctx.log(
            LogLevel::Error,
            std::collections::BTreeMap::from([((1, 2), 3)]),
        )
        .await;
        let logged = LogRecord {
            level: LogLevel::Notice,
            data: serde_json::json!([1, 2]),
        };
        assert_eq!(test.logged(), [logged]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_flood_is_cut_and_the_next_second_begins_anew() {
        let rate = LogRate::default();
        let passed = (0..1000).filter(|_| rate.allows()).count();
        assert_eq!(passed, LogRate::MOST as usize);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(rate.allows());
    }
}
