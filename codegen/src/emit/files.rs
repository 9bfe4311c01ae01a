//! Which item goes to which file, and what stands around the items: headers, imports, modules, features.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use super::expr::{check, each, named, rust_type};
use super::{
    Options, convert, dispatch, doc, enums, ident, keys, messages, methods, objects, package,
    schemas, unions,
};
use crate::model::{Expr, Home, Model, Module, Type, TypeId, TypeKind};
use crate::write::HEADER;

/// The files of the module `support`, by name.
macro_rules! support {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../templates/support/", $name, ".rs")))),*]
    };
}

const SUPPORT: [(&str, &str); 9] = support![
    "bounds", "content", "error", "mod", "read", "record", "scalars", "slots", "unions",
];
const REENCODE: &str = include_str!("../../templates/support/registry.rs");
const SCHEMA: &str = include_str!("../../templates/schema.rs");
const MESSAGE: &str = include_str!("../../templates/message.rs");
const ERRORS: &str = include_str!("../../templates/message/errors.rs");
const METHOD: &str = include_str!("../../templates/method.rs");

/// All files of the crate.
pub(super) fn files(model: &Model, options: &Options) -> Vec<(String, String)> {
    let mut out = vec![
        ("src/lib.rs".to_owned(), library(model, options)),
        ("src/message.rs".to_owned(), headed(MESSAGE)),
        ("src/message/errors.rs".to_owned(), headed(ERRORS)),
        ("src/method.rs".to_owned(), headed(METHOD)),
    ];
    out.extend(support(options));
    let mut homes = Vec::new();
    if has_common(model) {
        homes.push((Home::Common, "common".to_owned(), None));
    }
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
        if options.package.is_none() {
            let text = headed(&schemas::text(model, home, module));
            out.push((format!("src/{name}/schemas.rs"), text));
        }
        if let Some(module) = module {
            if !module.methods.is_empty() {
                out.push((
                    format!("src/{name}/methods.rs"),
                    methods_file(model, module),
                ));
            }
            if let Some(text) = dispatch::text(model, module) {
                out.push((format!("src/{name}/handler.rs"), text));
            }
            if let Some(text) = keys::text(model, module) {
                out.push((format!("src/{name}/keys.rs"), text));
            }
            if registry(options) != Registry::Never {
                out.push((
                    format!("src/{name}/registry.rs"),
                    registry_file(model, module),
                ));
            }
        }
    }
    if options.package.is_none() {
        out.push(("src/schema.rs".to_owned(), headed(SCHEMA)));
    }
    if let Some(text) = convert::text(model) {
        out.push(("src/convert.rs".to_owned(), text));
    }
    if let Some(name) = &options.package {
        out.push(("Cargo.toml".to_owned(), package::manifest(model, name)));
    }
    out.sort();
    out
}

/// Whether several modules have a type in common.
pub(super) fn has_common(model: &Model) -> bool {
    model.types.iter().any(|ty| ty.home == Home::Common)
}

/// Whether `registry::reencode` is there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Registry {
    Never,
    Always,
    Feature,
}

fn registry(options: &Options) -> Registry {
    match (&options.package, options.registry) {
        (_, true) => Registry::Always,
        (None, false) => Registry::Feature,
        (Some(_), false) => Registry::Never,
    }
}

fn support(options: &Options) -> Vec<(String, String)> {
    const GATE: &str = "#[cfg(feature = \"registry\")]\n";
    let path = |name: &str| format!("src/support/{name}.rs");
    let mut out: Vec<_> = SUPPORT
        .iter()
        .map(|(name, text)| {
            let text = match registry(options) {
                Registry::Feature => (*text).to_owned(),
                Registry::Always => text.replace(GATE, ""),
                Registry::Never => ungated(text, GATE),
            };
            (path(name), headed(&text))
        })
        .collect();
    if registry(options) != Registry::Never {
        out.push((path("registry"), headed(REENCODE)));
    }
    out
}

/// The text without the lines that stand behind a gate: attributes, and one line of code.
fn ungated(text: &str, gate: &str) -> String {
    let mut parts = text.split(gate);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut lines = part
            .split_inclusive('\n')
            .skip_while(|line| line.starts_with("#["));
        lines.next();
        out.extend(lines);
    }
    out
}

/// The text with the header before it.
fn headed(text: &str) -> String {
    format!("// {HEADER} generate. Do not edit; change the schema or its documentation.\n\n{text}")
}

/// Items as a formatted file: header, module documentation, items.
pub(super) fn render(about: &str, items: &TokenStream) -> String {
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
    headed(&text)
}

/// Puts empty lines between items, which prettyplease leaves out.
fn spread(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut previous = "";
    for line in text.lines() {
        if needs_gap(previous, line) {
            out.push('\n');
        }
        out.push_str(line);
        out.push('\n');
        previous = line;
    }
    out
}

fn needs_gap(previous: &str, line: &str) -> bool {
    let starts = |text: &str, words: &[&str]| words.iter().any(|word| text.starts_with(word));
    let inner = |text: &str| starts(text, &["//!", "#!["]);
    let leads = |text: &str| starts(text.trim_start(), &["///", "#["]);
    if previous.is_empty() || line.is_empty() || leads(previous) {
        return false;
    }
    if inner(previous) {
        return !inner(line);
    }
    let is_use = |text: &str| starts(text, &["use ", "pub use "]) || text == "};";
    let is_mod = |text: &str| starts(text, &["mod ", "pub mod "]);
    if !line.starts_with([' ', '}', ')']) {
        let in_list = (is_use(previous) && is_use(line))
            || (is_mod(previous) && is_mod(line))
            || (is_mod(previous) && leads(line) && !line.starts_with("///"));
        return !in_list
            && (previous.starts_with(['}', ')', ']']) || previous.ends_with([';', '}']));
    }
    let is_member = line.starts_with("    ") && !line.starts_with("     ");
    let begins = leads(line)
        || starts(
            line.trim_start(),
            &["pub fn", "fn ", "pub const fn", "pub async fn", "const "],
        );
    is_member && begins && (previous == "    }" || (previous.ends_with(';') && leads(line)))
}

