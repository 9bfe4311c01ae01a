//! Places where the types accept more than the schema says, on purpose.

use serde_json::{Value, json};
use toml::Table;

use super::schema::Document;

/// One such place, as the manifest declares it.
#[derive(Debug, Clone)]
pub struct Relaxation {
    /// Documents it applies to; all, if empty.
    pub inputs: Vec<String>,
    /// JSON pointer of the schema that is relaxed.
    pub at: String,
    /// What is accepted besides: a JSON type, or `any`.
    pub accept: Vec<String>,
}

impl Relaxation {
    /// The `[[relax]]` entries of a manifest.
    ///
    /// # Errors
    ///
    /// A message, when the text is no TOML or an entry lacks a member.
    pub fn of_manifest(text: &str) -> Result<Vec<Self>, String> {
        let manifest: Table = text
            .parse()
            .map_err(|e| format!("the manifest is no TOML: {e}"))?;
        let entries = manifest.get("relax").and_then(toml::Value::as_array);
        let texts = |list: &toml::Value| {
            list.as_array()?
                .iter()
                .map(|it| it.as_str().map(str::to_owned))
                .collect::<Option<_>>()
        };
        let entry = |entry: &toml::Value| {
            Some(Self {
                inputs: entry.get("inputs").map_or(Some(Vec::new()), texts)?,
                at: entry.get("at")?.as_str()?.to_owned(),
                accept: texts(entry.get("accept")?)?,
            })
        };
        entries
            .into_iter()
            .flatten()
            .map(|e| entry(e).ok_or_else(|| format!("not `at` and `accept`: {e}")))
            .collect()
    }

    fn schema(&self, schema: &Value) -> Value {
        if self.accept.iter().any(|kind| kind == "any") {
            return json!({});
        }
        json!({ "anyOf": [schema, { "type": self.accept }] })
    }
}

/// A document with all its relaxations, and what a report calls them.
#[must_use]
pub fn relax(document: &Document, relaxations: &[Relaxation]) -> Option<(String, Document)> {
    let mut root = document.root().clone();
    let mut names = Vec::new();
    let here = |r: &&Relaxation| r.inputs.is_empty() || r.inputs.contains(&document.name);
    for relaxation in relaxations.iter().filter(here) {
        let at = relaxation
            .at
            .replacen("/$defs/", &format!("/{}/", document.key()), 1);
        if let Some(schema) = root.pointer_mut(&at) {
            *schema = relaxation.schema(schema);
            names.push(relaxation.at.as_str());
        }
    }
    let relaxed = Document::new(document.name.clone(), root).ok()?;
    (!names.is_empty()).then(|| (names.join(", "), relaxed))
}
