//! `import`: an official schema file becomes a facts file, and its provenance goes into the manifest,
//! whose comments and layout are kept.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::manifest::{ManifestError, Upstream};
use crate::modules;
use crate::source;

/// What is known of a file's origin; what is `None` stays as the manifest has it.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// Address of the upstream repository.
    pub repository: Option<String>,
    /// Path of the official file in it.
    pub path: Option<String>,
    /// Commit that the file was taken from.
    pub commit: Option<String>,
    /// SPDX expression of the upstream licence.
    pub licence: Option<String>,
}

/// The name of an input when none is given: `2025-11-25` for `2025-11-25/schema.json`, otherwise the
/// file's own name without `.json` or `.schema.json`.
#[must_use]
pub fn name_of(file: &Path) -> Option<String> {
    let stem = file.file_stem()?.to_str()?;
    let stem = stem.strip_suffix(".schema").unwrap_or(stem);
    let name = match stem {
        "schema" | "spec" => file.parent()?.file_name()?.to_str()?,
        other => other,
    };
    is_name(name).then(|| name.to_owned())
}

/// Whether `name` can be the name of an input, and so of a file: letters, digits, `-`, `_`, `.`.
#[must_use]
pub fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// The Rust module and the Cargo feature of a new input: `v2025_11_25` and `v2025-11-25`. What the generated crate has
/// itself gets an ending: `message_types`.
#[must_use]
pub fn module_and_feature(name: &str) -> (String, String) {
    let feature = name.to_ascii_lowercase().replace('.', "-");
    let feature = if feature.starts_with(|c: char| c.is_ascii_digit()) {
        format!("v{feature}")
    } else {
        feature
    };
    let module = feature.replace('-', "_");
    let is_free = modules::problem(&module, modules::OF_CRATE).is_none();
    if is_free && !modules::FEATURES.contains(&feature.as_str()) {
        return (module, feature);
    }
    (format!("{module}_types"), format!("{feature}-types"))
}

/// A manifest's text with the provenance of the input `name` set, and the entry added if it is new.
///
/// # Errors
/// Fails when `text` is not TOML or its `input` is not an array of tables.
pub fn record(
    text: &str,
    manifest: &Path,
    name: &str,
    file: &str,
    upstream: &Upstream,
) -> Result<String, ManifestError> {
    let syntax = |message: String| ManifestError::Syntax {
        path: manifest.to_owned(),
        message,
    };
    let mut document: DocumentMut = text
        .parse()
        .map_err(|error: toml_edit::TomlError| syntax(error.to_string()))?;
    let inputs = document
        .entry("input")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()))
        .as_array_of_tables_mut()
        .ok_or_else(|| syntax("`input` must be written as [[input]] tables".to_owned()))?;
    let known = inputs
        .iter()
        .position(|input| input.get("name").and_then(Item::as_str) == Some(name));
    let index = known.unwrap_or_else(|| {
        let (module, feature) = module_and_feature(name);
        let mut input = Table::new();
        input["name"] = value(name);
        input["file"] = value(file);
        input["module"] = value(module);
        input["feature"] = value(feature);
        inputs.push(input);
        inputs.len() - 1
    });
    let input = inputs
        .get_mut(index)
        .ok_or_else(|| syntax(format!("the entry of `{name}` cannot be changed")))?;
    let entry = input
        .entry("upstream")
        .or_insert_with(|| Item::Table(Table::new()));
    let table = entry
        .as_table_like_mut()
        .ok_or_else(|| syntax(format!("`upstream` of `{name}` must be a table")))?;
    for (key, text) in [
        ("repository", upstream.repository.as_deref()),
        ("path", upstream.path.as_deref()),
        ("commit", upstream.commit.as_deref()),
        ("sha256", Some(upstream.sha256.as_str())),
        ("licence", upstream.licence.as_deref()),
    ] {
        match text {
            Some(text) => {
                table.insert(key, value(text));
            }
            None => {
                table.remove(key);
            }
        }
    }
    Ok(document.to_string())
}

