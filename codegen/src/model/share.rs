//! Makes one type of what several modules have in common: same name, same content, down through everything it refers to.

use std::collections::{BTreeMap, BTreeSet};

use super::lower::Lowered;
use super::{Expr, Home, Type, TypeId, TypeKind};

/// Joins the modules' types. Returns them with the new id of each module's each type.
pub(super) fn share(modules: Vec<Lowered>) -> (Vec<Type>, Vec<Vec<TypeId>>) {
    // Classes start as "same name and same look" and are split until all members of a class refer to the same classes.
    let mut class: Vec<Vec<usize>> = Vec::new();
    let mut targets: Vec<Vec<Vec<usize>>> = Vec::new();
    let mut first: BTreeMap<String, usize> = BTreeMap::new();
    for module in &modules {
        let mut classes = Vec::new();
        let mut of_module = Vec::new();
        for ty in &module.types {
            let (look, refs) = look(ty);
            let next = first.len();
            classes.push(*first.entry(look).or_insert(next));
            of_module.push(refs);
        }
        class.push(classes);
        targets.push(of_module);
    }
    refine(&mut class, &targets);
    // `common` has one place for each name: what loses it becomes a type of each module, and so does what refers to it.
    while part_namesakes(&modules, &mut class) {
        refine(&mut class, &targets);
    }
    let mut types: Vec<Type> = Vec::new();
    let mut by_class: BTreeMap<usize, TypeId> = BTreeMap::new();
    let mut ids: Vec<Vec<TypeId>> = Vec::new();
    for (index, module) in modules.iter().enumerate() {
        let mut row = Vec::new();
        for (local, ty) in module.types.iter().enumerate() {
            let id = *by_class.entry(class[index][local]).or_insert_with(|| {
                types.push(ty.clone());
                TypeId(types.len() - 1)
            });
            let shared = &mut types[id.0];
            if !shared.modules.contains(&index) {
                shared.modules.push(index);
                shared.home = Home::Common;
            }
            shared.is_definition |= ty.is_definition;
            row.push(id);
        }
        ids.push(row);
    }
    // The content came from the first module that has the type, so its ids do.
    for ty in &mut types {
        let of_module = &ids[ty.modules[0]];
        ty.kind.ids(&mut |id| *id = of_module[id.0]);
    }
    (types, ids)
}

/// Splits classes until all members of a class refer to the same classes.
fn refine(class: &mut Vec<Vec<usize>>, targets: &[Vec<Vec<usize>>]) {
    let mut count = 0;
    while count != distinct(class) {
        count = distinct(class);
        let mut next: BTreeMap<(usize, Vec<usize>), usize> = BTreeMap::new();
        let mut refined = Vec::new();
        for (module, classes) in class.iter().enumerate() {
            let mut row = Vec::new();
            for (index, own) in classes.iter().enumerate() {
                let refs = targets[module][index]
                    .iter()
                    .map(|target| classes[*target])
                    .collect();
                let fresh = next.len();
                row.push(*next.entry((*own, refs)).or_insert(fresh));
            }
            refined.push(row);
        }
        *class = refined;
    }
}

/// Where several shared types have one name, leaves it to the one that most modules have, or else the newest; each
/// module gets its own of the others. Tells whether there were any.
fn part_namesakes(modules: &[Lowered], class: &mut [Vec<usize>]) -> bool {
    let mut members: BTreeMap<(&str, usize), Vec<(usize, usize)>> = BTreeMap::new();
    for (module, lowered) in modules.iter().enumerate() {
        for (index, ty) in lowered.types.iter().enumerate() {
            let key = (ty.name.as_str(), class[module][index]);
            members.entry(key).or_default().push((module, index));
        }
    }
    let mut shared: BTreeMap<&str, Vec<Vec<(usize, usize)>>> = BTreeMap::new();
    for ((name, _), places) in members {
        if places.len() > 1 {
            shared.entry(name).or_default().push(places);
        }
    }
    let mut fresh = class.iter().flatten().max().map_or(0, |last| last + 1);
    let mut any = false;
    for mut groups in shared.into_values().filter(|groups| groups.len() > 1) {
        groups.sort_by_key(|places| (places.len(), places.last().copied()));
        groups.pop();
        for (module, index) in groups.into_iter().flatten() {
            class[module][index] = fresh;
            fresh += 1;
            any = true;
        }
    }
    any
}

fn distinct(class: &[Vec<usize>]) -> usize {
    class.iter().flatten().collect::<BTreeSet<_>>().len()
}

/// A text that is the same for types that could be one, and what the type refers to.
fn look(ty: &Type) -> (String, Vec<usize>) {
    let mut kind = ty.kind.clone();
    let mut refs = Vec::new();
    kind.ids(&mut |id| {
        refs.push(id.0);
        *id = TypeId(0);
    });
    if let TypeKind::Enum(values) = &mut kind {
        values
            .values
            .sort_by(|left, right| left.json.cmp(&right.json));
    }
    // Two aliases of one thing are the same whatever they are written as.
    (format!("{}\n{}\n{kind:?}", ty.key, ty.name), refs)
}

impl TypeKind {
    /// Calls `change` for every expression directly in the type.
    pub(super) fn exprs(&mut self, change: &mut dyn FnMut(&mut Expr)) {
        match self {
            Self::Struct(object) => {
                object
                    .fields
                    .iter_mut()
                    .for_each(|field| change(&mut field.ty));
                if let super::Rest::Typed(expr) = &mut object.rest {
                    change(expr);
                }
            }
            Self::Union(union) => union
                .variants
                .iter_mut()
                .for_each(|variant| change(&mut variant.ty)),
            Self::Alias(expr) => change(expr),
            Self::Enum(_) => {}
        }
    }

    /// Calls `change` for every type that this one refers to.
    pub(super) fn ids(&mut self, change: &mut dyn FnMut(&mut TypeId)) {
        self.exprs(&mut |expr| expr.ids(change));
        if let Self::Struct(object) = self {
            if let Some(flat) = &mut object.flat {
                change(&mut flat.ty);
            }
            object.includes.iter_mut().for_each(change);
        }
    }
}

impl Expr {
    /// Calls `change` for the parts directly inside.
    pub(super) fn children(&mut self, change: &mut dyn FnMut(&mut Self)) {
        match self {
            Self::Array { items: inner, .. } | Self::Map(inner) | Self::Nullable(inner) => {
                change(inner)
            }
            _ => {}
        }
    }

    pub(super) fn ids(&mut self, change: &mut dyn FnMut(&mut TypeId)) {
        if let Self::Named(id) = self {
            change(id);
        }
        self.children(&mut |child| child.ids(change));
    }
}
