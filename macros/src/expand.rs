//! What is written: a function of the same name that is also a tool, or the tools of an `impl` block.
//!
//! Code is written only when nothing is wrong. It names nothing but `::mcp_tasks::__private`.

mod build;
mod krate;
mod methods;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Attribute, FnArg, Ident, Path};

use crate::{
    ast::{self, Function, Param, ToolFunction},
    attr::{self, ToolSettings},
    check,
    ctxt::Ctxt,
};

use build::build;
pub(crate) use krate::Crate;
pub(crate) use methods::methods;

/// `#[task_tool]` on a function.
pub(crate) fn function(list: TokenStream, item: TokenStream) -> TokenStream {
    let mut function: Function = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            let error = error.to_compile_error();
            return quote!(#error #item);
        }
    };
    let cx = Ctxt::new();
    let settings = ToolSettings::read(&cx, list);
    check::free_function(&cx, &function);
    let tool = ToolFunction::read(&cx, settings, &function.attrs, &mut function.sig);
    match cx.check() {
        Ok(()) => {
            let build = body_of_tool(&Crate::of(&tool.settings), &tool);
            free(&tool, &function, &build)
        }
        Err(errors) => {
            let rest = stand_in(&tool, function);
            quote!(#errors #rest)
        }
    }
}

/// A function that is a tool by its type, so that the users of a function with mistakes are not wrong too.
fn stand_in(tool: &ToolFunction, mut function: Function) -> TokenStream {
    let outline_is_wrong = !check::can_stand(&function.sig);
    function
        .attrs
        .retain(|attr| !attr::is_parameter_setting(attr));
    for input in &mut function.sig.inputs {
        if let FnArg::Typed(input) = input {
            input.attrs.clear();
        }
    }
    if outline_is_wrong {
        let Function {
            attrs,
            vis,
            sig,
            body,
        } = &function;
        let method = matches!(sig.inputs.first(), Some(FnArg::Receiver(_)));
        let body = ast::body_or_empty(body.as_ref());
        return if method {
            quote!(#(#attrs)* #vis #sig #body)
        } else {
            TokenStream::new()
        };
    }
    let sig = &mut function.sig;
    sig.asyncness.get_or_insert_default();
    (sig.constness, sig.abi, sig.safety) = (None, None, syn::Safety::Default);
    free(tool, &function, &quote!(loop {}))
}

/// The function, and inside of it the function as written and the definition of the tool.
fn free(tool: &ToolFunction, function: &Function, build: &TokenStream) -> TokenStream {
    let krate = Crate::of(&tool.settings);
    let Function {
        attrs,
        vis,
        sig,
        body,
    } = function;
    let (outer, inner): (Vec<_>, Vec<_>) = attrs.iter().partition(|attr| belongs_outside(attr));
    let name = &sig.ident;
    let bindings: Vec<_> = tool
        .params
        .iter()
        .map(|param| passed_on(&param.binding))
        .collect();
    let arguments = tool
        .params
        .iter()
        .zip(&bindings)
        .map(|(Param { ty, .. }, binding)| quote!(#binding: #ty));
    let result = &tool.output;
    let body = ast::body_or_empty(body.as_ref());
    let inside = name_inside(tool);
    let mut written = sig.clone();
    written.ident = inside.clone();
    quote! {
        #[allow(clippy::too_many_arguments)]
        #(#outer)*
        #vis fn #name(#(#arguments),*)
            -> #krate::Invocation<impl #krate::ToolDefinition, impl #krate::Future<Output = #result>>
        {
            struct __McpTasksTool;

            #[automatically_derived]
            impl #krate::ToolDefinition for __McpTasksTool {
                fn tool() -> #krate::Tool {
                    #build
                }
            }

            #(#inner)*
            #[allow(clippy::too_many_arguments, clippy::unused_async)]
            #written #body

            #krate::Invocation::new(__McpTasksTool, #inside(#(#bindings),*))
        }
    }
}

/// The function's tool.
fn body_of_tool(krate: &Crate, tool: &ToolFunction) -> TokenStream {
    let name = name_inside(tool);
    let start = |values: &[TokenStream]| quote_spanned!(name.span()=> #name(#(#values),*));
    build(krate, tool, &TokenStream::new(), start)
}

/// What the function as written is called inside the one that stands in its place: the same, for the sake of what
/// shows names, unless a parameter has that name too.
fn name_inside(tool: &ToolFunction) -> Ident {
    if tool.params.iter().any(|param| param.binding == tool.ident) {
        format_ident!("__mcp_tasks_{}", tool.ident)
    } else {
        tool.ident.clone()
    }
}

/// A parameter of the outer function. Its use is ours, so that no lint takes it for one of the user.
fn passed_on(binding: &Ident) -> Ident {
    let mut ours = binding.clone();
    ours.set_span(Span::mixed_site().located_at(binding.span()));
    ours
}

/// Whether an attribute belongs to what the user sees, rather than to the code that runs.
fn belongs_outside(attribute: &Attribute) -> bool {
    const OUTSIDE: &[&str] = &[
        "allow",
        "cfg",
        "deny",
        "deprecated",
        "doc",
        "expect",
        "forbid",
        "must_use",
        "warn",
    ];
    let named = |path: &Path| OUTSIDE.iter().any(|name| path.is_ident(name));
    if !attribute.path().is_ident("cfg_attr") {
        return named(attribute.path());
    }
    let mut outside = false;
    let _ = attribute.parse_nested_meta(|meta| {
        outside |= named(&meta.path);
        Ok(())
    });
    outside
}
