//! The facts that the attribute macro checks against.

use std::collections::BTreeSet;

use quote::quote;

use super::files;
use crate::model::{Expr, Model, TypeKind};

/// Content of `macros/src/spec.rs`.
pub(super) fn text(model: &Model) -> String {
    let support = task_support(model);
    let prefixes = prefixes(model);
    let items = quote! {
        /// Values of `execution.taskSupport`.
        pub(crate) const TASK_SUPPORT: &[&str] = &[#(#support),*];

        /// What the methods on tasks begin with; no tool may be called so.
        pub(crate) const RESERVED_PREFIXES: &[&str] = &[#(#prefixes),*];
    };
    files::render(
        "What the protocol's schema says that the macros need.",
        &items,
    )
}

fn task_support(model: &Model) -> Vec<String> {
    for ty in model.types.iter().filter(|ty| ty.key == "ToolExecution") {
        let TypeKind::Struct(object) = &ty.kind else {
            continue;
        };
        for field in object
            .fields
            .iter()
            .filter(|field| field.json == "taskSupport")
        {
            if let Expr::Named(id) = &field.ty
                && let TypeKind::Enum(list) = &model.get(*id).kind
            {
                return list.values.iter().map(|value| value.json.clone()).collect();
            }
        }
    }
    Vec::new()
}

/// First segments of the methods that speak of tasks.
fn prefixes(model: &Model) -> BTreeSet<String> {
    let names = model
        .modules
        .iter()
        .flat_map(|module| &module.methods)
        .map(|method| &method.name);
    names
        .filter(|name| name.split('/').any(|segment| segment == "tasks"))
        .filter_map(|name| name.split_once('/'))
        .map(|(first, _)| format!("{first}/"))
        .collect()
}
