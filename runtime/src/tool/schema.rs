//! JSON Schemas of arguments and results, as hosts expect them: inline, closed at the root, draft 2020-12.

use schemars::{JsonSchema, Schema, SchemaGenerator, generate::SchemaSettings};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::JsonObject;

/// Types that an argument of a tool may have.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an argument of a tool",
    label = "not an argument",
    note = "arguments need `serde::Deserialize` and `schemars::JsonSchema`: add \
            `#[derive(serde::Deserialize, schemars::JsonSchema)]` to the type, or to the type inside of it that lacks them",
    note = "state that calls share is taken as `State<T>`; this, `TaskContext`, `Principal`, `Extensions` and `Args<T>` are \
            known by their names, which cannot be aliases"
)]
pub trait ToolArgument: DeserializeOwned + JsonSchema + Send + 'static {}

#[diagnostic::do_not_recommend]
impl<T: DeserializeOwned + JsonSchema + Send + 'static> ToolArgument for T {}

/// Makes schemas of what is read.
pub(crate) fn input_generator() -> SchemaGenerator {
    settings().for_deserialize().into_generator()
}

fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    })
}

/// `inputSchema` of a tool without arguments.
pub(crate) fn no_arguments() -> JsonObject {
    object(json!({"type": "object", "properties": {}, "additionalProperties": false}))
}

fn object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

/// The schema of `T` as part of a larger one.
pub(crate) fn of_part<T: JsonSchema>(generator: &mut SchemaGenerator) -> JsonObject {
    let mut part = from_schema(generator.subschema_for::<T>());
    bound_numbers(&mut part);
    part
}

/// The whole schema of a result.
pub(crate) fn of_output<T: JsonSchema>() -> JsonObject {
    let mut generator = settings().for_serialize().into_generator();
    let mut root = of_part::<T>(&mut generator);
    attach_definitions(&mut root, &mut generator);
    root
}

/// A schema that is `true` becomes `{}`, one that is `false` becomes `{"not": {}}`.
pub(crate) fn from_schema(schema: Schema) -> JsonObject {
    match Value::from(schema) {
        Value::Object(object) => object,
        Value::Bool(false) => object(json!({"not": {}})),
        _ => JsonObject::new(),
    }
}

/// Puts the schemas of recursive types under the root's `$defs`; nothing else refers.
pub(crate) fn attach_definitions(root: &mut JsonObject, generator: &mut SchemaGenerator) {
    let mut definitions = generator.take_definitions(true);
    if definitions.is_empty() {
        return;
    }
    for definition in definitions.values_mut() {
        if let Value::Object(definition) = definition {
            bound_numbers(definition);
        }
    }
    // A recursive root is written out once, so that the root itself is no reference.
    if let Some(Value::String(target)) = root.get("$ref") {
        let name = target.trim_start_matches("#/$defs/").to_owned();
        if let Some(Value::Object(definition)) = definitions.get(&name) {
            let mut written_out = definition.clone();
            root.remove("$ref");
            for (key, value) in root.iter() {
                written_out.insert(key.clone(), value.clone());
            }
            *root = written_out;
        }
    }
    root.insert("$defs".into(), Value::Object(definitions));
}

/// Makes the schema of all arguments an object's, closed where its members are known.
///
/// # Errors
///
/// When the type is written as something else than an object.
pub(crate) fn close_root(root: &mut JsonObject) -> Result<(), String> {
    root.remove("title");
    only_objects(root)?;
    let mut members = JsonObject::new();
    let closed = collect_members(root, root, &mut members, 0);
    root.insert("type".into(), json!("object"));
    if closed {
        // Those of an enum's variants are said once more where clients look for members, at the root.
        let properties = root.entry("properties").or_insert_with(|| json!({}));
        if let Value::Object(properties) = properties {
            for (name, member) in members {
                properties.entry(name).or_insert(member);
            }
        }
        root.insert("additionalProperties".into(), Value::Bool(false));
    }
    Ok(())
}

