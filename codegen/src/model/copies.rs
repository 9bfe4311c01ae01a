//! Turns inlined copies of a definition back into references to it.
//!
//! A copy is looked for where schema compilers inline: among the alternatives of a union, in an `allOf`, as a list of
//! strings, and where the copy's made-up name is the definition's own. An object that merely looks like a definition
//! (`{taskId}` in some request's params) stays what it is.

use std::collections::BTreeMap;

use super::names;
use super::shape::Shape;

/// Definitions that hold all messages of one direction, even when there is only one.
pub(super) const GROUPS: &[&str] = &[
    "ClientRequest",
    "ClientNotification",
    "ServerRequest",
    "ServerNotification",
];

/// Rewrites the shapes of all definitions.
pub(super) fn recognise(shapes: BTreeMap<String, Shape>) -> BTreeMap<String, Shape> {
    // A copy is smaller than what it is in, so going upwards in size every copy meets its definition in final form.
    let mut order: Vec<(usize, String)> = shapes
        .iter()
        .map(|(name, shape)| (shape.size(), name.clone()))
        .collect();
    order.sort();
    let mut table = Table::default();
    let mut out = BTreeMap::new();
    let mut groups = Vec::new();
    for (_, name) in order {
        let mut shape = shapes[&name].clone();
        table.rewrite(&mut shape, &names::type_name(&name), true);
        if GROUPS.contains(&name.as_str()) {
            groups.push((name, shape));
            continue;
        }
        table.add(&name, &shape);
        out.insert(name, shape);
    }
    for (name, shape) in groups {
        let shape = match shape {
            object @ (Shape::Object(_) | Shape::Mixed { .. }) => {
                let single = table.unique(&object).map_or(object, Shape::Ref);
                Shape::Union(vec![single])
            }
            shape => shape,
        };
        out.insert(name, shape);
    }
    out
}

#[derive(Default)]
struct Table {
    by_key: BTreeMap<String, Vec<String>>,
    /// Unions with a name: the name, and their alternatives.
    unions: Vec<(String, Vec<Shape>)>,
    names: BTreeMap<String, (String, String)>,
}

impl Table {
    fn add(&mut self, name: &str, shape: &Shape) {
        if let Shape::Union(parts) = shape {
            self.unions.push((name.to_owned(), parts.clone()));
        }
        let key = shape.key();
        self.names
            .insert(names::type_name(name), (name.to_owned(), key.clone()));
        self.by_key.entry(key).or_default().push(name.to_owned());
    }

    /// The one definition with this shape.
    fn unique(&self, shape: &Shape) -> Option<String> {
        match self.by_key.get(&shape.key())?.as_slice() {
            [name] => Some(name.clone()),
            _ => None,
        }
    }

    /// `name` is the Rust name that `shape` would get; `root` is true for the definition itself.
    fn rewrite(&self, shape: &mut Shape, name: &str, root: bool) {
        match shape {
            Shape::Object(object) | Shape::Mixed { object, .. } => {
                for (member, inner) in &mut object.members {
                    self.rewrite(
                        &mut inner.shape,
                        &format!("{name}{}", names::type_name(member)),
                        false,
                    );
                }
                if let super::shape::RestShape::Typed(inner) = &mut object.rest {
                    self.rewrite(inner, &format!("{name}Value"), false);
                }
            }
            Shape::Array { items, .. } => self.rewrite(items, &format!("{name}Item"), false),
            Shape::Union(parts) => {
                for part in parts.iter_mut() {
                    self.rewrite(part, name, false);
                    self.replace(part);
                }
                self.one_or_many(parts);
            }
            _ => {}
        }
        if let Shape::Mixed { union, .. } = shape {
            self.rewrite(union, name, false);
            self.replace(union);
        }
        if root {
            return;
        }
        match shape {
            Shape::Object(object) if object.members.is_empty() => {}
            Shape::Object(_) => {
                if let Some((definition, key)) = self.names.get(name)
                    && *key == shape.key()
                {
                    *shape = Shape::Ref(definition.clone());
                }
            }
            Shape::Strings(_) | Shape::Union(_) | Shape::Mixed { .. } => self.replace(shape),
            _ => {}
        }
    }

    fn replace(&self, shape: &mut Shape) {
        let plausible = match shape {
            Shape::Object(object) => !object.members.is_empty(),
            Shape::Strings(_) | Shape::Mixed { .. } => true,
            Shape::Array { items, .. } => matches!(**items, Shape::Union(_) | Shape::Object(_)),
            // `string | integer` and the like are too common to mean a definition.
            Shape::Union(parts) => parts
                .iter()
                .any(|part| matches!(part, Shape::Ref(_) | Shape::Object(_))),
            _ => false,
        };
        if plausible && let Some(name) = self.unique(shape) {
            *shape = Shape::Ref(name);
        }
    }

    /// `A | B | array of (A | B)` with a definition `U` for `A | B` becomes `U | array of U`.
    fn one_or_many(&self, parts: &mut Vec<Shape>) {
        let Some(at) = parts
            .iter()
            .position(|part| matches!(part, Shape::Array { .. }))
        else {
            return;
        };
        let Shape::Array { items, .. } = &parts[at] else {
            return;
        };
        let Shape::Ref(name) = &**items else { return };
        let Some((_, members)) = self.unions.iter().find(|(union, _)| union == name) else {
            return;
        };
        let others: Vec<&Shape> = parts
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != at)
            .map(|(_, part)| part)
            .collect();
        if others.len() == members.len() && members.iter().all(|member| others.contains(&member)) {
            *parts = vec![(**items).clone(), parts[at].clone()];
        }
    }
}
