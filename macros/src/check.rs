//! What cannot be, a small function for each rule, with the sentence that the user will read.

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::ToTokens as _;

use syn::{
    Attribute, FnArg, GenericParam, ItemImpl, Pat, Receiver, ReceiverKind, ReturnType, Safety,
    Signature, Type,
    visit::{self, Visit},
};

use crate::{
    ast::{Function, Kind, Param, ToolFunction, is_called, parameter_of},
    attr::{self, ArgSettings, ToolSettings},
    ctxt::Ctxt,
    settings::{DurationValue, Setting},
    spec,
};

/// More parameters than this cannot be told by `IntoTool`.
const MOST_PARAMETERS: usize = 16;

/// Rules on a free function's outline.
pub(crate) fn free_function(cx: &Ctxt, function: &Function) {
    outline(cx, &function.sig);
    no_body(cx, function);
    no_receiver(cx, &function.sig);
    attributes(cx, &function.attrs);
    too_many_parameters(cx, &function.sig);
}

/// Rules on a method's outline.
pub(crate) fn method(cx: &Ctxt, sig: &Signature, attrs: &[Attribute]) {
    outline(cx, sig);
    receiver(cx, sig);
    attributes(cx, attrs);
}

fn outline(cx: &Ctxt, sig: &Signature) {
    is_async(cx, sig);
    no_generics(cx, sig);
    no_qualifiers(cx, sig);
    no_variadic(cx, sig);
    return_type(cx, sig);
}

fn is_async(cx: &Ctxt, sig: &Signature) {
    if sig.asyncness.is_none() {
        cx.error(
            sig.fn_token,
            format!(
                "a tool is an async function: write `async fn {}`, and use `ctx.spawn_blocking(..)` for work that blocks",
                sig.ident
            ),
        );
    }
}

fn no_generics(cx: &Ctxt, sig: &Signature) {
    for param in &sig.generics.params {
        let message = match param {
            GenericParam::Lifetime(_) => {
                "a tool's parameters are owned, since the call outlives its request: remove the lifetime"
            }
            GenericParam::Type(_) => {
                "a tool cannot be generic, since its schema is fixed: write the type itself"
            }
            GenericParam::Const(_) => {
                "a tool cannot be generic, since its schema is fixed: write the value itself"
            }
        };
        cx.error(param, message);
    }
    if sig.generics.params.is_empty()
        && let Some(clause) = &sig.generics.where_clause
    {
        cx.error(
            clause,
            "a tool cannot be generic, so that it needs no `where`",
        );
    }
}

fn no_qualifiers(cx: &Ctxt, sig: &Signature) {
    if let Some(token) = &sig.constness {
        cx.error(token, "a tool cannot be `const`");
    }
    if let Safety::Unsafe(token) = &sig.safety {
        cx.error(
            token,
            "a tool cannot be `unsafe`, since clients call it with any arguments",
        );
    }
    if let Some(abi) = &sig.abi {
        cx.error(
            abi,
            "a tool has Rust's own calling convention: remove `extern`",
        );
    }
}

fn no_variadic(cx: &Ctxt, sig: &Signature) {
    if let Some(dots) = &sig.variadic {
        cx.error(
            dots,
            "a tool has a fixed number of arguments; take a `Vec<T>` for a list",
        );
    }
}

fn return_type(cx: &Ctxt, sig: &Signature) {
    let ReturnType::Type(_, ty) = &sig.output else {
        return;
    };
    let mut found = Borrows::default();
    found.visit_type(ty);
    if let Some(ty) = found.impl_trait {
        cx.error(
            ty,
            "a tool's result has a name: return `String`, `Json<T>`, a content block, or `Result` of one of these",
        );
    }
    if let Some(ty) = found.inferred {
        cx.error(
            ty,
            "write the result's type out: what clients are told of it is made from it",
        );
    }
    for ty in found.references {
        cx.error(ty, "a tool's result is owned: return `String` or `Json<T>`; only `&'static str` may be borrowed");
    }
}

fn no_body(cx: &Ctxt, function: &Function) {
    if function.body.is_none() {
        cx.error(&function.sig, "a tool needs a body");
    }
}

fn no_receiver(cx: &Ctxt, sig: &Signature) {
    if let Some(FnArg::Receiver(receiver)) = sig.inputs.first() {
        cx.error(
            receiver,
            "a method becomes a tool inside a block marked `#[task_tools]`: put `#[task_tools]` on the `impl` block",
        );
    }
}