/// Takes away the variants that are not written as objects.
fn only_objects(schema: &mut JsonObject) -> Result<(), String> {
    if let Some(kind) = schema.get("type").filter(|kind| **kind != "object") {
        return Err(format!(
            "`Args<T>` needs a type that is written as an object, not as {kind}"
        ));
    }
    for keyword in ["anyOf", "oneOf"] {
        let Some(Value::Array(variants)) = schema.get_mut(keyword) else {
            continue;
        };
        let had_some = !variants.is_empty();
        variants.retain(|variant| variant.get("type").is_none_or(|kind| kind == "object"));
        if had_some && variants.is_empty() {
            return Err("`Args<T>` needs a type that is written as an object".to_owned());
        }
    }
    Ok(())
}

/// Collects what an object may hold, in any of its variants. False if it may hold anything.
fn collect_members(
    root: &JsonObject,
    schema: &JsonObject,
    members: &mut JsonObject,
    depth: usize,
) -> bool {
    const OPEN: [&str; 5] = [
        "patternProperties",
        "if",
        "then",
        "else",
        "dependentSchemas",
    ];
    const MOST: usize = 32;
    let is_closed = |keyword: &str| {
        schema
            .get(keyword)
            .is_none_or(|value| *value == Value::Bool(false))
    };
    if depth > MOST
        || OPEN.iter().any(|keyword| schema.contains_key(*keyword))
        || !is_closed("additionalProperties")
        || !is_closed("unevaluatedProperties")
    {
        return false;
    }
    let mut says_something = schema.contains_key("type");
    if let Some(Value::Object(properties)) = schema.get("properties") {
        says_something = true;
        for (name, property) in properties {
            match members.get_mut(name) {
                Some(known) => also(known, property),
                None => drop(members.insert(name.clone(), property.clone())),
            }
        }
    }
    let target = schema.get("$ref").map(|target| {
        let name = target
            .as_str()
            .and_then(|target| target.strip_prefix("#/$defs/"));
        name.and_then(|name| root.get("$defs")?.get(name))
            .unwrap_or(&Value::Null)
    });
    let several = ["allOf", "anyOf", "oneOf"]
        .into_iter()
        .filter_map(|keyword| schema.get(keyword)?.as_array())
        .flatten();
    for part in target.into_iter().chain(several) {
        says_something = true;
        let Some(part) = part.as_object() else {
            return false;
        };
        if !collect_members(root, part, members, depth + 1) {
            return false;
        }
    }
    says_something
}

/// Adds what a member may be in another variant.
fn also(known: &mut Value, other: &Value) {
    if known == other {
        return;
    }
    let values = |schema: &Value| match (schema.get("const"), schema.get("enum")) {
        (Some(only), _) => Some(vec![only.clone()]),
        (None, Some(Value::Array(values))) => Some(values.clone()),
        _ => None,
    };
    if let (Some(mut all), Some(more)) = (values(known), values(other)) {
        for value in more {
            if !all.contains(&value) {
                all.push(value);
            }
        }
        let kind = known
            .get("type")
            .filter(|kind| other.get("type") == Some(kind))
            .cloned();
        *known = json!({"enum": all});
        if let Some(kind) = kind {
            known["type"] = kind;
        }
        return;
    }
    let ours = known.as_object().is_some_and(|known| known.len() == 1);
    match known.get_mut("anyOf") {
        Some(Value::Array(all)) if ours => {
            if !all.contains(other) {
                all.push(other.clone());
            }
        }
        _ => *known = json!({"anyOf": [known.clone(), other]}),
    }
}

/// The names of an object's members, if there can be no others.
pub(crate) fn known_members(root: &JsonObject) -> Option<Vec<String>> {
    let closed = root.get("additionalProperties") == Some(&Value::Bool(false))
        && !root.contains_key("patternProperties");
    let properties = root.get("properties").and_then(Value::as_object);
    closed.then(|| {
        properties
            .map(|p| p.keys().cloned().collect())
            .unwrap_or_default()
    })
}

