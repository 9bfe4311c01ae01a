//! A clock that tests turn.

use std::{
    sync::atomic::{AtomicI64, Ordering},
    time::Duration,
};

use crate::task::{Clock, Timestamp};

/// A clock whose wall time steps as a test wants it; its monotonic time is tokio's, which tests pause and advance.
#[derive(Debug)]
pub struct TestClock {
    start: tokio::time::Instant,
    /// Wall time at the start, steps included.
    wall: AtomicI64,
}

impl TestClock {
    /// A clock that shows this wall time now and goes on with tokio's time.
    pub fn at(wall: Timestamp) -> Self {
        Self {
            start: tokio::time::Instant::now(),
            wall: AtomicI64::new(wall.as_millis()),
        }
    }

    /// Steps the wall clock, backwards for a negative number. Monotonic time does not notice.
    pub fn step_millis(&self, millis: i64) {
        self.wall.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Default for TestClock {
    /// Starts at 2026-01-01T00:00:00Z.
    fn default() -> Self {
        Self::at(Timestamp::from_millis(1_767_225_600_000))
    }
}

impl Clock for TestClock {
    fn wall(&self) -> Timestamp {
        let since = i64::try_from(self.monotonic().as_millis()).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.wall.load(Ordering::Relaxed).saturating_add(since))
    }

    fn monotonic(&self) -> Duration {
        self.start.elapsed()
    }
}
