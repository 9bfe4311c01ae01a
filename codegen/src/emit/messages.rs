//! Messages that are the frame of JSON-RPC and nothing else: a name for the generic type of the module `message`, which
//! the compiler checks once. A message that differs in anything stays a struct of its own.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::{check, is_object, rust_type};
use super::ident;
use crate::model::{Conversion, Expr, Field, Home, Model, Rest, Struct, Type, TypeId, TypeKind};

/// What a message is another name for, and what its documentation says of its content: the generic type says the rest.
pub(super) struct Message {
    pub(super) target: TokenStream,
    pub(super) content: Option<String>,
}

/// The message that a type is; none for what stays a type of its own.
pub(super) fn message(model: &Model, id: TypeId, ty: &Type) -> Option<Message> {
    let TypeKind::Struct(object) = &ty.kind else {
        return None;
    };
    let target = target(model, id, ty, object)?;
    let content = object.fields.last().filter(|field| !field.doc.is_empty());
    Some(Message {
        target: quote!(crate::message::#target),
        content: content.map(|field| format!("`{}`: {}", field.json, field.doc)),
    })
}

fn target(model: &Model, id: TypeId, ty: &Type, object: &Struct) -> Option<TokenStream> {
    let plain = object.flat.is_none() && object.rest == Rest::Open && object.includes.is_empty();
    let converted = |other: &Conversion| other.from == id || other.to == id;
    if !plain || model.conversions.iter().any(converted) {
        return None;
    }
    let holds_object = |field: &Field| holds_object(model, id, field);
    let framed = |number: &Field, content: &Field| has_id(model, number) && holds_object(content);
    let text = |json: &str| {
        let constant = object.consts.iter().find(|it| it.json == json);
        constant.and_then(|it| it.value.as_str())
    };
    if text("jsonrpc") != Some("2.0") {
        return None;
    }
    match (
        object.consts.len(),
        text("method"),
        object.fields.as_slice(),
    ) {
        (2, Some(_), [number, params]) if params.json == "params" && framed(number, params) => {
            let marker = marker(model, id, ty)?;
            let (number, params) = (content_type(model, number), content_type(model, params));
            Some(quote!(Request<#marker, #number, #params>))
        }
        (2, Some(_), [params]) if params.json == "params" && holds_object(params) => {
            let marker = marker(model, id, ty)?;
            let params = content_type(model, params);
            Some(quote!(Notification<#marker, #params>))
        }
        (1, None, [number, result])
            if result.json == "result"
                && result.required
                && framed(number, result)
                && is_only(model, id, object) =>
        {
            let (number, result) = (content_type(model, number), content_type(model, result));
            Some(quote!(Response<#number, #result>))
        }
        _ => None,
    }
}

/// The marker of the message's method. A message that several modules share has several.
fn marker(model: &Model, id: TypeId, ty: &Type) -> Option<TokenStream> {
    let Home::Module(index) = ty.home else {
        return None;
    };
    let mut methods = model.modules[index].methods.iter();
    let method = methods.find(|method| method.message == id)?;
    let marker = ident(&method.marker);
    Some(quote!(super::methods::#marker))
}

/// Whether the member is an id, as every request has it.
fn has_id(model: &Model, field: &Field) -> bool {
    let is_union = match &field.ty {
        Expr::Named(id) => matches!(model.get(*id).kind, TypeKind::Union(_)),
        _ => false,
    };
    field.json == "id" && field.name == "id" && field.required && is_union
}

/// Whether the member is an object without bounds to be checked, and not in a box.
fn holds_object(model: &Model, owner: TypeId, field: &Field) -> bool {
    let ty = |owner| rust_type(model, &field.ty, owner).to_string();
    field.json == field.name
        && is_object(model, &field.ty)
        && check(&field.ty, &quote!(value)).is_none()
        && ty(None) == ty(Some(owner))
}

fn content_type(model: &Model, field: &Field) -> TokenStream {
    let ty = rust_type(model, &field.ty, None);
    if field.required {
        ty
    } else {
        quote!(Option<#ty>)
    }
}

/// Whether no other response holds the same: two names of one type could not be told apart.
fn is_only(model: &Model, id: TypeId, object: &Struct) -> bool {
    let same = |ty: &Type| match &ty.kind {
        TypeKind::Struct(other) => {
            other.consts == object.consts
                && other.fields.len() == object.fields.len()
                && other
                    .fields
                    .iter()
                    .zip(&object.fields)
                    .all(|(left, right)| left.json == right.json && left.ty == right.ty)
        }
        _ => false,
    };
    let mut others = model.types.iter().enumerate();
    others.all(|(index, ty)| index == id.0 || !same(ty))
}
