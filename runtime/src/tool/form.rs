//! Forms: the flat schemas in which a client can be asked for input, and the answers to them.
//!
//! A form is an object whose members are strings, numbers, booleans and choices; nothing nests. [`Form::of`] makes
//! one from a Rust type, [`check`] compares an answer with it.

use serde_json::{Map, Value, json};

use super::{
    ToolArgument,
    decode::{self, DecodeError},
    schema,
};
use crate::JsonObject;

/// The form for a Rust type.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    schema: JsonObject,
    /// The only member, when the type itself is a single value.
    single: Option<String>,
}

/// Why a type has no form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{what} cannot be asked for in a form; forms hold strings, numbers, booleans and choices, without nesting"
)]
pub struct FormError {
    what: String,
}

impl Form {
    /// The form for `T`: a struct gives a member a field; a string, number, boolean or enum gives one member, `name`.
    ///
    /// # Errors
    ///
    /// When the type nests.
    pub fn of<T: ToolArgument>(name: &str) -> Result<Self, FormError> {
        let mut generator = schema::input_generator();
        let mut part = schema::of_part::<T>(&mut generator);
        schema::attach_definitions(&mut part, &mut generator);
        let part = without_null(part).0;
        if part.get("type") == Some(&json!("object")) && part.contains_key("properties") {
            return Ok(Self {
                schema: object_form(&part)?,
                single: None,
            });
        }
        let field = field_form(name, part)?;
        let schema = json!({"type": "object", "properties": {name: field}, "required": [name]});
        Ok(Self {
            schema: as_object(schema),
            single: Some(name.to_owned()),
        })
    }

    /// The `requestedSchema`.
    pub fn schema(&self) -> &JsonObject {
        &self.schema
    }

    /// Reads an accepted answer.
    ///
    /// # Errors
    ///
    /// One sentence that names the member that does not fit.
    pub fn read<T: ToolArgument>(&self, content: &JsonObject) -> Result<T, String> {
        self.read_as(content, decode::from_value::<T>, decode::from_object::<T>)
    }

    pub(crate) fn read_as<T>(
        &self,
        content: &JsonObject,
        from_value: fn(&Value) -> Result<T, DecodeError>,
        from_object: fn(&JsonObject) -> Result<T, DecodeError>,
    ) -> Result<T, String> {
        match &self.single {
            None => from_object(content).map_err(|error| error.to_string()),
            Some(name) => match content.get(name) {
                None => Err(format!("`{name}` is missing")),
                Some(value) => from_value(value)
                    .map_err(|error| format!("`{}`: {}", error.path_below(name), error.message())),
            },
        }
    }
}

fn as_object(value: Value) -> JsonObject {
    match value {
        Value::Object(object) => object,
        _ => JsonObject::new(),
    }
}

fn object_form(schema: &JsonObject) -> Result<JsonObject, FormError> {
    let mut properties = JsonObject::new();
    let mut required: Vec<Value> = Vec::new();
    let demanded = schema.get("required").and_then(Value::as_array);
    for (name, property) in schema
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let (property, nullable) = without_null(as_object(property.clone()));
        let is_required = demanded.is_some_and(|names| names.iter().any(|n| n == name));
        if is_required && !nullable {
            required.push(json!(name));
        }
        properties.insert(name.clone(), Value::Object(field_form(name, property)?));
    }
    let mut form = as_object(json!({"type": "object", "properties": properties}));
    if !required.is_empty() {
        form.insert("required".into(), Value::Array(required));
    }
    Ok(form)
}

/// The schema without its `null`, and whether it had one.
fn without_null(mut schema: JsonObject) -> (JsonObject, bool) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        let before = types.len();
        types.retain(|t| t != "null");
        let nullable = types.len() < before;
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".into(), only);
        }
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.retain(|v| !v.is_null());
        }
        return (schema, nullable);
    }
    if let Some(Value::Array(members)) = schema.get("anyOf") {
        let rest: Vec<&Value> = members
            .iter()
            .filter(|m| m.get("type") != Some(&json!("null")))
            .collect();
        if let ([Value::Object(only)], true) = (rest.as_slice(), rest.len() < members.len()) {
            let mut inner = only.clone();
            for (key, value) in &schema {
                if key != "anyOf" {
                    inner.insert(key.clone(), value.clone());
                }
            }
            return (inner, true);
        }
    }
    (schema, false)
}

