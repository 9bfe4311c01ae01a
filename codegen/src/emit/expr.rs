//! Type expressions in Rust, the checks of their bounds, and what follows from what a type contains.

use std::collections::BTreeSet;

use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::name_of;
use crate::model::{Expr, Model, Rest, TypeId, TypeKind};

/// The type as it stands in a field of `owner`; boxed where it would contain itself. Every circle of types without an
/// array or map goes through a field, so that boxes elsewhere are not needed.
pub(super) fn rust_type(model: &Model, expr: &Expr, owner: Option<TypeId>) -> TokenStream {
    scoped_type(model, expr, owner, &TokenStream::new())
}

/// [`rust_type`] with `scope` before the names of types of the model.
pub(super) fn scoped_type(
    model: &Model,
    expr: &Expr,
    owner: Option<TypeId>,
    scope: &TokenStream,
) -> TokenStream {
    match expr {
        Expr::Any => quote!(Value),
        Expr::Object => quote!(JsonObject),
        Expr::Null => quote!(()),
        Expr::Bool => quote!(bool),
        Expr::String { .. } => quote!(String),
        Expr::Integer { min, .. } if unsigned(*min) => quote!(u64),
        Expr::Integer { .. } => quote!(i64),
        Expr::Number(_) => quote!(f64),
        Expr::Named(id) => {
            let name = name_of(model, *id);
            let name = quote!(#scope #name);
            match owner {
                Some(owner) if contains_itself(model, owner, *id) => quote!(Box<#name>),
                _ => quote!(#name),
            }
        }
        Expr::Array { items, .. } => {
            let items = scoped_type(model, items, None, scope);
            quote!(Vec<#items>)
        }
        Expr::Map(values) => {
            let values = scoped_type(model, values, None, scope);
            quote!(BTreeMap<String, #values>)
        }
        Expr::Nullable(inner) => {
            let inner = scoped_type(model, inner, owner, scope);
            quote!(Option<#inner>)
        }
    }
}

/// Type of a parameter for a value, and what turns it into the field's type.
pub(super) fn parameter(
    model: &Model,
    expr: &Expr,
    name: &TokenStream,
    owner: TypeId,
) -> (TokenStream, TokenStream) {
    match expr {
        Expr::String { .. } => (quote!(impl Into<String>), quote!(#name.into())),
        Expr::Named(id) if contains_itself(model, owner, *id) => {
            let inner = name_of(model, *id);
            (quote!(#inner), quote!(Box::new(#name)))
        }
        _ => (rust_type(model, expr, Some(owner)), quote!(#name)),
    }
}

fn unsigned(min: Option<i64>) -> bool {
    min.is_some_and(|min| min >= 0)
}

/// An expression of type `Result<(), String>` that checks the bounds of `value`, the name of a reference; none if there
/// are none.
pub(super) fn check(expr: &Expr, value: &TokenStream) -> Option<TokenStream> {
    let mut steps = Vec::new();
    match expr {
        Expr::Integer { min, max, only } => {
            let unsigned = unsigned(*min);
            let literal = |number: i64| match (unsigned, u64::try_from(number)) {
                (true, Ok(number)) => Literal::u64_unsuffixed(number),
                _ => Literal::i64_unsuffixed(number),
            };
            let min = min.filter(|min| !unsigned || *min > 0);
            if min.is_some() || max.is_some() {
                let (min, max) = (option(min.map(literal)), option(max.map(literal)));
                steps.push(quote!(within(*#value, #min, #max)));
            }
            if !only.is_empty() {
                let only = only.iter().map(|number| literal(*number));
                steps.push(quote!(among(*#value, &[#(#only),*])));
            }
        }
        Expr::Number(range) => {
            if range.min.is_some() || range.max.is_some() {
                let (min, max) = (
                    option(range.min.map(Literal::f64_unsuffixed)),
                    option(range.max.map(Literal::f64_unsuffixed)),
                );
                steps.push(quote!(within(*#value, #min, #max)));
            }
            if range.above.is_some() || range.below.is_some() {
                let (above, below) = (
                    option(range.above.map(Literal::f64_unsuffixed)),
                    option(range.below.map(Literal::f64_unsuffixed)),
                );
                steps.push(quote!(between(*#value, #above, #below)));
            }
        }
        Expr::String { length } => steps.extend(sized(*length, &quote!(#value.chars().count()))),
        Expr::Array { items, length } => {
            steps.extend(sized(*length, &quote!(#value.len())));
            if let Some(inner) = check(items, &quote!(item)) {
                steps.push(quote!(each_item(#value, |item| #inner)));
            }
        }
        Expr::Map(values) => {
            if let Some(inner) = check(values, &quote!(item)) {
                steps.push(quote!(each_value(#value, |item| #inner)));
            }
        }
        Expr::Nullable(inner) => {
            if let Some(inner) = check(inner, &quote!(inner)) {
                steps.push(quote!(#value.as_ref().map_or(Ok(()), |inner| #inner)));
            }
        }
        Expr::Any | Expr::Object | Expr::Null | Expr::Bool | Expr::Named(_) => {}
    }
    steps
        .into_iter()
        .reduce(|first, next| quote!(#first.and_then(|()| #next)))
}

fn sized(length: (Option<u64>, Option<u64>), count: &TokenStream) -> Option<TokenStream> {
    if length == (None, None) {
        return None;
    }
    let (min, max) = (
        option(length.0.map(Literal::u64_unsuffixed)),
        option(length.1.map(Literal::u64_unsuffixed)),
    );
    Some(quote!(sized(#count, #min, #max)))
}

fn option(value: Option<Literal>) -> TokenStream {
    value.map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}

/// Whether `part` holds an `owner` without an array, map or box in between.
fn contains_itself(model: &Model, owner: TypeId, part: TypeId) -> bool {
    let mut seen = BTreeSet::new();
    let mut queue = vec![part];
    while let Some(id) = queue.pop() {
        if id == owner {
            return true;
        }
        if seen.insert(id) {
            each(&model.get(id).kind, &mut |expr| inline(expr, &mut queue));
            if let TypeKind::Struct(object) = &model.get(id).kind {
                queue.extend(object.flat.as_ref().map(|flat| flat.ty));
            }
        }
    }
    false
}

fn inline(expr: &Expr, out: &mut Vec<TypeId>) {
    match expr {
        Expr::Named(id) => out.push(*id),
        Expr::Nullable(inner) => inline(inner, out),
        _ => {}
    }
}

/// Whether values of the type can be compared exactly and hashed: there is no floating-point number in it.
pub(super) fn is_exact(model: &Model, id: TypeId) -> bool {
    let mut seen = BTreeSet::new();
    let mut queue = vec![id];
    let mut exact = true;
    while let Some(id) = queue.pop() {
        if seen.insert(id) {
            each(&model.get(id).kind, &mut |expr| {
                exact &= exact_expr(expr, &mut queue)
            });
            if let TypeKind::Struct(object) = &model.get(id).kind {
                queue.extend(object.flat.as_ref().map(|flat| flat.ty));
            }
        }
    }
    exact
}

fn exact_expr(expr: &Expr, named: &mut Vec<TypeId>) -> bool {
    match expr {
        Expr::Number(_) => false,
        Expr::Named(id) => {
            named.push(*id);
            true
        }
        Expr::Array { items: inner, .. } | Expr::Map(inner) | Expr::Nullable(inner) => {
            exact_expr(inner, named)
        }
        _ => true,
    }
}

/// Calls `visit` for every expression directly in a type.
pub(super) fn each(kind: &TypeKind, visit: &mut dyn FnMut(&Expr)) {
    match kind {
        TypeKind::Struct(object) => {
            object.fields.iter().for_each(|field| visit(&field.ty));
            if let Rest::Typed(expr) = &object.rest {
                visit(expr);
            }
        }
        TypeKind::Union(union) => union.variants.iter().for_each(|variant| visit(&variant.ty)),
        TypeKind::Alias(expr) => visit(expr),
        TypeKind::Enum(_) => {}
    }
}

/// The types that an expression names.
pub(super) fn named(expr: &Expr, out: &mut BTreeSet<TypeId>) {
    match expr {
        Expr::Named(id) => {
            out.insert(*id);
        }
        Expr::Array { items: inner, .. } | Expr::Map(inner) | Expr::Nullable(inner) => {
            named(inner, out)
        }
        _ => {}
    }
}

/// Whether all values of the type are objects.
pub(super) fn is_object(model: &Model, expr: &Expr) -> bool {
    match expr {
        Expr::Object | Expr::Map(_) => true,
        Expr::Named(id) => match &model.get(*id).kind {
            TypeKind::Struct(_) => true,
            TypeKind::Union(union) => union
                .variants
                .iter()
                .all(|variant| is_object(model, &variant.ty)),
            TypeKind::Enum(_) => false,
            TypeKind::Alias(expr) => is_object(model, expr),
        },
        _ => false,
    }
}
