//! Plans conversions between a type of one module and its namesake in another, where the manifest renames a member.

use crate::manifest::{self, Manifest};

use super::{Conversion, Expr, Field, Model, Range, Struct, TypeId, TypeKind};

/// The conversions that the manifest's renames call for, in both directions.
pub(super) fn conversions(model: &Model, manifest: &Manifest) -> Vec<Conversion> {
    let mut out: Vec<Conversion> = Vec::new();
    for rename in &manifest.renames {
        let find = |input: &str| model.modules.iter().find(|module| module.input == input);
        let (Some(first), Some(second)) = (find(&rename.from.input), find(&rename.to.input)) else {
            continue;
        };
        for (name, &left) in &first.definitions {
            let Some(&right) = second.definitions.get(name) else {
                continue;
            };
            if left == right
                || !rename
                    .types
                    .iter()
                    .any(|pattern| manifest::matches(pattern, name))
            {
                continue;
            }
            let (from, to) = (rename.from.member.clone(), rename.to.member.clone());
            if !has(model, left, &from) || !has(model, right, &to) {
                continue;
            }
            for (source, target, pair) in [
                (left, right, (from.clone(), to.clone())),
                (right, left, (to, from)),
            ] {
                match out
                    .iter_mut()
                    .find(|known| known.from == source && known.to == target)
                {
                    Some(known) => known.renames.push(pair),
                    None => out.push(Conversion {
                        from: source,
                        to: target,
                        fallible: false,
                        renames: vec![pair],
                    }),
                }
            }
        }
    }
    out.retain_mut(|conversion| match plan(model, conversion) {
        Some(fallible) => {
            conversion.fallible = fallible;
            true
        }
        None => false,
    });
    out
}

impl Conversion {
    /// The source member that fills a member of the target.
    #[must_use]
    pub fn source_of<'a>(&'a self, target: &'a str) -> &'a str {
        self.renames
            .iter()
            .find(|(_, to)| to == target)
            .map_or(target, |(from, _)| from.as_str())
    }
}

fn has(model: &Model, id: TypeId, member: &str) -> bool {
    object(model, id).is_some_and(|object| object.fields.iter().any(|field| field.json == member))
}

fn object(model: &Model, id: TypeId) -> Option<&Struct> {
    match &model.get(id).kind {
        TypeKind::Struct(object) if object.flat.is_none() => Some(object),
        _ => None,
    }
}

/// Whether the conversion can fail, or `None` where it cannot be written.
fn plan(model: &Model, conversion: &Conversion) -> Option<bool> {
    let (source, target) = (
        object(model, conversion.from)?,
        object(model, conversion.to)?,
    );
    if source.rest != super::Rest::Open || target.rest != super::Rest::Open {
        return None;
    }
    let mut fallible = false;
    for field in &target.fields {
        let from: Option<&Field> = source
            .fields
            .iter()
            .find(|from| from.json == conversion.source_of(&field.json));
        match from {
            Some(from) => {
                fallible |= fits(&from.ty, &field.ty)? || (field.required && !from.required)
            }
            None if field.required => return None,
            None => {}
        }
    }
    let kept = |field: &Field| {
        target
            .fields
            .iter()
            .any(|to| conversion.source_of(&to.json) == field.json)
    };
    source.fields.iter().all(kept).then_some(fallible)
}

/// Whether a value of `from` may be out of bounds in `to`; `None` where the Rust types differ.
fn fits(from: &Expr, to: &Expr) -> Option<bool> {
    match (from, to) {
        (from, to) if from == to => Some(false),
        (Expr::Nullable(from), Expr::Nullable(to)) => fits(from, to),
        (
            Expr::Integer { min, max, .. },
            Expr::Integer {
                min: low,
                max: high,
                only,
            },
        ) => {
            let same = min.is_some_and(|min| min >= 0) == low.is_some_and(|low| low >= 0);
            let wider = low.is_some_and(|low| min.is_none_or(|min| min < low))
                || high.is_some_and(|high| max.is_none_or(|max| max > high));
            same.then_some(wider || !only.is_empty())
        }
        (Expr::Number(_), Expr::Number(range)) => Some(*range != Range::default()),
        _ => None,
    }
}
