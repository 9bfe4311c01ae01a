//! What was understood of a function: its parameters and what each is.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::format_ident;
use syn::{
    Attribute, Expr, FnArg, GenericArgument, Ident, LitStr, Pat, PatType, Path, PathArguments,
    ReturnType, Signature, Token, Type, Visibility,
    parse::{Parse, ParseStream},
    spanned::Spanned as _,
};

use crate::{
    attr::{self, ArgSettings, DefaultValue, Doc, ToolSettings},
    check,
    ctxt::Ctxt,
};

/// A function as written. The body is passed on unread.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) body: Option<Group>,
}

impl Parse for Function {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        if input.peek(Token![impl]) {
            return Err(input.error(
                "`#[task_tool]` goes on the methods that are tools: put `#[task_tools]` on the `impl` block",
            ));
        }
        let sig = input.parse().map_err(|error: syn::Error| {
            syn::Error::new(
                error.span(),
                format!("`#[task_tool]` goes on an `async fn`: {error}"),
            )
        })?;
        let body = match input.parse()? {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
            _ => None,
        };
        Ok(Self {
            attrs,
            vis,
            sig,
            body,
        })
    }
}

/// A function, understood.
pub(crate) struct ToolFunction {
    /// The function's name.
    pub(crate) ident: Ident,
    /// The tool's name.
    pub(crate) name: LitStr,
    pub(crate) doc: Option<Doc>,
    pub(crate) settings: ToolSettings,
    pub(crate) params: Vec<Param>,
    pub(crate) output: Type,
}

/// A parameter, understood.
pub(crate) struct Param {
    /// What the outer function calls it.
    pub(crate) binding: Ident,
    pub(crate) pat: Pat,
    pub(crate) ty: Type,
    pub(crate) kind: Kind,
}

/// Where a parameter's value comes from.
pub(crate) enum Kind {
    /// The call's arguments.
    Argument {
        name: LitStr,
        doc: Option<Doc>,
        default: Option<DefaultValue>,
        schema: Option<Box<Expr>>,
    },
    /// Nowhere; it has its default.
    Skipped { default: DefaultValue },
    /// The user, asked first.
    Question { name: LitStr, message: Box<Expr> },
    /// All arguments at once.
    Arguments { inner: Box<Type> },
    /// What surrounds the call.
    Extract,
}

impl ToolFunction {
    /// Understands a function. `sig` loses the attributes that are ours.
    pub(crate) fn read(
        cx: &Ctxt,
        settings: ToolSettings,
        attrs: &[Attribute],
        sig: &mut Signature,
    ) -> Self {
        let name = match settings.name.get() {
            Some(name) => name.clone(),
            None => LitStr::new(&attr::plain(&sig.ident), sig.ident.span()),
        };
        let inputs = sig.inputs.iter_mut().enumerate();
        let params = inputs
            .filter_map(|(index, input)| match input {
                FnArg::Receiver(_) => None,
                FnArg::Typed(input) => Some(Param::read(cx, index, input)),
            })
            .collect();
        let output = match &sig.output {
            ReturnType::Default => unit(sig.paren_token.span.close()),
            ReturnType::Type(_, ty) => (**ty).clone(),
        };
        let function = Self {
            ident: sig.ident.clone(),
            name,
            doc: attr::documentation(attrs),
            settings,
            params,
            output,
        };
        check::function(cx, &function);
        function
    }
}

fn unit(span: Span) -> Type {
    Type::Verbatim(quote::quote_spanned!(span=> ()))
}

