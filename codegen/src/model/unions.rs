//! Finds what tells the alternatives of a union apart, and names them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::lower::{Lower, Place};
use super::shape::Shape;
use super::{Choice, Expr, ModelError, TypeKind, Union, Variant, names};

/// Members that tell messages and objects apart in this protocol, the most telling first.
const USUAL: &[&str] = &[
    "method",
    "type",
    "status",
    "mode",
    "action",
    "resultType",
    "role",
    "kind",
];

/// For each member that could be a discriminator: whether it must be present, and its values.
type Tags = BTreeMap<String, (bool, Vec<String>)>;

impl Lower<'_, '_> {
    /// The type of a union in normal form and without null.
    pub(super) fn union(&mut self, parts: &[Shape], place: &Place) -> Result<TypeKind, ModelError> {
        let mut flat = Vec::new();
        self.flatten(parts, place, &mut Vec::new(), &mut flat)?;
        if flat.contains(&Shape::Any) {
            return Ok(TypeKind::Alias(Expr::Any));
        }
        if flat.contains(&Shape::Null) {
            return Ok(TypeKind::Alias(self.expr(&Shape::Union(flat), place)?));
        }
        let parts = match Shape::union(flat.clone()) {
            Shape::Union(parts) => parts,
            _ if flat.len() == 1 => flat,
            single => return Ok(TypeKind::Alias(self.expr(&single, place)?)),
        };
        let mut tags = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            if self.is_object(part, place)? {
                tags.push((index, self.tags(part, place)?));
            }
        }
        let found = (tags.len() > 1 || parts.len() == 1)
            .then(|| discriminator(&tags))
            .flatten();
        let mut values: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let choice = match found {
            _ if tags.len() < 2 && parts.len() > 1 => Choice::Kind,
            Some((member, absent)) => {
                values = tags
                    .into_iter()
                    .map(|(index, mut tags)| {
                        (
                            index,
                            tags.remove(&member).map(|tag| tag.1).unwrap_or_default(),
                        )
                    })
                    .collect();
                Choice::Tag { member, absent }
            }
            None if tags.len() < 2 => Choice::Kind,
            None => Choice::Presence,
        };
        let many = one_or_many(&parts);
        let mut variants = Vec::new();
        let mut used = BTreeSet::new();
        for (index, part) in parts.iter().enumerate() {
            let tags = values.remove(&index).unwrap_or_default();
            let mut name = match (many, tags.as_slice()) {
                (true, _) => ["One", "Many"][index].to_owned(),
                (false, [tag]) => names::variant_name(tag),
                (false, _) => self.part_name(part, index),
            };
            if used.contains(&name) {
                name = format!("{name}{}", index + 1);
            }
            used.insert(name.clone());
            let suffix = match (many, part) {
                (true, Shape::Array { .. }) => "",
                _ => &name,
            };
            let ty = self.expr(part, &place.inside(&format!("anyOf/{index}"), suffix))?;
            variants.push(Variant {
                name,
                ty,
                tags,
                doc: String::new(),
            });
        }
        Ok(TypeKind::Union(Union { variants, choice }))
    }

    /// Puts unions that are not of objects alone into the union that refers to them.
    fn flatten(
        &self,
        parts: &[Shape],
        place: &Place,
        open: &mut Vec<String>,
        out: &mut Vec<Shape>,
    ) -> Result<(), ModelError> {
        for part in parts {
            if let Shape::Ref(name) = part {
                let target = self.target(part, place)?;
                match &target {
                    Shape::Union(inner) if !self.is_object(part, place)? => {
                        if !open.contains(name) {
                            open.push(name.clone());
                            self.flatten(inner, place, open, out)?;
                            open.pop();
                        }
                        continue;
                    }
                    Shape::Any | Shape::Null => {
                        out.push(target);
                        continue;
                    }
                    _ => {}
                }
            }
            if !out.contains(part) {
                out.push(part.clone());
            }
        }
        Ok(())
    }

    /// Whether only objects fit.
    fn is_object(&self, shape: &Shape, place: &Place) -> Result<bool, ModelError> {
        self.is_object_in(shape, place, &mut Vec::new())
    }

    fn is_object_in(
        &self,
        shape: &Shape,
        place: &Place,
        open: &mut Vec<String>,
    ) -> Result<bool, ModelError> {
        if let Shape::Ref(name) = shape {
            if open.contains(name) {
                return Ok(true);
            }
            open.push(name.clone());
        }
        Ok(match self.target(shape, place)? {
            Shape::Object(_) | Shape::Mixed { .. } => true,
            Shape::Union(parts) => {
                let mut all = true;
                for part in &parts {
                    all = all && self.is_object_in(part, place, open)?;
                }
                all
            }
            _ => false,
        })
    }

    fn tags(&self, shape: &Shape, place: &Place) -> Result<Tags, ModelError> {
        Ok(match self.target(shape, place)? {
            Shape::Object(object) | Shape::Mixed { object, .. } => {
                let mut tags = Tags::new();
                for (name, member) in object.members {
                    match self.target(&member.shape, place)? {
                        Shape::Const(Value::String(value)) => {
                            tags.insert(name, (member.required, vec![value]))
                        }
                        Shape::Strings(values) => tags.insert(name, (member.required, values)),
                        _ => None,
                    };
                }
                tags
            }
            Shape::Union(parts) => {
                let mut common: Option<Tags> = None;
                for part in &parts {
                    let next = self.tags(part, place)?;
                    common = Some(match common {
                        None => next,
                        Some(first) => first
                            .into_iter()
                            .filter_map(|(name, (required, mut values))| {
                                let (needed, more) = next.get(&name)?;
                                values.extend(more.iter().cloned());
                                Some((name, (required && *needed, values)))
                            })
                            .collect(),
                    });
                }
                common.unwrap_or_default()
            }
            _ => Tags::new(),
        })
    }

    fn part_name(&self, part: &Shape, index: usize) -> String {
        match part {
            Shape::Ref(name) => self.types[self.definitions[name].0].name.clone(),
            Shape::Text { .. } => "String".into(),
            Shape::Strings(_) | Shape::Const(Value::String(_)) => "Known".into(),
            Shape::Integer { .. } | Shape::Const(_) => "Integer".into(),
            Shape::Number(_) => "Number".into(),
            Shape::Bool => "Boolean".into(),
            Shape::Array { items, .. } => match &**items {
                Shape::Ref(name) => format!("{}Array", self.types[self.definitions[name].0].name),
                _ => "Array".into(),
            },
            Shape::Object(object) if object.members.is_empty() => "Object".into(),
            _ => format!("Case{}", index + 1),
        }
    }
}

