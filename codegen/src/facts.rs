//! From an official schema file to facts alone: sentences and unknown keywords are left out, keys
//! are sorted, everything that decides what is valid stays as it is.

use serde_json::{Map, Value};

use crate::keywords::{Holds, holds, push};

/// A schema reduced to its facts, with an account of what was left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// The reduced schema.
    pub schema: Value,
    /// How many sentences (`description`, `title`, `$comment`, `examples`) were left out.
    pub sentences: usize,
    /// JSON pointers of keywords that JSON Schema does not define; they were left out too.
    pub unknown: Vec<String>,
}

/// Reduces `schema` to its facts.
#[must_use]
pub fn reduce(schema: &Value) -> Facts {
    let mut facts = Facts {
        schema: Value::Null,
        sentences: 0,
        unknown: Vec::new(),
    };
    facts.schema = facts.schema_at(schema, &mut String::new());
    facts
}

/// The text of a facts file: two spaces of indentation, a line feed at the end.
#[must_use]
pub fn to_text(schema: &Value) -> String {
    format!("{schema:#}\n")
}

impl Facts {
    fn schema_at(&mut self, schema: &Value, pointer: &mut String) -> Value {
        let Some(members) = schema.as_object() else {
            return schema.clone();
        };
        sorted(members, pointer, |keyword, value, pointer| {
            match holds(keyword) {
                Some(Holds::Prose) => {
                    self.sentences += 1;
                    None
                }
                None => {
                    self.unknown.push(pointer.clone());
                    None
                }
                Some(Holds::Fact) => Some(sort_keys(value)),
                Some(Holds::Schema) => Some(self.schema_at(value, pointer)),
                Some(Holds::List | Holds::SchemaOrList) => Some(match value {
                    Value::Array(items) => items
                        .iter()
                        .map(|item| self.schema_at(item, pointer))
                        .collect(),
                    other => self.schema_at(other, pointer),
                }),
                Some(Holds::Named) => Some(match value {
                    Value::Object(named) => Value::Object(sorted(named, pointer, |_, item, at| {
                        Some(self.schema_at(item, at))
                    })),
                    other => other.clone(),
                }),
            }
        })
        .into()
    }
}

/// The members of `object` by name, each put through `keep`.
fn sorted(
    object: &Map<String, Value>,
    pointer: &mut String,
    mut keep: impl FnMut(&str, &Value, &mut String) -> Option<Value>,
) -> Map<String, Value> {
    let mut names: Vec<&String> = object.keys().collect();
    names.sort();
    let mut out = Map::new();
    for name in names {
        let length = pointer.len();
        push(pointer, name);
        if let Some(value) = keep(name, &object[name.as_str()], pointer) {
            out.insert(name.clone(), value);
        }
        pointer.truncate(length);
    }
    out
}

fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(sorted(object, &mut String::new(), |_, item, _| {
            Some(sort_keys(item))
        })),
        Value::Array(items) => items.iter().map(sort_keys).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sentences_go_and_members_of_the_same_name_stay() {
        let facts = reduce(&json!({
            "title": "T",
            "$defs": {
                "title": {"description": "A sentence.", "type": "string"},
                "Tool": {
                    "properties": {
                        "title": {"type": "string", "title": "x"},
                        "description": {"$ref": "#/$defs/title", "description": "y"},
                    },
                    "required": ["title", "description"],
                    "examples": [{"title": "z"}],
                    "$comment": "c",
                    "x-order": 1,
                },
            },
        }));
        assert_eq!(
            facts.schema,
            json!({"$defs": {
                "Tool": {
                    "properties": {
                        "description": {"$ref": "#/$defs/title"},
                        "title": {"type": "string"},
                    },
                    "required": ["title", "description"],
                },
                "title": {"type": "string"},
            }})
        );
        assert_eq!(facts.sentences, 6);
        assert_eq!(facts.unknown, ["/$defs/Tool/x-order"]);
    }

    #[test]
    fn keys_are_sorted_and_plain_values_kept_whole() {
        let facts = reduce(&json!({"const": {"title": "b", "a": 1}, "$defs": {}}));
        assert_eq!(
            facts.schema.to_string(),
            r#"{"$defs":{},"const":{"a":1,"title":"b"}}"#
        );
    }

    #[test]
    fn reducing_facts_changes_nothing() {
        let once = reduce(&json!({"$defs": {"A": {"description": "d", "type": ["null"]}}}));
        let twice = reduce(&once.schema);
        assert_eq!(once.schema, twice.schema);
        assert_eq!(twice.sentences, 0);
    }
}
