//! Which item goes to which file, and what stands around the items: headers, imports, modules, features.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::{check, each, named, rust_type};
use super::{Options, doc, enums, ident, methods, objects, unions};
use crate::model::{Expr, Home, Model, Module, Type, TypeId, TypeKind};
use crate::write::HEADER;

const SUPPORT: &str = include_str!("../../templates/support.rs");
const METHOD: &str = include_str!("../../templates/method.rs");

/// All files of the crate.
pub(super) fn files(model: &Model, options: &Options) -> Vec<(String, String)> {
    let mut out = vec![
        ("src/lib.rs".to_owned(), library(model, options)),
        ("src/method.rs".to_owned(), with_header(METHOD)),
        ("src/support.rs".to_owned(), with_header(SUPPORT)),
    ];
    let mut homes = vec![(Home::Common, "common".to_owned(), None)];
    for (index, module) in model.modules.iter().enumerate() {
        homes.push((Home::Module(index), module.name.clone(), Some(module)));
    }
    for (home, name, module) in homes {
        let mut domains: BTreeMap<&str, Vec<TypeId>> = BTreeMap::new();
        for (index, ty) in model.types.iter().enumerate() {
            if ty.home == home {
                domains.entry(&ty.domain).or_default().push(TypeId(index));
            }
        }
        for (domain, ids) in &mut domains {
            ids.sort_by_key(|id| &model.get(*id).name);
            out.push((
                format!("src/{name}/{domain}.rs"),
                domain_file(model, domain, ids),
            ));
        }
        let files: Vec<&str> = domains.keys().copied().collect();
        out.push((
            format!("src/{name}/mod.rs"),
            module_file(model, &files, module, options),
        ));
        if let Some(module) = module {
            if !module.methods.is_empty() {
                out.push((
                    format!("src/{name}/methods.rs"),
                    methods_file(model, module),
                ));
            }
            out.push((
                format!("src/{name}/registry.rs"),
                registry_file(model, module),
            ));
        }
    }
    out.sort();
    out
}

/// A template with the header before it.
fn with_header(text: &str) -> String {
    format!(
        "// {HEADER}. Run `mcp-codegen generate` instead of editing this file.\n{}",
        render_text(text)
    )
}

fn render_text(text: &str) -> String {
    match syn::parse_file(text) {
        // Comments inside would be lost, so templates are formatted in the source already.
        Ok(_) => text.to_owned(),
        Err(error) => format!("compile_error!({:?});\n", error.to_string()),
    }
}

