//! Whether the documentation and the model cover each other: what is not described, and what is
//! described but does not exist.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::docs::{Docs, Place};
use crate::model::{Expr, Model, TypeId, TypeKind};

/// Something that should be described and is not, or the reverse.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Gap {
    /// Type, field, variant or method.
    pub what: &'static str,
    /// `Tool`, `Tool.name`, `tools/call`.
    pub name: String,
    /// Where it is described, for an entry that describes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// What the generated crate shows and the documentation does not describe.
#[must_use]
pub fn undocumented(model: &Model) -> BTreeSet<Gap> {
    let mut gaps = BTreeSet::new();
    let mut note = |what, name: String, doc: &str| {
        if doc.trim().is_empty() {
            gaps.insert(Gap {
                what,
                name,
                place: None,
            });
        }
    };
    for ty in &model.types {
        note("type", ty.key.clone(), &ty.doc);
        for (what, part, doc) in parts(&ty.kind) {
            note(what, format!("{}.{part}", ty.key), doc);
        }
    }
    for method in model.modules.iter().flat_map(|module| &module.methods) {
        note("method", method.name.clone(), &method.doc);
    }
    gaps
}

/// Entries of the documentation that describe nothing in the model.
#[must_use]
pub fn strays(model: &Model, docs: &Docs) -> Vec<Gap> {
    let mut known: BTreeMap<&str, BTreeSet<(&str, String)>> = BTreeMap::new();
    for ty in &model.types {
        let all = known.entry(&ty.key).or_default();
        all.extend(
            parts(&ty.kind)
                .into_iter()
                .map(|(what, part, _)| (what, part.to_owned())),
        );
        if let TypeKind::Struct(it) = &ty.kind {
            // Implied members have no field, and describing them does no harm.
            all.extend(it.consts.iter().map(|it| ("field", it.json.clone())));
            // The members of a union that lies flat in the object are on the wire beside its own.
            if let Some(flat) = &it.flat {
                all.extend(flat_parts(model, flat.ty));
            }
        }
        if let TypeKind::Union(it) = &ty.kind {
            for variant in &it.variants {
                all.extend(variant.tags.iter().map(|tag| ("variant", tag.clone())));
            }
        }
    }
    let methods: BTreeSet<&str> = model
        .modules
        .iter()
        .flat_map(|module| &module.methods)
        .map(|method| method.name.as_str())
        .collect();
    let mut strays = Vec::new();
    let mut note = |what, name: String, place: &Place| {
        strays.push(Gap {
            what,
            name,
            place: Some(place.to_string()),
        });
    };
    for (name, doc) in &docs.types {
        let Some(parts) = known.get(name.as_str()) else {
            note("type", name.clone(), &doc.place);
            continue;
        };
        let described = doc
            .fields
            .keys()
            .map(|field| ("field", field))
            .chain(doc.variants.keys().map(|variant| ("variant", variant)));
        for (what, part) in described {
            if !parts.contains(&(what, part.clone())) {
                note(what, format!("{name}.{part}"), &doc.place);
            }
        }
    }
    for (name, doc) in &docs.methods {
        if !methods.contains(name.as_str()) {
            note("method", name.clone(), &doc.place);
        }
    }
    strays.sort();
    strays
}

/// The members that the alternatives of a union have, and the tags that tell them apart.
fn flat_parts(model: &Model, union: TypeId) -> BTreeSet<(&'static str, String)> {
    let mut known = BTreeSet::new();
    let TypeKind::Union(union) = &model.get(union).kind else {
        return known;
    };
    for variant in &union.variants {
        known.extend(variant.tags.iter().map(|tag| ("variant", tag.clone())));
        if let Expr::Named(id) = &variant.ty
            && let TypeKind::Struct(it) = &model.get(*id).kind
        {
            known.extend(it.fields.iter().map(|it| ("field", it.json.clone())));
            known.extend(it.consts.iter().map(|it| ("field", it.json.clone())));
        }
    }
    known
}

/// The parts of a type that are described on their own, with their names on the wire.
fn parts(kind: &TypeKind) -> Vec<(&'static str, &str, &str)> {
    match kind {
        TypeKind::Struct(it) => {
            let fields = it
                .fields
                .iter()
                .map(|it| ("field", it.json.as_str(), it.doc.as_str()));
            let flat = it
                .flat
                .iter()
                .map(|it| ("field", it.name.as_str(), it.doc.as_str()));
            fields.chain(flat).collect()
        }
        TypeKind::Enum(it) => it
            .values
            .iter()
            .map(|it| ("variant", it.json.as_str(), it.doc.as_str()))
            .collect(),
        TypeKind::Union(it) => it
            .variants
            .iter()
            .map(|it| {
                // The key that documentation is looked up by.
                let name = it.tags.first().unwrap_or(&it.name);
                ("variant", name.as_str(), it.doc.as_str())
            })
            .collect(),
        TypeKind::Alias(_) => Vec::new(),
    }
}
