//! Helpers for tests of your own: a context that is scripted, a client in memory, a clock that you turn, a contract that
//! stores must keep.
//!
//! [`TaskContext::for_test`](crate::TaskContext::for_test) makes the first, for a function alone; [`TestClient`] tests a
//! whole server.

mod client;
mod clock;
mod contract;

pub use client::{
    ClientError, Listening, Notification, Question, TestClient, TestClientBuilder, TestTask,
};
pub use clock::TestClock;
pub use contract::{BrokenRule, check_store, store_contract};

pub use crate::context::TestContext;
