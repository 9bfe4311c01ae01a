//! How much a server takes on.

use std::time::Duration;

use crate::engine;

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $default:expr),* $(,)?) => {
        /// How much a server takes on. Every refusal is a JSON-RPC error whose `data.limit` names the limit.
        ///
        /// | field | default | over it |
        /// | --- | --- | --- |
        /// | `tasks` | 10,000 | new tasks are refused (`tasks`) |
        /// | `tasks_per_principal` | 1,000 | new tasks of that principal are refused (`tasksPerPrincipal`) |
        /// | `default_ttl` | 1 hour | used when neither tool nor client names a time to live |
        /// | `max_ttl` | 24 hours | a longer time to live is lowered to it |
        /// | `message_bytes` | 8 MiB | HTTP 413, or an error for the line on a byte stream (`messageBytes`) |
        /// | `payload_bytes` | 4 MiB | arguments, results and answers are refused (`payloadBytes`) |
        /// | `inputs_per_task` | 100 | further questions fail in the tool |
        /// | `page_size` | 100 | `tasks/list` goes on with a cursor |
        /// | `streams` | 1,000 | new subscriptions and GET streams are refused (`streams`) |
        /// | `streams_per_principal` | 100 | the same for one principal (`streamsPerPrincipal`) |
        /// | `waiters` | 10,000 | new `tasks/result` waits and watched tasks are refused (`waiters`) |
        /// | `sessions` | 10,000 | new legacy sessions are refused (`sessions`) |
        /// | `session_idle` | 1 hour | a session that is silent for longer is ended |
        /// | `linger` | 30 seconds | what still runs that long after the end of a byte stream's input is cancelled |
        /// | `request_state_ttl` | 10 minutes | an older `requestState` is refused |
        /// | `keep_alive` | 15 seconds | an open stream that is silent for as long gets a comment |
        ///
        /// ```
        /// use mcp_tasks::Limits;
        ///
        /// let limits = Limits::default().tasks_per_principal(12);
        /// assert_eq!(limits.tasks_per_principal, 12);
        /// ```
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Limits {
            $($(#[$doc])* pub $name: $type,)*
        }

        impl Default for Limits {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Limits {
            $($(#[$doc])*
            #[must_use]
            pub fn $name(mut self, value: $type) -> Self {
                self.$name = value;
                self
            })*
        }
    };
}

const fn hours(hours: u64) -> Duration {
    Duration::from_secs(hours * 3600)
}

limits! {
    /// Unfinished tasks, overall.
    tasks: usize = 10_000,
    /// Unfinished tasks of one principal. All callers without one count as one.
    tasks_per_principal: usize = 1_000,
    /// How long a task is kept when neither tool nor client says. `None` is for ever.
    default_ttl: Option<Duration> = Some(hours(1)),
    /// The longest time that a task is kept. `None` sets no ceiling.
    max_ttl: Option<Duration> = Some(hours(24)),
    /// Bytes of one message from a client.
    message_bytes: usize = 8 << 20,
    /// Bytes of one call's arguments, of one result, of one answer.
    payload_bytes: usize = 4 << 20,
    /// Questions that one task or one plain call may ask.
    inputs_per_task: usize = 100,
    /// Tasks on one page of `tasks/list`.
    page_size: usize = 100,
    /// Open subscriptions and GET streams.
    streams: usize = 1_000,
    /// Open subscriptions and GET streams of one principal.
    streams_per_principal: usize = 100,
    /// Requests that wait in `tasks/result`, and tasks that are watched.
    waiters: usize = 10_000,
    /// Legacy sessions over HTTP.
    sessions: usize = 10_000,
    /// How long a legacy session may be silent.
    session_idle: Duration = hours(1),
    /// How long requests may still run when the input of a byte stream has ended.
    linger: Duration = Duration::from_secs(30),
    /// How long the answer to an `input_required` result may take.
    request_state_ttl: Duration = Duration::from_secs(600),
    /// How long an open stream may be silent before a comment shows that it lives.
    keep_alive: Duration = Duration::from_secs(15),
}

impl Limits {
    /// The part that the engine keeps.
    pub(crate) fn for_engine(&self) -> engine::Limits {
        engine::Limits::default()
            .tasks(self.tasks)
            .tasks_per_principal(self.tasks_per_principal)
            .default_ttl(self.default_ttl)
            .max_ttl(self.max_ttl)
            .payload_bytes(self.payload_bytes)
            .inputs_per_task(self.inputs_per_task)
            .page_size(self.page_size)
            .waiters(self.waiters)
    }
}
