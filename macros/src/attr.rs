//! What was asked for: one field for each setting of an attribute.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Attribute, Expr, ExprLit, Ident, Lit, LitStr, Meta, Path, Token,
    parse::{ParseStream, Parser as _},
    token,
};

use crate::{
    check,
    ctxt::Ctxt,
    settings::{self, DurationValue, Entry, Setting, Value},
    spec,
};

/// `#[task_tool(..)]`
#[derive(Default)]
pub(crate) struct ToolSettings {
    pub(crate) name: Setting<LitStr>,
    pub(crate) title: Setting<Expr>,
    pub(crate) task: Setting<Support>,
    pub(crate) ttl: Setting<DurationValue>,
    pub(crate) poll_interval: Setting<DurationValue>,
    pub(crate) inline_for: Setting<DurationValue>,
    pub(crate) timeout: Setting<DurationValue>,
    pub(crate) cancel: Setting<&'static str>,
    pub(crate) on_restart: Setting<&'static str>,
    pub(crate) concurrency: Setting<Expr>,
    pub(crate) annotations: Setting<Annotations>,
    pub(crate) icons: Setting<Vec<Icon>>,
    pub(crate) meta: Setting<Expr>,
    pub(crate) krate: Setting<Path>,
}

/// A value of `task`, as the schema spells it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Support(pub(crate) &'static str);

/// `annotations(..)`
#[derive(Default)]
pub(crate) struct Annotations {
    pub(crate) read_only: Setting<bool>,
    pub(crate) destructive: Setting<bool>,
    pub(crate) idempotent: Setting<bool>,
    pub(crate) open_world: Setting<bool>,
}

/// One of `icons(..)`.
pub(crate) struct Icon {
    pub(crate) src: LitStr,
    pub(crate) mime_type: Setting<LitStr>,
    pub(crate) sizes: Setting<LitStr>,
}

const TOOL: &[&str] = &[
    "annotations",
    "cancel",
    "concurrency",
    "crate",
    "icons",
    "inline_for",
    "meta",
    "name",
    "on_restart",
    "poll_interval",
    "task",
    "timeout",
    "title",
    "ttl",
];

impl ToolSettings {
    pub(crate) fn read(cx: &Ctxt, list: TokenStream) -> Self {
        let mut all = Self::default();
        for entry in settings::read(cx, list, "ttl = \"1h\"") {
            all.take(cx, &entry);
        }
        all
    }

    fn take(&mut self, cx: &Ctxt, entry: &Entry) {
        let name = &entry.name;
        match name.to_string().as_str() {
            "name" => self.name.set(cx, name, entry.string(cx, "\"my-tool\"")),
            "title" => self
                .title
                .set(cx, name, entry.expr(cx, "\"My tool\"").cloned()),
            "task" => {
                let choices: Vec<_> = spec::TASK_SUPPORT
                    .iter()
                    .map(|name| (*name, Support(name)))
                    .collect();
                self.task.set(cx, name, entry.choice(cx, &choices));
            }
            "ttl" => self.ttl.set(cx, name, entry.duration(cx, "\"1h\"")),
            "poll_interval" => self
                .poll_interval
                .set(cx, name, entry.duration(cx, "\"2s\"")),
            "inline_for" => self
                .inline_for
                .set(cx, name, entry.duration(cx, "\"500ms\"")),
            "timeout" => self.timeout.set(cx, name, entry.duration(cx, "\"30m\"")),
            "cancel" => {
                let value = entry.choice(cx, &[("abort", "Abort"), ("cooperative", "Cooperative")]);
                self.cancel.set(cx, name, value);
            }
            "on_restart" => {
                let value = entry.choice(cx, &[("fail", "Fail"), ("rerun", "Rerun")]);
                self.on_restart.set(cx, name, value);
            }
            "concurrency" => self.concurrency.set(cx, name, entry.expr(cx, "4").cloned()),
            "annotations" => self.annotations.set(cx, name, Annotations::read(cx, entry)),
            "icons" => self.icons.set(cx, name, icons(cx, entry)),
            "meta" => self
                .meta
                .set(cx, name, entry.expr(cx, "json!({ .. })").cloned()),
            "crate" => self.krate.set(cx, name, path(cx, entry)),
            "description" => {
                cx.error(name, "the description is the function's documentation: write it as `/// ...` above the function");
            }
            "read_only" | "destructive" | "idempotent" | "open_world" => {
                let hint = match &entry.value {
                    Value::List(..) => name.to_token_stream(),
                    _ => entry.to_token_stream(),
                };
                cx.error(entry, format!("write `annotations({hint})`"));
            }
            _ => settings::unknown(cx, name, "`#[task_tool]`", TOOL),
        }
    }
}

