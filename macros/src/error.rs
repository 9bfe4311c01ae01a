//! `#[derive(ToolError)]`: makes an error type one that tools may return.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{Attribute, Data, DeriveInput, Expr, Ident, Lit, Meta, Path, spanned::Spanned as _};

use crate::{
    attr,
    ctxt::Ctxt,
    expand::Crate,
    settings::{self, Entry, Setting},
};

/// `#[tool_error(..)]`
#[derive(Default)]
struct ErrorSettings {
    /// The code of a JSON-RPC error.
    code: Setting<Expr>,
    krate: Setting<Path>,
}

impl ErrorSettings {
    fn read(cx: &Ctxt, attributes: &[Attribute]) -> Self {
        let mut all = Self::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attr::is(attribute, "tool_error"))
        {
            let Meta::List(list) = &attribute.meta else {
                cx.error(attribute, "write `#[tool_error(code = -32000)]`");
                continue;
            };
            for entry in settings::read(cx, list.tokens.clone(), "code = -32000") {
                let name = &entry.name;
                match name.to_string().as_str() {
                    "code" => all.code.set(cx, name, code(cx, &entry)),
                    "crate" => all.krate.set(cx, name, attr::path(cx, &entry)),
                    _ => settings::unknown(cx, name, "`#[tool_error]`", &["code", "crate"]),
                }
            }
        }
        all
    }
}

/// An expression for the number of an error.
fn code(cx: &Ctxt, entry: &Entry) -> Option<Expr> {
    let expr = entry.expr(cx, "-32000")?;
    let other = match expr {
        Expr::Lit(literal) if !matches!(literal.lit, Lit::Int(_)) => Some(&literal.lit),
        _ => None,
    };
    if let Some(other) = other {
        cx.error(other, "`code` is a number: `code = -32000`");
        return None;
    }
    Some(expr.clone())
}

/// `Some` of a code.
fn known(krate: &Crate, code: &Expr) -> TokenStream {
    let span = code.span();
    let krate = krate.located_at(span);
    quote_spanned!(span=> #krate::code(#code))
}

/// `#[derive(ToolError)]`
pub(crate) fn derive(item: TokenStream) -> TokenStream {
    let input: DeriveInput = match syn::parse2(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let cx = Ctxt::new();
    let whole = ErrorSettings::read(&cx, &input.attrs);
    let ty = &input.ident;
    for lifetime in input.generics.lifetimes() {
        cx.error(
            lifetime,
            "an error outlives the call that it ends: let it own what it holds, and remove the lifetime",
        );
    }
    let mut arms = Vec::new();
    if let Data::Enum(data) = &input.data {
        for variant in &data.variants {
            let settings = ErrorSettings::read(&cx, &variant.attrs);
            if let Some(name) = settings.krate.name() {
                cx.error(name, "say `crate` once, on the whole type");
            }
            if let Some(code) = settings.code.get() {
                let name = &variant.ident;
                let code = known(&Crate::at(whole.krate.get()), code);
                arms.push(quote!(#ty::#name { .. } => #code,));
            }
        }
    }
    if let Err(errors) = cx.check() {
        return errors;
    }
    let error = Ident::new("__mcp_tasks_error", ty.span());
    let krate = Crate::at(whole.krate.get());
    let (generics, arguments, clause) = input.generics.split_for_impl();
    let mut code = match whole.code.get() {
        Some(code) => known(&krate, code),
        None => quote!(#krate::Option::None),
    };
    if !arms.is_empty() {
        code = quote! {
            match &#error {
                #(#arms)*
                _ => #code,
            }
        };
    }
    quote_spanned! {ty.span()=>
        #[automatically_derived]
        impl #generics #krate::From<#ty #arguments> for #krate::ToolError #clause {
            #[allow(unreachable_patterns)]
            fn from(#error: #ty #arguments) -> Self {
                let code = #code;
                #krate::tool_error(&#error, code)
            }
        }
    }
}
