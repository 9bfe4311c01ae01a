//! Names of members that have a prefix (`io.modelcontextprotocol/serverInfo`), as constants: they stand in `_meta` and in
//! lists of extensions, which programs read and write member by member.

use std::collections::BTreeMap;

use heck::ToShoutySnakeCase;
use quote::quote;

use super::{doc, files, ident};
use crate::model::{Model, Module, TypeKind};

/// Content of a module's `keys.rs`; none when it has no such name.
pub(super) fn text(model: &Model, module: &Module) -> Option<String> {
    let keys = keys(model, module);
    if keys.is_empty() {
        return None;
    }
    let items = keys.iter().map(|(name, (key, text))| {
        let (name, docs) = (ident(name), doc(&format!("`{key}`. {text}")));
        quote!(#docs pub const #name: &str = #key;)
    });
    Some(files::render(
        "Names of members that have a prefix, such as those of `_meta`.",
        &quote!(#(#items)*),
    ))
}

/// Name of the constant -> the key, and what is said of it.
fn keys<'a>(model: &'a Model, module: &'a Module) -> BTreeMap<String, (&'a str, &'a str)> {
    let fields = module.types.values().flat_map(|id| {
        let fields: &[_] = match &model.get(*id).kind {
            TypeKind::Struct(object) => &object.fields,
            _ => &[],
        };
        fields
            .iter()
            .map(|field| (field.json.as_str(), field.doc.as_str()))
    });
    let told = module
        .keys
        .iter()
        .map(|(key, text)| (key.as_str(), text.as_str()));
    let mut keys = BTreeMap::new();
    for (key, text) in told.chain(fields) {
        let Some((prefix, name)) = key.split_once('/') else {
            continue;
        };
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if prefix.contains('.') && is_name {
            // A type's words on its own member; the first in the order of the types' names are as good as any.
            keys.entry(name.to_shouty_snake_case())
                .or_insert((key, text));
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::docs::Docs;
    use crate::manifest::Manifest;
    use crate::model::Input;

    #[test]
    fn members_with_a_prefix_and_those_of_the_manifest_become_constants() {
        let meta = json!({"type": "object", "properties": {
            "com.example/traceId": {"type": "string"},
            "a/b": {"type": "string"},
            "com.example/": {"type": "string"},
            "com.example/1st": {"type": "string"},
            "plain": {"type": "string"},
        }});
        let input = Input {
            name: "s".to_owned(),
            module: "s".to_owned(),
            feature: None,
            needs: Vec::new(),
            spec: None,
            schema: json!({"$defs": {"Meta": meta}}),
        };
        let manifest: Manifest = toml::from_str(
            "[[input]]\nname = \"s\"\nfile = \"s.json\"\nmodule = \"s\"\nfeature = \"s\"\n\
             [input.keys]\n\"com.example/related-task\" = \"The task.\"\n",
        )
        .expect("a manifest");
        let model = Model::build(&[input], &manifest, &Docs::default()).expect("a model");
        let text = text(&model, &model.modules[0]).expect("there are keys");
        let constants: Vec<_> = text
            .lines()
            .filter(|line| line.starts_with("pub const"))
            .collect();
        assert_eq!(
            constants,
            [
                "pub const RELATED_TASK: &str = \"com.example/related-task\";",
                "pub const TRACE_ID: &str = \"com.example/traceId\";",
            ]
        );
        assert!(text.contains("/// `com.example/related-task`. The task."));
    }
}