/// Items as a formatted file: header, module documentation, items.
fn render(about: &str, items: &TokenStream) -> String {
    let docs = about.lines().map(|line| {
        if line.is_empty() {
            String::new()
        } else {
            format!(" {line}")
        }
    });
    let tokens = quote!(#(#![doc = #docs])* #items);
    let text = match syn::parse2::<syn::File>(tokens.clone()) {
        Ok(file) => spread(&prettyplease::unparse(&file)),
        // Only a fault of the generator comes here; the compiler shows it best.
        Err(error) => format!(
            "compile_error!({:?});\n/*\n{tokens}\n*/\n",
            error.to_string()
        ),
    };
    format!("// {HEADER}. Run `mcp-codegen generate` instead of editing this file.\n{text}")
}

/// An empty line between items, which prettyplease leaves out.
fn spread(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut previous = "";
    for line in text.lines() {
        let closes = previous == "}"
            || previous == "    }"
            || (previous.ends_with("];") && !previous.starts_with("  "));
        let starts = !line.is_empty() && !line.starts_with("}") && !line.starts_with("    }");
        let same_depth = indent(previous) == indent(line) || previous.ends_with("];");
        if closes && starts && same_depth && (previous == "}" || is_item(line)) {
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
        previous = line;
    }
    out
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    ["///", "#[", "pub ", "fn ", "const ", "impl", "type "]
        .iter()
        .any(|start| line.starts_with(start))
}

fn domain_file(model: &Model, domain: &str, ids: &[TypeId]) -> String {
    let mut items = TokenStream::new();
    let (mut objects, mut kinds, mut strings) = (Vec::new(), Vec::new(), Vec::new());
    let mut used = BTreeSet::new();
    for id in ids {
        let ty = model.get(*id);
        let name = ident(&ty.name);
        let docs = type_docs(model, ty);
        each(&ty.kind, &mut |expr| named(expr, &mut used));
        items.extend(match &ty.kind {
            TypeKind::Struct(object) => {
                objects.push(name);
                used.extend(object.flat.as_ref().map(|flat| flat.ty));
                used.extend(&object.includes);
                objects::item(model, *id, ty, object, &docs)
            }
            TypeKind::Union(union) => {
                if unions::is_object_union(model, union) {
                    &mut objects
                } else {
                    &mut kinds
                }
                .push(name);
                unions::item(model, *id, ty, union, &docs)
            }
            TypeKind::Enum(list) => {
                strings.push(name);
                enums::item(ty, list, &docs)
            }
            TypeKind::Alias(expr) => {
                let target = rust_type(model, expr, None);
                match expr {
                    // The crate has this name for it already.
                    Expr::Object if ty.name == "JsonObject" => quote!(),
                    _ => quote!(#docs pub type #name = #target;),
                }
            }
        });
    }
    let own: BTreeSet<TypeId> = ids.iter().copied().collect();
    let imports: BTreeSet<_> = used
        .difference(&own)
        .map(|id| ident(&model.get(*id).name))
        .collect();
    let imports = (!imports.is_empty()).then(|| quote!(use super::{#(#imports),*};));
    let needs_support = !(objects.is_empty() && kinds.is_empty() && strings.is_empty())
        || ["JsonObject", "Value", "BTreeMap"].iter().any(|name| {
            items
                .to_string()
                .split(|c: char| !c.is_alphanumeric())
                .any(|word| word == *name)
        });
    let support = needs_support.then(|| {
        quote!(
            use crate::support::*;
        )
    });
    let list = |name: &str, types: &[proc_macro2::Ident]| {
        let name = ident(name);
        (!types.is_empty()).then(|| quote!(#name! { #(#types),* }))
    };
    let (objects, kinds, strings) = (
        list("objects", &objects),
        list("kinds", &kinds),
        list("strings", &strings),
    );
    render(
        &format!("Types of the domain `{domain}`."),
        &quote!(#imports #support #items #objects #kinds #strings),
    )
}

fn type_docs(model: &Model, ty: &Type) -> TokenStream {
    let text = if !ty.doc.is_empty() {
        ty.doc.clone()
    } else if ty.is_definition {
        format!("The definition `{}`.", ty.key)
    } else {
        format!("`{}`, which the schema describes in place.", ty.key)
    };
    let modules: Vec<Module> = ty
        .modules
        .iter()
        .map(|index| model.modules[*index].clone())
        .collect();
    doc(&with_page(&text, ty.spec.as_deref(), &modules))
}

/// The text with a link to the page of the specification: the newest of `modules` that can have it.
pub(super) fn with_page(text: &str, page: Option<&str>, modules: &[Module]) -> String {
    let Some(page) = page else {
        return text.to_owned();
    };
    let is_extension = page.starts_with("extensions/");
    let base = modules
        .iter()
        .filter_map(|module| module.spec.as_deref())
        .filter(|spec| spec.contains("/specification/") != is_extension)
        .next_back();
    match base {
        Some(base) => format!("{text}\n\nSpecification: <{base}/{page}>."),
        None => text.to_owned(),
    }
}

fn module_file(model: &Model, domains: &[&str], module: Option<&Module>, _: &Options) -> String {
    let files = domains.iter().map(|domain| {
        let name = ident(domain);
        quote!(mod #name; pub use #name::*;)
    });
    let mut items = TokenStream::new();
    let about = match module {
        None => "Types that several revisions have in common. Each revision's module has them too."
            .to_owned(),
        Some(module) => {
            let shared: Vec<_> = module
                .types
                .values()
                .filter(|id| model.get(**id).home == Home::Common)
                .map(|id| ident(&model.get(*id).name))
                .filter(|name| name != "JsonObject")
                .collect();
            if !shared.is_empty() {
                items.extend(quote!(pub use crate::common::{#(#shared),*};));
            }
            if !module.methods.is_empty() {
                items.extend(quote!(
                    pub mod methods;
                ));
            }
            items.extend(quote! {
                #[cfg(feature = "registry")]
                pub mod registry;
            });
            format!(
                "Types of {}, all by the names of their definitions.",
                module.input
            )
        }
    };
    render(
        &about,
        &quote!(#items #(#files)* pub use crate::JsonObject;),
    )
}

fn methods_file(model: &Model, module: &Module) -> String {
    let mut used = BTreeSet::new();
    for method in &module.methods {
        used.insert(method.message);
        for expr in method.params.iter().chain(&method.result) {
            named(expr, &mut used);
        }
    }
    let used: BTreeSet<_> = used
        .into_iter()
        .map(|id| ident(&model.get(id).name))
        .collect();
    let items = methods::items(model, module);
    let object = module.methods.iter().any(|method| {
        [&method.params, &method.result]
            .into_iter()
            .flatten()
            .any(|expr| *expr == Expr::Object)
    });
    let object = object.then(|| {
        quote!(
            use super::JsonObject;
        )
    });
    render(
        "Markers for every request and notification.",
        &quote!(use super::{#(#used),*}; #object pub use crate::method::{Method, MethodInfo, MethodKind, Sender}; #items),
    )
}

fn registry_file(model: &Model, module: &Module) -> String {
    let arms = module.definitions.iter().map(|(name, id)| {
        let ty = model.get(*id);
        let (target, check) = match &ty.kind {
            TypeKind::Alias(expr) => (rust_type(model, expr, None), check(expr, &quote!(value))),
            _ => {
                let name = ident(&ty.name);
                (quote!(#name), None)
            }
        };
        let check = check.map_or_else(
            || quote!(|_| Ok(())),
            |check| quote!(|value: &#target| #check),
        );
        quote!(#name => round_trip::<#target>(json, #check),)
    });
    let items = quote! {
        use super::*;
        use crate::support::*;

        /// Decodes `json` as the definition `def` and encodes it again; none if there is no such definition.
        ///
        /// # Errors
        /// The inner result says why the type refuses the value.
        #[must_use]
        pub fn reencode(def: &str, json: &str) -> Option<Result<String, serde_json::Error>> {
            Some(match def {
                #(#arms)*
                _ => return None,
            })
        }
    };
    render("Decoding by the name of a definition.", &items)
}

fn library(model: &Model, _: &Options) -> String {
    let modules = model.modules.iter().map(|module| {
        let name = ident(&module.name);
        let docs = doc(&format!("{}.", module.input));
        let feature = module
            .feature
            .as_ref()
            .map(|feature| quote!(#[cfg(feature = #feature)]));
        quote!(#docs #feature #[rustfmt::skip] pub mod #name;)
    });
    let items = quote! {
        #![allow(clippy::all, clippy::pedantic)]
        #![allow(dead_code, unused_imports)]
        #(#modules)*
        #[rustfmt::skip]
        pub mod common;
        pub mod method;
        mod support;

        pub use support::{JsonObject, UnknownValue};
    };
    render(
        "Types of the Model Context Protocol, generated from its JSON Schemas.",
        &items,
    )
}
