//! Shared parts of the workspace tests.

pub mod crash;
pub mod fixture;
pub mod legacy;
pub mod modern;
pub mod process;
pub mod roundtrip;
pub mod sampler;
pub mod serve;
pub mod stdio;
pub mod traceability;
pub mod wire;

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
