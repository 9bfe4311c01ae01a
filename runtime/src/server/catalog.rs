//! The tools of a server, with what is said of them in each era made ready once.

use std::collections::HashMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{
    JsonObject,
    protocol::headers::{ParamHeader, param_headers},
    tool::{TaskSupport, Tool, ToolDescriptor, ToolSet},
    types::{
        v2025_11_25::{self, keys::MODEL_IMMEDIATE_RESPONSE},
        v2026_07_28,
    },
};

use super::BuildError;

/// A tool and what is known of it beforehand.
pub(crate) struct Entry {
    pub(crate) tool: Tool,
    /// Arguments that the modern era repeats in headers.
    pub(crate) headers: Vec<ParamHeader>,
}

/// The tools of a server.
pub(crate) struct Catalog {
    entries: Vec<Entry>,
    by_name: HashMap<String, usize>,
    modern: Vec<Value>,
    legacy: Vec<Value>,
    plain: Vec<Value>,
}

impl Catalog {
    pub(crate) fn new(tools: ToolSet) -> Result<Self, BuildError> {
        let mut catalog = Self {
            entries: Vec::new(),
            by_name: HashMap::new(),
            modern: Vec::new(),
            legacy: Vec::new(),
            plain: Vec::new(),
        };
        for tool in &tools {
            let descriptor = &tool.descriptor;
            let headers =
                param_headers(&descriptor.input_schema).map_err(|reason| BuildError::Schema {
                    tool: descriptor.name.clone(),
                    reason,
                })?;
            let modern = describe(descriptor);
            let mut plain = modern.clone();
            // The legacy era knows only schemas of objects.
            if descriptor
                .output_schema
                .as_ref()
                .is_some_and(|schema| schema.get("type") != Some(&"object".into()))
            {
                plain.remove("outputSchema");
            }
            let mut legacy = plain.clone();
            legacy.insert(
                "execution".into(),
                json!({ "taskSupport": support(descriptor.options.task) }),
            );
            catalog
                .modern
                .push(checked::<v2026_07_28::Tool>(descriptor, modern)?);
            catalog
                .legacy
                .push(checked::<v2025_11_25::Tool>(descriptor, legacy)?);
            // Without tasks there is no way to call it.
            if descriptor.options.task != TaskSupport::Required {
                catalog.plain.push(plain.into());
            }
            catalog
                .by_name
                .insert(descriptor.name.clone(), catalog.entries.len());
            catalog.entries.push(Entry {
                tool: tool.clone(),
                headers,
            });
        }
        Ok(catalog)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Entry> {
        self.by_name.get(name).map(|&index| &self.entries[index])
    }

    /// The tools as the modern era describes them.
    pub(crate) fn modern(&self) -> &[Value] {
        &self.modern
    }

    /// The tools as 2025-11-25 describes them.
    pub(crate) fn legacy(&self) -> &[Value] {
        &self.legacy
    }

    /// The tools as the revisions before that describe them, which have no tasks: those that must be tasks are left out.
    pub(crate) fn plain(&self) -> &[Value] {
        &self.plain
    }
}

fn support(support: TaskSupport) -> &'static str {
    match support {
        TaskSupport::Optional => "optional",
        TaskSupport::Required => "required",
        TaskSupport::Forbidden => "forbidden",
    }
}

/// The description of a tool, if it is one that clients of the era can read.
fn checked<T: DeserializeOwned>(
    descriptor: &ToolDescriptor,
    tool: JsonObject,
) -> Result<Value, BuildError> {
    let tool = Value::Object(tool);
    match T::deserialize(&tool) {
        Ok(_) => Ok(tool),
        Err(error) => Err(BuildError::Schema {
            tool: descriptor.name.clone(),
            reason: error.to_string(),
        }),
    }
}

fn describe(descriptor: &ToolDescriptor) -> JsonObject {
    let mut tool = JsonObject::new();
    tool.insert("name".into(), descriptor.name.clone().into());
    let texts = [
        ("title", &descriptor.title),
        ("description", &descriptor.description),
    ];
    for (member, text) in texts {
        if let Some(text) = text {
            tool.insert(member.into(), text.clone().into());
        }
    }
    tool.insert("inputSchema".into(), descriptor.input_schema.clone().into());
    // This one belongs on the handle of a task.
    let mut meta = descriptor.meta.clone();
    if let Some(meta) = &mut meta {
        meta.remove(MODEL_IMMEDIATE_RESPONSE);
    }
    let meta = meta.filter(|meta| !meta.is_empty());
    let objects = [
        ("outputSchema", &descriptor.output_schema),
        ("_meta", &meta),
    ];
    for (member, object) in objects {
        if let Some(object) = object {
            tool.insert(member.into(), object.clone().into());
        }
    }
    if let Some(annotations) = &descriptor.annotations {
        tool.insert("annotations".into(), json!(annotations));
    }
    if !descriptor.icons.is_empty() {
        tool.insert("icons".into(), json!(descriptor.icons));
    }
    tool
}
