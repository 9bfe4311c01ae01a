//! Shared parts of the workspace tests.

pub mod traceability;
