//! Where the types differ from the schema on purpose, as the manifest declares it: places where they accept more,
//! and numbers that they cannot hold.

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

/// Numbers that are valid and not held exactly, as the manifest declares them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// An integer that 64 bits cannot hold is refused.
    IntegersPast64Bits,
    /// An integer in a `number` member comes back as the nearest double.
    NumbersPast53Bits,
}

impl Limit {
    const ALL: [Self; 2] = [Self::IntegersPast64Bits, Self::NumbersPast53Bits];

    /// What the manifest and reports call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::IntegersPast64Bits => "integers-past-64-bits",
            Self::NumbersPast53Bits => "numbers-past-53-bits",
        }
    }

    /// The `[[limit]]` entries of a manifest.
    ///
    /// # Errors
    ///
    /// A message, when the text is no TOML or an entry is not known here.
    pub fn of_manifest(text: &str) -> Result<Vec<Self>, String> {
        let manifest: Table = text
            .parse()
            .map_err(|e| format!("the manifest is no TOML: {e}"))?;
        let entries = manifest.get("limit").and_then(toml::Value::as_array);
        let known = |entry: &toml::Value| {
            let name = entry.get("numbers")?.as_str()?;
            entry.get("reason")?.as_str()?;
            Self::ALL.into_iter().find(|limit| limit.name() == name)
        };
        entries
            .into_iter()
            .flatten()
            .map(|e| known(e).ok_or_else(|| format!("no known `numbers`, or no `reason`: {e}")))
            .collect()
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
