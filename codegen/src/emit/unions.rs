//! Unions: the enum, conversions from its alternatives, decoding by tag, by kind of JSON value or by what is present.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::expr::{check, is_exact, is_object, rust_type};
use super::objects::eq;
use super::{doc_or, ident};
use crate::model::{Choice, Expr, Model, Type, TypeId, TypeKind, Union, Variant};

/// Everything of a union but the traits that the support module's macros add.
pub(super) fn item(
    model: &Model,
    id: TypeId,
    ty: &Type,
    union: &Union,
    docs: &TokenStream,
) -> TokenStream {
    let name = ident(&ty.name);
    let mut derives = vec![quote!(Clone), quote!(Debug), quote!(PartialEq)];
    let exact = is_exact(model, id);
    if exact {
        derives.push(quote!(Hash));
    }
    let eq = exact.then(|| eq(&name));
    let variants = union.variants.iter().map(|variant| {
        let fallback = || match variant.tags.first() {
            Some(tag) => format!("`{tag}`."),
            None => format!("{}.", described(model, &variant.ty)),
        };
        let (docs, name) = (doc_or(&variant.doc, fallback), ident(&variant.name));
        let ty = rust_type(model, &variant.ty, None);
        quote!(#docs #name(#ty),)
    });
    let from = conversions(model, &name, union);
    let method = method(&name, union);
    let beside = lies_flat(model, id).then(|| quote!(beside! { #name }));
    let decode = if is_object_union(model, union) {
        object_union(model, &name, union)
    } else {
        kind_union(model, &name, union)
    };
    quote! {
        #docs
        #[derive(#(#derives),*)]
        pub enum #name { #(#variants)* }
        #eq
        #method
        #from
        #decode
        #beside
    }
}

/// Whether its members lie beside those of another object.
fn lies_flat(model: &Model, id: TypeId) -> bool {
    model.types.iter().any(|ty| {
        matches!(&ty.kind, TypeKind::Struct(object) if object.flat.as_ref().is_some_and(|flat| flat.ty == id))
    })
}

/// Whether all alternatives are objects.
pub(super) fn is_object_union(model: &Model, union: &Union) -> bool {
    union
        .variants
        .iter()
        .all(|variant| is_object(model, &variant.ty))
}

/// What an alternative is, for documentation and messages.
fn described(model: &Model, expr: &Expr) -> String {
    match expr {
        Expr::Any => "Any value".into(),
        Expr::Object | Expr::Map(_) => "An object".into(),
        Expr::Null => "Null".into(),
        Expr::Bool => "A boolean".into(),
        Expr::String { .. } => "A string".into(),
        Expr::Integer { .. } => "An integer".into(),
        Expr::Number(_) => "A number".into(),
        Expr::Array { .. } => "An array".into(),
        Expr::Nullable(inner) => described(model, inner),
        Expr::Named(id) => match &model.get(*id).kind {
            TypeKind::Enum(_) => "A string of a list".into(),
            _ => format!("[`{}`]", model.get(*id).name),
        },
    }
}

fn conversions(model: &Model, name: &Ident, union: &Union) -> TokenStream {
    let types: Vec<String> = union
        .variants
        .iter()
        .map(|variant| rust_type(model, &variant.ty, None).to_string())
        .collect();
    let out = union.variants.iter().enumerate().map(|(index, variant)| {
        // Two alternatives of one Rust type would be ambiguous.
        if types.iter().filter(|ty| **ty == types[index]).count() > 1 {
            return quote!();
        }
        let (variant_name, ty) = (ident(&variant.name), rust_type(model, &variant.ty, None));
        let text = matches!(variant.ty, Expr::String { .. }).then(|| {
            quote! {
                impl From<&str> for #name {
                    #[inline]
                    fn from(value: &str) -> Self {
                        Self::#variant_name(value.to_owned())
                    }
                }
            }
        });
        quote! {
            impl From<#ty> for #name {
                #[inline]
                fn from(value: #ty) -> Self {
                    Self::#variant_name(value)
                }
            }
            #text
        }
    });
    quote!(#(#out)*)
}

/// A function that says which method it is, where messages are told apart by that.
fn method(name: &Ident, union: &Union) -> Option<TokenStream> {
    match &union.choice {
        Choice::Tag {
            member,
            absent: None,
        } if member == "method" => {}
        _ => return None,
    }
    let arm = |variant: &Variant| match variant.tags.as_slice() {
        [method] => {
            let name = ident(&variant.name);
            Some(quote!(Self::#name(_) => #method,))
        }
        _ => None,
    };
    let arms = union.variants.iter().map(arm).collect::<Option<Vec<_>>>()?;
    Some(quote! {
        impl #name {
            /// The method, as it is on the wire.
            #[must_use]
            #[inline]
            pub fn method(&self) -> &'static str {
                match self { #(#arms)* }
            }
        }
    })
}

fn object_union(model: &Model, name: &Ident, union: &Union) -> TokenStream {
    let dispatch = dispatch(model, union, &union.variants.iter().collect::<Vec<_>>());
    let arms = union.variants.iter().map(|variant| {
        let name = ident(&variant.name);
        quote!(Self::#name(value) => value.members(map),)
    });
    quote! {
        impl<'de> DecodeObject<'de> for #name {
            fn from_map<M: Members<'de>>(map: M, _: &str, slot: &mut Option<Self>) -> Result<(), M::Error> {
                #dispatch
            }
        }
        impl EncodeObject for #name {
            fn members<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                match self { #(#arms)* }
            }
        }
    }
}

/// Decodes `map` as one of the object alternatives.
fn dispatch(model: &Model, union: &Union, objects: &[&Variant]) -> TokenStream {
    match &union.choice {
        Choice::Tag { member, absent } => {
            let arms = union
                .variants
                .iter()
                .filter(|variant| !variant.tags.is_empty())
                .map(|variant| {
                    let tags = &variant.tags;
                    if keeps_tag(model, &variant.ty, member) {
                        let decode = decode_map(variant, &quote!(with_tag(map, #member, tag)), "");
                        quote!(#(#tags)|* => #decode,)
                    } else {
                        let decode = decode_map(variant, &quote!(map), member);
                        quote!(#(#tags)|* => #decode,)
                    }
                });
            let known = union.variants.iter().flat_map(|variant| &variant.tags);
            let missing = match absent {
                Some(index) => decode_map(&union.variants[*index], &quote!(map), ""),
                None => quote!(Err(M::Error::missing_field(#member))),
            };
            quote! {
                let (tag, map) = find_tag(map, #member)?;
                let Some(tag) = tag else {
                    return #missing;
                };
                match &*tag {
                    #(#arms)*
                    other => Err(unknown_tag(#member, other, &[#(#known),*])),
                }
            }
        }
        Choice::Presence => {
            let candidates = objects.iter().map(|variant| candidate(model, &variant.ty));
            let arms = objects.iter().enumerate().map(|(index, variant)| {
                let decode = decode_map(variant, &quote!(map), "");
                let index = Literal::usize_unsuffixed(index);
                if index.to_string() == (objects.len() - 1).to_string() {
                    quote!(_ => #decode,)
                } else {
                    quote!(#index => #decode,)
                }
            });
            quote! {
                const CANDIDATES: &[Candidate] = &[#(#candidates),*];
                choose(map, CANDIDATES, |index, map| match index { #(#arms)* })
            }
        }
        Choice::Kind => match objects {
            [variant] => decode_map(variant, &quote!(map), ""),
            _ => quote!(Err(M::Error::invalid_type(
                Unexpected::Map,
                &Self::EXPECTED
            ))),
        },
    }
}

fn decode_map(variant: &Variant, map: &TokenStream, tag: &str) -> TokenStream {
    let name = ident(&variant.name);
    let decode = quote!(variant(slot, Self::#name, #map, #tag));
    match check(&variant.ty, &quote!(it)) {
        Some(check) => quote!({
            #decode?;
            let Some(Self::#name(it)) = slot else {
                return Ok(());
            };
            let checked: Result<(), String> = #check;
            checked.map_err(DecodeError::custom)
        }),
        None => decode,
    }
}

/// Whether the alternative wants to see the tag itself, because it keeps it in a field or is a union.
fn keeps_tag(model: &Model, expr: &Expr, member: &str) -> bool {
    match expr {
        Expr::Named(id) => match &model.get(*id).kind {
            TypeKind::Struct(object) => !object
                .consts
                .iter()
                .any(|constant| constant.json == member && constant.value.is_string()),
            _ => true,
        },
        _ => true,
    }
}

fn candidate(model: &Model, expr: &Expr) -> TokenStream {
    let (mut required, mut known, mut values) = (Vec::new(), Vec::new(), Vec::new());
    if let Expr::Named(id) = expr
        && let TypeKind::Struct(object) = &model.get(*id).kind
    {
        for constant in &object.consts {
            required.push(constant.json.as_str());
            known.push(constant.json.as_str());
            if let Value::String(text) = &constant.value {
                let json = &constant.json;
                values.push(quote!((#json, &[#text])));
            }
        }
        for field in &object.fields {
            known.push(field.json.as_str());
            if field.required {
                required.push(field.json.as_str());
            }
            if let Expr::Named(id) = &field.ty
                && let TypeKind::Enum(list) = &model.get(*id).kind
            {
                let json = &field.json;
                let texts = list.values.iter().map(|value| &value.json);
                values.push(quote!((#json, &[#(#texts),*])));
            }
        }
    }
    quote!(Candidate { required: &[#(#required),*], known: &[#(#known),*], values: &[#(#values),*] })
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Boolean,
    Number,
    Text,
    Array,
    Object,
}

fn kind_of(model: &Model, expr: &Expr) -> Kind {
    match expr {
        Expr::Bool => Kind::Boolean,
        Expr::Integer { .. } | Expr::Number(_) => Kind::Number,
        Expr::String { .. } => Kind::Text,
        Expr::Array { .. } => Kind::Array,
        Expr::Named(id) => match &model.get(*id).kind {
            TypeKind::Enum(_) => Kind::Text,
            _ => Kind::Object,
        },
        Expr::Any | Expr::Object | Expr::Map(_) | Expr::Null | Expr::Nullable(_) => Kind::Object,
    }
}

fn kind_union(model: &Model, name: &Ident, union: &Union) -> TokenStream {
    let mut kinds: BTreeMap<Kind, Vec<&Variant>> = BTreeMap::new();
    for variant in &union.variants {
        kinds
            .entry(kind_of(model, &variant.ty))
            .or_default()
            .push(variant);
    }
    let expected = expected(model, union);
    let functions = kinds.iter().map(|(kind, variants)| {
        let last = variants[variants.len() - 1];
        let last_name = ident(&last.name);
        let scalar = |source: TokenStream| {
            let ty = rust_type(model, &last.ty, None);
            match check(&last.ty, &quote!(it)) {
                Some(check) => quote! {
                    let value = <#ty>::decode(#source)?;
                    let it = &value;
                    let checked: Result<(), String> = #check;
                    checked.map_err(D::Error::custom)?;
                    Ok(Self::#last_name(value))
                },
                None => quote!(<#ty>::decode(#source).map(Self::#last_name)),
            }
        };
        match kind {
            Kind::Boolean => quote! {
                fn from_boolean<E: DecodeError>(value: bool) -> Result<Self, E> {
                    Ok(Self::#last_name(value))
                }
            },
            Kind::Number => {
                let body = tried_body(model, variants, &quote!(number), &scalar(quote!(number)));
                quote! {
                    fn from_number<D: Deserializer<'de>>(number: D) -> Result<Self, D::Error> { #body }
                }
            }
            Kind::Text => {
                let body = text_body(model, variants, &scalar(quote!(text)));
                quote! {
                    fn from_text<D: Deserializer<'de>>(text: D) -> Result<Self, D::Error> { #body }
                }
            }
            Kind::Array => {
                let body = tried_body(model, variants, &quote!(array), &scalar(quote!(array)));
                quote! {
                    fn from_array<D: Deserializer<'de>>(array: D) -> Result<Self, D::Error> { #body }
                }
            }
            Kind::Object => {
                let body = dispatch(model, union, variants);
                quote! {
                    fn from_object<M: Members<'de>>(map: M, slot: &mut Option<Self>) -> Result<(), M::Error> { #body }
                }
            }
        }
    });
    let arms = union.variants.iter().map(|variant| {
        let name = ident(&variant.name);
        match variant.ty {
            Expr::Number(_) => quote!(Self::#name(value) => Double(*value).serialize(serializer),),
            _ => quote!(Self::#name(value) => value.serialize(serializer),),
        }
    });
    quote! {
        impl<'de> DecodeKind<'de> for #name {
            const EXPECTED: &'static str = #expected;
            #(#functions)*
        }
        impl Serialize for #name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { #(#arms)* }
            }
        }
    }
}

/// Lists of strings are looked at first, then any string.
fn text_body(model: &Model, variants: &[&Variant], single: &TokenStream) -> TokenStream {
    if variants.len() == 1 {
        return single.clone();
    }
    let (lists, open): (Vec<&Variant>, Vec<&Variant>) = variants
        .iter()
        .copied()
        .partition(|variant| matches!(variant.ty, Expr::Named(_)));
    let tries = lists.iter().map(|variant| {
        let (name, ty) = (ident(&variant.name), rust_type(model, &variant.ty, None));
        quote!(if let Ok(value) = text.parse::<#ty>() { return Ok(Self::#name(value)); })
    });
    // What stands behind one without bounds is never reached.
    let last = open
        .iter()
        .position(|variant| check(&variant.ty, &quote!(text)).is_none())
        .unwrap_or(open.len().saturating_sub(1));
    let open = open
        .iter()
        .take(last + 1)
        .enumerate()
        .map(|(index, variant)| {
            let name = ident(&variant.name);
            let check = check(&variant.ty, &quote!(text))
                .map(|check| quote!(let checked: Result<(), String> = #check;));
            match (&check, index == last) {
                (Some(_), false) => {
                    quote!(#check if checked.is_ok() { return Ok(Self::#name(text)); })
                }
                (Some(_), true) => {
                    quote!(#check checked.map_err(D::Error::custom)?; Ok(Self::#name(text)))
                }
                (None, _) => quote!(Ok(Self::#name(text))),
            }
        });
    let open: TokenStream = open.collect();
    let end = if open.is_empty() {
        quote!(Err(D::Error::invalid_value(
            Unexpected::Str(&text),
            &Self::EXPECTED
        )))
    } else {
        open
    };
    quote! {
        let text = String::decode(text)?;
        #(#tries)*
        #end
    }
}

/// Several arrays are told apart by their items only, and several numbers by their bounds, so each is tried on the
/// buffered value; integers before numbers, which round the large ones.
fn tried_body(
    model: &Model,
    variants: &[&Variant],
    source: &TokenStream,
    single: &TokenStream,
) -> TokenStream {
    if variants.len() == 1 {
        return single.clone();
    }
    let mut variants = variants.to_vec();
    variants.sort_by_key(|variant| matches!(variant.ty, Expr::Number(_)));
    let tries = variants.iter().map(|variant| {
        let (name, ty) = (ident(&variant.name), rust_type(model, &variant.ty, None));
        let bounds = check(&variant.ty, &quote!(it)).map(|check| {
            quote!(.and_then(|value| {
                let it = &value;
                let checked: Result<(), String> = #check;
                checked.map_err(serde_json::Error::custom).map(|()| value)
            }))
        });
        quote! {
            match <#ty>::decode(&found) #bounds {
                Ok(value) => return Ok(Self::#name(value)),
                Err(error) => first = first.or(Some(error)),
            }
        }
    });
    quote! {
        let found = Value::decode(#source)?;
        let mut first: Option<serde_json::Error> = None;
        #(#tries)*
        Err(first.map_or_else(|| D::Error::custom("invalid value"), D::Error::custom))
    }
}

fn expected(model: &Model, union: &Union) -> String {
    let mut kinds: Vec<String> = Vec::new();
    for variant in &union.variants {
        let kind = match kind_of(model, &variant.ty) {
            Kind::Object => "an object".to_owned(),
            Kind::Text => "a string".to_owned(),
            _ => described(model, &variant.ty).to_lowercase(),
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    match kinds.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => kinds.join(""),
    }
}
