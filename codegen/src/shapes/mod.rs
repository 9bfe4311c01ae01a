//! What a schema allows, in a form that can be compared: a list of alternatives, each of one JSON type,
//! whatever keywords spell it. allOf is merged, anyOf, oneOf and type lists are spread out, an anyOf of
//! consts becomes one set of values. References stay names as long as nothing is merged into them.

mod methods;
mod text;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::definitions::{Definitions, target};

pub(crate) use methods::of as methods_of;
pub use methods::{Method, methods};
pub use text::type_text;
pub(crate) use text::{definition_text, schema_text, shapes_text};

/// More alternatives than this are not spread out: the schema is then compared word by word.
const MOST: usize = 64;

/// One alternative of a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    /// A definition taken as it is; everything else is empty then.
    pub(crate) reference: Option<String>,
    /// The JSON type; `None` is any.
    pub(crate) kind: Option<String>,
    /// The values allowed, as JSON texts; `None` is any.
    pub(crate) values: Option<BTreeSet<String>>,
    /// Members of an object.
    pub(crate) members: BTreeMap<String, Member>,
    /// What members that are not listed must be; `None` is anything, `Some(false)` forbids them.
    pub(crate) rest: Option<Value>,
    /// What the items of an array must be.
    pub(crate) items: Option<Value>,
    /// Every other rule, by keyword.
    pub(crate) rules: BTreeMap<String, Value>,
}

/// A member of an object.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Member {
    pub(crate) schema: Value,
    pub(crate) required: bool,
}

impl Shape {
    /// The value of a member that can only have one.
    pub(crate) fn tag(&self, member: &str) -> Option<String> {
        let value = fixed(&self.members.get(member)?.schema)?;
        Some(
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned),
        )
    }
}

/// The only value that a schema allows, as far as it says so itself.
fn fixed(schema: &Value) -> Option<&Value> {
    if let Some(value) = schema.get("const") {
        return Some(value);
    }
    if let Some([value]) = schema
        .get("enum")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    {
        return Some(value);
    }
    schema
        .get("allOf")
        .and_then(Value::as_array)?
        .iter()
        .find_map(fixed)
}

/// Whether the schema is a reference and nothing else; then its target.
pub(crate) fn pure_reference(schema: &Value) -> Option<String> {
    let members = schema.as_object()?;
    let name = target(members.get("$ref")?.as_str()?)?;
    (members.len() == 1).then_some(name)
}

/// The definitions of a schema, and what is known of them already.
pub(crate) struct Shapes<'a> {
    pub(crate) definitions: &'a Definitions,
    resolved: RefCell<BTreeMap<String, Vec<Shape>>>,
    named: OnceCell<Vec<(Shape, String)>>,
}

impl<'a> Shapes<'a> {
    pub(crate) fn new(definitions: &'a Definitions) -> Self {
        Self {
            definitions,
            resolved: RefCell::default(),
            named: OnceCell::new(),
        }
    }

    /// The definition that a spelled-out object is a copy of.
    pub(crate) fn name_of(&self, shape: &Shape) -> Option<&str> {
        if shape.members.len() < 3 {
            return None;
        }
        let named = self.named.get_or_init(|| {
            let single = |name: &String| match self.resolved(name).as_slice() {
                [shape] if shape.members.len() >= 3 => Some((shape.clone(), name.clone())),
                _ => None,
            };
            self.definitions.all.keys().filter_map(single).collect()
        });
        let mut fitting = named.iter().filter(|(known, _)| known == shape);
        let (_, name) = fitting.next()?;
        // Two definitions of the same content leave open which was meant.
        fitting.next().is_none().then_some(name)
    }

