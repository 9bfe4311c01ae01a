//! Rust text from a model: one file for each domain of each module, formatted by prettyplease, the same for the same
//! model. Writes nothing to disk.
//!
//! Raw typify output is not used: the structs that it makes derive serde's traits, which accept arrays for objects,
//! drop unknown members and try the alternatives of a union in turn. Nothing of that can be kept under the rule that a
//! type accepts what its schema accepts; typify stays a peer in the benchmarks.

mod convert;
mod dispatch;
mod enums;
mod expr;
mod files;
mod keys;
mod messages;
mod methods;
mod objects;
mod package;
mod schemas;
mod spec;
mod unions;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::model::{Model, TypeId};

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
    files::files(model, options)
}

/// The file of facts that the attribute macro checks against (`macros/src/spec.rs`).
#[must_use]
pub fn macro_spec(model: &Model) -> String {
    spec::text(model)
}

/// A name in Rust, raw where it is a keyword.
fn ident(name: &str) -> Ident {
    syn::parse_str::<Ident>(name).unwrap_or_else(|_| Ident::new_raw(name, Span::call_site()))
}

/// The Rust name of a type.
fn name_of(model: &Model, id: TypeId) -> Ident {
    ident(&model.get(id).name)
}

/// A doc comment; each line of `text` is one.
fn doc(text: &str) -> TokenStream {
    let lines = text.lines().map(|line| {
        if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        }
    });
    quote!(#(#[doc = #lines])*)
}

/// The documentation, or else a plain statement of what the item is.
fn doc_or(text: &str, fallback: impl FnOnce() -> String) -> TokenStream {
    if text.is_empty() {
        doc(&fallback())
    } else {
        doc(text)
    }
}
