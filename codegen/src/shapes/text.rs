//! A schema's type as a short text: `string | null`, `Tool[]`, `{name, title?}`.

use serde_json::Value;

use super::{Shape, Shapes};
use crate::definitions::Definitions;

/// What `schema` allows, in a few words.
#[must_use]
pub fn type_text(definitions: &Definitions, schema: &Value) -> String {
    schema_text(&Shapes::new(definitions), schema)
}

/// The type of a definition: its content, where the same object elsewhere is told by name.
pub(crate) fn definition_text(definitions: &Shapes<'_>, schema: &Value) -> String {
    match definitions.alternatives(schema).as_slice() {
        [shape] if shape.reference.is_none() => content(definitions, shape, 0),
        shapes => list(definitions, shapes, 0),
    }
}

/// What `schema` allows, in a few words.
pub(crate) fn schema_text(definitions: &Shapes<'_>, schema: &Value) -> String {
    list(definitions, &definitions.alternatives(schema), 0)
}

/// The same for alternatives that are at hand.
pub(crate) fn shapes_text(definitions: &Shapes<'_>, shapes: &[Shape]) -> String {
    list(definitions, shapes, 0)
}

fn list(definitions: &Shapes<'_>, shapes: &[Shape], depth: usize) -> String {
    if shapes.is_empty() {
        return "nothing".to_owned();
    }
    let mut texts: Vec<String> = Vec::new();
    for shape in shapes {
        let text = one(definitions, shape, depth);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(" | ")
}

fn one(definitions: &Shapes<'_>, shape: &Shape, depth: usize) -> String {
    if let Some(name) = &shape.reference {
        return name.clone();
    }
    if let Some(name) = definitions.name_of(shape) {
        return name.to_owned();
    }
    content(definitions, shape, depth)
}

fn content(definitions: &Shapes<'_>, shape: &Shape, depth: usize) -> String {
    if let Some(values) = &shape.values {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        return values.join(" | ");
    }
    let inner = |schema: &Value| {
        if depth > 3 {
            return "...".to_owned();
        }
        list(definitions, &definitions.alternatives(schema), depth + 1)
    };
    match shape.kind.as_deref() {
        Some("array") => match shape.items.as_ref().map(inner) {
            None => "array".to_owned(),
            Some(text) if text.contains(' ') => format!("({text})[]"),
            Some(text) => format!("{text}[]"),
        },
        Some("object") if shape.members.is_empty() => match &shape.rest {
            None => "object".to_owned(),
            Some(Value::Bool(false)) => "{}".to_owned(),
            Some(schema) => format!("map of {}", inner(schema)),
        },
        Some(kind) if kind != "object" => kind.to_owned(),
        _ if !shape.members.is_empty() => {
            let tag = ["type", "method", "status", "mode"]
                .into_iter()
                .find_map(|member| Some(format!("{member}: {:?}, ", shape.tag(member)?)));
            let names: Vec<String> = shape
                .members
                .iter()
                .filter(|(name, _)| {
                    tag.as_ref()
                        .is_none_or(|tag| !tag.starts_with(&format!("{name}:")))
                })
                .map(|(name, member)| {
                    if member.required {
                        name.clone()
                    } else {
                        format!("{name}?")
                    }
                })
                .collect();
            let text = format!("{}{}", tag.unwrap_or_default(), names.join(", "));
            format!("{{{}}}", text.trim_end_matches(", "))
        }
        _ => "any value".to_owned(),
    }
}
