//! What is written: a function of the same name that is also a tool, or the tools of an `impl` block.
//!
//! Code is written only when nothing is wrong. It names nothing but `::mcp_tasks::__private`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{
    Attribute, FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, Meta, Path, ReceiverKind, Signature,
    Token, Type, parse::Parser as _, parse_quote, punctuated::Punctuated, spanned::Spanned as _,
};

use crate::{
    ast::{self, Function, Kind, Param, ToolFunction},
    attr::{self, DefaultValue, Icon, ToolSettings},
    check,
    ctxt::Ctxt,
    settings::{self, DurationValue, Setting},
};

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

/// A variable that no code of the user can see, and that no constant of the user can stand for.
fn local(name: &str) -> Ident {
    Ident::new(&format!("__mcp_tasks_{name}"), Span::mixed_site())
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

/// Statements and an expression that build a tool. `start` writes the call, given the parameters' values.
fn build(
    krate: &Crate,
    tool: &ToolFunction,
    capture: &TokenStream,
    start: impl Fn(&[TokenStream]) -> TokenStream,
) -> TokenStream {
    let parts: Vec<Part> = tool
        .params
        .iter()
        .enumerate()
        .map(|(index, param)| part(krate, index, param))
        .collect();
    let definitions = parts.iter().filter_map(|part| part.definition.as_ref());
    let uses = parts.iter().filter_map(|part| {
        let Part {
            method, variable, ..
        } = part;
        part.definition
            .as_ref()
            .map(|_| quote!(.#method(&#variable)))
    });
    let settings = tool_settings(krate, tool);
    let name = &tool.name;
    let result = &tool.output;
    let span = ast::span_of(result);
    let output = &local("output");
    let make_output = quote_spanned!(span=> let #output = #krate::output::<#result>(););
    let values: Vec<TokenStream> = parts.iter().map(|part| part.value.clone()).collect();
    let call = start(&values);
    let run = quote_spanned!(tool.ident.span()=> #output.of(#call));
    let location =
        quote_spanned!(tool.ident.span()=> ::core::concat!(::core::file!(), ":", ::core::line!()));
    let read: Vec<_> = parts
        .iter()
        .filter(|part| part.definition.is_some())
        .collect();
    let reader = &local("reader");
    let (take, reading) = if read.is_empty() {
        (quote!(_), TokenStream::new())
    } else {
        let reads = read.iter().map(
            |Part {
                 method, variable, ..
             }| quote!(#reader.#method(&#variable)),
        );
        let found = read
            .iter()
            .map(|Part { value, .. }| quote!(#krate::Option::Some(#value)));
        let reading = quote! {
            let (#(#found,)*) = (#(#reads,)*) else {
                return #krate::Result::Err(#reader.refuse());
            };
        };
        (quote!(mut #reader), reading)
    };
    quote! {
        #(#definitions)*
        #make_output
        #capture
        #krate::ToolBuilder::new(#name, #location)
            #settings
            #(#uses)*
            .output(&#output)
            .build(move |#take| {
                #reading
                #krate::Result::Ok(#run)
            })
    }
}

/// The code of one parameter.
struct Part {
    /// The variable that holds its description, and the statement that makes it.
    variable: Ident,
    definition: Option<TokenStream>,
    /// Its method on builder and reader.
    method: Ident,
    /// The expression of its value.
    value: TokenStream,
}

fn part(krate: &Crate, index: usize, param: &Param) -> Part {
    let ty = &param.ty;
    let span = ast::span_of(ty);
    let variable = local(&format!("parameter_{index}"));
    let value = local(&format!("value_{index}")).to_token_stream();
    let of = |kind: &str, ty: &Type, arguments: TokenStream| {
        let kind = Ident::new(kind, span);
        quote_spanned!(span=> #krate::#kind::<#ty>(#arguments))
    };
    let (method, value, definition) = match &param.kind {
        Kind::Argument {
            name,
            doc,
            default,
            schema,
        } => {
            let new = of("argument", ty, quote!(#name));
            let doc = doc.as_ref().map(|doc| quote!(.description(#doc)));
            let schema = schema.as_ref().map(|schema| quote!(.schema(#schema)));
            let default = default.as_ref().map(|default| {
                let value = default_value(krate, default);
                quote_spanned!(span=> .default(|| #value))
            });
            (
                "argument",
                value,
                Some(quote!(let #variable = #new #doc #schema #default;)),
            )
        }
        Kind::Skipped { default } => ("argument", default_value(krate, default), None),
        Kind::Question { name, message } => {
            let new = of("question", ty, quote!(#name, #message));
            ("question", value, Some(quote!(let #variable = #new;)))
        }
        Kind::Arguments { inner } => {
            let new = of("arguments", inner, TokenStream::new());
            ("arguments", value, Some(quote!(let #variable = #new;)))
        }
        Kind::Extract => {
            let new = of("extract", ty, TokenStream::new());
            ("extract", value, Some(quote!(let #variable = #new;)))
        }
    };
    Part {
        variable,
        definition,
        method: format_ident!("{method}"),
        value,
    }
}

fn default_value(krate: &Crate, default: &DefaultValue) -> TokenStream {
    match default {
        DefaultValue::OfType(span) => {
            let krate = krate.located_at(*span);
            quote_spanned!(*span=> #krate::default_of_type())
        }
        DefaultValue::Expr(expr) => match settings::string_literal(expr) {
            Some(text) => {
                let krate = krate.located_at(text.span());
                quote_spanned!(text.span()=> #krate::from_text(#text))
            }
            None => expr.to_token_stream(),
        },
    }
}

/// Calls on the builder for the attribute's settings.
fn tool_settings(krate: &Crate, tool: &ToolFunction) -> TokenStream {
    let settings = &tool.settings;
    let mut code = TokenStream::new();
    if let Some(doc) = &tool.doc {
        code.extend(quote!(.description(#doc)));
    }
    if let Some(title) = settings.title.get() {
        code.extend(quote!(.title(#title)));
    }
    if let Some(task) = settings.task.get() {
        let variant = variant(task.0);
        code.extend(quote!(.task(#krate::TaskSupport::#variant)));
    }
    let durations: [(&str, &Setting<DurationValue>); 4] = [
        ("ttl", &settings.ttl),
        ("poll_interval", &settings.poll_interval),
        ("inline_for", &settings.inline_for),
        ("timeout", &settings.timeout),
    ];
    for (name, duration) in durations {
        if let Some(value) = duration.get() {
            let method = format_ident!("{name}");
            let value = duration_value(krate, value);
            code.extend(quote!(.#method(#value)));
        }
    }
    if let Some(cancel) = settings.cancel.get() {
        let variant = format_ident!("{cancel}");
        code.extend(quote!(.cancel(#krate::CancelMode::#variant)));
    }
    if let Some(on_restart) = settings.on_restart.get() {
        let variant = format_ident!("{on_restart}");
        code.extend(quote!(.on_restart(#krate::OnRestart::#variant)));
    }
    if let Some(concurrency) = settings.concurrency.get() {
        code.extend(quote!(.concurrency(#concurrency)));
    }
    let hints = settings
        .annotations
        .get()
        .into_iter()
        .flat_map(attr::Annotations::hints);
    let hints: Vec<_> = hints
        .filter_map(|(field, setting)| {
            let (field, value) = (format_ident!("{field}"), setting.get()?);
            Some(quote!(all.#field = #krate::Option::Some(#value);))
        })
        .collect();
    if !hints.is_empty() {
        code.extend(quote!(.annotations(|all| { #(#hints)* })));
    }
    for icon in settings.icons.get().into_iter().flatten() {
        code.extend(icon_call(krate, icon));
    }
    if let Some(meta) = settings.meta.get() {
        code.extend(quote!(.meta(#meta)));
    }
    code
}

/// The variant of a value that the schema writes in lower case.
fn variant(value: &str) -> Ident {
    let mut letters = value.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    format_ident!("{}", first.into_iter().chain(letters).collect::<String>())
}

fn duration_value(krate: &Crate, value: &DurationValue) -> TokenStream {
    match value {
        DurationValue::Expr(expr) => {
            let span = expr.span();
            let krate = krate.located_at(span);
            quote_spanned!(span=> #krate::duration(#expr))
        }
        DurationValue::Known(duration, _) => {
            let milliseconds = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
            quote!(#krate::Duration::from_millis(#milliseconds))
        }
    }
}

fn icon_call(krate: &Crate, icon: &Icon) -> TokenStream {
    let src = &icon.src;
    let mime_type = match icon.mime_type.get() {
        Some(mime_type) => quote!(#krate::Option::Some(#mime_type)),
        None => quote!(#krate::Option::None),
    };
    let sizes = icon.sizes.get().map(syn::LitStr::value).unwrap_or_default();
    let sizes = sizes.split_whitespace();
    quote!(.icon(#src, #mime_type, &[#(#sizes),*]))
}

/// Where the runtime's private module is found.
pub(crate) struct Crate(TokenStream);

impl Crate {
    fn of(settings: &ToolSettings) -> Self {
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
    fn of_block(cx: &Ctxt, list: TokenStream) -> Self {
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
