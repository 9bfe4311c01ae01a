//! Unions: which alternative of the old schema has become which of the new one, and which are left over.

use super::compare::Pair;
use super::{Breaks, Change, Kind};
use crate::shapes::{Shape, Shapes, shapes_text};

/// Members that tell the alternatives of a union apart.
const TAGS: [&str; 9] = [
    "method",
    "type",
    "status",
    "resultType",
    "mode",
    "action",
    "role",
    "kind",
    "code",
];

impl Pair<'_> {
    /// Pairs the alternatives of a union, and notes those that are left over.
    pub(super) fn union(
        &mut self,
        at: &str,
        mut old: Vec<Shape>,
        mut new: Vec<Shape>,
        text: &(String, String),
    ) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut paired = 0;
        // The same definition on both sides; unions among what is left are opened and looked through.
        loop {
            old.retain(
                |one| match new.iter().position(|it| self.same_reference(one, it)) {
                    Some(index) => {
                        new.remove(index);
                        paired += 1;
                        false
                    }
                    None => true,
                },
            );
            if old.is_empty() && new.is_empty() {
                return changes;
            }
            if old.is_empty() || new.is_empty() {
                break;
            }
            let opened = (opened(self.old, &old), opened(self.new, &new));
            if opened.0.is_none() && opened.1.is_none() {
                break;
            }
            old = opened.0.unwrap_or(old);
            new = opened.1.unwrap_or(new);
        }
        let flat = |shapes: &Shapes<'_>, list: Vec<Shape>| -> Vec<(String, Shape)> {
            list.into_iter()
                .flat_map(|shape| {
                    let name = shapes_text(shapes, std::slice::from_ref(&shape));
                    let all = match &shape.reference {
                        Some(name) => shapes.resolved(name),
                        None => vec![shape],
                    };
                    all.into_iter().map(move |shape| (name.clone(), shape))
                })
                .collect()
        };
        let (mut old, mut new) = (flat(self.old, old), flat(self.new, new));
        for rule in [equal, same_tag, same_kind] {
            let mut rest = Vec::new();
            for one in std::mem::take(&mut old) {
                let fitting: Vec<usize> = (0..new.len())
                    .filter(|i| rule(&one.1, &new[*i].1))
                    .collect();
                let Some(index) = most_alike(&one.1, &fitting, &new) else {
                    rest.push(one);
                    continue;
                };
                let other = new.remove(index);
                paired += 1;
                let text = (one.0.clone(), other.0.clone());
                changes.extend(self.shape(at, &one.1, &other.1, &text));
            }
            old = rest;
        }
        if paired == 0 {
            return vec![self.retyped(at, &old, &new, text)];
        }
        let names = |list: &[(String, Shape)]| {
            let mut names: Vec<&str> = list.iter().map(|(name, _)| name.as_str()).collect();
            names.dedup();
            names.join(", ")
        };
        if !old.is_empty() {
            let change = self.change(Kind::VariantsRemoved, at, Breaks::WRITER);
            changes.push(change.old(names(&old)));
        }
        if !new.is_empty() {
            let change = self.change(Kind::VariantsAdded, at, Breaks::READER);
            changes.push(change.new_text(names(&new)));
        }
        changes
    }

    fn retyped(
        &self,
        at: &str,
        old: &[(String, Shape)],
        new: &[(String, Shape)],
        text: &(String, String),
    ) -> Change {
        let any =
            |list: &[(String, Shape)]| list.iter().any(|(_, shape)| *shape == Shape::default());
        let breaks = match (any(old), any(new)) {
            (true, false) => Breaks::WRITER,
            (false, true) => Breaks::READER,
            _ => Breaks::BOTH,
        };
        self.change(Kind::Retyped, at, breaks)
            .old(&text.0)
            .new_text(&text.1)
    }
}

/// The list with its references to unions replaced by the unions' alternatives, if there are any.
fn opened(shapes: &Shapes<'_>, list: &[Shape]) -> Option<Vec<Shape>> {
    let mut any = false;
    let mut out = Vec::new();
    for shape in list {
        let schema = shape
            .reference
            .as_ref()
            .and_then(|name| shapes.definitions.get(name));
        let inner = schema
            .map(|schema| shapes.alternatives(schema))
            .unwrap_or_default();
        match inner.as_slice() {
            [] => out.push(shape.clone()),
            [one] if one.reference.is_none() => out.push(shape.clone()),
            _ => {
                any = true;
                out.extend(inner);
            }
        }
    }
    any.then_some(out)
}

/// Of the candidates that fit, the only one or the one that shares most members.
fn most_alike(one: &Shape, fitting: &[usize], all: &[(String, Shape)]) -> Option<usize> {
    let shared = |index: usize| {
        all[index]
            .1
            .members
            .keys()
            .filter(|name| one.members.contains_key(*name))
            .count()
    };
    match fitting {
        [] => None,
        [index] => Some(*index),
        _ => {
            let best = fitting.iter().map(|index| shared(*index)).max()?;
            let mut best = fitting.iter().filter(|index| shared(**index) == best);
            let first = best.next()?;
            best.next().is_none().then_some(*first)
        }
    }
}

fn equal(one: &Shape, other: &Shape) -> bool {
    one == other
}

fn same_tag(one: &Shape, other: &Shape) -> bool {
    let tag = TAGS
        .into_iter()
        .find(|tag| one.tag(tag).is_some() && other.tag(tag).is_some());
    tag.is_some_and(|tag| one.tag(tag) == other.tag(tag))
}

fn same_kind(one: &Shape, other: &Shape) -> bool {
    let tagged = |shape: &Shape| TAGS.iter().any(|tag| shape.tag(tag).is_some());
    let number = |kind: &Option<String>| matches!(kind.as_deref(), Some("integer" | "number"));
    !(tagged(one) && tagged(other))
        && (one.kind == other.kind || number(&one.kind) && number(&other.kind))
}