/// One member: what the protocol's primitive schemas can hold of `schema`.
fn field_form(name: &str, schema: JsonObject) -> Result<JsonObject, FormError> {
    let refuse = || FormError {
        what: format!("`{name}`"),
    };
    let mut field = JsonObject::new();
    keep(&schema, &mut field, &["title", "description", "default"]);
    if let Some(choices) = choices(&schema) {
        field.insert("type".into(), json!("string"));
        write_choices(&choices, "oneOf", &mut field);
        return Ok(field);
    }
    let kind = schema
        .get("type")
        .and_then(Value::as_str)
        .ok_or_else(refuse)?;
    match kind {
        "string" => {
            keep(&schema, &mut field, &["minLength", "maxLength"]);
            if let Some(format) = schema.get("format").and_then(Value::as_str)
                && matches!(format, "email" | "uri" | "date" | "date-time")
            {
                field.insert("format".into(), json!(format));
            }
        }
        "integer" | "number" => keep(&schema, &mut field, &["minimum", "maximum"]),
        "boolean" => {}
        "array" => {
            let items = schema
                .get("items")
                .and_then(Value::as_object)
                .ok_or_else(refuse)?;
            let choices = choices(items).ok_or_else(refuse)?;
            keep(&schema, &mut field, &["minItems", "maxItems"]);
            let mut items = JsonObject::new();
            if choices.iter().all(|choice| choice.title.is_none()) {
                items.insert("type".into(), json!("string"));
            }
            write_choices(&choices, "anyOf", &mut items);
            field.insert("items".into(), Value::Object(items));
        }
        _ => return Err(refuse()),
    }
    field.insert("type".into(), json!(kind));
    Ok(field)
}

fn keep(from: &JsonObject, to: &mut JsonObject, keywords: &[&str]) {
    for keyword in keywords {
        if let Some(value) = from.get(*keyword)
            && !value.is_null()
        {
            to.insert((*keyword).to_owned(), value.clone());
        }
    }
}

struct Choice {
    value: String,
    title: Option<String>,
}

/// The strings that an enum's schema allows, if it is one.
fn choices(schema: &JsonObject) -> Option<Vec<Choice>> {
    if let Some(value) = schema.get("const") {
        let title = ["title", "description"]
            .into_iter()
            .find_map(|key| schema.get(key)?.as_str());
        return Some(vec![Choice {
            value: value.as_str()?.to_owned(),
            title: title.map(str::to_owned),
        }]);
    }
    if let Some(values) = schema.get("enum") {
        let values = values.as_array()?.iter();
        return values
            .map(|value| {
                Some(Choice {
                    value: value.as_str()?.to_owned(),
                    title: None,
                })
            })
            .collect();
    }
    let members = schema
        .get("oneOf")
        .or_else(|| schema.get("anyOf"))?
        .as_array()?;
    let mut all = Vec::new();
    for member in members {
        all.extend(choices(member.as_object()?)?);
    }
    Some(all)
}

fn write_choices(choices: &[Choice], titled: &str, into: &mut Map<String, Value>) {
    if choices.iter().all(|choice| choice.title.is_none()) {
        let values: Vec<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
        into.insert("enum".into(), json!(values));
    } else {
        let members: Vec<Value> = choices
            .iter()
            .map(|choice| json!({"const": choice.value, "title": choice.title.as_ref().unwrap_or(&choice.value)}))
            .collect();
        into.insert(titled.to_owned(), Value::Array(members));
    }
}

/// Compares an answer with the form it answers. Members that the form does not know are left alone.
///
/// # Errors
///
/// One sentence that names the first member that does not fit.
pub fn check(form: &JsonObject, content: &JsonObject) -> Result<(), String> {
    for name in form
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
    {
        if !content.contains_key(name) {
            return Err(format!("`{name}` is missing"));
        }
    }
    for (name, field) in form
        .get("properties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        if let (Some(value), Some(field)) = (content.get(name), field.as_object()) {
            check_value(field, value)
                .map_err(|expected| format!("`{name}`: expected {expected}, got {value}"))?;
        }
    }
    Ok(())
}

/// Says what was expected if the value does not fit.
fn check_value(field: &JsonObject, value: &Value) -> Result<(), String> {
    let bound = |keyword: &str| field.get(keyword).and_then(Value::as_f64);
    let at_least = |keyword: &str, size: f64| bound(keyword).is_none_or(|least| size >= least);
    let at_most = |keyword: &str, size: f64| bound(keyword).is_none_or(|most| size <= most);
    if let Some(allowed) = choices(field) {
        let fits = value
            .as_str()
            .is_some_and(|text| allowed.iter().any(|choice| choice.value == text));
        let list: Vec<String> = allowed
            .iter()
            .map(|choice| format!("{:?}", choice.value))
            .collect();
        return if fits {
            Ok(())
        } else {
            Err(format!("one of {}", list.join(", ")))
        };
    }
    match field.get("type").and_then(Value::as_str) {
        Some("string") => {
            let text = value.as_str().ok_or("a string")?;
            let length = measure(text.chars().count());
            if !at_least("minLength", length) || !at_most("maxLength", length) {
                return Err(format!(
                    "a string{}",
                    range(field, "minLength", "maxLength", " characters")
                ));
            }
        }
        Some(kind @ ("integer" | "number")) => {
            let what = if kind == "integer" {
                "an integer"
            } else {
                "a number"
            };
            let number = value.as_f64().ok_or(what)?;
            if kind == "integer" && number.fract() != 0.0 {
                return Err(what.to_owned());
            }
            if !at_least("minimum", number) || !at_most("maximum", number) {
                return Err(format!("{what}{}", range(field, "minimum", "maximum", "")));
            }
        }
        Some("boolean") if !value.is_boolean() => return Err("true or false".to_owned()),
        Some("array") => {
            let items = value.as_array().ok_or("an array")?;
            let length = measure(items.len());
            if !at_least("minItems", length) || !at_most("maxItems", length) {
                return Err(format!(
                    "an array{}",
                    range(field, "minItems", "maxItems", " items")
                ));
            }
            if let Some(item) = field.get("items").and_then(Value::as_object) {
                items
                    .iter()
                    .try_for_each(|value| check_value(item, value))
                    .map_err(|e| format!("items each {e}"))?;
            }
        }
        _ => {}
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "lengths are far below 2^52")]
fn measure(length: usize) -> f64 {
    length as f64
}

