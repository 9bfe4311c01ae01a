//! How much a server takes on.

use std::time::Duration;

use crate::{
    engine,
    gauge::{Full, Gauge, Permit, Room},
    task::Principal,
};

use super::RpcError;

macro_rules! limits {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $default:expr),* $(,)?) => {
        /// How much a server takes on. Every refusal is a JSON-RPC error whose `data.limit` names the limit.
        ///
        /// | field | default | over it |
        /// | --- | --- | --- |
        /// | `tasks` | 10,000 | new tasks are refused (`tasks`) |
        /// | `tasks_per_principal` | 1,000 | new tasks of that principal are refused (`tasksPerPrincipal`) |
        /// | `stored_tasks` | 100,000 | new tasks are refused (`storedTasks`) |
        /// | `stored_tasks_per_principal` | 10,000 | new tasks of that principal are refused (`storedTasksPerPrincipal`) |
        /// | `stored_bytes` | 1 GiB | new tasks, answers and kept values are refused, a result fails its task (`storedBytes`) |
        /// | `stored_bytes_per_principal` | 256 MiB | the same for one principal (`storedBytesPerPrincipal`) |
        /// | `default_ttl` | 1 hour | used when neither tool nor client names a time to live |
        /// | `max_ttl` | 24 hours | a longer time to live is lowered to it |
        /// | `message_bytes` | 8 MiB | a longer message is refused, over HTTP with status 413 (`messageBytes`) |
        /// | `payload_bytes` | 4 MiB | a task's larger arguments and answers are refused, and a larger result fails it (`payloadBytes`) |
        /// | `inputs_per_task` | 100 | further questions fail in the tool |
        /// | `page_size` | 100 | `tasks/list` goes on with a cursor |
        /// | `calls` | 10,000 | new calls of tools are refused while so many are being answered (`calls`) |
        /// | `calls_per_principal` | 1,000 | the same for one principal (`callsPerPrincipal`) |
        /// | `streams` | 1,000 | new subscriptions and GET streams are refused (`streams`) |
        /// | `streams_per_principal` | 100 | the same for one principal (`streamsPerPrincipal`) |
        /// | `waiters` | 10,000 | new `tasks/result` waits and watched tasks are refused (`waiters`) |
        /// | `waiters_per_principal` | 2,000 | the same for one principal (`waitersPerPrincipal`) |
        /// | `sessions` | 10,000 | new legacy sessions are refused (`sessions`) |
        /// | `sessions_per_principal` | 1,000 | the same for one principal (`sessionsPerPrincipal`) |
        /// | `session_idle` | 1 hour | a session that is silent for longer is ended |
        /// | `linger` | 30 seconds | what still runs that long after the end of a byte stream's input is cancelled |
        /// | `request_state_ttl` | 10 minutes | an older `requestState` is refused |
        /// | `keep_alive` | 15 seconds | an open stream that is silent for as long gets a comment |
        ///
        /// A plain call over HTTP that has lost its connection runs on for a minute if its client can come back for the
        /// reply, which one of 2025-11-25 can, and counts among `calls` until it ends. The reply takes no place: of each
        /// session the last eight streams that have ended are kept, with 8 MiB of messages at most unless one alone has more,
        /// and each for a minute.
        ///
        /// Connections, and bodies that are being read, are for the layers around the server to limit, as with any service of
        /// axum.
        ///
        /// Callers without a [`Principal`](crate::Principal) cannot be told apart, so what is limited for one principal is
        /// limited for all of them together by the overall number alone.
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

        /// Every limit and its default as text.
        #[cfg(test)]
        fn defaults() -> Vec<(&'static str, String)> {
            let limits = Limits::default();
            vec![$((stringify!($name), format!("{:?}", limits.$name))),*]
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
    /// Unfinished tasks of one principal. Callers without one share `tasks` alone.
    tasks_per_principal: usize = 1_000,
    /// Tasks in the store, overall. One that has ended stays until its time to live is over: its client may come back for it.
    stored_tasks: usize = 100_000,
    /// Tasks in the store of one principal. Callers without one share `stored_tasks` alone.
    stored_tasks_per_principal: usize = 10_000,
    /// Bytes of the tasks of a server that was given no store and keeps them in memory:
    /// [`MemoryStore::limited`](crate::store::MemoryStore::limited) says what counts.
    stored_bytes: usize = 1 << 30,
    /// The same of one principal. Callers without one share `stored_bytes` alone.
    stored_bytes_per_principal: usize = 256 << 20,
    /// How long a task is kept when neither tool nor client says. `None` is for ever.
    default_ttl: Option<Duration> = Some(hours(1)),
    /// The longest time that a task is kept. `None` sets no ceiling.
    max_ttl: Option<Duration> = Some(hours(24)),
    /// Bytes of one message from a client. A `requestState` that would be longer is not given out.
    message_bytes: usize = 8 << 20,
    /// Bytes of a task's arguments, of its result, of one answer to it, and of one value that a call keeps.
    payload_bytes: usize = 4 << 20,
    /// Questions that one task or one plain call may ask, and values that it may keep.
    inputs_per_task: usize = 100,
    /// Tasks on one page of `tasks/list`.
    page_size: usize = 100,
    /// Calls of tools that are being answered. One that has become a task counts no more. A plain call over HTTP
    /// that has lost its connection counts until it ends, a minute later at the latest.
    calls: usize = 10_000,
    /// The same of one principal. Callers without one share `calls` alone.
    calls_per_principal: usize = 1_000,
    /// Open subscriptions and GET streams.
    streams: usize = 1_000,
    /// Open subscriptions and GET streams of one principal. Callers without one share `streams` alone.
    streams_per_principal: usize = 100,
    /// Requests that wait in `tasks/result`, and tasks that are watched.
    waiters: usize = 10_000,
    /// The same of one principal. A legacy session watches each of its unfinished tasks, so with fewer than two for each
    /// of `tasks_per_principal` there may be none left for `tasks/result`. Callers without one share `waiters` alone.
    waiters_per_principal: usize = 2_000,
    /// Legacy sessions over HTTP.
    sessions: usize = 10_000,
    /// Legacy sessions over HTTP of one principal. Callers without one share `sessions` alone.
    sessions_per_principal: usize = 1_000,
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
            .stored_tasks(self.stored_tasks)
            .stored_tasks_per_principal(self.stored_tasks_per_principal)
            .default_ttl(self.default_ttl)
            .max_ttl(self.max_ttl)
            .payload_bytes(self.payload_bytes)
            .inputs_per_task(self.inputs_per_task)
            .page_size(self.page_size)
            .waiters(self.waiters)
            .waiters_per_principal(self.waiters_per_principal)
    }

    /// Counts in one more call of a tool.
    pub(crate) fn open_call(
        &self,
        open: &Gauge,
        principal: Option<&Principal>,
    ) -> Result<Permit, RpcError> {
        let room = Room {
            all: self.calls,
            each: self.calls_per_principal,
        };
        open.enter(principal, room)
            .map_err(|full| refusal(full, "calls", "callsPerPrincipal"))
    }

    /// Counts in one more subscription or GET stream.
    pub(crate) fn open_stream(
        &self,
        open: &Gauge,
        principal: Option<&Principal>,
    ) -> Result<Permit, RpcError> {
        let room = Room {
            all: self.streams,
            each: self.streams_per_principal,
        };
        open.enter(principal, room)
            .map_err(|full| refusal(full, "streams", "streamsPerPrincipal"))
    }

    /// Counts in one more legacy session.
    #[cfg(feature = "http")]
    pub(crate) fn open_session(
        &self,
        open: &Gauge,
        principal: Option<&Principal>,
    ) -> Result<Permit, RpcError> {
        let room = Room {
            all: self.sessions,
            each: self.sessions_per_principal,
        };
        open.enter(principal, room)
            .map_err(|full| refusal(full, "sessions", "sessionsPerPrincipal"))
    }
}

