//! Reads JSON Schema (draft-07 and 2020-12) into [`Shape`]s. Every keyword is either understood, known to say nothing of
//! what is valid, or refused with its place.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::shape::Shape;
use super::{Input, ModelError, Problem};
use crate::keywords::{self, Holds};
use crate::manifest::Relaxation;
use crate::source;

/// Keywords that are understood here, with those that are looked at together with them.
const UNDERSTOOD: &[&str] = &[
    "$ref",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "not",
    "oneOf",
    "properties",
    "propertyNames",
    "required",
    "type",
];

/// Keywords that say what is valid and are not supported, with what to do instead.
fn refused(keyword: &str, value: &Value) -> Option<&'static str> {
    Some(match keyword {
        "uniqueItems" if value == &Value::Bool(false) => return None,
        "pattern" | "multipleOf" | "uniqueItems" | "minProperties" | "maxProperties" => {
            "drop it, and check such values where they are used"
        }
        "patternProperties" => "use `additionalProperties`, or drop it",
        "if" | "then" | "else" | "dependentSchemas" | "dependentRequired" | "dependencies" => {
            "write the cases as `anyOf`"
        }
        "prefixItems" | "additionalItems" | "contains" | "minContains" | "maxContains"
        | "unevaluatedItems" => "describe the array with `items` alone",
        "unevaluatedProperties" => "use `additionalProperties`",
        "$dynamicRef" | "$recursiveRef" => "use `$ref`",
        _ => return None,
    })
}

