//! Objects: the struct, its constructor and setters, and the tables that it is decoded and encoded by.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use serde_json::Value;

use super::expr::{check, is_exact, parameter, rust_type};
use super::{doc, doc_or, ident, name_of};
use crate::model::{Const, Expr, Field, Model, Rest, Struct, Type, TypeId, TypeKind};

/// Everything of a struct but the traits that the support module's macro adds.
pub(super) fn item(
    model: &Model,
    id: TypeId,
    ty: &Type,
    object: &Struct,
    docs: &TokenStream,
) -> TokenStream {
    let name = ident(&ty.name);
    let can_default = object.flat.is_none() && object.fields.iter().all(|field| !field.required);
    let mut derives = vec![quote!(Clone), quote!(Debug), quote!(PartialEq)];
    let exact = is_exact(model, id);
    if exact {
        derives.push(quote!(Hash));
    }
    if can_default {
        derives.push(quote!(Default));
    }
    let eq = exact.then(|| eq(&name));
    let fields = object.fields.iter().map(|field| {
        let docs = doc_or(&field.doc, || format!("The member `{}`.", field.json));
        let (name, ty) = (ident(&field.name), field_type(model, field, id));
        quote!(#docs pub #name: #ty,)
    });
    let flat = object.flat.as_ref().map(|flat| {
        let docs = doc_or(&flat.doc, || "The members that depend on the case.".into());
        let (name, ty) = (ident(&flat.name), name_of(model, flat.ty));
        quote!(#docs pub #name: #ty,)
    });
    let extra = rest_type(model, object).map(|ty| {
        let docs = doc("Members that the schema does not name.");
        quote!(#docs pub extra: #ty,)
    });
    let numbers = numbers(object);
    let constructor = constructor(model, id, ty, object, can_default);
    let setters = object
        .fields
        .iter()
        .filter(|field| !field.required)
        .map(|field| setter(model, id, field));
    let record = record(model, id, &name, object);
    let includes = object
        .includes
        .iter()
        .map(|part| include(model, id, object, *part));
    quote! {
        #docs
        #[derive(#(#derives),*)]
        #[non_exhaustive]
        pub struct #name { #(#fields)* #flat #extra }
        #eq

        impl #name { #(#numbers)* #constructor #(#setters)* }

        #record
        #(#includes)*
    }
}

/// `Eq`, written out: the derive adds a function to each type, which only checks what the generator knows.
pub(super) fn eq(name: &Ident) -> TokenStream {
    quote!(impl Eq for #name {})
}

/// Numbers that every value of the type has, such as an error's code, as constants.
fn numbers(object: &Struct) -> Vec<TokenStream> {
    let mut taken = BTreeSet::new();
    let mut out = Vec::new();
    for constant in &object.consts {
        let (json, value) = (&constant.json, constant.value.as_i64());
        let is_name = json.starts_with(|c: char| c.is_ascii_alphabetic())
            && json.chars().all(|c| c.is_ascii_alphanumeric());
        let name = heck::ToShoutySnakeCase::to_shouty_snake_case(json.as_str());
        if let Some(value) = value
            && is_name
            && taken.insert(name.clone())
        {
            let (name, value) = (ident(&name), Literal::i64_unsuffixed(value));
            let docs = doc(&format!("What `{json}` always is."));
            out.push(quote!(#docs pub const #name: i64 = #value;));
        }
    }
    out
}

fn field_type(model: &Model, field: &Field, owner: TypeId) -> TokenStream {
    let ty = rust_type(model, &field.ty, Some(owner));
    if field.required {
        ty
    } else {
        quote!(Option<#ty>)
    }
}

/// Type of the unknown members, if there can be any. Beside a union, the union holds them.
fn rest_type(model: &Model, object: &Struct) -> Option<TokenStream> {
    match &object.rest {
        _ if object.flat.is_some() => None,
        Rest::Open => Some(quote!(JsonObject)),
        Rest::Closed => None,
        Rest::Typed(expr) => {
            let ty = rust_type(model, expr, None);
            Some(quote!(BTreeMap<String, #ty>))
        }
    }
}

fn constructor(
    model: &Model,
    id: TypeId,
    ty: &Type,
    object: &Struct,
    can_default: bool,
) -> TokenStream {
    if can_default {
        return quote! {
            /// One without any member that could be left out.
            #[must_use]
            #[inline]
            pub fn new() -> Self {
                Self::default()
            }
        };
    }
    let mut parameters = Vec::new();
    let mut values = Vec::new();
    for field in &object.fields {
        let name = ident(&field.name);
        if field.required {
            let (ty, value) = parameter(model, &field.ty, &quote!(#name), id);
            parameters.push(quote!(#name: #ty));
            let plain = value.to_string() == quote!(#name).to_string();
            values.push(if plain {
                quote!(#name)
            } else {
                quote!(#name: #value)
            });
        } else {
            values.push(quote!(#name: None));
        }
    }
    if let Some(flat) = &object.flat {
        let (name, ty) = (ident(&flat.name), name_of(model, flat.ty));
        parameters.push(quote!(#name: #ty));
        values.push(quote!(#name));
    }
    if let Some(extra) = rest_type(model, object) {
        let empty = if object.rest == Rest::Open {
            quote!(JsonObject::new())
        } else {
            quote!(<#extra>::new())
        };
        values.push(quote!(extra: #empty));
    }
    let docs = doc(&format!(
        "A `{}` of the members that it must have.",
        ty.name
    ));
    quote! {
        #docs
        #[must_use]
        #[inline]
        pub fn new(#(#parameters),*) -> Self {
            Self { #(#values),* }
        }
    }
}

fn setter(model: &Model, owner: TypeId, field: &Field) -> TokenStream {
    let name = ident(&field.name);
    let setter = format_ident!("with_{}", field.name);
    let (ty, value) = parameter(model, &field.ty, &quote!(#name), owner);
    let docs = doc(&format!("Sets `{}`.", field.json));
    quote! {
        #docs
        #[must_use]
        #[inline]
        pub fn #setter(mut self, #name: #ty) -> Self {
            self.#name = Some(#value);
            self
        }
    }
}

/// The largest tuple of slots.
const TUPLE: usize = 12;

/// The tables of an object: which members it has, how it is made of them and taken apart.
fn record(model: &Model, id: TypeId, name: &Ident, object: &Struct) -> TokenStream {
    // The version of JSON-RPC goes first, as everyone writes it; then what tells unions apart.
    let mut consts: Vec<&Const> = object.consts.iter().collect();
    consts.sort_by_key(|constant| {
        (
            constant.json != "jsonrpc",
            constant.json != "method",
            constant.json != "type",
        )
    });
    let consts = consts.into_iter().map(|constant| {
        let json = &constant.json;
        let value = match &constant.value {
            Value::String(text) => quote!(Constant::Text(#text)),
            Value::Bool(value) => quote!(Constant::Boolean(#value)),
            value => {
                let value = Literal::i64_unsuffixed(value.as_i64().unwrap_or_default());
                quote!(Constant::Integer(#value))
            }
        };
        quote!((#json, #value))
    });
    let consts = (!object.consts.is_empty())
        .then(|| quote!(const CONSTANTS: &'static [(&'static str, Constant)] = &[#(#consts),*];));
    let members = object.fields.iter().map(|field| &field.json);
    let members = (!object.fields.is_empty())
        .then(|| quote!(const MEMBERS: &'static [&'static str] = &[#(#members),*];));
    let slots = object.fields.iter().map(|field| {
        let ty = rust_type(model, &field.ty, Some(id));
        match (field.required, &field.ty) {
            (true, Expr::Number(_)) => quote!(MustNumber),
            (false, Expr::Number(_)) => quote!(MayNumber),
            (true, _) => quote!(Must<#ty>),
            (false, _) => quote!(May<#ty>),
        }
    });
    let slots: Vec<_> = slots.collect();
    let slots = tuple(&slots, |first, rest| quote!(Both<#first, #rest>));
    let names: Vec<Ident> = object
        .fields
        .iter()
        .map(|field| ident(&field.name))
        .collect();
    let pair = |first, rest| quote!((#first, #rest));
    let values: Vec<_> = names.iter().map(|name| quote!(#name)).collect();
    let values = tuple(&values, pair);
    let parts: Vec<_> = names.iter().map(|name| quote!(&self.#name)).collect();
    let parts = tuple(&parts, pair);
    let (rest, end, end_part) = match (&object.flat, rest_type(model, object)) {
        (Some(flat), _) => {
            let (name, ty) = (ident(&flat.name), name_of(model, flat.ty));
            (quote!(#ty), quote!(#name), quote!(&self.#name))
        }
        (None, Some(ty)) => (ty, quote!(extra), quote!(&self.extra)),
        (None, None) => (quote!(Closed), quote!(_), quote!(&Closed)),
    };
    let own = (end.to_string() != "_").then(|| quote!(#end));
    let made = names.iter().map(|name| quote!(#name)).chain(own);
    let checks = checks(model, id, object);
    quote! {
        impl Record for #name {
            #consts
            #members
            type Slots = #slots;
            type Rest = #rest;
            #[inline]
            fn build(#values: Values<Self>, #end: #rest) -> Self {
                Self { #(#made),* }
            }
            #[inline]
            fn parts(&self) -> (Parts<'_, Self>, &#rest) {
                (#parts, #end_part)
            }
            #checks
        }
    }
}

/// The items as a tuple; where they are too many for one, `join` makes a pair of tuples.
fn tuple(items: &[TokenStream], join: fn(TokenStream, TokenStream) -> TokenStream) -> TokenStream {
    if items.len() <= TUPLE {
        return quote!((#(#items,)*));
    }
    let (first, rest) = items.split_at(TUPLE);
    join(quote!((#(#first,)*)), tuple(rest, join))
}

/// Where in nested tuples the slot of a field is.
fn path(index: usize, count: usize) -> TokenStream {
    let number = |index| Literal::usize_unsuffixed(index);
    if count <= TUPLE {
        let index = number(index);
        return quote!(.#index);
    }
    if index < TUPLE {
        let index = number(index);
        return quote!(.0.#index);
    }
    let rest = path(index - TUPLE, count - TUPLE);
    quote!(.1 #rest)
}

/// The checks of the members' bounds.
fn checks(model: &Model, id: TypeId, object: &Struct) -> TokenStream {
    let count = object.fields.len();
    let arms: Vec<TokenStream> = object
        .fields
        .iter()
        .enumerate()
        .filter_map(|(index, field)| {
            let check = check(&field.ty, &quote!(value))?;
            let (path, ty) = (path(index, count), rust_type(model, &field.ty, Some(id)));
            let index = Literal::usize_unsuffixed(index);
            Some(quote!(#index => slots #path.0.as_ref().map_or(Ok(()), |value: &#ty| #check),))
        })
        .collect();
    let members = (!arms.is_empty()).then(|| {
        quote! {
            #[inline]
            fn check(slots: &Self::Slots, index: usize) -> Result<(), String> {
                match index {
                    #(#arms)*
                    _ => Ok(()),
                }
            }
        }
    });
    let rest = match (&object.flat, &object.rest) {
        (None, Rest::Typed(expr)) => check(expr, &quote!(value)).map(|check| {
            let ty = rust_type(model, expr, None);
            quote! {
                #[inline]
                fn check_rest(rest: &Self::Rest) -> Result<(), String> {
                    each_value(rest, |value: &#ty| #check)
                }
            }
        }),
        _ => None,
    };
    quote!(#members #rest)
}

/// `From` for a definition that the struct contains whole.
fn include(model: &Model, id: TypeId, object: &Struct, part: TypeId) -> TokenStream {
    let TypeKind::Struct(inner) = &model.get(part).kind else {
        return quote!();
    };
    // One of the two can have a box where the other has none, since it contains itself.
    let differs = |field: &Field| {
        let of = |owner| rust_type(model, &field.ty, owner).to_string();
        of(Some(id)) != of(Some(part))
    };
    if inner.fields.iter().any(differs) {
        return quote!();
    }
    let (name, source) = (name_of(model, id), name_of(model, part));
    let variable = quote!(value);
    let fields = object.fields.iter().map(|field| {
        let name = ident(&field.name);
        if inner.fields.iter().any(|known| known.json == field.json) {
            quote!(#name: #variable.#name)
        } else {
            quote!(#name: None)
        }
    });
    quote! {
        impl From<#source> for #name {
            #[inline]
            fn from(#variable: #source) -> Self {
                Self { #(#fields,)* extra: #variable.extra }
            }
        }
    }
}
