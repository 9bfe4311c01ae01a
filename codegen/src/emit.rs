//! Rust text from a model: one file for each domain of each module, formatted by prettyplease, the same for the same
//! model. Writes nothing to disk.

use crate::model::Model;

/// How the crate is to look.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Emit a `Cargo.toml` for a crate of this name; none leaves the crate's manifest to its owner.
    pub package: Option<String>,
    /// Emit `registry::reencode` without a feature to switch it on.
    pub registry: bool,
}

/// The files of the crate: path relative to its directory (`src/v2025_11_25/tools.rs`), and content.
#[must_use]
pub fn emit(model: &Model, options: &Options) -> Vec<(String, String)> {
    let _ = (model, options);
    Vec::new()
}

/// The file of facts that the attribute macro checks against (`macros/src/spec.rs`).
#[must_use]
pub fn macro_spec(model: &Model) -> String {
    let _ = model;
    String::new()
}
