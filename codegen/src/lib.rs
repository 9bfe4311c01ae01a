//! Reads the Model Context Protocol's JSON Schemas and writes Rust.

pub mod catalog;
pub mod check;
pub mod cli;
pub mod coverage;
pub mod definitions;
pub mod diff;
pub mod docs;
pub mod emit;
pub mod facts;
pub mod features;
pub mod import;
pub mod keywords;
pub mod manifest;
pub mod model;
mod modules;
pub mod plan;
pub mod shapes;
pub mod source;
#[cfg(feature = "validate")]
pub mod validate;
pub mod write;
