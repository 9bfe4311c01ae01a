//! Helpers for tests of your own: a context that is scripted, a clock that you turn, a contract that stores must keep.
//!
//! [`TaskContext::for_test`](crate::TaskContext::for_test) makes the first.

mod clock;
mod contract;

pub use clock::TestClock;
pub use contract::{BrokenRule, check_store, store_contract};

pub use crate::context::TestContext;
