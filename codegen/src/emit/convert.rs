//! Conversions between two modules' types that differ in the names or bounds of members.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::check;
use super::{files, ident};
use crate::model::{Conversion, Expr, Field, Home, Model, Module, Struct, TypeId, TypeKind};

/// The conversions' file, and the features that it needs; none if there are no conversions.
pub(super) fn text(model: &Model) -> Option<String> {
    if model.conversions.is_empty() {
        return None;
    }
    let items = model.conversions.iter().map(|conversion| {
        let features: Vec<&str> = [conversion.from, conversion.to]
            .iter()
            .filter_map(|id| module(model, *id)?.feature.as_deref())
            .collect();
        let gate = (!features.is_empty()).then(|| quote!(#[cfg(all(#(feature = #features),*))]));
        let item = item(model, conversion);
        quote!(#gate #item)
    });
    Some(files::render(
        "Conversions between revisions. One that could lose something can fail.",
        &quote! {
            #[allow(unused_imports)] // not every conversion checks bounds
            use crate::support::*;
            #(#items)*
        },
    ))
}

fn module(model: &Model, id: TypeId) -> Option<&Module> {
    match model.get(id).home {
        Home::Common => None,
        Home::Module(index) => Some(&model.modules[index]),
    }
}

fn path(model: &Model, id: TypeId) -> TokenStream {
    let module = module(model, id).map_or_else(|| ident("common"), |module| ident(&module.name));
    let name = ident(&model.get(id).name);
    quote!(crate::#module::#name)
}

fn item(model: &Model, conversion: &Conversion) -> TokenStream {
    let (TypeKind::Struct(source), TypeKind::Struct(target)) = (
        &model.get(conversion.from).kind,
        &model.get(conversion.to).kind,
    ) else {
        return quote!();
    };
    let (from, to) = (path(model, conversion.from), path(model, conversion.to));
    let checks = target
        .fields
        .iter()
        .filter_map(|field| bounds(conversion, source, field));
    let values = target
        .fields
        .iter()
        .map(|field| value(conversion, source, field));
    // An unknown member of the source may have a name that the target knows.
    let taken = target.fields.iter().map(|field| &field.json);
    let clean = quote! {
        let mut extra = value.extra;
        for name in [#(#taken),*] {
            extra.remove(name);
        }
    };
    if conversion.fallible {
        quote! {
            impl TryFrom<#from> for #to {
                type Error = crate::ConversionError;
                #[inline]
                fn try_from(value: #from) -> Result<Self, crate::ConversionError> {
                    #(#checks)*
                    #clean
                    Ok(Self { #(#values,)* extra })
                }
            }
        }
    } else {
        quote! {
            impl From<#from> for #to {
                #[inline]
                fn from(value: #from) -> Self {
                    #clean
                    Self { #(#values,)* extra }
                }
            }
        }
    }
}

fn source_of<'a>(conversion: &Conversion, source: &'a Struct, field: &Field) -> Option<&'a Field> {
    let json = conversion.source_of(&field.json);
    source.fields.iter().find(|from| from.json == json)
}

fn value(conversion: &Conversion, source: &Struct, field: &Field) -> TokenStream {
    let name = ident(&field.name);
    let Some(from) = source_of(conversion, source, field) else {
        return quote!(#name: None);
    };
    let old = ident(&from.name);
    let json = &from.json;
    match (from.required, field.required) {
        (true, false) => quote!(#name: Some(value.#old)),
        (false, true) => {
            quote!(#name: value.#old.ok_or_else(|| crate::ConversionError::new(#json, "is required".to_owned()))?)
        }
        _ => quote!(#name: value.#old),
    }
}

/// Checks the target's bounds on the source's value where the source's are wider.
fn bounds(conversion: &Conversion, source: &Struct, field: &Field) -> Option<TokenStream> {
    let from = source_of(conversion, source, field)?;
    if from.ty == field.ty {
        return None;
    }
    let ty = if from.required {
        field.ty.clone()
    } else {
        Expr::Nullable(Box::new(field.ty.clone()))
    };
    let (old, json) = (ident(&from.name), &from.json);
    let check = check(&ty, &quote!(it))?;
    Some(quote! {
        let it = &value.#old;
        let checked: Result<(), String> = #check;
        checked.map_err(|reason| crate::ConversionError::new(#json, reason))?;
    })
}
