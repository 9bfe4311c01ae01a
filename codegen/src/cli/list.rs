//! `mcp-codegen list`.

use super::schemas::Choice;
use super::{Failure, Outcome, Report as Format, Streams};
use crate::catalog::{Contents, contents};

/// List the methods and definitions of a revision
///
/// Without --revision or --schema, one line for each input of the manifest.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen list\n  \
    mcp-codegen list --revision 2026-07-28\n  \
    mcp-codegen list --schema draft.json --format json | jq -r '.[].methods[].name'")]
pub(super) struct Args {
    #[command(flatten)]
    choice: Choice,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Args {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        let (schemas, docs) = self.choice.read()?;
        let all: Vec<Contents> = schemas
            .iter()
            .map(|it| contents(&it.name, &it.definitions, &docs))
            .collect();
        if self.format == Format::Json {
            writeln!(streams.out, "{}", serde_json::to_string_pretty(&all)?)?;
            return Ok(Outcome::Clean);
        }
        let overview = self.choice.revision.is_none() && self.choice.schema.is_none();
        for it in &all {
            if overview {
                writeln!(
                    streams.out,
                    "{:<14} {:>4} definitions {:>4} methods",
                    it.schema,
                    it.definitions.len(),
                    it.methods.len()
                )?;
            } else {
                print(it, streams)?;
            }
        }
        Ok(Outcome::Clean)
    }
}

fn print(contents: &Contents, streams: &mut Streams<'_>) -> Result<(), Failure> {
    let width = |names: &mut dyn Iterator<Item = &String>| {
        names.map(|name| name.chars().count()).max().unwrap_or(0)
    };
    let methods = width(&mut contents.methods.iter().map(|it| &it.name));
    writeln!(streams.out, "Methods")?;
    for method in &contents.methods {
        let about = method
            .doc
            .clone()
            .unwrap_or_else(|| method.definitions.join(", "));
        let sent = if method.sent_as.is_empty() {
            String::new()
        } else {
            format!(" ({})", method.sent_as.join(", "))
        };
        writeln!(streams.out, "  {:<methods$}  {about}{sent}", method.name)?;
    }
    let definitions = width(&mut contents.definitions.iter().map(|it| &it.name));
    writeln!(streams.out, "\nDefinitions")?;
    for definition in &contents.definitions {
        let about = definition.doc.as_ref().unwrap_or(&definition.kind);
        writeln!(streams.out, "  {:<definitions$}  {about}", definition.name)?;
    }
    Ok(())
}