/// What a client is told; `all` is also the word for what there is too much of.
fn refusal(full: Full, all: &str, each: &str) -> RpcError {
    match full {
        Full::All(max) => RpcError::limit(
            all,
            format!("the server has {max} {all} open, which is its limit; try again later"),
        ),
        Full::Each(max) => RpcError::limit(
            each,
            format!("you have {max} {all} open, which is the limit; close one first"),
        ),
    }
}

/// The names in the table above that a refusal can carry in `data.limit`.
#[cfg(all(test, feature = "http"))]
pub(crate) fn names_on_the_wire() -> Vec<String> {
    let named = |row: [String; 3]| {
        let (_, name) = row[2].split_once("(`")?;
        Some(name.split_once("`)")?.0.to_owned())
    };
    tests::table().into_iter().filter_map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of the table above: field, default, what happens over it.
    pub(super) fn table() -> Vec<[String; 3]> {
        include_str!("limits.rs")
            .lines()
            .filter_map(|line| line.trim().strip_prefix("/// | `"))
            .map(|row| {
                let (field, rest) = row.split_once("` | ").unwrap();
                let (default, over) = rest.split_once(" | ").unwrap();
                [field, default, over].map(str::to_owned)
            })
            .collect()
    }

    /// `1 hour`, `8 MiB` or `10,000` as the code would show it.
    fn as_shown(text: &str) -> String {
        let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
        let number: u64 = number.replace(',', "").parse().unwrap();
        match unit.trim_end_matches('s') {
            "" => number.to_string(),
            "MiB" => (number << 20).to_string(),
            "GiB" => (number << 30).to_string(),
            "hour" => format!("{}s", number * 3600),
            "minute" => format!("{}s", number * 60),
            "second" => format!("{number}s"),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_table_says_what_the_code_does() {
        let told: Vec<_> = table()
            .into_iter()
            .map(|[field, default, _]| (field, as_shown(&default)))
            .collect();
        let real: Vec<_> = defaults()
            .into_iter()
            .map(|(field, default)| {
                let bare = default.trim_start_matches("Some(").trim_end_matches(')');
                (field.to_owned(), bare.to_owned())
            })
            .collect();
        assert_eq!(told, real);
        assert_eq!(Limits::default().for_engine(), engine::Limits::default());
    }
}
