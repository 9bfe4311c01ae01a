//! Shared parts of the workspace tests.

pub mod sampler;
pub mod traceability;
