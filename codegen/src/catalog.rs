//! What a schema holds, for reading: its methods and definitions, and one definition in full with its
//! documentation and its users.

use serde::Serialize;

use crate::definitions::Definitions;
use crate::docs::Docs;
use crate::shapes::{Shapes, definition_text, methods, schema_text, shapes_text};

/// What a schema holds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contents {
    /// Name of the input, or the file.
    pub schema: String,
    /// Requests and notifications.
    pub methods: Vec<MethodLine>,
    /// Definitions.
    pub definitions: Vec<DefinitionLine>,
}

/// A method, on one line.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MethodLine {
    /// Name on the wire.
    pub name: String,
    /// Who sends it: the unions that it is a member of.
    pub sent_as: Vec<String>,
    /// Definitions of the message.
    pub definitions: Vec<String>,
    /// Our documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
}

/// A definition, on one line.
#[derive(Clone, Debug, Serialize)]
pub struct DefinitionLine {
    /// Its name.
    pub name: String,
    /// Its type in a few words.
    #[serde(rename = "type")]
    pub kind: String,
    /// Our documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
}

/// A definition in full.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Name of the input, or the file.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Its type in a few words.
    #[serde(rename = "type")]
    pub kind: String,
    /// Our documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// Address of the specification page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// Method that it is the message of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// Members of an object.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldLine>,
    /// Alternatives of a union, values of an enum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<VariantLine>,
    /// Definitions that refer to it.
    pub used_by: Vec<String>,
}

/// A member, on one line.
#[derive(Clone, Debug, Serialize)]
pub struct FieldLine {
    /// Name on the wire.
    pub name: String,
    /// Its type in a few words.
    #[serde(rename = "type")]
    pub kind: String,
    /// Whether it must be present.
    pub required: bool,
    /// Our documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
}

/// An alternative or value, on one line.
#[derive(Clone, Debug, Serialize)]
pub struct VariantLine {
    /// The definition, value or type.
    pub name: String,
    /// Our documentation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
}

/// Lists what `definitions` hold. `schema` is what to call them.
#[must_use]
pub fn contents(schema: &str, definitions: &Definitions, docs: &Docs) -> Contents {
    let shapes = Shapes::new(definitions);
    let methods = methods(definitions)
        .into_values()
        .map(|method| MethodLine {
            doc: docs.methods.get(&method.name).map(|it| it.doc.clone()),
            name: method.name,
            sent_as: method.sent_as.into_iter().collect(),
            definitions: method.definitions.into_iter().collect(),
        })
        .collect();
    let all = definitions
        .all
        .iter()
        .map(|(name, value)| DefinitionLine {
            name: name.clone(),
            kind: definition_text(&shapes, value),
            doc: docs.types.get(name).map(|it| it.doc.clone()),
        })
        .collect();
    Contents {
        schema: schema.to_owned(),
        methods,
        definitions: all,
    }
}

/// Describes the definition `name`, or `None` if there is none. `spec` is the start of the specification
/// pages.
#[must_use]
pub fn entry(
    schema: &str,
    definitions: &Definitions,
    docs: &Docs,
    spec: Option<&str>,
    name: &str,
) -> Option<Entry> {
    let value = definitions.get(name)?;
    let shapes = Shapes::new(definitions);
    let doc = docs.types.get(name);
    let resolved = shapes.resolved(name);
    let mut fields = Vec::new();
    let mut variants = Vec::new();
    let mut method = None;
    match resolved.as_slice() {
        [one] => {
            method = one.tag("method");
            for (member, it) in &one.members {
                fields.push(FieldLine {
                    name: member.clone(),
                    kind: schema_text(&shapes, &it.schema),
                    required: it.required,
                    doc: doc.and_then(|doc| doc.fields.get(member)).cloned(),
                });
            }
            for text in one.values.iter().flatten() {
                let bare = text.trim_matches('"').to_owned();
                let doc = doc.and_then(|doc| doc.variants.get(&bare)).cloned();
                variants.push(VariantLine { name: bare, doc });
            }
        }
        _ => {
            for shape in shapes.alternatives(value) {
                let name = shapes_text(&shapes, std::slice::from_ref(&shape));
                let doc = docs.types.get(&name).map(|it| it.doc.clone());
                variants.push(VariantLine { name, doc });
            }
        }
    }
    // What must be present comes first; names in order within.
    fields.sort_by_key(|field| !field.required);
    let used_by = definitions
        .all
        .keys()
        .filter(|user| user.as_str() != name && definitions.used_by(user).contains(name))
        .cloned()
        .collect();
    let page = doc.and_then(|doc| doc.spec.as_deref());
    Some(Entry {
        schema: schema.to_owned(),
        name: name.to_owned(),
        kind: definition_text(&shapes, value),
        doc: doc.map(|doc| doc.doc.clone()),
        spec: page
            .zip(spec)
            .map(|(page, start)| format!("{start}/{page}")),
        method,
        fields,
        variants,
        used_by,
    })
}
