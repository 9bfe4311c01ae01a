//! One type for a list of strings that several definitions have from a base. Schema files hold the members of a base
//! copied into every definition that extends it, lists of strings included; they are the base's.

use std::collections::{BTreeMap, BTreeSet};

use super::{Expr, Type, TypeId, TypeKind};

/// Gives the copies the name of the list in the base, so that [`super::share`] makes one type of them.
pub(super) fn name_copies(types: &mut [Type]) {
    let mut places: BTreeMap<(String, String), Vec<(TypeId, TypeId)>> = BTreeMap::new();
    for (index, ty) in types.iter().enumerate().filter(|(_, ty)| ty.is_definition) {
        for (member, id) in lists(types, ty) {
            let key = (member.to_owned(), format!("{:?}", types[id.0].kind));
            places.entry(key).or_default().push((TypeId(index), id));
        }
    }
    for owners in places.into_values() {
        let Some((_, list)) = owners.iter().find(|(owner, _)| {
            let base = members(&types[owner.0]);
            let extends = |(other, _): &(TypeId, TypeId)| base.is_subset(&members(&types[other.0]));
            owners.iter().all(extends)
        }) else {
            continue;
        };
        let base = types[list.0].clone();
        for (_, copy) in &owners {
            types[copy.0] = base.clone();
        }
    }
}

/// The members of a definition that are a list of strings of its own.
fn lists<'a>(types: &'a [Type], ty: &'a Type) -> impl Iterator<Item = (&'a str, TypeId)> {
    let fields = match &ty.kind {
        TypeKind::Struct(object) => object.fields.as_slice(),
        _ => &[],
    };
    fields.iter().filter_map(|field| match field.ty {
        Expr::Named(id) => {
            let list = &types[id.0];
            let is_own = !list.is_definition && matches!(list.kind, TypeKind::Enum(_));
            is_own.then_some((field.json.as_str(), id))
        }
        _ => None,
    })
}

fn members(ty: &Type) -> BTreeSet<&str> {
    match &ty.kind {
        TypeKind::Struct(object) => {
            let fields = object.fields.iter().map(|field| field.json.as_str());
            let consts = object.consts.iter().map(|constant| constant.json.as_str());
            fields.chain(consts).collect()
        }
        _ => BTreeSet::new(),
    }
}
