//! What cannot be, a small function for each rule, with the sentence that the user will read.

mod borrows;
mod params;

use std::collections::HashMap;

use syn::{
    Attribute, FnArg, GenericParam, ItemImpl, Receiver, ReceiverKind, ReturnType, Safety,
    Signature, Type, visit::Visit as _,
};

use crate::{
    ast::{Function, Kind, Param, ToolFunction, is_called, parameter_of},
    attr::{self, ToolSettings},
    ctxt::Ctxt,
    settings::{DurationValue, Setting},
    spec,
};

use borrows::Borrows;
pub(crate) use params::*;

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
