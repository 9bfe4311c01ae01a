//! The tools of an `impl` block: the block as written, and its toolbox.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{
    Attribute, FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, Meta, ReceiverKind, Signature, Token,
    parse::Parser as _, parse_quote, punctuated::Punctuated, spanned::Spanned as _,
};

use super::{
    build::{build, local},
    krate::Crate,
};
use crate::{
    ast::{self, ToolFunction},
    attr::{self, ToolSettings},
    check,
    ctxt::Ctxt,
};

/// `#[task_tools]` on an `impl` block.
pub(crate) fn methods(list: TokenStream, item: TokenStream) -> TokenStream {
    let mut block: ItemImpl = match syn::parse2(item.clone()) {
        Ok(block) => block,
        Err(error) => {
            let message = format!("`#[task_tools]` goes on an `impl` block: {error}");
            let error = syn::Error::new(error.span(), message).to_compile_error();
            return quote!(#error #item);
        }
    };
    let cx = Ctxt::new();
    let krate = Crate::of_block(&cx, list);
    check::block(&cx, &block);
    let tools: Vec<_> = block
        .items
        .iter_mut()
        .filter_map(|item| match item {
            ImplItem::Fn(method) => Some(method),
            _ => None,
        })
        .filter_map(|method| read_method(&cx, method))
        .collect();
    if tools.is_empty() && cx.is_clean() {
        cx.error(
            &block.self_ty,
            "no method of this block is a tool: put `#[task_tool]` on those that are",
        );
    }
    match cx.check() {
        Ok(()) => {
            let toolbox = toolbox(&krate, &block, &tools);
            quote!(#block #toolbox)
        }
        Err(errors) => quote!(#errors #block),
    }
}

/// A method that is a tool.
struct Method {
    tool: ToolFunction,
    sig: Signature,
    /// The builds that have it.
    cfgs: Vec<Attribute>,
}

/// Understands a method that is a tool, and takes our attributes off it.
fn read_method(cx: &Ctxt, method: &mut ImplItemFn) -> Option<Method> {
    let index = method
        .attrs
        .iter()
        .position(|attr| attr::is(attr, "task_tool"))?;
    let attribute = method.attrs.remove(index);
    let list = match attribute.meta {
        syn::Meta::Path(_) => TokenStream::new(),
        syn::Meta::List(list) => list.tokens,
        syn::Meta::NameValue(pair) => {
            cx.error(
                pair,
                "write `#[task_tool(name = \"..\")]`, with parentheses",
            );
            return None;
        }
    };
    let settings = ToolSettings::read(cx, list);
    if let Some(name) = settings.krate.name() {
        cx.error(
            name,
            "say `crate` once, for the whole block: `#[task_tools(crate = \"..\")]`",
        );
    }
    check::method(cx, &method.sig, &method.attrs);
    let tool = ToolFunction::read(cx, settings, &method.attrs, &mut method.sig);
    method
        .attrs
        .push(parse_quote!(#[allow(clippy::too_many_arguments, clippy::unused_async)]));
    Some(Method {
        tool,
        sig: method.sig.clone(),
        cfgs: method.attrs.iter().filter_map(cfg_of).collect(),
    })
}

/// The part of an attribute that says which builds have the item.
fn cfg_of(attribute: &Attribute) -> Option<Attribute> {
    if attribute.path().is_ident("cfg") {
        return Some(attribute.clone());
    }
    if !attribute.path().is_ident("cfg_attr") {
        return None;
    }
    let list = attribute.meta.require_list().ok()?;
    let parts = Punctuated::<Meta, Token![,]>::parse_terminated
        .parse2(list.tokens.clone())
        .ok()?;
    let mut parts = parts.iter();
    let predicate = parts.next()?;
    let cfgs: Vec<_> = parts.filter(|part| part.path().is_ident("cfg")).collect();
    (!cfgs.is_empty()).then(|| parse_quote!(#[cfg_attr(#predicate, #(#cfgs),*)]))
}

fn toolbox(krate: &Crate, block: &ItemImpl, methods: &[Method]) -> TokenStream {
    let (generics, _, clause) = block.generics.split_for_impl();
    let ty = &block.self_ty;
    let this = &local("this");
    let builds = methods.iter().map(|Method { tool, sig, cfgs }| {
        let name = &sig.ident;
        match sig.inputs.first() {
            Some(FnArg::Receiver(receiver)) => {
                let receiver = match &receiver.kind {
                    ReceiverKind::Typed(_, ty) if ast::parameter_of(ty, "Arc").is_some() => quote!(#this),
                    ReceiverKind::Typed(_, ty) if ast::is_borrowed_arc(ty) => quote!(&#this),
                    _ => quote!(&*#this),
                };
                let capture = quote!(let #this = #krate::share(&#this););
                let start = |values: &[TokenStream]| {
                    quote_spanned! {name.span()=> {
                        let #this = #krate::share(&#this);
                        async move { Self::#name(#receiver #(, #values)*).await }
                    }}
                };
                let build = build(krate, tool, &capture, start);
                quote!(#(#cfgs)* { #build })
            }
            _ => {
                let start = |values: &[TokenStream]| quote_spanned!(name.span()=> Self::#name(#(#values),*));
                let build = build(krate, tool, &TokenStream::new(), start);
                quote!(#(#cfgs)* { #build })
            }
        }
    });
    // Of a second block of the same type the compiler says that it defines this name again.
    let span = Span::mixed_site().located_at(ty.span());
    let only_one = Ident::new("ALL_TOOLS_OF_A_TYPE_STAND_IN_ONE_BLOCK", ty.span());
    let only_one =
        quote_spanned!(span=> #[doc(hidden)] #[allow(dead_code)] const #only_one: () = (););
    let header = quote_spanned!(span=> impl #generics #krate::Toolbox for #ty #clause);
    quote! {
        impl #generics #ty #clause {
            #only_one
        }

        #[automatically_derived]
        #header {
            fn tools(#this: #krate::Arc<Self>) -> #krate::Vec<#krate::Tool> {
                let _ = &#this;
                <[_]>::into_vec(#krate::Box::new([#(#builds),*]))
            }
        }
    }
}