fn receiver(cx: &Ctxt, sig: &Signature) {
    let Some(FnArg::Receiver(receiver)) = sig.inputs.first() else {
        return;
    };
    if !is_shared(receiver) {
        cx.error(
            receiver,
            "calls of tools run at the same time and share the value: take `&self`, and keep what changes in a lock or a channel",
        );
    }
}

fn is_shared(receiver: &Receiver) -> bool {
    match &receiver.kind {
        ReceiverKind::Reference(_, _, mutability) => mutability.is_none(),
        ReceiverKind::Typed(_, ty) => {
            let owned = match &**ty {
                Type::Reference(reference) if reference.mutability.is_some() => return false,
                Type::Reference(reference) if is_called(&reference.elem, "Self") => return true,
                Type::Reference(reference) => &reference.elem,
                owned => owned,
            };
            parameter_of(owned, "Arc").is_some_and(|inner| is_called(inner, "Self"))
        }
        _ => false,
    }
}

fn attributes(cx: &Ctxt, attrs: &[Attribute]) {
    for attribute in attrs {
        if attr::is(attribute, "task_tool") {
            cx.error(attribute, "`#[task_tool]` is given twice");
        }
        for name in ["arg", "ask"] {
            if attribute.path().is_ident(name) {
                cx.error(
                    attribute,
                    format!("`#[{name}]` goes on a parameter of the function"),
                );
            }
        }
    }
}

fn too_many_parameters(cx: &Ctxt, sig: &Signature) {
    if let Some(extra) = sig.inputs.iter().nth(MOST_PARAMETERS) {
        cx.error(
            extra,
            format!("a tool has at most {MOST_PARAMETERS} parameters: gather the arguments in a struct and take `Args<YourStruct>`"),
        );
    }
}

/// Rules on the block of `#[task_tools]`.
pub(crate) fn block(cx: &Ctxt, block: &ItemImpl) {
    if let Some((path, _)) = &block.trait_ {
        cx.error(
            path,
            "`#[task_tools]` goes on a type's own `impl` block, not on that of a trait",
        );
    }
    for param in &block.generics.params {
        if let GenericParam::Lifetime(lifetime) = param {
            cx.error(
                lifetime,
                "calls outlive the request, so a type with tools is owned: remove the lifetime",
            );
        }
    }
}

/// Rules between the attributes of one parameter.
pub(crate) fn parameter_attributes(cx: &Ctxt, ours: &[Attribute], theirs: &[Attribute]) {
    for name in ["arg", "ask"] {
        for second in ours
            .iter()
            .filter(|attribute| attr::is(attribute, name))
            .skip(1)
        {
            cx.error(
                second,
                format!("`#[{name}]` is given twice; put all in one"),
            );
        }
    }
    let find = |name: &str| ours.iter().find(|attribute| attr::is(attribute, name));
    if let (Some(_), Some(ask)) = (find("arg"), find("ask")) {
        cx.error(
            ask,
            "a parameter is either an argument or asked for: remove `#[arg]` or `#[ask]`",
        );
    }
    for attribute in theirs {
        if attribute.path().is_ident("cfg") || attribute.path().is_ident("cfg_attr") {
            cx.error(attribute, "a tool's parameters are the same in every build: put `#[cfg]` on the whole function");
        } else if ["serde", "schemars", "validate"]
            .iter()
            .any(|name| attribute.path().is_ident(name))
        {
            cx.error(
                attribute,
                "parameters take `#[arg(default, rename, skip, schema)]`; for more, gather the arguments in a struct and take `Args<YourStruct>`",
            );
        }
    }
}

/// Rules between the settings of `#[arg]`.
pub(crate) fn arg_settings(cx: &Ctxt, arg: &ArgSettings) {
    if !arg.skip.is_set() {
        return;
    }
    for name in [arg.rename.name(), arg.schema.name()].into_iter().flatten() {
        cx.error(
            name,
            format!(
                "`{name}` has no effect together with `skip`: clients do not see the parameter"
            ),
        );
    }
}

/// An argument needs a name that clients can use.
pub(crate) fn has_name(cx: &Ctxt, pat: &Pat) {
    match pat {
        Pat::Ident(_) => {}
        Pat::Wild(_) => cx.error(pat, "an argument needs a name, which clients use: write `_name` or `#[arg(rename = \"..\")]`"),
        Pat::TupleStruct(tuple) if tuple.path.is_ident("State") || tuple.path.is_ident("Args") => {}
        _ => cx.error(pat, "an argument is a plain name: take the value apart inside the function, or add `#[arg(rename = \"..\")]`"),
    }
}

