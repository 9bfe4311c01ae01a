//! What the schemas of all types have in common: how a text with holes becomes a schema, and the macro that says it of
//! each type.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::Value;

/// The text as a schema. Where it refers to a number, that one of `parts` stands.
pub(crate) fn filled(text: &str, parts: &[Schema]) -> Schema {
    // The generator wrote the text; a fault of it would allow everything rather than panic.
    let mut schema = serde_json::from_str(text).unwrap_or(Value::Bool(true));
    fill(&mut schema, parts);
    Schema::try_from(schema).unwrap_or_default()
}

fn fill(value: &mut Value, parts: &[Schema]) {
    match value {
        Value::Object(members) => {
            let part = members
                .get("$ref")
                .and_then(Value::as_u64)
                .and_then(|index| parts.get(usize::try_from(index).ok()?));
            if let Some(part) = part {
                members.remove("$ref");
                if let Some(part) = part.as_object() {
                    members.extend(part.iter().map(|(key, value)| (key.clone(), value.clone())));
                }
                return;
            }
            members.values_mut().for_each(|member| fill(member, parts));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| fill(item, parts)),
        _ => {}
    }
}

/// A schema that stands for itself, its definitions included.
pub(crate) fn root<T: JsonSchema>() -> Schema {
    SchemaGenerator::default().into_root_schema_for::<T>()
}

macro_rules! schemas {
    ($($type:ty, $name:literal, [$($part:ty),*], $text:literal;)*) => {$(
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", $name).into()
            }

            fn json_schema(_generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $crate::schema::filled($text, &[$(_generator.subschema_for::<$part>()),*])
            }
        }
    )*};
}

pub(crate) use schemas;