    /// What `schema` allows. An empty list allows nothing.
    pub(crate) fn alternatives(&self, schema: &Value) -> Vec<Shape> {
        let members = match schema {
            Value::Bool(false) => return Vec::new(),
            Value::Object(members) => members,
            _ => return vec![Shape::default()],
        };
        if let Some(name) = pure_reference(schema) {
            return vec![Shape {
                reference: Some(name),
                ..Shape::default()
            }];
        }
        let mut all = own(schema);
        let mut factors: Vec<Vec<Shape>> = Vec::new();
        if let Some(name) = members.get("$ref").and_then(Value::as_str).and_then(target) {
            factors.push(self.resolved(&name));
        }
        for part in members
            .get("allOf")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            factors.push(self.spread(part));
        }
        for keyword in ["anyOf", "oneOf"] {
            if let Some(parts) = members.get(keyword).and_then(Value::as_array) {
                let lone = all.len() == 1 && all[0] == Shape::default() && factors.is_empty();
                let sum: Vec<Shape> = parts
                    .iter()
                    .flat_map(|part| {
                        if lone {
                            self.alternatives(part)
                        } else {
                            self.spread(part)
                        }
                    })
                    .collect();
                if lone && members.keys().all(|key| key == keyword) {
                    return joined(sum);
                }
                factors.push(sum.into_iter().flat_map(|shape| self.flat(shape)).collect());
            }
        }
        for factor in factors {
            if all.len() * factor.len() > MOST {
                let rules = BTreeMap::from([("as written".to_owned(), schema.clone())]);
                return vec![Shape {
                    rules,
                    ..Shape::default()
                }];
            }
            all = all
                .iter()
                .flat_map(|one| factor.iter().filter_map(move |other| merged(one, other)))
                .collect();
        }
        joined(all)
    }

    /// As [`alternatives`], with references at the top replaced by what they stand for.
    pub(crate) fn spread(&self, schema: &Value) -> Vec<Shape> {
        self.alternatives(schema)
            .into_iter()
            .flat_map(|shape| self.flat(shape))
            .collect()
    }

    fn flat(&self, shape: Shape) -> Vec<Shape> {
        match &shape.reference {
            Some(name) => self.resolved(name),
            None => vec![shape],
        }
    }

    /// What a definition allows. Definitions have been checked to not be made of themselves.
    pub(crate) fn resolved(&self, name: &str) -> Vec<Shape> {
        if let Some(known) = self.resolved.borrow().get(name) {
            return known.clone();
        }
        let shapes = self
            .definitions
            .get(name)
            .map_or_else(Vec::new, |schema| self.spread(schema));
        self.resolved
            .borrow_mut()
            .insert(name.to_owned(), shapes.clone());
        shapes
    }
}

/// The alternatives that the schema's own keywords spell, one for each of its types.
fn own(schema: &Value) -> Vec<Shape> {
    let mut shape = Shape::default();
    let mut kinds: Vec<String> = Vec::new();
    let required: BTreeSet<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        match keyword.as_str() {
            "type" => match value {
                Value::Array(all) => {
                    kinds.extend(all.iter().filter_map(Value::as_str).map(str::to_owned))
                }
                other => kinds.extend(other.as_str().map(str::to_owned)),
            },
            "const" => shape.values = Some(BTreeSet::from([value.to_string()])),
            "enum" => {
                let all = value.as_array().into_iter().flatten();
                shape.values = Some(all.map(Value::to_string).collect());
            }
            "properties" => {
                for (name, schema) in value.as_object().into_iter().flatten() {
                    let required = required.contains(name.as_str());
                    shape.members.insert(
                        name.clone(),
                        Member {
                            schema: schema.clone(),
                            required,
                        },
                    );
                }
            }
            "additionalProperties" if !allows_all(value) => {
                let nothing = value.get("not").is_some_and(allows_all);
                shape.rest = Some(if nothing {
                    Value::Bool(false)
                } else {
                    value.clone()
                });
            }
            "items" if !allows_all(value) => shape.items = Some(value.clone()),
            "propertyNames" if value.get("type").is_some_and(|it| it == "string") => {}
            "$ref"
            | "$schema"
            | "$id"
            | "$comment"
            | "required"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "additionalProperties"
            | "items"
            | "$defs"
            | "definitions" => {}
            _ => {
                shape.rules.insert(keyword.clone(), value.clone());
            }
        }
    }
    for name in required {
        shape
            .members
            .entry(name.to_owned())
            .or_insert_with(|| Member {
                schema: Value::Object(serde_json::Map::new()),
                required: true,
            });
    }
    if kinds.is_empty() {
        return vec![shape];
    }
    kinds
        .into_iter()
        .map(|kind| of_kind(&shape, kind))
        .collect()
}

/// The part of `shape` that says something of values of this type.
fn of_kind(shape: &Shape, kind: String) -> Shape {
    let mut one = shape.clone();
    let (object, array) = (kind == "object", kind == "array");
    if !object {
        one.members.clear();
        one.rest = None;
    }
    if !array {
        one.items = None;
    }
    one.rules.retain(|keyword, _| concerns(keyword, &kind));
    if let Some(values) = &mut one.values {
        values.retain(|text| {
            serde_json::from_str::<Value>(text).is_ok_and(|value| fits(&value, &kind))
        });
    }
    one.kind = Some(kind);
    one
}