fn domain_file(model: &Model, domain: &str, ids: &[TypeId]) -> String {
    let mut items = TokenStream::new();
    let (mut objects, mut kinds, mut strings) = (Vec::new(), Vec::new(), Vec::new());
    let mut used = BTreeSet::new();
    for id in ids {
        let ty = model.get(*id);
        let name = ident(&ty.name);
        each(&ty.kind, &mut |expr| named(expr, &mut used));
        if let Some(message) = messages::message(model, *id, ty) {
            let docs = type_docs(model, ty, message.content.as_deref());
            let target = message.target;
            items.extend(quote!(#docs pub type #name = #target;));
            continue;
        }
        let docs = type_docs(model, ty, None);
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

/// The documentation of a type; `more` is a paragraph of its own.
fn type_docs(model: &Model, ty: &Type, more: Option<&str>) -> TokenStream {
    let mut text = if !ty.doc.is_empty() {
        ty.doc.clone()
    } else if ty.is_definition {
        format!("The definition `{}`.", ty.key)
    } else {
        format!("`{}`, which the schema describes in place.", ty.key)
    };
    if let Some(more) = more {
        text.push_str("\n\n");
        text.push_str(more);
    }
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
        .rfind(|spec| spec.contains("/specification/") != is_extension);
    match base {
        Some(base) => format!("{text}\n\nSpecification: <{base}/{page}>."),
        None => text.to_owned(),
    }
}

fn module_file(
    model: &Model,
    domains: &[&str],
    module: Option<&Module>,
    options: &Options,
) -> String {
    let files = domains.iter().map(|domain| {
        let name = ident(domain);
        quote!(mod #name; pub use #name::*;)
    });
    let mut items = TokenStream::new();
    if options.package.is_none() {
        let scope = module.map(|_| quote!(pub));
        items.extend(quote!(
            #[cfg(feature = "schemars")]
            #scope mod schemas;
        ));
    }
    let about = match module {
        None => {
            "Types that several revisions have in common. The module of each revision has them too."
                .to_owned()
        }
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
            if keys::text(model, module).is_some() {
                items.extend(quote!(
                    pub mod keys;
                ));
            }
            if dispatch::text(model, module).is_some() {
                items.extend(quote!(
                    mod handler;
                    pub use handler::{TaskHandler, TaskRequest, TaskResponse};
                ));
            }
            match registry(options) {
                Registry::Feature => items.extend(quote!(
                    #[cfg(feature = "registry")]
                    pub mod registry;
                )),
                Registry::Always => items.extend(quote!(
                    pub mod registry;
                )),
                Registry::Never => {}
            }
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
    let items = methods::items(model, module);
    let mut support = BTreeSet::new();
    for method in &module.methods {
        for expr in method.params.iter().chain(&method.result) {
            supported(expr, &mut support);
        }
    }
    let support: Vec<_> = support.into_iter().map(ident).collect();
    let support = (!support.is_empty()).then(|| {
        quote!(
            use crate::support::{#(#support),*};
        )
    });
    render(
        "Markers for every request and notification.",
        &quote!(#support pub use crate::method::{Method, MethodInfo, MethodKind, Sender}; #items),
    )
}

/// The names of the module `support` that an expression is written with.
fn supported(expr: &Expr, out: &mut BTreeSet<&'static str>) {
    match expr {
        Expr::Any => {
            out.insert("Value");
        }
        Expr::Object => {
            out.insert("JsonObject");
        }
        Expr::Map(inner) => {
            out.insert("BTreeMap");
            supported(inner, out);
        }
        Expr::Array { items: inner, .. } | Expr::Nullable(inner) => supported(inner, out),
        _ => {}
    }
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

fn library(model: &Model, options: &Options) -> String {
    let modules = model.modules.iter().map(|module| {
        let name = ident(&module.name);
        let docs = doc(&format!("The types of {}.", module.input));
        let feature = module
            .feature
            .as_ref()
            .map(|feature| quote!(#[cfg(feature = #feature)]));
        quote!(#docs #feature #[rustfmt::skip] pub mod #name;)
    });
    let convert = convert::text(model).map(|_| {
        let name = ident("convert");
        quote!(#[rustfmt::skip] mod #name;)
    });
    let schema = options.package.is_none().then(|| {
        quote!(
            #[cfg(feature = "schemars")]
            #[allow(dead_code)] // in a crate without any revision
            mod schema;
        )
    });
    let registry = match model.modules.as_slice() {
        [only] if registry(options) == Registry::Always => {
            let name = ident(&only.name);
            quote!(pub use #name::registry;)
        }
        _ => quote!(),
    };
    let common = has_common(model).then(|| {
        let docs = doc("Types that several of the modules have in common.");
        quote!(#docs #[rustfmt::skip] pub mod common;)
    });
    let items = quote! {
        // A variant is as large as its object; what to box is for users to decide.
        #![allow(clippy::large_enum_variant, clippy::type_complexity)]
        #(#modules)*
        #common
        #convert
        pub mod message;
        pub mod method;
        #schema
        #[allow(dead_code, unused_imports, unused_macros)] // not every set of schemas needs every helper
        mod support;

        #registry
        pub use support::{ConversionError, JsonObject, UnknownValue};
    };
    render(&package::front(model, options), &items)
}
