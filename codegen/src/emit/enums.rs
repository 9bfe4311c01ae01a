//! Lists of strings.

use proc_macro2::TokenStream;
use quote::quote;

use super::objects::eq;
use super::{doc_or, ident};
use crate::model::{Enum, Type};

/// The enum and its string forms; the traits come from the support module's macro.
pub(super) fn item(ty: &Type, list: &Enum, docs: &TokenStream) -> TokenStream {
    let name = ident(&ty.name);
    let eq = eq(&name);
    let variants: Vec<_> = list.values.iter().map(|value| ident(&value.name)).collect();
    let texts: Vec<_> = list
        .values
        .iter()
        .map(|value| value.json.as_str())
        .collect();
    let docs_of = list
        .values
        .iter()
        .map(|value| doc_or(&value.doc, || format!("`{}`.", value.json)));
    quote! {
        #docs
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Ord, Hash)]
        pub enum #name {
            #(#docs_of #variants,)*
        }
        #eq

        impl #name {
            /// All values, in the schema's order.
            pub const ALL: &'static [Self] = &[#(Self::#variants),*];
            const NAMES: &'static [&'static str] = &[#(#texts),*];

            /// The value on the wire.
            #[must_use]
            #[inline]
            pub const fn as_str(self) -> &'static str {
                match self {
                    #(Self::#variants => #texts,)*
                }
            }
        }
    }
}
