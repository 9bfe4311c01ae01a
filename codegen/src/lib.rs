//! Reads the Model Context Protocol's JSON Schemas and writes Rust.

pub mod check;
pub mod cli;
pub mod coverage;
pub mod definitions;
pub mod diff;
pub mod docs;
pub mod emit;
pub mod facts;
pub mod import;
pub mod keywords;
pub mod manifest;
pub mod model;
pub mod plan;
pub mod source;
pub mod write;