/// Puts what the manifest knows and what the command line says together. A commit known for other
/// bytes is not carried over.
#[must_use]
pub fn provenance(known: Option<&Upstream>, origin: Origin, sha256: String) -> Upstream {
    let known = known.cloned().unwrap_or_default();
    let same = known.sha256 == sha256;
    Upstream {
        repository: origin.repository.or(known.repository),
        path: origin.path.or(known.path),
        commit: origin.commit.or(known.commit.filter(|_| same)),
        sha256,
        licence: origin.licence.or(known.licence),
    }
}

/// A facts file's text as a value, for comparing with a new import. `None` if it is not JSON.
#[must_use]
pub fn earlier(path: &PathBuf) -> Option<Value> {
    serde_json::from_str(&std::fs::read_to_string(path).ok()?).ok()
}

/// What an import changed, one definition a line: `+` added, `-` removed, `~` changed.
#[must_use]
pub fn changes(old: &Value, new: &Value) -> Vec<String> {
    let definitions = |schema| {
        source::definitions(schema)
            .map(|(_, all)| all.clone())
            .unwrap_or_default()
    };
    let (old, new) = (definitions(old), definitions(new));
    let gone = old
        .keys()
        .filter(|name| !new.contains_key(*name))
        .map(|name| format!("- {name}"));
    let other = new.iter().filter_map(|(name, schema)| match old.get(name) {
        None => Some(format!("+ {name}")),
        Some(before) if before != schema => Some(format!("~ {name}")),
        Some(_) => None,
    });
    gone.chain(other).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Manifest;

    #[test]
    fn the_name_comes_from_the_directory_of_a_schema_json() {
        for (file, name) in [
            ("spec/2025-11-25/schema.json", Some("2025-11-25")),
            ("ext-tasks.json", Some("ext-tasks")),
            ("a/draft.schema.json", Some("draft")),
            ("schema.json", None),
        ] {
            assert_eq!(name_of(Path::new(file)).as_deref(), name, "{file}");
        }
    }

    #[test]
    fn a_new_input_gets_a_module_and_a_feature() {
        assert_eq!(
            module_and_feature("2025-11-25"),
            ("v2025_11_25".to_owned(), "v2025-11-25".to_owned())
        );
        assert_eq!(
            module_and_feature("ext-tasks"),
            ("ext_tasks".to_owned(), "ext-tasks".to_owned())
        );
        for name in ["message", "default", "self", "type", "LIB"] {
            let (module, feature) = module_and_feature(name);
            assert_eq!(module, format!("{}_types", name.to_lowercase()));
            assert_eq!(feature, module.replace('_', "-"));
        }
    }

    #[test]
    fn recording_keeps_comments_and_other_entries() {
        let text = "# Ours.\n[[input]]\nname = 'a' # first\nfile = 'a.json'\nmodule = 'a'\nfeature = 'a'\n";
        let upstream = Upstream {
            sha256: "00".to_owned(),
            ..Upstream::default()
        };
        let text = record(text, Path::new("m.toml"), "a", "a.json", &upstream).expect("valid");
        let text = record(
            &text,
            Path::new("m.toml"),
            "2026-07-28",
            "b.json",
            &upstream,
        )
        .expect("valid");
        assert!(
            text.contains("# Ours.") && text.contains("# first"),
            "{text}"
        );
        let manifest = Manifest::parse(Path::new("m.toml"), &text).expect("valid");
        assert_eq!(manifest.inputs.len(), 2);
        assert_eq!(manifest.inputs[0].upstream.as_ref(), Some(&upstream));
        assert_eq!(manifest.inputs[1].module, "v2026_07_28");
    }

    #[test]
    fn a_commit_is_not_carried_over_to_other_bytes() {
        let known = Upstream {
            commit: Some("abc".to_owned()),
            licence: Some("MIT".to_owned()),
            sha256: "00".to_owned(),
            ..Upstream::default()
        };
        let same = provenance(Some(&known), Origin::default(), "00".to_owned());
        assert_eq!(same, known);
        let other = provenance(Some(&known), Origin::default(), "11".to_owned());
        assert_eq!(
            (other.commit, other.licence.as_deref()),
            (None, Some("MIT"))
        );
    }
}
