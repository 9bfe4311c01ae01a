//! What in a type keeps it from being one that a tool can own and clients can be told of.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::visit::{self, Visit};

/// References and traits inside a type.
#[derive(Default)]
pub(super) struct Borrows {
    pub(super) references: Vec<TokenStream>,
    pub(super) impl_trait: Option<TokenStream>,
    pub(super) inferred: Option<TokenStream>,
}

impl<'ast> Visit<'ast> for Borrows {
    fn visit_type_reference(&mut self, ty: &'ast syn::TypeReference) {
        if ty
            .lifetime
            .as_ref()
            .is_none_or(|lifetime| lifetime.ident != "static")
        {
            self.references.push(ty.to_token_stream());
        } else {
            visit::visit_type_reference(self, ty);
        }
    }

    fn visit_generic_argument(&mut self, argument: &'ast syn::GenericArgument) {
        if let syn::GenericArgument::Lifetime(lifetime) = argument
            && lifetime.ident != "static"
        {
            self.references.push(lifetime.to_token_stream());
        }
        visit::visit_generic_argument(self, argument);
    }

    fn visit_type_impl_trait(&mut self, ty: &'ast syn::TypeImplTrait) {
        self.impl_trait.get_or_insert_with(|| ty.to_token_stream());
    }

    fn visit_type_infer(&mut self, ty: &'ast syn::TypeInfer) {
        self.inferred.get_or_insert_with(|| ty.to_token_stream());
    }
}
