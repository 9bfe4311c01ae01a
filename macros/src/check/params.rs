//! What a parameter cannot be.

use syn::{Attribute, Pat, Type, visit::Visit as _};

use super::borrows::Borrows;
use crate::{
    ast::{Param, is_called, parameter_of},
    attr::{self, ArgSettings},
    ctxt::Ctxt,
};

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
