//! `mcp-codegen show`.

use super::schemas::{Choice, Schema};
use super::{Failure, Outcome, Report as Format, Streams};
use crate::catalog::{Entry, entry};
use crate::definitions::closest;
use crate::shapes;

/// Show one definition: what it is for, its fields, and what uses it
///
/// NAME is a definition, or a method, which stands for the definition of its message. Without --revision
/// or --schema, it is shown as each input of the manifest has it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen show CallToolResult\n  \
    mcp-codegen show tools/call --revision 2026-07-28\n  \
    mcp-codegen show Task --schema ext-tasks.json --format json")]
pub(super) struct Args {
    /// Definition or method
    name: String,
    #[command(flatten)]
    choice: Choice,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Args {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        let (schemas, docs) = self.choice.read()?;
        let mut entries: Vec<Entry> = Vec::new();
        for schema in &schemas {
            for name in names(schema, &self.name) {
                let spec = schema.spec.as_deref();
                entries.extend(entry(&schema.name, &schema.definitions, &docs, spec, &name));
            }
        }
        if entries.is_empty() {
            return Err(unknown(&schemas, &self.name).into());
        }
        if self.format == Format::Json {
            writeln!(streams.out, "{}", serde_json::to_string_pretty(&entries)?)?;
            return Ok(Outcome::Clean);
        }
        for (index, entry) in entries.iter().enumerate() {
            if index > 0 {
                writeln!(streams.out)?;
            }
            print(entry, streams)?;
        }
        Ok(Outcome::Clean)
    }
}

fn names(schema: &Schema, name: &str) -> Vec<String> {
    if schema.definitions.get(name).is_some() {
        return vec![name.to_owned()];
    }
    shapes::methods(&schema.definitions)
        .remove(name)
        .map(|method| method.definitions.into_iter().collect())
        .unwrap_or_default()
}

fn unknown(schemas: &[Schema], name: &str) -> String {
    let all = schemas
        .iter()
        .flat_map(|it| it.definitions.all.keys())
        .map(String::as_str);
    let hint = match closest(name, all) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`mcp-codegen list --revision NAME` shows what there is".to_owned(),
    };
    let places: Vec<&str> = schemas.iter().map(|it| it.name.as_str()).collect();
    format!(
        "no definition or method `{name}` in {}; {hint}",
        places.join(", ")
    )
}

fn print(entry: &Entry, streams: &mut Streams<'_>) -> Result<(), Failure> {
    writeln!(streams.out, "{} ({})", entry.name, entry.schema)?;
    let doc = entry.doc.as_deref().map(|doc| doc.replace('\n', "\n  "));
    for line in [doc, entry.spec.clone()].into_iter().flatten() {
        writeln!(streams.out, "  {line}")?;
    }
    if let Some(method) = &entry.method {
        writeln!(streams.out, "  Method {method}")?;
    }
    if entry.fields.is_empty() && entry.variants.is_empty() {
        writeln!(streams.out, "  Type {}", entry.kind)?;
    }
    if !entry.fields.is_empty() {
        writeln!(streams.out, "\nFields")?;
    }
    for field in &entry.fields {
        let need = if field.required { "" } else { "?" };
        writeln!(streams.out, "  {}{need}: {}", field.name, field.kind)?;
        if let Some(doc) = &field.doc {
            writeln!(streams.out, "      {}", doc.replace('\n', "\n      "))?;
        }
    }
    if !entry.variants.is_empty() {
        writeln!(streams.out, "\nOne of")?;
    }
    for variant in &entry.variants {
        writeln!(streams.out, "  {}", variant.name)?;
        if let Some(doc) = &variant.doc {
            writeln!(streams.out, "      {}", doc.replace('\n', "\n      "))?;
        }
    }
    if !entry.used_by.is_empty() {
        writeln!(streams.out, "\nUsed by\n  {}", entry.used_by.join(", "))?;
    }
    Ok(())
}
