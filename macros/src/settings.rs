//! The lists inside attributes: `name`, `name = expression`, `name(..)`, with commas between.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    Error, Expr, ExprLit, Ident, Lit, LitBool, LitStr, Token,
    ext::IdentExt as _,
    parse::{ParseStream, Parser as _, discouraged::Speculative as _},
    token,
};

use crate::{ctxt::Ctxt, duration, suggest};

/// One entry of a list.
pub(crate) struct Entry {
    pub(crate) name: Ident,
    pub(crate) value: Value,
}

/// What stands behind an entry's name.
pub(crate) enum Value {
    Nothing,
    Expr(Box<Expr>),
    List(token::Paren, TokenStream),
}

impl ToTokens for Entry {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let name = &self.name;
        tokens.extend(match &self.value {
            Value::Nothing => quote!(#name),
            Value::Expr(value) => quote!(#name = #value),
            Value::List(paren, list) => {
                name.to_tokens(tokens);
                paren.surround(tokens, |tokens| list.to_tokens(tokens));
                return;
            }
        });
    }
}

/// Reads a list, and goes on behind an entry that cannot be read. `example` is an entry that could stand there.
pub(crate) fn read(cx: &Ctxt, list: TokenStream, example: &str) -> Vec<Entry> {
    let parse = |input: ParseStream<'_>| {
        let mut entries = Vec::new();
        while !input.is_empty() {
            match entry(input, example) {
                Ok(entry) => entries.push(entry),
                Err(error) => cx.add(error),
            }
            if !input.is_empty() && !input.peek(Token![,]) {
                if cx.is_clean() {
                    cx.add(input.error("expected a comma before this"));
                }
                while !input.is_empty() && !input.peek(Token![,]) {
                    input.parse::<TokenTree>()?;
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(entries)
    };
    parse.parse2(list).unwrap_or_else(|error| {
        cx.add(error);
        Vec::new()
    })
}

fn entry(input: ParseStream<'_>, example: &str) -> syn::Result<Entry> {
    if input.peek(syn::Lit) {
        return Err(input.error(format!("expected a name, as in `{example}`")));
    }
    let name = input.call(Ident::parse_any)?;
    let value = if input.peek(Token![=]) {
        let equals: Token![=] = input.parse()?;
        if input.is_empty() || input.peek(Token![,]) {
            return Err(Error::new_spanned(
                equals,
                format!("a value is missing: write `{name} = ...`"),
            ));
        }
        value(input, &name)?
    } else if input.peek(token::Paren) {
        let content;
        let paren = syn::parenthesized!(content in input);
        Value::List(paren, content.parse()?)
    } else {
        Value::Nothing
    };
    Ok(Entry { name, value })
}

/// An expression. Braces that are no block are JSON, which a macro makes.
fn value(input: ParseStream<'_>, name: &Ident) -> syn::Result<Value> {
    if !input.peek(token::Brace) {
        return Ok(Value::Expr(Box::new(input.parse()?)));
    }
    let ahead = input.fork();
    match ahead.parse::<Expr>() {
        Ok(Expr::Block(block)) if block.block.stmts.is_empty() => {}
        Ok(block) => {
            input.advance_to(&ahead);
            return Ok(Value::Expr(Box::new(block)));
        }
        Err(_) => {}
    }
    let braces: TokenTree = input.parse()?;
    Err(Error::new_spanned(
        &braces,
        format!("write `{name} = json!({{ .. }})`, with `serde_json::json` in scope"),
    ))
}

/// A setting that may be given once.
pub(crate) struct Setting<T>(Option<(Ident, T)>);

impl<T> Default for Setting<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Setting<T> {
    /// Takes a value; the second one is a mistake.
    pub(crate) fn set(&mut self, cx: &Ctxt, name: &Ident, value: Option<T>) {
        if self.0.is_some() {
            cx.error(name, format!("`{name}` is given twice"));
        } else if let Some(value) = value {
            self.0 = Some((name.clone(), value));
        }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_ref().map(|(_, value)| value)
    }

    /// Its name, where it was given.
    pub(crate) fn name(&self) -> Option<&Ident> {
        self.0.as_ref().map(|(name, _)| name)
    }

    pub(crate) fn is_set(&self) -> bool {
        self.0.is_some()
    }
}

/// Says that a list has no entry of this name.
pub(crate) fn unknown(cx: &Ctxt, name: &Ident, of: &str, known: &[&str]) {
    let given = name.to_string();
    let hint = match suggest::nearest(&given, known) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("known are {}", suggest::list(known, "`", "and")),
    };
    cx.error(name, format!("{of} has no setting `{given}`; {hint}"));
}

impl Entry {
    /// An expression.
    pub(crate) fn expr(&self, cx: &Ctxt, example: &str) -> Option<&Expr> {
        self.expr_or(cx, || format!("write `{} = {example}`", self.name))
    }

    fn expr_or(&self, cx: &Ctxt, message: impl FnOnce() -> String) -> Option<&Expr> {
        match &self.value {
            Value::Expr(expr) => Some(expr),
            _ => {
                cx.error(self, message());
                None
            }
        }
    }

    /// A literal string.
    pub(crate) fn string(&self, cx: &Ctxt, example: &str) -> Option<LitStr> {
        let expr = self.expr(cx, example)?;
        let found = string_literal(expr);
        if found.is_none() {
            cx.error(
                expr,
                format!(
                    "`{}` is written as a string: `{} = {example}`",
                    self.name, self.name
                ),
            );
        }
        found
    }

    /// `name`, `name = true` or `name = false`.
    pub(crate) fn flag(&self, cx: &Ctxt) -> Option<bool> {
        match &self.value {
            Value::Nothing => Some(true),
            Value::Expr(expr) => {
                if let Expr::Lit(ExprLit {
                    lit: Lit::Bool(LitBool { value, .. }),
                    ..
                }) = &**expr
                {
                    return Some(*value);
                }
                cx.error(
                    expr,
                    format!("write `{}` or `{} = false`", self.name, self.name),
                );
                None
            }
            Value::List(..) => {
                cx.error(
                    self,
                    format!("write `{}` or `{} = false`", self.name, self.name),
                );
                None
            }
        }
    }

    /// No value at all.
    pub(crate) fn bare(&self, cx: &Ctxt) -> Option<()> {
        match &self.value {
            Value::Nothing => Some(()),
            _ => {
                cx.error(self, format!("`{}` takes no value", self.name));
                None
            }
        }
    }

    /// One of several strings.
    pub(crate) fn choice<T: Copy>(&self, cx: &Ctxt, choices: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let expr = self.expr_or(cx, || {
            let values: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            format!(
                "write `{} = ..` with {}",
                self.name,
                suggest::list(&values, "`", "or")
            )
        })?;
        let Some(given) = string_literal(expr) else {
            cx.error(
                expr,
                format!(
                    "`{}` is one of the strings {}",
                    self.name,
                    suggest::list(&names, "\"", "and")
                ),
            );
            return None;
        };
        let text = given.value();
        let found = choices
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, value)| *value);
        if found.is_none() {
            let hint = match suggest::nearest(&text, &names) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None => format!("write {}", suggest::list(&names, "\"", "or")),
            };
            cx.error(
                &given,
                format!("`{}` cannot be \"{text}\"; {hint}", self.name),
            );
        }
        found
    }

    /// A duration: a string, or an expression of type `Duration`.
    pub(crate) fn duration(&self, cx: &Ctxt, example: &str) -> Option<DurationValue> {
        let expr = self.expr(cx, example)?;
        if let Some(text) = string_literal(expr) {
            return match duration::parse(&text.value()) {
                Ok(duration) => Some(DurationValue::Known(duration, text.span())),
                Err(message) => {
                    cx.error(&text, message);
                    None
                }
            };
        }
        if let Expr::Lit(ExprLit {
            lit: lit @ (Lit::Int(_) | Lit::Float(_)),
            ..
        }) = expr
        {
            let number = lit.to_token_stream().to_string();
            cx.error(lit, duration::quoted(&self.name.to_string(), &number));
            return None;
        }
        Some(DurationValue::Expr(Box::new(expr.clone())))
    }
}

/// A duration that is known now, or one that the program computes.
pub(crate) enum DurationValue {
    Known(std::time::Duration, Span),
    Expr(Box<Expr>),
}

/// The string, if the expression is a literal one.
pub(crate) fn string_literal(expr: &Expr) -> Option<LitStr> {
    match expr {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.clone()),
        // What a `macro_rules` macro passes on.
        Expr::Group(group) => string_literal(&group.expr),
        _ => None,
    }
}
