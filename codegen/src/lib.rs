//! Reads the Model Context Protocol's JSON Schemas and writes Rust.
