//! Joins the parts of an `allOf`: the shape of the values that meet both parts.

use std::collections::BTreeSet;

use serde_json::Value;

use super::read::Reader;
use super::shape::{Length, Member, Object, RestShape, Shape};
use super::{ModelError, Problem, Range};

impl Reader<'_> {
    /// The shape of what is both `left` and `right`.
    pub(super) fn merge(
        &self,
        left: Shape,
        right: Shape,
        pointer: &str,
    ) -> Result<Shape, ModelError> {
        use Shape::{
            Any, Array, Bool, Const, Integer, Mixed, Never, Number, Object, Ref, Strings, Text,
            Union,
        };
        Ok(match (left, right) {
            (Any, other) | (other, Any) => other,
            (left, right) if left == right => left,
            (left @ Ref(_), right) => self.merge(self.resolve(&left, pointer)?, right, pointer)?,
            (left, right @ Ref(_)) => self.merge(left, self.resolve(&right, pointer)?, pointer)?,
            (Never, _) | (_, Never) => Never,
            (Object(left), Object(right)) => Object(self.merge_objects(left, right, pointer)?),
            (Object(object), Union(parts)) | (Union(parts), Object(object)) => {
                self.mix(object, parts, pointer)?
            }
            (Mixed { object, union }, Object(other)) | (Object(other), Mixed { object, union }) => {
                let object = self.merge_objects(object, other, pointer)?;
                self.merge(Object(object), *union, pointer)?
            }
            (Mixed { .. }, Union(_)) | (Union(_), Mixed { .. }) | (Mixed { .. }, Mixed { .. }) => {
                return Err(self.error(pointer, Problem::Unsupported { keyword: "allOf".into(), hint: "two unions in one `allOf` cannot be told apart; write one union of the combinations".into() }));
            }
            (Union(parts), other) | (other, Union(parts)) => {
                let mut kept = Vec::new();
                for part in &parts {
                    match self.merge(part.clone(), other.clone(), pointer) {
                        Ok(shape) => kept.push(shape),
                        Err(error) if error.is_contradiction() => {}
                        Err(error) => return Err(error),
                    }
                }
                match Shape::union(kept) {
                    Never => return Err(self.contradiction(&Union(parts), &other, pointer)),
                    shape => shape,
                }
            }
            (Text { length: left }, Text { length: right }) => Text {
                length: narrow(left, right),
            },
            (Text { length }, Const(Value::String(text)))
            | (Const(Value::String(text)), Text { length })
                if fits(length, &text) =>
            {
                Const(text.into())
            }
            (Text { length }, Strings(values)) | (Strings(values), Text { length }) => {
                Shape::union(
                    values
                        .into_iter()
                        .filter(|text| fits(length, text))
                        .map(|text| Const(text.into()))
                        .collect(),
                )
            }
            (Strings(values), Const(Value::String(text)))
            | (Const(Value::String(text)), Strings(values))
                if values.contains(&text) =>
            {
                Const(text.into())
            }
            (Strings(left), Strings(right)) if left.iter().any(|text| right.contains(text)) => {
                Shape::union(
                    left.into_iter()
                        .filter(|text| right.contains(text))
                        .map(|text| Const(text.into()))
                        .collect(),
                )
            }
            (Bool, Const(value @ Value::Bool(_))) | (Const(value @ Value::Bool(_)), Bool) => {
                Const(value)
            }
            (
                Integer { min, max, only },
                Integer {
                    min: low,
                    max: high,
                    only: list,
                },
            ) => {
                let only = match (only.is_empty(), list.is_empty()) {
                    (true, _) => list,
                    (_, true) => only,
                    _ => only
                        .into_iter()
                        .filter(|value| list.contains(value))
                        .collect(),
                };
                Integer {
                    min: min.max(low),
                    max: least(max, high),
                    only,
                }
            }
            (Integer { min, max, only }, Const(Value::Number(number)))
            | (Const(Value::Number(number)), Integer { min, max, only })
                if number.as_i64().is_some_and(|value| {
                    min.is_none_or(|min| min <= value)
                        && max.is_none_or(|max| value <= max)
                        && (only.is_empty() || only.contains(&value))
                }) =>
            {
                Const(number.into())
            }
            (Number(_), Const(value @ Value::Number(_)))
            | (Const(value @ Value::Number(_)), Number(_)) => Const(value),
            (Number(range), Integer { min, max, only })
            | (Integer { min, max, only }, Number(range))
                if range == Range::default() =>
            {
                Integer { min, max, only }
            }
            (Number(left), Number(right)) => Number(Range {
                min: most(left.min, right.min),
                max: fewest(left.max, right.max),
                above: most(left.above, right.above),
                below: fewest(left.below, right.below),
            }),
            (
                Array { items, length },
                Array {
                    items: other,
                    length: bounds,
                },
            ) => {
                let length = narrow(length, bounds);
                let items = match length.0 {
                    None | Some(0) => self.merge_part(*items, *other, pointer)?,
                    Some(_) => self.merge(*items, *other, pointer)?,
                };
                Array {
                    items: Box::new(items),
                    length,
                }
            }
            (left, right) => return Err(self.contradiction(&left, &right, pointer)),
        })
    }

    /// What is both and can be left out. Where nothing is both, there are values without it still, and an alternative
    /// must not be dropped for it.
    fn merge_part(&self, left: Shape, right: Shape, pointer: &str) -> Result<Shape, ModelError> {
        let hint = format!(
            "no value can be both {} and {}, so it could only be left out; remove one of the two",
            left.describe(),
            right.describe()
        );
        self.merge(left, right, pointer).map_err(|error| {
            if error.is_contradiction() {
                let keyword = "allOf".into();
                self.error(pointer, Problem::Unsupported { keyword, hint })
            } else {
                error
            }
        })
    }

    /// An object that is at the same time one of `parts`.
    fn mix(&self, object: Object, parts: Vec<Shape>, pointer: &str) -> Result<Shape, ModelError> {
        let mut objects = Vec::new();
        let mut members = BTreeSet::new();
        let mut open = object.rest == RestShape::Open;
        for part in parts {
            match self.resolve(&part, pointer)? {
                Shape::Object(inner) => {
                    open &= inner.rest == RestShape::Open;
                    members.extend(inner.members.into_keys());
                    objects.push(part);
                }
                Shape::Any => return Ok(Shape::Object(object)),
                Shape::Mixed { .. } | Shape::Union(_) => {
                    open = false;
                    objects.push(part);
                }
                _ => {}
            }
        }
        if object == Object::open() && !objects.is_empty() {
            return Ok(Shape::union(objects));
        }
        if objects.len() > 1 && open && !object.members.keys().any(|name| members.contains(name)) {
            return Ok(Shape::Mixed {
                object,
                union: Box::new(Shape::union(objects)),
            });
        }
        // Members in both: every alternative takes the object's share.
        let mut merged = Vec::new();
        let mut last = None;
        for part in objects {
            match self.merge(part, Shape::Object(object.clone()), pointer) {
                Ok(shape) => merged.push(shape),
                Err(error) if error.is_contradiction() => last = Some(error),
                Err(error) => return Err(error),
            }
        }
        match (Shape::union(merged), last) {
            (Shape::Never, Some(error)) => Err(error),
            (Shape::Never, None) => {
                Err(self.contradiction(&Shape::Object(object), &Shape::Never, pointer))
            }
            (shape, _) => Ok(shape),
        }
    }

    fn merge_objects(
        &self,
        left: Object,
        right: Object,
        pointer: &str,
    ) -> Result<Object, ModelError> {
        let rest = match (&left.rest, &right.rest) {
            (RestShape::Open, other) | (other, RestShape::Open) => other.clone(),
            (RestShape::Closed, _) | (_, RestShape::Closed) => RestShape::Closed,
            (RestShape::Typed(left), RestShape::Typed(right)) => RestShape::Typed(Box::new(
                self.merge_part((**left).clone(), (**right).clone(), pointer)?,
            )),
        };
        let mut members = std::collections::BTreeMap::new();
        let names: BTreeSet<&String> = left.members.keys().chain(right.members.keys()).collect();
        for name in names {
            let of = |object: &Object| match (object.members.get(name), &object.rest) {
                (Some(member), _) => member.clone(),
                (None, RestShape::Open) => Member {
                    shape: Shape::Any,
                    required: false,
                },
                (None, RestShape::Closed) => Member {
                    shape: Shape::Never,
                    required: false,
                },
                (None, RestShape::Typed(shape)) => Member {
                    shape: (**shape).clone(),
                    required: false,
                },
            };
            let (left, right) = (of(&left), of(&right));
            let place = format!("{pointer}/properties/{name}");
            let required = left.required || right.required;
            let shape = if required {
                self.merge(left.shape.clone(), right.shape.clone(), &place)?
            } else {
                self.merge_part(left.shape.clone(), right.shape.clone(), &place)?
            };
            let shape = match shape {
                Shape::Never if required => {
                    return Err(self.contradiction(&left.shape, &right.shape, &place));
                }
                Shape::Never => continue,
                shape => shape,
            };
            members.insert(name.clone(), Member { shape, required });
        }
        Ok(Object { members, rest })
    }

    /// Checks that no value can be two of `parts`, so that `oneOf` and `anyOf` mean the same.
    pub(super) fn check_exclusive(&self, parts: &[Shape], pointer: &str) -> Result<(), ModelError> {
        for (index, left) in parts.iter().enumerate() {
            for right in &parts[index + 1..] {
                if !self.apart(left, right, pointer)? {
                    return Err(self.error(pointer, Problem::Unsupported {
                        keyword: "oneOf".into(),
                        hint: "its alternatives can be true together; use `anyOf`, or give each a constant member of its own".into(),
                    }));
                }
            }
        }
        Ok(())
    }

    /// Whether no value can be both.
    fn apart(&self, left: &Shape, right: &Shape, pointer: &str) -> Result<bool, ModelError> {
        let (left, right) = (self.resolve(left, pointer)?, self.resolve(right, pointer)?);
        if let (Shape::Object(left), Shape::Object(right)) = (&left, &right) {
            for (name, member) in &left.members {
                if let Some(other) = right.members.get(name)
                    && member.required
                    && other.required
                    && self.apart(&member.shape, &other.shape, pointer)?
                {
                    return Ok(true);
                }
            }
            return Ok(false);
        }
        if let (Shape::Array { length: left, .. }, Shape::Array { length: right, .. }) =
            (&left, &right)
            && narrow(*left, *right).0.is_none_or(|min| min == 0)
        {
            return Ok(false);
        }
        match self.merge(left, right, pointer) {
            Ok(shape) => Ok(shape == Shape::Never),
            Err(error) if error.is_contradiction() => Ok(true),
            Err(error) => Err(error),
        }
    }

    fn contradiction(&self, left: &Shape, right: &Shape, pointer: &str) -> ModelError {
        self.error(
            pointer,
            Problem::Contradiction {
                left: left.describe(),
                right: right.describe(),
            },
        )
    }
}

fn fits(length: Length, text: &str) -> bool {
    let count = text.chars().count() as u64;
    length.0.is_none_or(|min| min <= count) && length.1.is_none_or(|max| count <= max)
}

fn narrow(left: Length, right: Length) -> Length {
    (left.0.max(right.0), least(left.1, right.1))
}

fn least<T: Ord>(left: Option<T>, right: Option<T>) -> Option<T> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    }
}

fn most(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.max(right)),
        (left, right) => left.or(right),
    }
}

fn fewest(left: Option<f64>, right: Option<f64>) -> Option<f64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    }
}
