//! Names of modules in a generated crate: what a file, an input or a domain may be called.

/// Modules beside those of the inputs, and crates that generated code names. `bin`, `lib` and `main` mean something to
/// cargo.
pub(crate) const OF_CRATE: &[&str] = &[
    "bin",
    "common",
    "convert",
    "core",
    "lib",
    "main",
    "message",
    "method",
    "registry",
    "schema",
    "serde",
    "serde_json",
    "std",
    "support",
];

/// Modules of an input beside its domains.
pub(crate) const OF_INPUT: &[&str] = &["handler", "keys", "methods", "mod", "registry", "schemas"];

/// Features beside those of the inputs.
pub(crate) const FEATURES: &[&str] = &["default", "registry", "schemars"];

/// Why no module can have the name, beside those that are there already.
pub(crate) fn problem(name: &str, taken: &[&str]) -> Option<&'static str> {
    let starts = name.starts_with(|first: char| first.is_ascii_lowercase());
    let goes_on = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if taken.contains(&name) {
        Some("is one that generated code has already; choose another")
    } else if !starts || !name.chars().all(goes_on) {
        Some("cannot be a module; choose a small letter, then small letters, digits and `_`")
    } else if syn::parse_str::<syn::Ident>(name).is_err() {
        Some("is a keyword of Rust; choose another")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_a_name_that_is_free() {
        assert_eq!(problem("v2025_11_25", OF_CRATE), None);
        assert_eq!(problem("mod_", OF_INPUT), None);
        for name in [
            "", "2025", "a b", "../x", "Tools", "_", "self", "type", "message",
        ] {
            assert!(problem(name, OF_CRATE).is_some(), "{name:?}");
        }
    }
}
