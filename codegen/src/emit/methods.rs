//! The method registry: a marker type for each request and notification.

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::scoped_type;
use super::{doc, files, ident, name_of};
use crate::model::{Method, MethodKind, Model, Module, Sender};

/// Content of a module's `methods.rs`.
pub(super) fn items(model: &Model, module: &Module) -> TokenStream {
    let markers = module
        .methods
        .iter()
        .map(|method| marker(model, module, method));
    let rows = module.methods.iter().map(|method| {
        let marker = ident(&method.marker);
        quote!(MethodInfo::of::<#marker>())
    });
    quote! {
        #(#markers)*

        /// Every method and notification of this module, in alphabetical order.
        pub const ALL: &[MethodInfo] = &[#(#rows),*];
    }
}

fn marker(model: &Model, module: &Module, method: &Method) -> TokenStream {
    let (marker, name) = (ident(&method.marker), &method.name);
    let message = name_of(model, method.message);
    // A marker can have the name of a type.
    let rust_type = |expr| scoped_type(model, expr, None, &quote!(super::));
    let params = match &method.params {
        None => quote!(()),
        Some(expr) => {
            let ty = rust_type(expr);
            if method.params_required {
                ty
            } else {
                quote!(Option<#ty>)
            }
        }
    };
    let result = method.result.as_ref().map_or_else(|| quote!(()), rust_type);
    let kind = match method.kind {
        MethodKind::Request => quote!(Request),
        MethodKind::Notification => quote!(Notification),
    };
    let sender = match method.sender {
        Sender::Client => quote!(Client),
        Sender::Server => quote!(Server),
        Sender::Both => quote!(Both),
    };
    let text = if method.doc.is_empty() {
        format!("`{name}`.")
    } else {
        method.doc.clone()
    };
    let docs = doc(&files::with_page(
        &text,
        method.spec.as_deref(),
        std::slice::from_ref(module),
    ));
    quote! {
        #docs
        #[derive(Clone, Copy, Debug)]
        pub struct #marker;

        impl Method for #marker {
            const NAME: &'static str = #name;
            const KIND: MethodKind = MethodKind::#kind;
            const SENDER: Sender = Sender::#sender;
            type Message = super::#message;
            type Params = #params;
            type Result = #result;
        }
    }
}