/// The member whose values are distinct, and the alternative that may lack it.
fn discriminator(tags: &[(usize, Tags)]) -> Option<(String, Option<usize>)> {
    let (_, first) = tags.first()?;
    let mut candidates: Vec<&String> = first.keys().collect();
    candidates.sort_by_key(|name| {
        (
            USUAL
                .iter()
                .position(|usual| usual == name)
                .unwrap_or(USUAL.len()),
            name.as_str(),
        )
    });
    candidates.into_iter().find_map(|name| {
        let mut seen = BTreeSet::new();
        let mut absent = None;
        for (index, tags) in tags {
            let (required, values) = tags.get(name)?;
            if !values.iter().all(|value| seen.insert(value)) {
                return None;
            }
            if !required && absent.replace(*index).is_some() {
                return None;
            }
        }
        Some((name.clone(), absent))
    })
}

fn one_or_many(parts: &[Shape]) -> bool {
    match parts {
        [one, Shape::Array { items, .. }] => *one == **items && !matches!(one, Shape::Array { .. }),
        _ => false,
    }
}

impl Union {
    /// Drops alternatives whose type is there already, which happens when two aliases mean the same.
    pub(super) fn drop_duplicates(&mut self) {
        let mut seen: Vec<Expr> = Vec::new();
        self.variants.retain(|variant| {
            let fresh = !seen.contains(&variant.ty);
            seen.push(variant.ty.clone());
            fresh
        });
    }
}