impl Param {
    fn read(cx: &Ctxt, index: usize, input: &mut PatType) -> Self {
        let (ours, theirs): (Vec<_>, Vec<_>) = std::mem::take(&mut input.attrs)
            .into_iter()
            .partition(|attr| attr::is_parameter_setting(attr) || attr.path().is_ident("doc"));
        check::parameter_attributes(cx, &ours, &theirs);
        input.attrs = theirs;

        let binding = binding(&input.pat).unwrap_or_else(|| format_ident!("__argument_{index}"));
        let ty = (*input.ty).clone();
        let wire_name = LitStr::new(&attr::plain(&binding), binding.span());
        let arg = ours
            .iter()
            .find(|attr| attr::is(attr, "arg"))
            .map(|attr| ArgSettings::read(cx, attr));
        let ask = ours.iter().find(|attr| attr::is(attr, "ask"));
        let kind = if let Some(ask) = ask {
            check::has_name(cx, &input.pat);
            let message = attr::ask(cx, ask).unwrap_or_else(|| syn::parse_quote!(""));
            Kind::Question {
                name: wire_name,
                message: Box::new(message),
            }
        } else if let Some(arg) = arg {
            argument(cx, wire_name, attr::documentation(&ours), &arg, &input.pat)
        } else if let Some(inner) = parameter_of(&ty, "Args") {
            Kind::Arguments {
                inner: Box::new(inner.clone()),
            }
        } else if is_surrounding(&ty) {
            Kind::Extract
        } else {
            check::surrounds_for_certain(cx, &ty);
            argument(
                cx,
                wire_name,
                attr::documentation(&ours),
                &ArgSettings::default(),
                &input.pat,
            )
        };
        let param = Self {
            binding,
            pat: (*input.pat).clone(),
            ty,
            kind,
        };
        check::parameter(cx, &param);
        param
    }
}

fn argument(cx: &Ctxt, wire_name: LitStr, doc: Option<Doc>, arg: &ArgSettings, pat: &Pat) -> Kind {
    if let Some(skip) = arg.skip.name() {
        let of_type = || DefaultValue::OfType(skip.span());
        return Kind::Skipped {
            default: arg.default.get().cloned().unwrap_or_else(of_type),
        };
    }
    if !arg.rename.is_set() {
        check::has_name(cx, pat);
    }
    Kind::Argument {
        name: arg.rename.get().cloned().unwrap_or(wire_name),
        doc,
        default: arg.default.get().cloned(),
        schema: arg.schema.get().cloned().map(Box::new),
    }
}

/// The one name that a pattern binds.
fn binding(pat: &Pat) -> Option<Ident> {
    match pat {
        Pat::Ident(pat) => Some(pat.ident.clone()),
        Pat::TupleStruct(pat) if pat.elems.len() == 1 => binding(pat.elems.first()?),
        Pat::Paren(pat) => binding(&pat.pat),
        _ => None,
    }
}

/// The last segment of a type's path.
fn last_segment(ty: &Type) -> Option<&syn::PathSegment> {
    match ty {
        Type::Path(ty) if ty.qself.is_none() => last_of(&ty.path),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

fn last_of(path: &Path) -> Option<&syn::PathSegment> {
    path.segments.last()
}

/// `T` of `name<T>`.
pub(crate) fn parameter_of<'a>(ty: &'a Type, name: &str) -> Option<&'a Type> {
    let segment = last_segment(ty).filter(|segment| segment.ident == name)?;
    match &segment.arguments {
        PathArguments::AngleBracketed(list) if list.args.len() == 1 => match list.args.first()? {
            GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// `&Arc<Self>`
pub(crate) fn is_borrowed_arc(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if parameter_of(&reference.elem, "Arc").is_some())
}

/// Whether the type is called `name` and has no parameters.
pub(crate) fn is_called(ty: &Type, name: &str) -> bool {
    last_segment(ty).is_some_and(|segment| segment.ident == name && segment.arguments.is_none())
}

/// Whether the value comes from what surrounds the call.
fn is_surrounding(ty: &Type) -> bool {
    let plain = |ty: &Type| {
        ["TaskContext", "Principal", "Extensions"]
            .iter()
            .any(|name| is_called(ty, name))
    };
    plain(ty)
        || parameter_of(ty, "State").is_some()
        || parameter_of(ty, "Option").is_some_and(|inner| is_called(inner, "Principal"))
}

/// The span of a whole type.
pub(crate) fn span_of(ty: &Type) -> Span {
    ty.span()
}

/// The tokens of a body, or an empty one.
pub(crate) fn body_or_empty(body: Option<&Group>) -> TokenStream {
    let body = body
        .cloned()
        .unwrap_or_else(|| Group::new(Delimiter::Brace, TokenStream::new()));
    TokenTree::Group(body).into()
}
