//! How much a server takes on.

use std::time::Duration;

/// How much a server takes on. Every refusal is a JSON-RPC error whose `data.limit` names the field.
///
/// | field | default | over it |
/// | --- | --- | --- |
/// | `tasks` | 10,000 | new tasks are refused |
/// | `tasks_per_principal` | 1,000 | new tasks of that principal are refused |
/// | `default_ttl` | 1 hour | - (used when neither tool nor client names one) |
/// | `max_ttl` | 24 hours | the TTL is lowered to it |
/// | `message_bytes` | 8 MiB | HTTP 413, or an error for the line on stdio |
/// | `payload_bytes` | 4 MiB | the result is replaced with an error |
/// | `inputs_per_task` | 100 | further questions fail in the tool |
/// | `streams` | 1,000 | new subscriptions and GET streams are refused |
/// | `streams_per_principal` | 100 | the same, for one principal |
/// | `waiters` | 10,000 | further `tasks/result` requests that would wait are refused |
/// | `sessions` | 10,000 | the session idle for longest is ended |
/// | `session_idle` | 1 hour | idle sessions are ended |
/// | `request_state_ttl` | 10 minutes | an older `requestState` is refused |
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Unfinished tasks, overall.
    pub tasks: usize,
    /// Unfinished tasks of one principal (or of all callers without one).
    pub tasks_per_principal: usize,
    /// How long a task is kept when neither tool nor client says.
    pub default_ttl: Duration,
    /// The longest a task is kept.
    pub max_ttl: Duration,
    /// Bytes of one message from the client.
    pub message_bytes: usize,
    /// Bytes of one stored result.
    pub payload_bytes: usize,
    /// Questions that one task may ask.
    pub inputs_per_task: usize,
    /// Open subscriptions and GET streams.
    pub streams: usize,
    /// Open subscriptions and GET streams of one principal.
    pub streams_per_principal: usize,
    /// Requests waiting in `tasks/result`.
    pub waiters: usize,
    /// Legacy sessions over HTTP.
    pub sessions: usize,
    /// How long a legacy session may be silent.
    pub session_idle: Duration,
    /// How long the answer to an `input_required` result may take.
    pub request_state_ttl: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tasks: 10_000,
            tasks_per_principal: 1_000,
            default_ttl: Duration::from_secs(3600),
            max_ttl: Duration::from_secs(24 * 3600),
            message_bytes: 8 << 20,
            payload_bytes: 4 << 20,
            inputs_per_task: 100,
            streams: 1_000,
            streams_per_principal: 100,
            waiters: 10_000,
            sessions: 10_000,
            session_idle: Duration::from_secs(3600),
            request_state_ttl: Duration::from_secs(600),
        }
    }
}
