//! Whether a crate's own `Cargo.toml`, which is kept by hand, has the features that the generated code is behind.

use std::fs;
use std::path::Path;

use toml::{Table, Value};

use crate::manifest::Manifest;

/// What a crate's manifest lacks: one sentence each, which says what to write. None for a crate without a manifest.
#[must_use]
pub fn missing(manifest: &Manifest, cargo: &Path) -> Vec<String> {
    let Ok(text) = fs::read_to_string(cargo) else {
        return Vec::new();
    };
    let Ok(table) = text.parse::<Table>() else {
        return Vec::new(); // cargo says it better
    };
    let none = Table::new();
    let features = table
        .get("features")
        .and_then(Value::as_table)
        .unwrap_or(&none);
    let mut out = Vec::new();
    for input in &manifest.inputs {
        let (feature, needs) = (&input.feature, &input.needs);
        let Some(found) = features.get(feature) else {
            out.push(format!(
                "the feature `{feature}` of the input `{}` is missing: add `{feature} = {needs:?}` to [features]",
                input.name
            ));
            continue;
        };
        let has = |need: &&String| {
            found
                .as_array()
                .is_some_and(|list| list.iter().any(|it| it.as_str() == Some(need)))
        };
        for need in needs.iter().filter(|need| !has(need)) {
            out.push(format!(
                "the feature `{feature}` of the input `{}` does not switch on `{need}`: add it to its list",
                input.name
            ));
        }
    }
    for (feature, list) in [("registry", "[]"), ("schemars", "[\"dep:schemars\"]")] {
        if !features.contains_key(feature) {
            out.push(format!(
                "the feature `{feature}` is missing: add `{feature} = {list}` to [features]"
            ));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(features: &str) -> Vec<String> {
        let dir = tempfile::tempdir().expect("a folder");
        let cargo = dir.path().join("Cargo.toml");
        fs::write(&cargo, format!("[features]\n{features}")).expect("a file");
        let text = "[[input]]\nname='one'\nfile='a'\nmodule='one'\nfeature='one'\n\
             [[input]]\nname='two'\nfile='b'\nmodule='two'\nfeature='two'\nneeds=['one']";
        let manifest = Manifest::parse(Path::new("m.toml"), text).expect("valid");
        missing(&manifest, &cargo)
    }

    #[test]
    fn a_feature_that_is_missing_is_told_with_what_to_write() {
        assert!(of("one = []\ntwo = ['one']\nregistry = []\nschemars = []").is_empty());
        let told = of("one = []\nregistry = []\nschemars = []");
        assert!(
            told.len() == 1 && told[0].contains("`two = [\"one\"]`"),
            "{told:?}"
        );
        let told = of("one = []\ntwo = []\nschemars = []");
        assert!(
            told.len() == 2 && told[0].contains("`one`") && told[1].contains("`registry`"),
            "{told:?}"
        );
    }

    #[test]
    fn a_crate_without_a_manifest_is_none_of_ours() {
        let manifest = Manifest::parse(Path::new("m.toml"), "").expect("valid");
        assert!(missing(&manifest, Path::new("does-not-exist/Cargo.toml")).is_empty());
    }
}