fn concerns(keyword: &str, kind: &str) -> bool {
    let about = match keyword {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => "number",
        "minLength" | "maxLength" | "pattern" | "format" => "string",
        "minItems" | "maxItems" | "uniqueItems" | "contains" | "prefixItems" => "array",
        "minProperties" | "maxProperties" | "patternProperties" | "propertyNames" => "object",
        _ => return true,
    };
    about == kind || (about == "number" && kind == "integer")
}

fn fits(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(_) => kind == "number" || kind == "integer",
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}

fn allows_all(schema: &Value) -> bool {
    match schema {
        Value::Bool(all) => *all,
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// What both alternatives allow, or `None` if they exclude each other.
fn merged(one: &Shape, other: &Shape) -> Option<Shape> {
    let both = |a: &Value, b: &Value| -> Value {
        if a == b {
            a.clone()
        } else {
            serde_json::json!({"allOf": [a, b]})
        }
    };
    let either = |a: &Option<Value>, b: &Option<Value>| match (a, b) {
        (Some(a), Some(b)) => Some(both(a, b)),
        (a, b) => a.clone().or_else(|| b.clone()),
    };
    let kind = match (&one.kind, &other.kind) {
        (Some(a), Some(b)) if a == b => Some(a.clone()),
        (Some(a), Some(b)) => match (a.as_str(), b.as_str()) {
            ("integer", "number") | ("number", "integer") => Some("integer".to_owned()),
            _ => return None,
        },
        (a, b) => a.clone().or_else(|| b.clone()),
    };
    let values = match (&one.values, &other.values) {
        (Some(a), Some(b)) => {
            let common: BTreeSet<String> = a.intersection(b).cloned().collect();
            if common.is_empty() {
                return None;
            }
            Some(common)
        }
        (a, b) => a.clone().or_else(|| b.clone()),
    };
    let mut members = one.members.clone();
    for (name, member) in &other.members {
        members
            .entry(name.clone())
            .and_modify(|known| {
                known.schema = if allows_all(&known.schema) {
                    member.schema.clone()
                } else if allows_all(&member.schema) {
                    known.schema.clone()
                } else {
                    both(&known.schema, &member.schema)
                };
                known.required |= member.required;
            })
            .or_insert_with(|| member.clone());
    }
    let mut rules = one.rules.clone();
    for (keyword, value) in &other.rules {
        rules
            .entry(keyword.clone())
            .and_modify(|known| *known = stricter(keyword, known, value))
            .or_insert_with(|| value.clone());
    }
    Some(Shape {
        reference: None,
        kind,
        values,
        members,
        rest: either(&one.rest, &other.rest),
        items: either(&one.items, &other.items),
        rules,
    })
}

fn stricter(keyword: &str, one: &Value, other: &Value) -> Value {
    let (Some(a), Some(b)) = (one.as_f64(), other.as_f64()) else {
        return other.clone();
    };
    let larger = keyword.starts_with("min") || keyword == "exclusiveMinimum";
    if (a > b) == larger {
        one.clone()
    } else {
        other.clone()
    }
}

/// Alternatives without repetitions, plain sets of values of one type put together.
fn joined(all: Vec<Shape>) -> Vec<Shape> {
    let mut out: Vec<Shape> = Vec::with_capacity(all.len());
    for mut shape in all {
        if out.contains(&shape) {
            continue;
        }
        // A lone const says its type by itself.
        if shape.kind.is_none()
            && let Some(values) = &shape.values
        {
            let kinds = ["string", "integer", "boolean", "null"];
            shape.kind = kinds
                .into_iter()
                .find(|kind| {
                    values.iter().all(|text| {
                        serde_json::from_str::<Value>(text).is_ok_and(|value| fits(&value, kind))
                    })
                })
                .map(str::to_owned);
        }
        let plain = |it: &Shape| {
            it.values.is_some()
                && it.members.is_empty()
                && it.rules.is_empty()
                && it.items.is_none()
        };
        let twin = out
            .iter_mut()
            .find(|it| plain(it) && plain(&shape) && it.kind == shape.kind);
        match (twin, shape.values.take()) {
            (Some(twin), Some(values)) => twin.values.get_or_insert_default().extend(values),
            (_, values) => {
                shape.values = values;
                out.push(shape);
            }
        }
    }
    out
}