/// A description without the space that all its lines begin with, and without empty lines around. The macro has done
/// so with what it can read, which `#[doc = include_str!(..)]` is not.
pub(super) fn tidy(text: &str) -> String {
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let lines = || text.lines();
    let said = lines().filter(|line| !line.trim().is_empty());
    let common = said.map(indent).min().unwrap_or(0);
    let kept: Vec<&str> = lines()
        .map(|line| line.get(common..).unwrap_or("").trim_end())
        .collect();
    kept.join("\n").trim_matches('\n').to_owned()
}

/// The largest `f32` as it is written in short.
pub(super) const LARGEST_FLOAT: f64 = 3.402_823_5e38;

/// Says the bounds of types of numbers, which schemars leaves to `format`, so that schema and decoding agree.
fn bound_numbers(schema: &mut JsonObject) {
    let bounds = match schema.get("format").and_then(Value::as_str) {
        Some("int8") => Some((json!(i8::MIN), json!(i8::MAX))),
        Some("int16") => Some((json!(i16::MIN), json!(i16::MAX))),
        Some("int32") => Some((json!(i32::MIN), json!(i32::MAX))),
        Some("int64" | "int") => Some((json!(i64::MIN), json!(i64::MAX))),
        Some("uint8") => Some((json!(0), json!(u8::MAX))),
        Some("uint16") => Some((json!(0), json!(u16::MAX))),
        Some("uint32") => Some((json!(0), json!(u32::MAX))),
        Some("uint64" | "uint") => Some((json!(0), json!(u64::MAX))),
        // JSON is read with 64 bits.
        Some("int128") => Some((json!(i64::MIN), json!(u64::MAX))),
        Some("uint128") => Some((json!(0), json!(u64::MAX))),
        // Beyond, a number becomes infinite.
        Some("float") => Some((json!(-LARGEST_FLOAT), json!(LARGEST_FLOAT))),
        _ => None,
    };
    if let Some((minimum, maximum)) = bounds {
        schema.entry("minimum").or_insert(minimum);
        schema.entry("maximum").or_insert(maximum);
    }
    for (key, value) in schema.iter_mut() {
        // Values are not schemas.
        if !matches!(key.as_str(), "const" | "default" | "enum" | "examples") {
            bound_within(value);
        }
    }
}

fn bound_within(value: &mut Value) {
    match value {
        Value::Object(object) => bound_numbers(object),
        Value::Array(values) => values.iter_mut().for_each(bound_within),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Tree {
        /// Its name.
        name: String,
        children: Vec<Tree>,
    }

    #[derive(serde::Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Point {
        format: Option<i32>,
        y: u8,
    }

    #[test]
    fn nested_types_are_written_inline() {
        let mut generator = input_generator();
        let schema = of_part::<Vec<Point>>(&mut generator);
        let text = Value::Object(schema.clone()).to_string();
        assert!(!text.contains("$ref"), "{text}");
        assert_eq!(schema["items"]["properties"]["y"]["maximum"], 255);
        assert_eq!(schema["items"]["required"], json!(["y"]));
    }

    #[test]
    fn bounds_of_integers_are_said() {
        let schema = of_part::<Option<i32>>(&mut input_generator());
        assert_eq!(schema["minimum"], i32::MIN);
        assert_eq!(schema["type"], json!(["integer", "null"]));
        let schema = of_part::<u64>(&mut input_generator());
        assert_eq!(schema["maximum"], u64::MAX);
    }

    #[test]
    fn a_recursive_root_is_no_reference() {
        let mut generator = input_generator();
        let mut root = of_part::<Tree>(&mut generator);
        attach_definitions(&mut root, &mut generator);
        assert_eq!(root["type"], "object");
        assert!(!root.contains_key("$ref"));
        assert_eq!(
            root["properties"]["children"]["items"]["$ref"],
            "#/$defs/Tree"
        );
        assert_eq!(
            root["$defs"]["Tree"]["properties"]["name"]["description"],
            "Its name."
        );
    }

    #[test]
    fn a_property_called_format_is_left_alone() {
        let schema = of_part::<Point>(&mut input_generator());
        assert!(schema["properties"].get("minimum").is_none());
    }
}