fn range(field: &JsonObject, least: &str, most: &str, unit: &str) -> String {
    match (field.get(least), field.get(most)) {
        (Some(least), Some(most)) => format!(" of {least} to {most}{unit}"),
        (Some(least), None) => format!(" of at least {least}{unit}"),
        (None, Some(most)) => format!(" of at most {most}{unit}"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize, JsonSchema, Debug, PartialEq)]
    enum Size {
        /// Fits a pocket
        Small,
        Large,
    }

    #[derive(Deserialize, JsonSchema, Debug, PartialEq)]
    enum Plain {
        A,
        B,
    }

    #[derive(Deserialize, JsonSchema, Debug, PartialEq)]
    struct Order {
        /// Who orders
        #[schemars(length(min = 2, max = 20))]
        name: String,
        count: u8,
        size: Size,
        note: Option<String>,
        extras: Vec<Plain>,
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Nested {
        order: Order,
    }

    #[test]
    fn a_struct_gives_a_flat_form() {
        let form = Form::of::<Option<Order>>("order").unwrap();
        let mut schema = Value::Object(form.schema().clone());
        // Whether members keep their order is a feature of serde_json that other packages may turn on.
        let required = schema["required"].as_array_mut().unwrap();
        required.sort_by_key(Value::to_string);
        assert_eq!(
            schema,
            json!({
                "type": "object",
                "properties": {
                    "name": {"type": "string", "description": "Who orders", "minLength": 2, "maxLength": 20},
                    "count": {"type": "integer", "minimum": 0, "maximum": 255},
                    "size": {"type": "string", "oneOf": [
                        {"const": "Large", "title": "Large"},
                        {"const": "Small", "title": "Fits a pocket"},
                    ]},
                    "note": {"type": "string"},
                    "extras": {"type": "array", "items": {"type": "string", "enum": ["A", "B"]}},
                },
                "required": ["count", "extras", "name", "size"],
            })
        );
    }

    #[test]
    fn a_single_value_is_wrapped_and_read_back() {
        let form = Form::of::<bool>("sure").unwrap();
        assert_eq!(
            form.schema()["properties"],
            json!({"sure": {"type": "boolean"}})
        );
        let content = as_object(json!({"sure": true}));
        assert_eq!(form.read::<bool>(&content), Ok(true));
        let content = as_object(json!({"sure": 1}));
        assert_eq!(
            form.read::<bool>(&content),
            Err("`sure`: expected true or false, got the number 1".into())
        );
    }

    #[test]
    fn nesting_is_refused_by_name() {
        let error = Form::of::<Nested>("x").unwrap_err();
        assert!(error.to_string().starts_with("`order` cannot"), "{error}");
    }

    #[test]
    fn answers_are_compared_with_the_form() {
        let form = Form::of::<Order>("order").unwrap();
        let good = json!({"name": "Ada", "count": 2, "size": "Small", "extras": ["A"]});
        assert_eq!(check(form.schema(), &as_object(good.clone())), Ok(()));
        for (member, value, expected) in [
            (
                "name",
                json!("x"),
                "`name`: expected a string of 2 to 20 characters, got \"x\"",
            ),
            ("count", json!(2.5), "`count`: expected an integer, got 2.5"),
            (
                "count",
                json!(256),
                "`count`: expected an integer of 0 to 255, got 256",
            ),
            (
                "size",
                json!("Huge"),
                "`size`: expected one of \"Large\", \"Small\", got \"Huge\"",
            ),
            (
                "extras",
                json!(["C"]),
                "`extras`: expected items each one of \"A\", \"B\", got [\"C\"]",
            ),
        ] {
            let mut bad = as_object(good.clone());
            bad.insert(member.into(), value);
            assert_eq!(check(form.schema(), &bad), Err(expected.to_owned()));
        }
        let mut bad = as_object(good);
        bad.remove("count");
        assert_eq!(
            check(form.schema(), &bad),
            Err("`count` is missing".to_owned())
        );
    }
}