impl Annotations {
    fn read(cx: &Ctxt, entry: &Entry) -> Option<Self> {
        let Value::List(_, list) = &entry.value else {
            cx.error(entry, "write `annotations(read_only, idempotent)`");
            return None;
        };
        let mut all = Self::default();
        for entry in settings::read(cx, list.clone(), "read_only") {
            let name = &entry.name;
            let field = match name.to_string().as_str() {
                "read_only" => &mut all.read_only,
                "destructive" => &mut all.destructive,
                "idempotent" => &mut all.idempotent,
                "open_world" => &mut all.open_world,
                _ => {
                    let known = ["destructive", "idempotent", "open_world", "read_only"];
                    settings::unknown(cx, name, "`annotations`", &known);
                    continue;
                }
            };
            field.set(cx, name, entry.flag(cx));
        }
        Some(all)
    }

    /// The field of `ToolAnnotations` for each hint, and its setting.
    pub(crate) fn hints(&self) -> [(&'static str, &Setting<bool>); 4] {
        [
            ("read_only_hint", &self.read_only),
            ("destructive_hint", &self.destructive),
            ("idempotent_hint", &self.idempotent),
            ("open_world_hint", &self.open_world),
        ]
    }
}

/// `icons("a.png", (src = "b.svg", mime_type = "image/svg+xml", sizes = "any"))`
fn icons(cx: &Ctxt, entry: &Entry) -> Option<Vec<Icon>> {
    let how = "write `icons(\"https://example.com/icon.png\")`, or \
               `icons((src = \"..\", mime_type = \"image/png\", sizes = \"48x48\"))`";
    let Value::List(_, list) = &entry.value else {
        cx.error(entry, how);
        return None;
    };
    let parse = |input: ParseStream<'_>| {
        let mut icons = Vec::new();
        while !input.is_empty() {
            if input.peek(token::Paren) {
                let content;
                let paren = syn::parenthesized!(content in input);
                icons.extend(icon(cx, content.parse()?, paren));
            } else if input.peek(LitStr) {
                icons.push(Icon {
                    src: input.parse()?,
                    mime_type: Setting::default(),
                    sizes: Setting::default(),
                });
            } else {
                return Err(input.error(how));
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(icons)
    };
    parse
        .parse2(list.clone())
        .map_err(|error| cx.add(error))
        .ok()
}

fn icon(cx: &Ctxt, list: TokenStream, paren: token::Paren) -> Option<Icon> {
    let mut src = Setting::default();
    let mut mime_type = Setting::default();
    let mut sizes = Setting::default();
    for entry in settings::read(cx, list, "src = \"..\"") {
        let name = &entry.name;
        match name.to_string().as_str() {
            "src" => src.set(
                cx,
                name,
                entry.string(cx, "\"https://example.com/icon.png\""),
            ),
            "mime_type" => mime_type.set(cx, name, entry.string(cx, "\"image/png\"")),
            "sizes" => sizes.set(cx, name, entry.string(cx, "\"48x48 96x96\"")),
            _ => settings::unknown(cx, name, "an icon", &["mime_type", "sizes", "src"]),
        }
    }
    let Some(src) = src.get().cloned() else {
        cx.add(syn::Error::new(
            paren.span.join(),
            "an icon needs its address: `src = \"https://example.com/icon.png\"`",
        ));
        return None;
    };
    Some(Icon {
        src,
        mime_type,
        sizes,
    })
}

/// `crate = path` or `crate = "path"`
pub(crate) fn path(cx: &Ctxt, entry: &Entry) -> Option<Path> {
    let expr = entry.expr(cx, "\"path::to::mcp_tasks\"")?;
    let parsed = match settings::string_literal(expr) {
        Some(text) => text.parse_with(Path::parse_mod_style),
        None => Path::parse_mod_style.parse2(expr.to_token_stream()),
    };
    match parsed {
        Ok(path) => Some(path),
        Err(_) => {
            cx.error(
                expr,
                "write the path of the crate: `crate = \"path::to::mcp_tasks\"`",
            );
            None
        }
    }
}

/// `#[arg(..)]`
#[derive(Default)]
pub(crate) struct ArgSettings {
    pub(crate) default: Setting<DefaultValue>,
    pub(crate) rename: Setting<LitStr>,
    pub(crate) skip: Setting<()>,
    pub(crate) schema: Setting<Expr>,
}

/// What an argument is when it is left out.
#[derive(Clone)]
pub(crate) enum DefaultValue {
    /// That of its type, asked for at this place.
    OfType(Span),
    Expr(Box<Expr>),
}

impl ArgSettings {
    pub(crate) fn read(cx: &Ctxt, attribute: &Attribute) -> Self {
        let mut all = Self::default();
        let list = match &attribute.meta {
            Meta::Path(_) => return all,
            Meta::List(list) => list.tokens.clone(),
            Meta::NameValue(_) => {
                cx.error(attribute, "write `#[arg(default = ..)]`, with parentheses");
                return all;
            }
        };
        for entry in settings::read(cx, list, "default = ..") {
            let name = &entry.name;
            match name.to_string().as_str() {
                "default" => all.default.set(cx, name, default(cx, &entry)),
                "rename" => all.rename.set(cx, name, entry.string(cx, "\"dataSet\"")),
                "skip" => all.skip.set(cx, name, entry.bare(cx)),
                "schema" => all
                    .schema
                    .set(cx, name, entry.expr(cx, "json!({ .. })").cloned()),
                "name" => cx.error(name, "write `rename = \"..\"`"),
                "description" | "desc" => {
                    cx.error(name, "the description is the parameter's documentation: write it as `/// ...` above it");
                }
                _ => settings::unknown(
                    cx,
                    name,
                    "`#[arg]`",
                    &["default", "rename", "schema", "skip"],
                ),
            }
        }
        check::arg_settings(cx, &all);
        all
    }
}

fn default(cx: &Ctxt, entry: &Entry) -> Option<DefaultValue> {
    match &entry.value {
        Value::Nothing => Some(DefaultValue::OfType(entry.name.span())),
        Value::Expr(expr) => Some(DefaultValue::Expr(expr.clone())),
        Value::List(_, list) => {
            cx.error(entry, format!("write `default = {list}`"));
            None
        }
    }
}

/// `#[ask("..")]`: the text, a literal or an expression.
pub(crate) fn ask(cx: &Ctxt, attribute: &Attribute) -> Option<Expr> {
    let how = "say what to ask: `#[ask(\"Who signs this report?\")]`";
    let Meta::List(list) = &attribute.meta else {
        cx.error(attribute, how);
        return None;
    };
    if list.tokens.is_empty() {
        cx.error(attribute, how);
        return None;
    }
    let parse = |input: ParseStream<'_>| {
        let text: Expr = input.parse()?;
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
        }
        if input.is_empty() {
            Ok(text)
        } else {
            Err(input.error("a question is one text, of one parameter: `#[ask(\"..\")]`"))
        }
    };
    match parse.parse2(list.tokens.clone()) {
        Ok(Expr::Lit(ExprLit { lit, .. })) if !matches!(lit, Lit::Str(_)) => {
            cx.error(lit, how);
            None
        }
        Ok(Expr::Assign(assign)) => {
            cx.error(assign, how);
            None
        }
        Ok(text) => Some(text),
        Err(error) => {
            cx.add(error);
            None
        }
    }
}

