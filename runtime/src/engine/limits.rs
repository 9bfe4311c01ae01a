//! How much is allowed.

use std::time::Duration;

/// Limits of an engine, with the defaults in [`Default`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Calls that run as tasks at once, those that wait for input included. Default 10,000.
    pub tasks: usize,
    /// The same for one principal. Callers without one share `tasks` alone. Default 1,000.
    pub tasks_per_principal: usize,
    /// Tasks in the store, those that have ended included. Default 100,000.
    pub stored_tasks: usize,
    /// The same of one principal. Callers without one share `stored_tasks` alone. Default 10,000.
    pub stored_tasks_per_principal: usize,
    /// The longest time to live that is given. `None` allows tasks that are kept for ever. Default 24 hours.
    pub max_ttl: Option<Duration>,
    /// Time to live where neither client nor tool names one. Default 1 hour.
    pub default_ttl: Option<Duration>,
    /// Bytes of JSON of one call's arguments, of one result, and of one answer. Default 4 MiB.
    pub payload_bytes: usize,
    /// Questions that one task may ask in its life, and values that it may keep with `once`. Default 100.
    pub inputs_per_task: usize,
    /// Waits and subscriptions that are open at once. Default 10,000.
    pub waiters: usize,
    /// The same of one principal. Callers without one share `waiters` alone. Default 2,000.
    pub waiters_per_principal: usize,
    /// Tasks on one page of a listing. Default 100.
    pub page_size: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            tasks: 10_000,
            tasks_per_principal: 1_000,
            stored_tasks: 100_000,
            stored_tasks_per_principal: 10_000,
            max_ttl: Some(Duration::from_secs(24 * 60 * 60)),
            default_ttl: Some(Duration::from_secs(60 * 60)),
            payload_bytes: 4 << 20,
            inputs_per_task: 100,
            waiters: 10_000,
            waiters_per_principal: 2_000,
            page_size: 100,
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty),* $(,)?) => {
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

setters! {
    /// Sets [`tasks`](#structfield.tasks).
    tasks: usize,
    /// Sets [`tasks_per_principal`](#structfield.tasks_per_principal).
    tasks_per_principal: usize,
    /// Sets [`stored_tasks`](#structfield.stored_tasks).
    stored_tasks: usize,
    /// Sets [`stored_tasks_per_principal`](#structfield.stored_tasks_per_principal).
    stored_tasks_per_principal: usize,
    /// Sets [`max_ttl`](#structfield.max_ttl).
    max_ttl: Option<Duration>,
    /// Sets [`default_ttl`](#structfield.default_ttl).
    default_ttl: Option<Duration>,
    /// Sets [`payload_bytes`](#structfield.payload_bytes).
    payload_bytes: usize,
    /// Sets [`inputs_per_task`](#structfield.inputs_per_task).
    inputs_per_task: usize,
    /// Sets [`waiters`](#structfield.waiters).
    waiters: usize,
    /// Sets [`waiters_per_principal`](#structfield.waiters_per_principal).
    waiters_per_principal: usize,
    /// Sets [`page_size`](#structfield.page_size).
    page_size: usize,
}
