//! The normal form of a schema: JSON Schema's many spellings of one thing brought down to one, `allOf`
//! joined, references kept. Two schemas that accept the same values in the same way have equal shapes.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Range;

/// What a schema says, without where it says it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// Any value.
    Any,
    /// No value.
    Never,
    /// A definition of the same file.
    Ref(String),
    /// One value: a string, an integer or a boolean.
    Const(Value),
    /// A string out of a list.
    Strings(Vec<String>),
    Null,
    Bool,
    Text {
        length: Length,
    },
    Integer {
        min: Option<i64>,
        max: Option<i64>,
        only: Vec<i64>,
    },
    Number(Range),
    Array {
        items: Box<Shape>,
        length: Length,
    },
    Object(Object),
    /// Any of several, without unions or duplicates among them.
    Union(Vec<Shape>),
    /// An object that is at the same time one of a union of objects, with no member in both.
    Mixed {
        object: Object,
        union: Box<Shape>,
    },
}

/// Smallest and largest length.
pub(super) type Length = (Option<u64>, Option<u64>);

/// An object's members.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Object {
    pub(super) members: BTreeMap<String, Member>,
    pub(super) rest: RestShape,
}

/// A known member.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Member {
    pub(super) shape: Shape,
    pub(super) required: bool,
}

/// Members that are not known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RestShape {
    Open,
    Closed,
    Typed(Box<Shape>),
}

impl Shape {
    /// A union in normal form: flat, without duplicates, lists of strings and integers joined.
    pub(super) fn union(parts: Vec<Self>) -> Self {
        let mut out: Vec<Self> = Vec::new();
        let mut strings: Option<(usize, Vec<String>)> = None;
        let mut integers: Option<(usize, Vec<i64>)> = None;
        let mut queue: std::collections::VecDeque<Self> = parts.into();
        while let Some(part) = queue.pop_front() {
            match part {
                Self::Any => return Self::Any,
                Self::Never => {}
                Self::Union(inner) => {
                    for shape in inner.into_iter().rev() {
                        queue.push_front(shape);
                    }
                }
                Self::Const(Value::String(value)) => {
                    let list = &mut strings.get_or_insert((out.len(), Vec::new())).1;
                    if !list.contains(&value) {
                        list.push(value);
                    }
                }
                Self::Strings(values) => {
                    let list = &mut strings.get_or_insert((out.len(), Vec::new())).1;
                    for value in values {
                        if !list.contains(&value) {
                            list.push(value);
                        }
                    }
                }
                Self::Const(Value::Number(number)) if number.as_i64().is_some() => {
                    let list = &mut integers.get_or_insert((out.len(), Vec::new())).1;
                    list.extend(number.as_i64());
                }
                other if out.contains(&other) => {}
                other => out.push(other),
            }
        }
        // What another alternative accepts anyway is left out.
        let has = |out: &[Self], wide: &Self| out.contains(wide);
        let text = Self::Text {
            length: (None, None),
        };
        if let Some((at, values)) = strings
            && !has(&out, &text)
        {
            let shape = match <[String; 1]>::try_from(values) {
                Ok([value]) => Self::Const(Value::String(value)),
                Err(values) => Self::Strings(values),
            };
            out.insert(at.min(out.len()), shape);
        }
        let any_integer = Self::Integer {
            min: None,
            max: None,
            only: Vec::new(),
        };
        let any_number = Self::Number(Range::default());
        if let Some((at, mut values)) = integers
            && !has(&out, &any_integer)
            && !has(&out, &any_number)
        {
            values.sort_unstable();
            values.dedup();
            let shape = match values[..] {
                [value] => Self::Const(value.into()),
                _ => Self::Integer {
                    min: None,
                    max: None,
                    only: values,
                },
            };
            out.insert(at.min(out.len()), shape);
        }
        if has(&out, &any_number) {
            out.retain(|shape| !matches!(shape, Self::Integer { .. }));
        }
        match out.len() {
            0 => Self::Never,
            1 => out.remove(0),
            _ => Self::Union(out),
        }
    }

    /// What it is, for messages.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Any => "anything".into(),
            Self::Never => "nothing".into(),
            Self::Ref(name) => format!("`{name}`"),
            Self::Const(value) => format!("the constant {value}"),
            Self::Strings(values) => format!("one of the strings {}", values.join(", ")),
            Self::Null => "null".into(),
            Self::Bool => "a boolean".into(),
            Self::Text { .. } => "a string".into(),
            Self::Integer { .. } => "an integer".into(),
            Self::Number(_) => "a number".into(),
            Self::Array { .. } => "an array".into(),
            Self::Object(_) | Self::Mixed { .. } => "an object".into(),
            Self::Union(parts) => {
                let parts: Vec<_> = parts.iter().map(Self::describe).collect();
                parts.join(" or ")
            }
        }
    }

    /// A text that is the same for shapes that accept the same values; the order of strings does not count.
    pub(super) fn key(&self) -> String {
        let mut sorted = self.clone();
        sorted.visit(&mut |shape| {
            if let Self::Strings(values) = shape {
                values.sort();
            }
        });
        format!("{sorted:?}")
    }

    /// How many shapes it is made of.
    pub(super) fn size(&self) -> usize {
        let mut count = 0;
        self.clone().visit(&mut |_| count += 1);
        count
    }

    /// Calls `change` for every part, inner ones first.
    pub(super) fn visit(&mut self, change: &mut dyn FnMut(&mut Self)) {
        self.children(&mut |child| child.visit(change));
        change(self);
    }

    /// Calls `change` for the parts directly inside.
    pub(super) fn children(&mut self, change: &mut dyn FnMut(&mut Self)) {
        match self {
            Self::Array { items, .. } => change(items),
            Self::Object(object) => object.children(change),
            Self::Union(parts) => parts.iter_mut().for_each(change),
            Self::Mixed { object, union } => {
                object.children(change);
                change(union);
            }
            _ => {}
        }
    }
}

impl Object {
    /// An object of which nothing is known.
    pub(super) fn open() -> Self {
        Self {
            members: BTreeMap::new(),
            rest: RestShape::Open,
        }
    }

    fn children(&mut self, change: &mut dyn FnMut(&mut Shape)) {
        for member in self.members.values_mut() {
            change(&mut member.shape);
        }
        if let RestShape::Typed(shape) = &mut self.rest {
            change(shape);
        }
    }
}