/// Whether the attribute is called `name`, with or without a path before it.
pub(crate) fn is(attribute: &Attribute, name: &str) -> bool {
    attribute
        .path()
        .segments
        .last()
        .is_some_and(|segment| segment.ident == name)
}

/// The text of the doc comments.
pub(crate) fn documentation(attributes: &[Attribute]) -> Option<Doc> {
    let parts: Vec<&Expr> = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("doc"))
        .filter_map(|attribute| match &attribute.meta {
            Meta::NameValue(pair) => Some(&pair.value),
            _ => None,
        })
        .collect();
    if parts.is_empty() {
        return None;
    }
    let literals: Option<Vec<String>> = parts
        .iter()
        .map(|part| settings::string_literal(part).map(|text| text.value()))
        .collect();
    match literals {
        Some(lines) => {
            let text = trim(&lines);
            (!text.is_empty()).then_some(Doc::Text(text))
        }
        // `#[doc = include_str!("..")]` and the like.
        None => Some(Doc::Code(quote!(::core::concat!(#(#parts, "\n"),*)))),
    }
}

/// A description.
pub(crate) enum Doc {
    Text(String),
    Code(TokenStream),
}

impl ToTokens for Doc {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Text(text) => text.to_tokens(tokens),
            Self::Code(code) => code.to_tokens(tokens),
        }
    }
}

/// Joins lines, without the space that all have in common and without empty lines around.
fn trim(lines: &[String]) -> String {
    let lines: Vec<&str> = lines.iter().flat_map(|line| line.split('\n')).collect();
    let indent = |line: &&str| line.len() - line.trim_start_matches(' ').len();
    let common = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(indent)
        .min()
        .unwrap_or(0);
    let kept: Vec<&str> = lines
        .iter()
        .map(|line| line.get(common..).unwrap_or("").trim_end())
        .collect();
    kept.join("\n").trim_matches('\n').to_owned()
}

/// Names of the attributes on parameters that are ours.
pub(crate) fn is_parameter_setting(attribute: &Attribute) -> bool {
    is(attribute, "arg") || is(attribute, "ask")
}

/// The name as clients see it: `r#type` is `type`.
pub(crate) fn plain(ident: &Ident) -> String {
    use syn::ext::IdentExt as _;
    ident.unraw().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_loses_its_indent_and_keeps_its_structure() {
        let lines = [" Reads:", "", "  * a", "  * b", ""].map(str::to_owned);
        assert_eq!(trim(&lines), "Reads:\n\n * a\n * b");
        assert_eq!(trim(&["\n     one\n       two\n".to_owned()]), "one\n  two");
    }
}