/// What surrounds a call is not optional.
pub(crate) fn surrounds_for_certain(cx: &Ctxt, ty: &Type) {
    let Some(inner) = parameter_of(ty, "Option") else {
        return;
    };
    let message = if is_called(inner, "TaskContext") {
        "every call has a context: write `TaskContext`"
    } else if is_called(inner, "Extensions") {
        "every call has extensions, if only an empty set: write `Extensions`"
    } else if parameter_of(inner, "State").is_some() {
        "a server without the state is not built, so that it is always there: write `State<T>`"
    } else if parameter_of(inner, "Args").is_some() {
        "write `Args<T>`, and in the struct `Option<_>` for each argument that may be left out"
    } else {
        return;
    };
    cx.error(ty, message);
}

/// Rules on one parameter.
pub(crate) fn parameter(cx: &Ctxt, param: &Param) {
    let mut found = Borrows::default();
    found.visit_type(&param.ty);
    if let Some(ty) = found.impl_trait {
        cx.error(ty, "an argument has one type, which gives its schema: write that type instead of `impl Trait`");
    }
    if let Some(ty) = found.inferred {
        cx.error(ty, "write the type out: the schema is made from it");
    }
    for ty in found.references {
        cx.error(ty, owned_instead(&param.ty));
    }
}

/// What to write instead of a borrowed type.
fn owned_instead(ty: &Type) -> String {
    let Type::Reference(reference) = ty else {
        return "a tool's parameters are owned, since the call outlives its request".to_owned();
    };
    match &*reference.elem {
        inner if is_called(inner, "str") => "a tool's parameters are owned: write `String`".to_owned(),
        Type::Slice(_) => "a tool's parameters are owned: write `Vec<T>`".to_owned(),
        inner if is_called(inner, "TaskContext") => "a context is taken by value: write `TaskContext`; it is cheap to clone".to_owned(),
        _ => "a tool's parameters are owned: write the type without `&`; state that calls share is taken as `State<T>`".to_owned(),
    }
}

/// References and traits inside a type.
#[derive(Default)]
struct Borrows {
    references: Vec<TokenStream>,
    impl_trait: Option<TokenStream>,
    inferred: Option<TokenStream>,
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

/// Whether a function of this outline can stand in the program at all, for the errors of its users.
pub(crate) fn can_stand(sig: &Signature) -> bool {
    let mut found = Borrows::default();
    found.visit_return_type(&sig.output);
    let inputs = &sig.inputs;
    let in_result =
        !found.references.is_empty() || found.impl_trait.is_some() || found.inferred.is_some();
    inputs.iter().for_each(|input| found.visit_fn_arg(input));
    let receiver = matches!(inputs.first(), Some(FnArg::Receiver(_)));
    !in_result
        && !receiver
        && found.impl_trait.is_none()
        && found.inferred.is_none()
        && sig.generics.params.is_empty()
}

/// Rules on a function as a whole.
pub(crate) fn function(cx: &Ctxt, function: &ToolFunction) {
    tool_name(cx, function);
    one_context(cx, &function.params);
    arguments_stand_alone(cx, &function.params);
    names_differ(cx, &function.params);
    settings(cx, &function.settings);
}

fn tool_name(cx: &Ctxt, function: &ToolFunction) {
    let name = function.name.value();
    if let Some(prefix) = spec::RESERVED_PREFIXES
        .iter()
        .find(|prefix| name.starts_with(*prefix))
    {
        cx.error(
            &function.name,
            format!("names that begin with `{prefix}` belong to the protocol: choose another name"),
        );
    } else if name.is_empty() || name.len() > 128 {
        cx.error(&function.name, "a tool's name has 1 to 128 characters");
    } else if let Some(odd) = name
        .chars()
        .find(|c| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '.'))
    {
        let how = if function.settings.name.is_set() {
            "choose another name"
        } else {
            "give it one with `name = \"..\"`"
        };
        cx.error(
            &function.name,
            format!(
                "a tool's name has ASCII letters, digits, `_`, `-` and `.` only, not {odd:?}: {how}"
            ),
        );
    }
}

