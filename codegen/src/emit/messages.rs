//! Messages that are the frame of JSON-RPC and nothing else, and the errors in them: names for the generic types of the
//! module `message`, which the compiler checks once. What differs from them in anything stays a struct of its own.

use proc_macro2::{Literal, TokenStream};
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
    let converted = |other: &Conversion| other.from == id || other.to == id;
    let is_plain = object.flat.is_none()
        && object.rest == Rest::Open
        && object.includes.is_empty()
        && object.fields.iter().all(|field| field.name == field.json)
        && !model.conversions.iter().any(converted);
    let place = Place { model, id, ty };
    let (target, content) = place.target(object).filter(|_| is_plain)?;
    let said = !content.doc.is_empty();
    Some(Message {
        target: quote!(crate::message::#target),
        content: said.then(|| format!("`{}`: {}", content.json, content.doc)),
    })
}

/// A type that could be a message.
struct Place<'m> {
    model: &'m Model,
    id: TypeId,
    ty: &'m Type,
}

impl Place<'_> {
    /// The generic type, and the member that the message is about.
    fn target<'o>(&self, object: &'o Struct) -> Option<(TokenStream, &'o Field)> {
        let consts: Vec<&str> = object.consts.iter().map(|it| it.json.as_str()).collect();
        let names: Vec<&str> = object.fields.iter().map(|it| it.json.as_str()).collect();
        let value = |json: &str| {
            let constant = object.consts.iter().find(|it| it.json == json);
            constant.map(|it| &it.value)
        };
        if value("jsonrpc").is_some_and(|version| version != "2.0") {
            return None;
        }
        let fields = object.fields.as_slice();
        match (consts.as_slice(), names.as_slice(), fields) {
            (["jsonrpc", "method"], ["id", "params"], [id, params])
                if id.required && self.is_id(id) && self.holds_object(params) =>
            {
                let marker = self.marker()?;
                let (id, of) = (self.field_type(id), self.field_type(params));
                Some((quote!(Request<#marker, #id, #of>), params))
            }
            (["jsonrpc", "method"], ["params"], [params]) if self.holds_object(params) => {
                let (marker, of) = (self.marker()?, self.field_type(params));
                Some((quote!(Notification<#marker, #of>), params))
            }
            (["jsonrpc"], ["id", "result"], [id, result])
                if id.required
                    && self.is_id(id)
                    && result.required
                    && self.holds_object(result) =>
            {
                let (id, of) = (self.field_type(id), self.field_type(result));
                let target = quote!(Response<#id, #of>);
                self.is_only(object).then_some((target, result))
            }
            (["jsonrpc"], ["error", "id"], [error, id])
                if error.required && self.holds_object(error) && !id.required && self.is_id(id) =>
            {
                let (id, of) = (rust_type(self.model, &id.ty, None), self.field_type(error));
                let target = quote!(ErrorResponse<#id, #of>);
                self.is_only(object).then_some((target, error))
            }
            (["code"], ["data", "message"], [data, message])
                if is_text(message)
                    && (self.holds_object(data) || !data.required && data.ty == Expr::Any) =>
            {
                let code = Literal::i64_unsuffixed(value("code")?.as_i64()?);
                let of = self.field_type(data);
                let target = quote!(CodedError<#code, #of>);
                self.is_only(object).then_some((target, data))
            }
            _ => None,
        }
    }

    /// The marker of the message's method. A message that several modules share has several.
    fn marker(&self) -> Option<TokenStream> {
        let Home::Module(index) = self.ty.home else {
            return None;
        };
        let mut methods = self.model.modules[index].methods.iter();
        let method = methods.find(|method| method.message == self.id)?;
        let marker = ident(&method.marker);
        Some(quote!(super::methods::#marker))
    }

    /// Whether the member is an id as JSON-RPC has it: one of several kinds of value.
    fn is_id(&self, field: &Field) -> bool {
        match &field.ty {
            Expr::Named(id) => matches!(self.model.get(*id).kind, TypeKind::Union(_)),
            _ => false,
        }
    }

    /// Whether the member is an object without bounds to be checked, and not in a box.
    fn holds_object(&self, field: &Field) -> bool {
        let ty = |owner| rust_type(self.model, &field.ty, owner).to_string();
        is_object(self.model, &field.ty)
            && check(&field.ty, &quote!(value)).is_none()
            && ty(None) == ty(Some(self.id))
    }

    fn field_type(&self, field: &Field) -> TokenStream {
        let ty = rust_type(self.model, &field.ty, None);
        if field.required {
            ty
        } else {
            quote!(Option<#ty>)
        }
    }

    /// Whether no other type is the same: nothing could tell two names of one type apart.
    fn is_only(&self, object: &Struct) -> bool {
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
        let mut others = self.model.types.iter().enumerate();
        others.all(|(index, ty)| index == self.id.0 || !same(ty))
    }
}

fn is_text(field: &Field) -> bool {
    let text = Expr::String {
        length: (None, None),
    };
    field.required && field.ty == text
}
