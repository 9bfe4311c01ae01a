//! One type for what several definitions have from a base and is described in place: a list of strings, an object.
//! Schema files hold the members of a base copied into every definition that extends it; they are the base's.

use std::collections::{BTreeMap, BTreeSet};

use super::{Expr, Type, TypeId, TypeKind};

/// Gives the copies the name of the type in the base, so that [`super::share`] makes one type of them.
pub(super) fn name_copies(types: &mut [Type]) {
    let mut places: BTreeMap<(String, String), Vec<(TypeId, TypeId)>> = BTreeMap::new();
    for (index, ty) in types.iter().enumerate().filter(|(_, ty)| ty.is_definition) {
        for (member, id) in own(types, ty) {
            let key = (member.to_owned(), format!("{:?}", types[id.0].kind));
            places.entry(key).or_default().push((TypeId(index), id));
        }
    }
    for owners in places.into_values() {
        let is_base = |(base, _): &&(TypeId, TypeId)| {
            let mut others = owners.iter().map(|(other, _)| &types[other.0]);
            others.all(|other| extends(other, &types[base.0]))
        };
        let Some((_, part)) = owners.iter().find(is_base) else {
            continue;
        };
        let base = types[part.0].clone();
        for (_, copy) in &owners {
            types[copy.0] = base.clone();
        }
    }
}

/// The members of a definition that have a type of their own: a list of strings or an object.
fn own<'a>(types: &'a [Type], ty: &'a Type) -> impl Iterator<Item = (&'a str, TypeId)> {
    let fields = match &ty.kind {
        TypeKind::Struct(object) => object.fields.as_slice(),
        _ => &[],
    };
    fields.iter().filter_map(|field| match field.ty {
        Expr::Named(id) => {
            let part = &types[id.0];
            let is_own =
                !part.is_definition && matches!(part.kind, TypeKind::Enum(_) | TypeKind::Struct(_));
            is_own.then_some((field.json.as_str(), id))
        }
        _ => None,
    })
}

/// Whether a definition has all that the base has. A constant of the base is the same there; any other member can have
/// become one.
fn extends(ty: &Type, base: &Type) -> bool {
    let (TypeKind::Struct(ty), TypeKind::Struct(base)) = (&ty.kind, &base.kind) else {
        return false;
    };
    let names: BTreeSet<&str> = ty
        .fields
        .iter()
        .map(|field| field.json.as_str())
        .chain(ty.consts.iter().map(|constant| constant.json.as_str()))
        .collect();
    base.fields
        .iter()
        .all(|field| names.contains(field.json.as_str()))
        && base
            .consts
            .iter()
            .all(|constant| ty.consts.contains(constant))
}
