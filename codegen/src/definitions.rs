//! The definitions of one schema file, of any draft, with their references checked: every `$ref` names
//! a definition that exists, and no definition is built from itself without end. What lists, compares
//! or explains schemas starts here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::source::{self, SourceError};
use crate::{facts, keywords};

/// The definitions of one schema file, reduced to facts.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The file.
    pub path: PathBuf,
    /// The member that holds the definitions: `$defs` or `definitions`.
    pub key: &'static str,
    /// The JSON Schema dialect that the file declares.
    pub dialect: Option<String>,
    /// By name.
    pub all: BTreeMap<String, Value>,
}

/// Why a schema file could not be used.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionsError {
    /// The file could not be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A reference leads nowhere.
    #[error("{}: {pointer}: `{reference}` names no definition of this file; {hint}", path.display())]
    Dangling {
        /// The file.
        path: PathBuf,
        /// Where the reference stands.
        pointer: String,
        /// What it says.
        reference: String,
        /// What to do.
        hint: String,
    },
    /// A definition contains itself as a whole.
    #[error(
        "{}: {pointer}: `{name}` is made of itself ({chain}), so nothing can be said of its content; \
         take it out of the allOf or $ref at one place", path.display()
    )]
    Cycle {
        /// The file.
        path: PathBuf,
        /// The definition.
        pointer: String,
        /// Its name.
        name: String,
        /// The way back to it.
        chain: String,
    },
}

impl Definitions {
    /// Reads the schema file at `path`.
    ///
    /// # Errors
    /// Fails when the file cannot be read, a reference leads nowhere, or a definition is made of
    /// itself.
    pub fn read(path: &Path) -> Result<Self, DefinitionsError> {
        let source = source::read(path)?;
        Self::new(path, &source.value)
    }

    /// Takes the definitions out of a parsed schema; `path` is used for messages only.
    ///
    /// # Errors
    /// As [`Definitions::read`], without those of the file system.
    pub fn new(path: &Path, schema: &Value) -> Result<Self, DefinitionsError> {
        let facts = facts::reduce(schema);
        let (key, all) = source::definitions(&facts.schema).map_or_else(
            || ("$defs", BTreeMap::new()),
            |(key, all)| (key, all.clone().into_iter().collect()),
        );
        let dialect = schema
            .get("$schema")
            .and_then(Value::as_str)
            .map(str::to_owned);
        let definitions = Self {
            path: path.to_owned(),
            key,
            dialect,
            all,
        };
        definitions.check_references()?;
        definitions.check_cycles()?;
        Ok(definitions)
    }

    /// The schema of a definition.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.all.get(name)
    }

    /// The definitions that `name` refers to directly, anywhere in its schema.
    #[must_use]
    pub fn used_by(&self, name: &str) -> BTreeSet<String> {
        let mut used = BTreeSet::new();
        if let Some(schema) = self.all.get(name) {
            keywords::walk(schema, &mut |_, inner| {
                used.extend(inner.get("$ref").and_then(Value::as_str).and_then(target));
            });
        }
        used
    }

    /// The existing name that looks most like `name`.
    #[must_use]
    pub fn closest(&self, name: &str) -> Option<&str> {
        closest(name, self.all.keys().map(String::as_str))
    }

    fn check_references(&self) -> Result<(), DefinitionsError> {
        for (name, schema) in &self.all {
            let mut bad = None;
            keywords::walk(schema, &mut |inside, inner| {
                let Some(reference) = inner.get("$ref").and_then(Value::as_str) else {
                    return;
                };
                let known = target(reference).is_some_and(|name| self.all.contains_key(&name));
                if !known && bad.is_none() {
                    bad = Some((inside.to_owned(), reference.to_owned()));
                }
            });
            if let Some((inside, reference)) = bad {
                let hint = match target(&reference) {
                    None => "only references to definitions of the same file are understood, \
                             so copy the definition into it"
                        .to_owned(),
                    Some(name) => match self.closest(&name) {
                        Some(other) => format!("did you mean `{other}`?"),
                        None => "add the definition or remove the reference".to_owned(),
                    },
                };
                return Err(DefinitionsError::Dangling {
                    path: self.path.clone(),
                    pointer: self.pointer(name) + &inside + "/$ref",
                    reference,
                    hint,
                });
            }
        }
        Ok(())
    }

    fn check_cycles(&self) -> Result<(), DefinitionsError> {
        let mut done = BTreeSet::new();
        for name in self.all.keys() {
            let mut path = Vec::new();
            if let Some(chain) = self.cycle(name, &mut path, &mut done) {
                return Err(DefinitionsError::Cycle {
                    path: self.path.clone(),
                    pointer: self.pointer(&chain[0]),
                    name: chain[0].clone(),
                    chain: chain.join(" -> "),
                });
            }
        }
        Ok(())
    }

    /// Follows what a definition is made of as a whole, not what its members refer to.
    fn cycle(
        &self,
        name: &str,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|earlier| earlier == name) {
            let mut chain = path[start..].to_vec();
            chain.push(name.to_owned());
            return Some(chain);
        }
        if !done.insert(name.to_owned()) {
            return None;
        }
        path.push(name.to_owned());
        let mut parts = Vec::new();
        whole_parts(self.all.get(name)?, &mut parts);
        let found = parts.iter().find_map(|part| self.cycle(part, path, done));
        path.pop();
        found
    }

    /// JSON pointer of a definition.
    #[must_use]
    pub fn pointer(&self, name: &str) -> String {
        let mut pointer = format!("/{}", self.key);
        keywords::push(&mut pointer, name);
        pointer
    }
}

