//! The dispatch table of the methods on tasks: a trait with one function for each, and the request enum that calls them.
//! Whoever implements the trait is told by the compiler when the specification gets another method.

use heck::ToSnakeCase;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::expr::{named, rust_type};
use super::{doc, doc_or, files, ident};
use crate::model::{Expr, Method, MethodKind, Model, Module, Sender};

/// Prefix of the methods that the table is about.
const PREFIX: &str = "tasks/";

/// The methods on tasks that a client calls.
fn table(module: &Module) -> Vec<&Method> {
    let is_ours = |method: &&Method| {
        method.kind == MethodKind::Request
            && method.sender != Sender::Server
            && method.name.starts_with(PREFIX)
    };
    module.methods.iter().filter(is_ours).collect()
}

/// Content of a module's `handler.rs`; none for a module without tasks.
pub(super) fn text(model: &Model, module: &Module) -> Option<String> {
    let table = table(module);
    if table.is_empty() {
        return None;
    }
    let rows: Vec<Row> = table
        .iter()
        .map(|method| Row::new(model, module, method))
        .collect();
    let (variants, functions, names) = (
        column(&rows, |row| &row.variant),
        column(&rows, |row| &row.function),
        rows.iter().map(|row| row.name).collect::<Vec<_>>(),
    );
    let (params, results, docs) = (
        column(&rows, |row| &row.params),
        column(&rows, |row| &row.result),
        column(&rows, |row| &row.docs),
    );
    let mut used = std::collections::BTreeSet::new();
    for method in &table {
        for expr in method.params.iter().chain(&method.result) {
            named(expr, &mut used);
        }
    }
    let imports = used
        .iter()
        .map(|id| ident(&model.get(*id).name))
        .collect::<std::collections::BTreeSet<_>>();
    let imports = (!imports.is_empty()).then(|| quote!(use super::{#(#imports),*};));
    let items = quote! {
        #imports
        use crate::support::*;
        use std::future::Future;

        /// Answers requests on tasks: one function for each method that the schema has.
        pub trait TaskHandler: Sync {
            /// What comes with a request: who sent it, on which connection.
            type Context: Send;
            /// Why a request fails.
            type Error: Send;
            #(
                #docs
                fn #functions(&self, context: Self::Context, params: #params) -> impl Future<Output = Result<#results, Self::Error>> + Send;
            )*
        }

        /// A request on tasks, decoded.
        #[derive(Clone, Debug, PartialEq)]
        pub enum TaskRequest {
            #(#docs #variants(#params),)*
        }

        impl TaskRequest {
            /// Names of the methods.
            pub const METHODS: &'static [&'static str] = &[#(#names),*];

            /// Decodes `params` (null if the request has none) as those of `method`; none if the method is not about tasks.
            ///
            /// # Errors
            /// The inner result says which member does not fit.
            pub fn decode<'de, D: Deserializer<'de>>(method: &str, params: D) -> Option<Result<Self, D::Error>> {
                let decoded = match method {
                    #(#names => <#params>::decode(params).map(Self::#variants),)*
                    _ => return None,
                };
                Some(decoded.map_err(|error| at("params", error)))
            }

            /// The name of the method.
            #[must_use]
            pub const fn method(&self) -> &'static str {
                match self {
                    #(Self::#variants(_) => #names,)*
                }
            }

            /// Has `handler` answer the request.
            ///
            /// # Errors
            /// Those of the handler.
            pub async fn dispatch<H: TaskHandler>(self, handler: &H, context: H::Context) -> Result<TaskResponse, H::Error> {
                match self {
                    #(Self::#variants(params) => handler.#functions(context, params).await.map(TaskResponse::#variants),)*
                }
            }
        }

        /// What a request on tasks is answered with.
        #[derive(Clone, Debug, PartialEq)]
        pub enum TaskResponse {
            #(#docs #variants(#results),)*
        }

        impl Serialize for TaskResponse {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    #(Self::#variants(result) => result.serialize(serializer),)*
                }
            }
        }
    };
    Some(files::render(
        "The methods on tasks: what handles them, and how a request finds its handler.",
        &items,
    ))
}

struct Row<'a> {
    name: &'a str,
    variant: TokenStream,
    function: TokenStream,
    params: TokenStream,
    result: TokenStream,
    docs: TokenStream,
}

impl<'a> Row<'a> {
    fn new(model: &Model, module: &Module, method: &'a Method) -> Self {
        let short = method.name.strip_prefix(PREFIX).unwrap_or(&method.name);
        let marker = &method.marker;
        let variant = name(marker.strip_prefix("Tasks").unwrap_or(marker), marker);
        let function = name(&short.to_snake_case(), &marker.to_snake_case());
        let params = method.params.as_ref().unwrap_or(&Expr::Object);
        let ty = rust_type(model, params, None);
        let params = if method.params_required {
            ty
        } else {
            quote!(Option<#ty>)
        };
        let result = rust_type(model, method.result.as_ref().unwrap_or(&Expr::Object), None);
        let text = doc_or(&method.doc, || format!("`{}`.", method.name));
        let page = files::with_page("", method.spec.as_deref(), std::slice::from_ref(module));
        let page = doc(page.trim_start());
        let gap = (!page.is_empty()).then(|| quote!(#[doc = ""]));
        Self {
            name: &method.name,
            variant: quote!(#variant),
            function: quote!(#function),
            params,
            result,
            docs: quote!(#text #gap #page),
        }
    }
}

/// The short name, or the long one where the short cannot stand in Rust: of `tasks/2` only `2` is left.
fn name(short: &str, long: &str) -> Ident {
    let raw = || syn::parse_str(&format!("r#{short}"));
    syn::parse_str(short)
        .or_else(|_| raw())
        .unwrap_or_else(|_| ident(long))
}

fn column<'r>(
    rows: &'r [Row<'_>],
    pick: impl Fn(&'r Row<'_>) -> &'r TokenStream,
) -> Vec<&'r TokenStream> {
    rows.iter().map(pick).collect()
}
