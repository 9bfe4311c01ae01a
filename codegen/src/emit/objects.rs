//! Objects: the struct, its constructor and setters, decoding and encoding.

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
    if is_exact(model, id) {
        derives.extend([quote!(Eq), quote!(Hash)]);
    }
    if can_default {
        derives.push(quote!(Default));
    }
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
    let decode = decode(model, id, &name, object);
    let encode = encode(&name, object);
    let includes = object
        .includes
        .iter()
        .map(|part| include(model, ty, object, *part));
    quote! {
        #docs
        #[derive(#(#derives),*)]
        #[non_exhaustive]
        pub struct #name { #(#fields)* #flat #extra }

        impl #name { #(#numbers)* #constructor #(#setters)* }

        #decode
        #encode
        #(#includes)*
    }
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
        pub fn #setter(mut self, #name: #ty) -> Self {
            self.#name = Some(#value);
            self
        }
    }
}

/// The name of a local variable for a member; those of the function itself are kept clear.
fn local(name: &str) -> Ident {
    match name {
        "map" | "tag" | "key" | "slot" | "extra" => format_ident!("{name}_"),
        _ => ident(name),
    }
}

fn decode(model: &Model, id: TypeId, name: &Ident, object: &Struct) -> TokenStream {
    let has_text = object
        .consts
        .iter()
        .any(|constant| constant.value.is_string());
    let tag = if has_text { quote!(tag) } else { quote!(_) };
    let mut variables = Vec::new();
    let mut arms = Vec::new();
    let mut values = Vec::new();
    let mut checks = Vec::new();
    // Beside a union the map is a parameter of the closure already borrowed for change.
    let map = if object.flat.is_some() {
        quote!(map)
    } else {
        quote!(&mut map)
    };
    for constant in &object.consts {
        let (variable, json) = (local(&super::objects::const_name(constant)), &constant.json);
        let (start, read) = match &constant.value {
            Value::String(text) => (quote!(tag == #json), quote!(constant(#map, #json, #text)?)),
            Value::Bool(value) => (
                quote!(false),
                quote!(constant_boolean(#map, #json, #value)?),
            ),
            value => {
                let value = Literal::i64_unsuffixed(value.as_i64().unwrap_or_default());
                (
                    quote!(false),
                    quote!(constant_integer(#map, #json, #value)?),
                )
            }
        };
        variables.push(quote!(let mut #variable = #start;));
        arms.push(quote!(#json => #variable = #read,));
        checks.push(quote!(seen(#variable, #json)?;));
    }
    for field in &object.fields {
        let (variable, name, json) = (local(&field.name), ident(&field.name), &field.json);
        let read = match check(&field.ty, &quote!(value)) {
            Some(check) => {
                let ty = rust_type(model, &field.ty, Some(id));
                quote!(checked(#map, #json, &mut #variable, |value: &#ty| #check)?)
            }
            None => quote!(field(#map, #json, &mut #variable)?),
        };
        variables.push(quote!(let mut #variable = None;));
        arms.push(quote!(#json => #read,));
        values.push(match (field.required, variable == name) {
            (true, _) => quote!(#name: present(#variable, #json)?),
            (false, true) => quote!(#name),
            (false, false) => quote!(#name: #variable),
        });
    }
    let body = if let Some(flat) = &object.flat {
        let (flat_name, ty) = (ident(&flat.name), name_of(model, flat.ty));
        quote! {
            #(#variables)*
            let #flat_name = filled(|slot| #ty::from_map(
                Beside::new(map, |key: &str, map: &mut M| {
                    match key {
                        #(#arms)*
                        _ => return Ok(false),
                    }
                    Ok(true)
                }),
                "",
                slot,
            ))?;
            #(#checks)*
            *slot = Some(Self { #(#values,)* #flat_name });
            Ok(())
        }
    } else {
        let known = object
            .consts
            .iter()
            .map(|constant| &constant.json)
            .chain(object.fields.iter().map(|field| &field.json));
        let (start, other, end) = match &object.rest {
            Rest::Open => (
                quote!(let mut extra = JsonObject::new();),
                quote!(keep(&mut map, key, &mut extra)?),
                quote!(extra),
            ),
            Rest::Closed => (
                quote!(),
                quote!(return Err(M::Error::unknown_field(&key, &[#(#known),*]))),
                quote!(),
            ),
            Rest::Typed(expr) => {
                let ty = rust_type(model, expr, None);
                let check = check(expr, &quote!(value))
                    .map_or_else(|| quote!(|_| Ok(())), |check| quote!(|value: &#ty| #check));
                (
                    quote!(let mut extra = BTreeMap::new();),
                    quote!(keep_typed(&mut map, key, &mut extra, #check)?),
                    quote!(extra),
                )
            }
        };
        if arms.is_empty() && object.rest == Rest::Closed {
            quote! {
                match map.next_key()? {
                    Some(key) => Err(M::Error::unknown_field(&key, &[])),
                    None => {
                        *slot = Some(Self {});
                        Ok(())
                    }
                }
            }
        } else {
            quote! {
                #(#variables)*
                #start
                while let Some(key) = map.next_key()? {
                    match &*key {
                        #(#arms)*
                        _ => #other,
                    }
                }
                #(#checks)*
                *slot = Some(Self { #(#values,)* #end });
                Ok(())
            }
        }
    };
    let map = if object.flat.is_some() {
        quote!(map)
    } else {
        quote!(mut map)
    };
    quote! {
        impl<'de> DecodeObject<'de> for #name {
            fn from_map<M: Members<'de>>(#map: M, #tag: &str, slot: &mut Option<Self>) -> Result<(), M::Error> {
                #body
            }
        }
    }
}

/// Name of the variable that says whether a constant was seen.
pub(super) fn const_name(constant: &Const) -> String {
    let mut name = String::from("has_");
    for character in constant.json.chars() {
        match character {
            upper if upper.is_ascii_uppercase() => {
                name.push('_');
                name.push(upper.to_ascii_lowercase());
            }
            plain if plain.is_ascii_alphanumeric() => name.push(plain),
            _ => name.push('_'),
        }
    }
    name
}

fn encode(name: &Ident, object: &Struct) -> TokenStream {
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
        match &constant.value {
            Value::String(text) => quote!(map.serialize_entry(#json, #text)?;),
            Value::Bool(value) => quote!(map.serialize_entry(#json, &#value)?;),
            value => {
                let value = Literal::i64_suffixed(value.as_i64().unwrap_or_default());
                quote!(map.serialize_entry(#json, &#value)?;)
            }
        }
    });
    let fields = object.fields.iter().map(|field| {
        let (name, json) = (ident(&field.name), &field.json);
        match (field.required, &field.ty) {
            (true, Expr::Number(_)) => quote!(map.serialize_entry(#json, &Double(self.#name))?;),
            (false, Expr::Number(_)) => quote!(optional(map, #json, &self.#name.map(Double))?;),
            (true, _) => quote!(map.serialize_entry(#json, &self.#name)?;),
            (false, _) => quote!(optional(map, #json, &self.#name)?;),
        }
    });
    let end = match (&object.flat, &object.rest) {
        (Some(flat), _) => {
            let name = ident(&flat.name);
            quote!(self.#name.members(map))
        }
        (None, Rest::Closed) => quote!(Ok(())),
        (None, _) => quote!(rest(map, &self.extra)),
    };
    let map = if object.fields.is_empty() && object.consts.is_empty() && object.rest == Rest::Closed
    {
        quote!(_)
    } else {
        quote!(map)
    };
    quote! {
        impl EncodeObject for #name {
            fn members<M: SerializeMap>(&self, #map: &mut M) -> Result<(), M::Error> {
                #(#consts)*
                #(#fields)*
                #end
            }
        }
    }
}

/// `From` for a definition that the struct contains whole.
fn include(model: &Model, ty: &Type, object: &Struct, part: TypeId) -> TokenStream {
    let TypeKind::Struct(inner) = &model.get(part).kind else {
        return quote!();
    };
    let (name, source) = (ident(&ty.name), name_of(model, part));
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
            fn from(#variable: #source) -> Self {
                Self { #(#fields,)* extra: #variable.extra }
            }
        }
    }
}
