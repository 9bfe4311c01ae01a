//! The call on the runtime's builder that makes a tool: its settings, and a part for each parameter.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Ident, Type, spanned::Spanned as _};

use super::krate::Crate;
use crate::{
    ast::{self, Kind, Param, ToolFunction},
    attr::{self, DefaultValue, Icon},
    settings::{self, DurationValue, Setting},
};

/// Statements and an expression that build a tool. `start` writes the call, given the parameters' values.
pub(super) fn build(
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

/// A variable that no code of the user can see, and that no constant of the user can stand for.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(&format!("__mcp_tasks_{name}"), Span::mixed_site())
}
