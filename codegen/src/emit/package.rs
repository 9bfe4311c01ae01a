//! The crate around the files: its manifest and front page.

use super::Options;
use crate::model::{Model, Module, TypeKind, Variant};
use crate::write::HEADER;

/// `Cargo.toml` of a crate of its own.
pub(super) fn manifest(model: &Model, package: &str) -> String {
    let inputs: Vec<&str> = model
        .modules
        .iter()
        .map(|module| module.input.as_str())
        .collect();
    let mut text = format!(
        "# {HEADER} generate. Do not edit; change the schema or its documentation.\n\n\
         [package]\n\
         name = \"{package}\"\n\
         description = \"Types generated from {}\"\n\
         version = \"0.1.0\"\n\
         edition = \"2024\"\n\
         rust-version = \"1.88\"\n\n\
         [dependencies]\n\
         serde = {{ version = \"1.0.220\", default-features = false, features = [\"std\"] }}\n\
         serde_json = {{ version = \"1.0.145\", features = [\"float_roundtrip\"] }}\n",
        inputs.join(", ")
    );
    let features: Vec<_> = model
        .modules
        .iter()
        .filter_map(|module| Some((module.feature.as_ref()?, &module.needs)))
        .collect();
    if !features.is_empty() {
        let all: Vec<String> = features
            .iter()
            .map(|(feature, _)| format!("{feature:?}"))
            .collect();
        text.push_str(&format!("\n[features]\ndefault = [{}]\n", all.join(", ")));
        for (feature, needs) in features {
            text.push_str(&format!("{feature} = {needs:?}\n"));
        }
    }
    text
}

/// The crate's front page.
pub(super) fn front(model: &Model, options: &Options) -> String {
    let mut text = "Types of the Model Context Protocol, generated from its JSON Schemas.\n\n\
         A type accepts what its schema accepts and encodes it back to an equal value: members that the schema does not name \
         are kept in `extra`, a null that is allowed is kept apart from a member that is absent, an integer may be written as \
         `5.0`. Everything else is refused with an error that starts with the member's path.\n\n"
        .to_owned();
    text.push_str("| module | what |\n| --- | --- |\n");
    for module in &model.modules {
        let feature = module
            .feature
            .as_ref()
            .map(|feature| format!(", with the feature `{feature}`"))
            .unwrap_or_default();
        text.push_str(&format!(
            "| `{}` | {}{feature} |\n",
            module.name, module.input
        ));
    }
    if super::files::has_common(model) {
        text.push_str("| [`common`] | types that several of them have in common |\n");
    }
    text.push_str(
        "| [`message`], [`method`] | what messages and the markers of methods are made of |\n",
    );
    if let Some(module) = model
        .modules
        .iter()
        .rev()
        .find(|module| has_tools(model, module))
    {
        text.push_str(&example(model, module, options));
    }
    text
}

/// Whether the example can be written with the module's types.
fn has_tools(model: &Model, module: &Module) -> bool {
    let text =
        module
            .definitions
            .get("ContentBlock")
            .is_some_and(|id| match &model.get(*id).kind {
                TypeKind::Union(union) => {
                    union.variants.iter().any(|variant| variant.name == "Text")
                }
                _ => false,
            });
    text && ["CallToolResult", "TextContent", "Task"]
        .iter()
        .filter(|name| module.definitions.contains_key(**name))
        .count()
        >= 2
        && module.definitions.contains_key("CallToolResult")
}

/// Whether the example can show a message that can have one of several methods.
fn has_notifications(model: &Model, module: &Module) -> bool {
    let notification = module.definitions.get("ServerNotification");
    notification.is_some_and(|id| match &model.get(*id).kind {
        TypeKind::Union(union) => {
            let is_named = |variant: &Variant| variant.name == "NotificationsToolsListChanged";
            union.variants.len() > 1 && union.variants.iter().any(is_named)
        }
        _ => false,
    })
}

fn example(model: &Model, module: &Module, options: &Options) -> String {
    let name = options
        .package
        .as_deref()
        .unwrap_or("mcp-tasks-types")
        .replace('-', "_");
    let typed =
        module
            .definitions
            .get("CallToolResult")
            .is_some_and(|id| match &model.get(*id).kind {
                TypeKind::Struct(object) => object
                    .fields
                    .iter()
                    .any(|field| field.json == "resultType" && field.required),
                _ => false,
            });
    let (json, argument) = if typed {
        (", \"resultType\": \"complete\"", ", \"complete\"")
    } else {
        ("", "")
    };
    let feature = module
        .feature
        .as_ref()
        .map(|feature| format!("# #[cfg(feature = {feature:?})]\n"))
        .unwrap_or_default();
    let notification = if has_notifications(model, module) {
        "let json = r#\"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/tools/list_changed\"}\"#;\n\
         match serde_json::from_str(json)? {\n    \
             ServerNotification::NotificationsToolsListChanged(_) => println!(\"ask for the tools again\"),\n    \
             other => println!(\"{} can wait\", other.method()),\n\
         }\n\n"
    } else {
        ""
    };
    let more = if notification.is_empty() {
        ""
    } else {
        "ServerNotification, "
    };
    format!(
        "\nDecode, look inside, build, encode:\n\n\
         ```\n\
         {feature}# fn main() -> Result<(), serde_json::Error> {{\n\
         use {name}::{module}::{{CallToolResult, ContentBlock, {more}TextContent}};\n\n\
         let json = r#\"{{\"content\": [{{\"type\": \"text\", \"text\": \"42\"}}]{json}}}\"#;\n\
         let result: CallToolResult = serde_json::from_str(json)?;\n\
         match &result.content[0] {{\n    \
             ContentBlock::Text(block) => assert_eq!(block.text, \"42\"),\n    \
             other => panic!(\"not a text: {{other:?}}\"),\n\
         }}\n\n\
         let built = CallToolResult::new(vec![TextContent::new(\"42\").into()]{argument});\n\
         assert_eq!(built, result);\n\
         assert_eq!(serde_json::to_value(&built)?, serde_json::from_str::<serde_json::Value>(json)?);\n\n\
         {notification}let wrong = r#\"{{\"content\": [{{\"type\": \"text\", \"text\": null}}]{json}}}\"#;\n\
         let error = serde_json::from_str::<CallToolResult>(wrong).unwrap_err();\n\
         assert!(error.to_string().starts_with(\"content[0].text: invalid type: null\"));\n\
         # Ok(())\n\
         # }}\n{rest}\
         ```\n",
        module = module.name,
        rest = module
            .feature
            .as_ref()
            .map(|feature| format!("# #[cfg(not(feature = {feature:?}))]\n# fn main() {{}}\n"))
            .unwrap_or_default(),
    )
}