/// One schema file, read on demand.
pub(super) struct Reader<'a> {
    pub(super) input: &'a Input,
    /// `$defs` or `definitions`.
    pub(super) holder: &'static str,
    definitions: &'a Map<String, Value>,
    /// Before 2019-09 a `$ref` hides its siblings.
    ref_is_alone: bool,
    relaxations: Vec<&'a Relaxation>,
    relaxed: RefCell<BTreeSet<String>>,
    known: RefCell<BTreeMap<String, Shape>>,
    open: RefCell<Vec<String>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(input: &'a Input, relaxations: &'a [Relaxation]) -> Result<Self, ModelError> {
        let Some((holder, definitions)) = source::definitions(&input.schema) else {
            return Err(ModelError {
                input: input.name.clone(),
                pointer: "/".into(),
                kind: Box::new(Problem::NoDefinitions),
            });
        };
        let dialect = input.schema.get("$schema").and_then(Value::as_str);
        Ok(Self {
            input,
            holder,
            definitions,
            ref_is_alone: dialect.map_or(holder == "definitions", |dialect| {
                dialect.contains("draft-0")
            }),
            relaxations: relaxations
                .iter()
                .filter(|entry| entry.inputs.is_empty() || entry.inputs.contains(&input.name))
                .collect(),
            relaxed: RefCell::default(),
            known: RefCell::default(),
            open: RefCell::default(),
        })
    }

    /// Names of the definitions, in alphabetical order.
    pub(super) fn names(&self) -> BTreeSet<&'a str> {
        self.definitions.keys().map(String::as_str).collect()
    }

    /// The schema of a definition.
    pub(super) fn schema(&self, name: &str) -> Option<&'a Value> {
        self.definitions.get(name)
    }

    /// JSON pointer of a definition.
    pub(super) fn pointer(&self, name: &str) -> String {
        let mut pointer = format!("/{}", self.holder);
        keywords::push(&mut pointer, name);
        pointer
    }

    /// Pointers that a relaxation of the manifest was applied to.
    pub(super) fn relaxed(&self) -> BTreeSet<String> {
        self.relaxed.borrow().clone()
    }

    pub(super) fn error(&self, pointer: &str, kind: Problem) -> ModelError {
        ModelError {
            input: self.input.name.clone(),
            pointer: pointer.to_owned(),
            kind: Box::new(kind),
        }
    }

    /// The shape of a definition.
    pub(super) fn definition(&self, name: &str, from: &str) -> Result<Shape, ModelError> {
        if let Some(shape) = self.known.borrow().get(name) {
            return Ok(shape.clone());
        }
        let Some(schema) = self.definitions.get(name) else {
            return Err(self.error(
                from,
                Problem::DanglingRef {
                    target: format!("#/{}/{name}", self.holder),
                },
            ));
        };
        let pointer = self.pointer(name);
        if self.open.borrow().iter().any(|open| open == name) {
            let mut path: Vec<String> = self
                .open
                .borrow()
                .iter()
                .skip_while(|open| *open != name)
                .cloned()
                .collect();
            path.push(name.to_owned());
            let path = path
                .iter()
                .map(|name| format!("`{name}`"))
                .collect::<Vec<_>>()
                .join(" -> ");
            return Err(self.error(&pointer, Problem::Cycle { path }));
        }
        self.open.borrow_mut().push(name.to_owned());
        let shape = self.read(schema, &pointer);
        self.open.borrow_mut().pop();
        let shape = shape?;
        self.known
            .borrow_mut()
            .insert(name.to_owned(), shape.clone());
        Ok(shape)
    }

    /// The shape with references followed until something else is found.
    pub(super) fn resolve(&self, shape: &Shape, from: &str) -> Result<Shape, ModelError> {
        let mut shape = shape.clone();
        let mut seen: Vec<String> = Vec::new();
        while let Shape::Ref(name) = &shape {
            if seen.contains(name) {
                seen.push(name.clone());
                let path = seen
                    .iter()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(" -> ");
                return Err(self.error(from, Problem::Cycle { path }));
            }
            seen.push(name.clone());
            shape = self.definition(name, from)?;
        }
        Ok(shape)
    }

    /// Reads the schema at `pointer`.
    pub(super) fn read(&self, schema: &Value, pointer: &str) -> Result<Shape, ModelError> {
        let shape = match schema {
            Value::Bool(true) => Shape::Any,
            Value::Bool(false) => Shape::Never,
            Value::Object(keywords) => self.read_object(keywords, pointer)?,
            other => {
                return Err(self.error(
                    pointer,
                    Problem::NotASchema {
                        found: type_name(other),
                    },
                ));
            }
        };
        self.relax(shape, pointer)
    }

    fn relax(&self, mut shape: Shape, pointer: &str) -> Result<Shape, ModelError> {
        for entry in self.relaxations.iter().filter(|entry| entry.at == pointer) {
            self.relaxed.borrow_mut().insert(pointer.to_owned());
            let mut parts = vec![shape];
            for kind in &entry.accept {
                parts.push(match kind.as_str() {
                    "any" => Shape::Any,
                    kind => self.kind(kind, &Map::new(), pointer)?,
                });
            }
            shape = Shape::union(parts);
        }
        Ok(shape)
    }

    fn read_object(&self, schema: &Map<String, Value>, pointer: &str) -> Result<Shape, ModelError> {
        let at = |keyword: &str| {
            let mut at = pointer.to_owned();
            keywords::push(&mut at, keyword);
            at
        };
        let mut parts = Vec::new();
        if let Some(target) = schema.get("$ref") {
            let shape = self.reference(target, &at("$ref"))?;
            if self.ref_is_alone {
                return Ok(shape);
            }
            parts.push(shape);
        }
        for (keyword, value) in schema {
            if let Some(hint) = refused(keyword, value) {
                let keyword = keyword.clone();
                let place = at(&keyword);
                return Err(self.error(
                    &place,
                    Problem::Unsupported {
                        keyword,
                        hint: hint.to_owned(),
                    },
                ));
            }
        }
        if let Some(value) = schema.get("not") {
            match value {
                Value::Bool(true) => return Ok(Shape::Never),
                Value::Object(not) if !not.keys().any(|key| says_something(key)) => {
                    return Ok(Shape::Never);
                }
                Value::Bool(false) => {}
                _ => {
                    return Err(self.unsupported(
                        &at("not"),
                        "not",
                        "only `{\"not\": {}}` can be expressed; list what is allowed",
                    ));
                }
            }
        }
        parts.extend(self.own(schema, pointer)?);
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(list) = schema.get(keyword) else {
                continue;
            };
            let place = at(keyword);
            let Some(list) = list.as_array().filter(|list| !list.is_empty()) else {
                let expected = "an array with at least one schema";
                return Err(self.error(
                    &place,
                    Problem::Malformed {
                        keyword: keyword.into(),
                        expected,
                    },
                ));
            };
            let mut branches = Vec::new();
            for (index, branch) in list.iter().enumerate() {
                branches.push(self.read(branch, &format!("{place}/{index}"))?);
            }
            match keyword {
                "allOf" => parts.extend(branches),
                "anyOf" => parts.push(Shape::union(branches)),
                _ => {
                    self.check_exclusive(&branches, &place)?;
                    parts.push(Shape::union(branches));
                }
            }
        }
        let mut shape = Shape::Any;
        for part in parts {
            shape = self.merge(shape, part, pointer)?;
        }
        Ok(shape)
    }

    fn reference(&self, target: &Value, pointer: &str) -> Result<Shape, ModelError> {
        let Some(target) = target.as_str() else {
            return Err(self.error(
                pointer,
                Problem::Malformed {
                    keyword: "$ref".into(),
                    expected: "a string",
                },
            ));
        };
        let name = target
            .strip_prefix("#/")
            .and_then(|rest| rest.strip_prefix(self.holder))
            .and_then(|rest| rest.strip_prefix('/'))
            .map(|name| name.replace("~1", "/").replace("~0", "~"));
        match name {
            Some(name) if self.definitions.contains_key(&name) => Ok(Shape::Ref(name)),
            Some(name) if !name.contains('/') => Err(self.error(
                pointer,
                Problem::DanglingRef {
                    target: target.to_owned(),
                },
            )),
            _ => Err(self.error(
                pointer,
                Problem::ForeignRef {
                    target: target.to_owned(),
                },
            )),
        }
    }

    /// A keyword that cannot be expressed, and what to do instead.
    pub(super) fn unsupported(&self, pointer: &str, keyword: &str, hint: &str) -> ModelError {
        self.error(
            pointer,
            Problem::Unsupported {
                keyword: keyword.into(),
                hint: hint.into(),
            },
        )
    }
}

/// Whether a keyword decides what is valid.
pub(super) fn says_something(keyword: &str) -> bool {
    UNDERSTOOD.contains(&keyword)
        || (keywords::holds(keyword).is_some_and(|holds| holds != Holds::Prose)
            && refused(keyword, &Value::Null).is_some())
}

/// The JSON type of a value, for messages.
pub(super) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
