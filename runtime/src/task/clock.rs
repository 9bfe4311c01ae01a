//! Time, twice: the wall clock for what people read, a steady one for what expires.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01 UTC. Displays as RFC 3339 with milliseconds.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// From milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since 1970.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// The moment `millis` later, or the last one there is.
    pub fn after_millis(self, millis: u64) -> Self {
        Self(self.0.saturating_add_unsigned(millis))
    }

    /// How long it is from `self` until `later`; zero when that is past.
    pub fn until(self, later: Self) -> Duration {
        Duration::from_millis(u64::try_from(later.0.saturating_sub(self.0)).unwrap_or(0))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Out of jiff's range (year 9999) only by a broken clock; the nearest end of the range is shown then.
        let shown = jiff::Timestamp::from_millisecond(self.0).unwrap_or(if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        });
        write!(f, "{shown:.3}")
    }
}

/// Where time comes from. Tests inject their own.
pub trait Clock: Send + Sync + 'static {
    /// What the wall clock says. It may step backwards and forwards.
    fn wall(&self) -> Timestamp;
    /// Time since some fixed moment. It never steps.
    fn monotonic(&self) -> Duration;
}

/// The clocks of the machine; the monotonic one is tokio's, so that tests can pause it.
#[derive(Debug)]
pub struct SystemClock {
    start: tokio::time::Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self {
            start: tokio::time::Instant::now(),
        }
    }
}

impl Clock for SystemClock {
    fn wall(&self) -> Timestamp {
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}

/// A clock made of both: [`wall`](Self::wall) is for timestamps that people see, [`steady`](Self::steady) for deadlines.
///
/// Steady time starts at the wall time of the start and moves with the monotonic clock, so a step of the wall clock
/// neither expires a task early nor keeps it. After a restart it starts at the wall time again, but not before the
/// last steady time that the store has seen ([`raise`](Self::raise)).
#[derive(Clone)]
pub struct Timeline {
    clock: Arc<dyn Clock>,
    /// Steady time at monotonic zero.
    base: Arc<AtomicI64>,
}

impl Timeline {
    /// Starts a timeline now.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        let base = clock.wall().0.saturating_sub(millis(clock.monotonic()));
        Self {
            clock,
            base: Arc::new(AtomicI64::new(base)),
        }
    }

    /// The wall clock.
    pub fn wall(&self) -> Timestamp {
        self.clock.wall()
    }

    /// Steady time: comparable with deadlines, not with other machines' clocks.
    pub fn steady(&self) -> Timestamp {
        Timestamp(
            self.base
                .load(Ordering::Relaxed)
                .saturating_add(millis(self.clock.monotonic())),
        )
    }

    /// Moves steady time forward to at least `floor`.
    pub fn raise(&self, floor: Timestamp) {
        let base = floor.0.saturating_sub(millis(self.clock.monotonic()));
        self.base.fetch_max(base, Ordering::Relaxed);
    }
}

impl fmt::Debug for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timeline")
            .field("steady", &self.steady())
            .finish_non_exhaustive()
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
