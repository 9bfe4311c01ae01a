//! Requests and notifications: their names and the unions they are sent in.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Shapes;
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

pub(crate) fn of(definitions: &Shapes<'_>) -> BTreeMap<String, Method> {
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
