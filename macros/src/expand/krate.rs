//! The path that all code of ours begins with.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Path;

use crate::{
    attr::{self, ToolSettings},
    ctxt::Ctxt,
    settings::{self, Setting},
};

/// Where the runtime's private module is found.
pub(crate) struct Crate(TokenStream);

impl Crate {
    pub(super) fn of(settings: &ToolSettings) -> Self {
        Self::at(settings.krate.get())
    }

    pub(crate) fn at(path: Option<&Path>) -> Self {
        match path {
            Some(path) => {
                let path = Self(path.to_token_stream()).resolved_at(Span::call_site());
                Self(quote!(#path::__private))
            }
            None => Self(quote!(::mcp_tasks::__private)),
        }
    }

    /// The same path in its place, but ours, so that no lint takes what is made of it for code of the user.
    fn resolved_at(&self, span: Span) -> Self {
        let resolve = |mut token: proc_macro2::TokenTree| {
            if token.to_string() != "$crate" {
                token.set_span(token.span().resolved_at(span));
            }
            token
        };
        Self(self.0.clone().into_iter().map(resolve).collect())
    }

    /// The same path, so that errors about what follows it are shown at `span`.
    pub(crate) fn located_at(&self, span: Span) -> Self {
        let relocate = |mut token: proc_macro2::TokenTree| {
            token.set_span(token.span().located_at(span));
            token
        };
        Self(self.0.clone().into_iter().map(relocate).collect())
    }

    /// `#[task_tools(crate = "..")]`
    pub(super) fn of_block(cx: &Ctxt, list: TokenStream) -> Self {
        let mut krate = Setting::default();
        for entry in settings::read(cx, list, "crate = \"..\"") {
            let name = &entry.name;
            if name == "crate" {
                krate.set(cx, name, attr::path(cx, &entry));
            } else {
                settings::unknown(cx, name, "`#[task_tools]`", &["crate"]);
            }
        }
        Self::at(krate.get())
    }
}

impl ToTokens for Crate {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.clone());
    }
}