/// The name that looks most like `name`, if any is close.
#[must_use]
pub fn closest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / 3).max(2).min(length.saturating_sub(1));
    names
        .map(|other| (distance(&name.to_lowercase(), &other.to_lowercase()), other))
        .filter(|(distance, _)| *distance <= allowed)
        .min()
        .map(|(_, other)| other)
}

/// The definition that a reference within the same file names.
#[must_use]
pub fn target(reference: &str) -> Option<String> {
    let escaped = reference
        .strip_prefix("#/$defs/")
        .or_else(|| reference.strip_prefix("#/definitions/"))?;
    if escaped.contains('/') {
        return None;
    }
    Some(
        percent_decode(escaped)
            .replace("~1", "/")
            .replace("~0", "~"),
    )
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = match rest {
            [b'%', high, low, ..] => std::str::from_utf8(&[*high, *low])
                .ok()
                .and_then(|digits| u8::from_str_radix(digits, 16).ok()),
            _ => None,
        };
        bytes.push(code.unwrap_or(*first));
        rest = if code.is_some() { &rest[3..] } else { tail };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn whole_parts(schema: &Value, parts: &mut Vec<String>) {
    parts.extend(schema.get("$ref").and_then(Value::as_str).and_then(target));
    for keyword in ["allOf", "anyOf", "oneOf"] {
        for item in schema
            .get(keyword)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            whole_parts(item, parts);
        }
    }
}

/// Number of single-character edits between two texts.
#[must_use]
pub fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.iter().enumerate() {
            let change = diagonal + usize::from(a != *b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(schema: &Value) -> Result<Definitions, String> {
        Definitions::new(Path::new("s.json"), schema).map_err(|error| error.to_string())
    }

    #[test]
    fn a_dangling_reference_is_located_and_a_near_name_offered() {
        let error = read(&json!({"$defs": {
            "Task": {}, "A": {"properties": {"t": {"$ref": "#/$defs/Tsak"}}}
        }}))
        .expect_err("refused");
        assert!(error.contains("/$defs/A/properties/t/$ref"), "{error}");
        assert!(error.contains("did you mean `Task`?"), "{error}");
        let error =
            read(&json!({"definitions": {"A": {"$ref": "other.json#/X"}}})).expect_err("no");
        assert!(
            error.contains("/definitions/A/$ref") && error.contains("same file"),
            "{error}"
        );
    }

    #[test]
    fn a_definition_made_of_itself_is_refused_and_one_that_contains_itself_is_not() {
        let error = read(&json!({"$defs": {
            "A": {"allOf": [{"$ref": "#/$defs/B"}]}, "B": {"$ref": "#/$defs/A"}
        }}))
        .expect_err("refused");
        assert!(error.contains("A -> B -> A"), "{error}");
        read(&json!({"$defs": {"A": {"items": {"$ref": "#/$defs/A"}}}}))
            .expect("recursive is fine");
    }

    #[test]
    fn references_are_unescaped() {
        assert_eq!(
            target("#/definitions/Record%3Cstring%3E").as_deref(),
            Some("Record<string>")
        );
        assert_eq!(target("#/$defs/a~1b").as_deref(), Some("a/b"));
        assert_eq!(target("#/$defs/A/properties/b"), None);
    }
}