fn one_context(cx: &Ctxt, params: &[Param]) {
    for (name, what) in [
        ("TaskContext", "context"),
        ("Principal", "principal"),
        ("Extensions", "set of extensions"),
    ] {
        let same = params
            .iter()
            .filter(|param| matches!(param.kind, Kind::Extract) && is_called(&param.ty, name));
        for second in same.skip(1) {
            cx.error(
                &second.ty,
                format!("a call has one {what}: remove the second `{name}`"),
            );
        }
    }
}

fn arguments_stand_alone(cx: &Ctxt, params: &[Param]) {
    let mut whole = params
        .iter()
        .filter(|param| matches!(param.kind, Kind::Arguments { .. }));
    if whole.next().is_none() {
        return;
    }
    for second in whole {
        cx.error(
            &second.ty,
            "`Args` holds all arguments, so that it stands once",
        );
    }
    for other in params
        .iter()
        .filter(|param| matches!(param.kind, Kind::Argument { .. }))
    {
        cx.error(
            &other.pat,
            "`Args` holds all arguments: move this one into its struct",
        );
    }
}

fn names_differ(cx: &Ctxt, params: &[Param]) {
    let mut taken = HashMap::new();
    for param in params {
        let (Kind::Argument { name, .. } | Kind::Question { name, .. }) = &param.kind else {
            continue;
        };
        if name.value().is_empty() {
            cx.error(name, "an argument's name cannot be empty");
        }
        if taken.insert(name.value(), ()).is_some() {
            cx.error(
                name,
                format!("two parameters are called `{}`", name.value()),
            );
        }
    }
}

fn settings(cx: &Ctxt, settings: &ToolSettings) {
    never_a_task(cx, settings);
    not_zero(cx, settings);
    inline_before_end(cx, settings);
    annotations_agree(cx, settings);
    some_concurrency(cx, settings);
}

fn never_a_task(cx: &Ctxt, settings: &ToolSettings) {
    if settings.task.get().is_none_or(|task| task.0 != "forbidden") {
        return;
    }
    let without_effect = [
        settings.ttl.name(),
        settings.poll_interval.name(),
        settings.inline_for.name(),
        settings.on_restart.name(),
    ];
    for name in without_effect.into_iter().flatten() {
        cx.error(
            name,
            format!(
                "`{name}` has no effect together with `task = \"forbidden\"`: remove one of them"
            ),
        );
    }
}

fn not_zero(cx: &Ctxt, settings: &ToolSettings) {
    for duration in [&settings.ttl, &settings.poll_interval, &settings.timeout] {
        if let (Some(name), Some(DurationValue::Known(value, span))) =
            (duration.name(), duration.get())
            && value.is_zero()
        {
            cx.add(syn::Error::new(
                *span,
                format!("`{name}` cannot be zero: leave it out to use the server's"),
            ));
        }
    }
}

fn inline_before_end(cx: &Ctxt, settings: &ToolSettings) {
    let known = |setting: &Setting<DurationValue>| match setting.get() {
        Some(DurationValue::Known(value, _)) => Some(*value),
        _ => None,
    };
    if let (Some(wait), Some(ttl), Some(name)) = (
        known(&settings.inline_for),
        known(&settings.ttl),
        settings.inline_for.name(),
    ) && wait >= ttl
    {
        cx.error(
            name,
            "`inline_for` must be shorter than `ttl`, or no task would ever be handed out",
        );
    }
}

fn annotations_agree(cx: &Ctxt, settings: &ToolSettings) {
    let Some(annotations) = settings.annotations.get() else {
        return;
    };
    let on = |setting: &Setting<bool>| setting.get() == Some(&true);
    if on(&annotations.read_only)
        && on(&annotations.destructive)
        && let Some(name) = annotations.destructive.name()
    {
        cx.error(
            name,
            "a tool that is `read_only` cannot be `destructive`: remove one of them",
        );
    }
}

fn some_concurrency(cx: &Ctxt, settings: &ToolSettings) {
    if let Some(syn::Expr::Lit(syn::ExprLit { lit, .. })) = settings.concurrency.get() {
        match lit {
            syn::Lit::Int(number) if number.base10_digits() == "0" => {
                cx.error(number, "with `concurrency = 0` the tool could never run: write the number of calls that may run at once");
            }
            syn::Lit::Int(_) => {}
            other => cx.error(other, "`concurrency` is a number: `concurrency = 4`"),
        }
    }
}
