//! Reads the Model Context Protocol's JSON Schemas and writes Rust.

pub mod cli;
pub mod docs;
pub mod facts;
pub mod import;
pub mod keywords;
pub mod manifest;
pub mod source;
pub mod write;
