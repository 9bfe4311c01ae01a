//! Requests and notifications: their names, who sends them, and how the two sets differ.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::shape::Shapes;
use super::{Breaks, Change, Kind};
use crate::definitions::Definitions;

/// A request or notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Method {
    /// The method's name on the wire.
    pub name: String,
    /// The definitions of its message.
    pub definitions: BTreeSet<String>,
    /// The unions it belongs to (`ClientRequest`, `ServerNotification`).
    pub sent_as: BTreeSet<String>,
}

/// The methods of a schema, by name.
#[must_use]
pub fn methods(definitions: &Definitions) -> BTreeMap<String, Method> {
    of(&Shapes::new(definitions))
}

fn of(definitions: &Shapes<'_>) -> BTreeMap<String, Method> {
    let mut methods: BTreeMap<String, Method> = BTreeMap::new();
    let mut unions: Vec<&str> = Vec::new();
    for name in definitions.definitions.all.keys() {
        let shapes = definitions.resolved(name);
        match shapes.as_slice() {
            [shape] => {
                let Some(method) = shape.tag("method") else {
                    continue;
                };
                let entry = methods.entry(method.clone()).or_insert_with(|| Method {
                    name: method,
                    definitions: BTreeSet::new(),
                    sent_as: BTreeSet::new(),
                });
                entry.definitions.insert(name.clone());
            }
            _ => unions.push(name),
        }
    }
    // A union of one member looks like its member; those with a known name are unions all the same.
    let single = [
        "ClientRequest",
        "ClientNotification",
        "ServerRequest",
        "ServerNotification",
    ];
    for union in single
        .into_iter()
        .filter(|name| definitions.definitions.all.contains_key(*name))
    {
        if !unions.contains(&union) {
            unions.push(union);
            for method in methods.values_mut() {
                method.definitions.remove(union);
            }
        }
    }
    for union in unions {
        for method in definitions
            .resolved(union)
            .iter()
            .filter_map(|shape| shape.tag("method"))
        {
            if let Some(method) = methods.get_mut(&method) {
                method.sent_as.insert(union.to_owned());
            }
        }
    }
    methods.retain(|_, method| !method.definitions.is_empty());
    methods
}

/// How the methods differ. A method whose definition stayed is a rename, which is found with the
/// definition's member `method`.
pub(super) fn changes(old: &Shapes<'_>, new: &Shapes<'_>) -> Vec<Change> {
    let (before, after) = (of(old), of(new));
    let mut changes = Vec::new();
    let kept = |method: &Method, other: &Shapes<'_>| {
        method.definitions.iter().any(|name| {
            matches!(other.resolved(name).as_slice(), [shape] if shape.tag("method").is_some())
        })
    };
    let sent = |method: &Method| -> Option<String> {
        let unions: Vec<&str> = method.sent_as.iter().map(String::as_str).collect();
        (!unions.is_empty()).then(|| unions.join(", "))
    };
    for (name, method) in &before {
        match after.get(name) {
            None if kept(method, new) => {}
            None => {
                let mut change = Change::new(Kind::MethodRemoved, name, "", Breaks::WRITER);
                change.old = sent(method);
                changes.push(change);
            }
            Some(now) if now.sent_as != method.sent_as => {
                let mut change = Change::new(Kind::MethodMoved, name, "", Breaks::BOTH);
                change.old = sent(method).or_else(|| Some("no message union".to_owned()));
                change.new = sent(now).or_else(|| Some("no message union".to_owned()));
                changes.push(change);
            }
            Some(_) => {}
        }
    }
    for (name, method) in &after {
        if !before.contains_key(name) && !kept(method, old) {
            let mut change = Change::new(Kind::MethodAdded, name, "", Breaks::NONE);
            change.new = sent(method);
            changes.push(change);
        }
    }
    changes
}
