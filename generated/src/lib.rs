//! Placeholder until `mcp-codegen generate` writes this crate.
#![allow(missing_docs)]
pub mod v2026_07_28 {
    use serde_json::{Map, Value};
    pub type JsonObject = Map<String, Value>;
}
