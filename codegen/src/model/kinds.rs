//! Reads what a schema says of one kind of value: which texts, which numbers, which members.

use serde_json::{Map, Value};

use super::read::{Reader, says_something};
use super::shape::{Length, Member, Object, RestShape, Shape};
use super::{ModelError, Problem, Range};
use crate::keywords;

impl Reader<'_> {
    /// What the keywords beside `$ref` and the combinators say.
    pub(super) fn own(
        &self,
        schema: &Map<String, Value>,
        pointer: &str,
    ) -> Result<Vec<Shape>, ModelError> {
        let malformed = |keyword: &str, expected| {
            let mut at = pointer.to_owned();
            keywords::push(&mut at, keyword);
            self.error(
                &at,
                Problem::Malformed {
                    keyword: keyword.into(),
                    expected,
                },
            )
        };
        let mut parts = Vec::new();
        match schema.get("type") {
            None => {
                let needs = [
                    "properties",
                    "required",
                    "additionalProperties",
                    "items",
                    "minimum",
                    "maximum",
                    "minLength",
                    "maxLength",
                    "minItems",
                    "maxItems",
                    "exclusiveMinimum",
                    "exclusiveMaximum",
                    "propertyNames",
                ];
                if let Some(keyword) = needs
                    .into_iter()
                    .find(|keyword| schema.contains_key(*keyword))
                {
                    return Err(self.unsupported(
                        pointer,
                        keyword,
                        "without `type` it lets values of every other type through; add `type`",
                    ));
                }
            }
            Some(Value::String(kind)) => parts.push(self.kind(kind, schema, pointer)?),
            Some(Value::Array(kinds)) => {
                let mut shapes = Vec::new();
                for kind in kinds {
                    let kind = kind.as_str().ok_or_else(|| {
                        malformed("type", "a type name or an array of type names")
                    })?;
                    shapes.push(self.kind(kind, schema, pointer)?);
                }
                parts.push(Shape::union(shapes));
            }
            Some(_) => return Err(malformed("type", "a type name or an array of type names")),
        }
        if let Some(value) = schema.get("const") {
            parts.push(self.constant(value, pointer, "const")?);
        }
        if let Some(values) = schema.get("enum") {
            let values = values
                .as_array()
                .filter(|list| !list.is_empty())
                .ok_or_else(|| malformed("enum", "an array with at least one value"))?;
            let mut shapes = Vec::new();
            for value in values {
                shapes.push(self.constant(value, pointer, "enum")?);
            }
            parts.push(Shape::union(shapes));
        }
        Ok(parts)
    }

    fn constant(&self, value: &Value, pointer: &str, keyword: &str) -> Result<Shape, ModelError> {
        match value {
            Value::Null => Ok(Shape::Null),
            Value::String(_) | Value::Bool(_) => Ok(Shape::Const(value.clone())),
            Value::Number(number) => match number.as_i64().or_else(|| whole(number.as_f64()?)) {
                Some(integer) => Ok(Shape::Const(integer.into())),
                None => Err(self.unsupported(
                    pointer,
                    keyword,
                    "only strings, integers, booleans and null can be constants",
                )),
            },
            _ => Err(self.unsupported(
                pointer,
                keyword,
                "only strings, integers, booleans and null can be constants",
            )),
        }
    }

    pub(super) fn kind(
        &self,
        kind: &str,
        schema: &Map<String, Value>,
        pointer: &str,
    ) -> Result<Shape, ModelError> {
        let at = |keyword: &str| format!("{pointer}/{keyword}");
        Ok(match kind {
            "null" => Shape::Null,
            "boolean" => Shape::Bool,
            "string" => Shape::Text {
                length: self.length(schema, "minLength", "maxLength", pointer)?,
            },
            "integer" => {
                let range = self.range(schema, pointer)?;
                let (min, max) = integer_bounds(range);
                Shape::Integer {
                    min,
                    max,
                    only: Vec::new(),
                }
            }
            "number" => Shape::Number(self.range(schema, pointer)?),
            "array" => {
                let items = match schema.get("items") {
                    None => Shape::Any,
                    Some(Value::Array(_)) => {
                        return Err(self.unsupported(
                            &at("items"),
                            "items",
                            "describe the array with one schema for all items",
                        ));
                    }
                    Some(items) => self.read(items, &at("items"))?,
                };
                Shape::Array {
                    items: Box::new(items),
                    length: self.length(schema, "minItems", "maxItems", pointer)?,
                }
            }
            "object" => Shape::Object(self.members(schema, pointer)?),
            _ => {
                return Err(self.error(
                    &at("type"),
                    Problem::Malformed {
                        keyword: "type".into(),
                        expected: "one of null, boolean, string, integer, number, array, object",
                    },
                ));
            }
        })
    }

    fn members(&self, schema: &Map<String, Value>, pointer: &str) -> Result<Object, ModelError> {
        let at = |keyword: &str| format!("{pointer}/{keyword}");
        if let Some(names) = schema.get("propertyNames") {
            let says_nothing = match names {
                Value::Bool(plain) => *plain,
                Value::Object(names) => names.iter().all(|(key, value)| {
                    !says_something(key) || (key == "type" && value == "string")
                }),
                _ => false,
            };
            if !says_nothing {
                return Err(self.unsupported(
                    &at("propertyNames"),
                    "propertyNames",
                    "names of members can only be any string; drop it",
                ));
            }
        }
        let mut object = Object::open();
        match schema.get("properties") {
            None => {}
            Some(Value::Object(properties)) => {
                for (name, value) in properties {
                    let mut place = at("properties");
                    keywords::push(&mut place, name);
                    let shape = self.read(value, &place)?;
                    object.members.insert(
                        name.clone(),
                        Member {
                            shape,
                            required: false,
                        },
                    );
                }
            }
            Some(_) => {
                return Err(self.error(
                    &at("properties"),
                    Problem::Malformed {
                        keyword: "properties".into(),
                        expected: "an object of schemas",
                    },
                ));
            }
        }
        object.rest = match schema.get("additionalProperties") {
            None => RestShape::Open,
            Some(value) => match self.read(value, &at("additionalProperties"))? {
                Shape::Any => RestShape::Open,
                Shape::Never => RestShape::Closed,
                shape => RestShape::Typed(Box::new(shape)),
            },
        };
        if let Some(required) = schema.get("required") {
            let expected = || {
                self.error(
                    &at("required"),
                    Problem::Malformed {
                        keyword: "required".into(),
                        expected: "an array of member names",
                    },
                )
            };
            for name in required.as_array().ok_or_else(expected)? {
                let name = name.as_str().ok_or_else(expected)?;
                let fallback = match &object.rest {
                    RestShape::Open => Shape::Any,
                    RestShape::Closed => Shape::Never,
                    RestShape::Typed(shape) => (**shape).clone(),
                };
                object
                    .members
                    .entry(name.to_owned())
                    .or_insert(Member {
                        shape: fallback,
                        required: true,
                    })
                    .required = true;
            }
        }
        for (name, member) in &object.members {
            if member.shape == Shape::Never {
                return Err(self.unsupported(
                    &at("properties"),
                    name,
                    "a member that must not be there cannot be said; drop it or close the object",
                ));
            }
        }
        Ok(object)
    }

    fn length(
        &self,
        schema: &Map<String, Value>,
        min: &str,
        max: &str,
        pointer: &str,
    ) -> Result<Length, ModelError> {
        let get = |keyword: &str| match schema.get(keyword) {
            None => Ok(None),
            Some(value) => value
                .as_u64()
                .or_else(|| u64::try_from(whole(value.as_f64()?)?).ok())
                .map(Some)
                .ok_or_else(|| {
                    self.error(
                        &format!("{pointer}/{keyword}"),
                        Problem::Malformed {
                            keyword: keyword.into(),
                            expected: "a whole number of 0 or more",
                        },
                    )
                }),
        };
        Ok((get(min)?.filter(|min| *min > 0), get(max)?))
    }

    fn range(&self, schema: &Map<String, Value>, pointer: &str) -> Result<Range, ModelError> {
        let get = |keyword: &str| match schema.get(keyword) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or_else(|| {
                self.error(
                    &format!("{pointer}/{keyword}"),
                    Problem::Malformed {
                        keyword: keyword.into(),
                        expected: "a number",
                    },
                )
            }),
        };
        Ok(Range {
            min: get("minimum")?,
            max: get("maximum")?,
            above: get("exclusiveMinimum")?,
            below: get("exclusiveMaximum")?,
        })
    }
}

fn whole(number: f64) -> Option<i64> {
    // Both bounds are exact: -2^63, and 2^63 excluded.
    (number.fract() == 0.0
        && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number))
    .then_some(number as i64)
}

fn integer_bounds(range: Range) -> (Option<i64>, Option<i64>) {
    let clamp = |number: f64| number as i64;
    let min = [
        range.min.map(f64::ceil),
        range.above.map(|above| above.floor() + 1.0),
    ]
    .into_iter()
    .flatten()
    .fold(None, |low: Option<f64>, next| {
        Some(low.map_or(next, |low| low.max(next)))
    });
    let max = [
        range.max.map(f64::floor),
        range.below.map(|below| below.ceil() - 1.0),
    ]
    .into_iter()
    .flatten()
    .fold(None, |high: Option<f64>, next| {
        Some(high.map_or(next, |high| high.min(next)))
    });
    (min.map(clamp), max.map(clamp))
}
