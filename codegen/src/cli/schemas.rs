//! The schemas that a command reads: inputs of the manifest by their name, or a file.

use std::path::PathBuf;

use super::{Failure, manifest_path};
use crate::definitions::{Definitions, closest};
use crate::docs::Docs;
use crate::manifest::Manifest;

/// Which schema to read.
#[derive(Debug, clap::Args)]
pub(super) struct Choice {
    /// Name of an input of the manifest, such as 2026-07-28 or ext-tasks
    #[arg(long, short, value_name = "NAME", conflicts_with = "schema")]
    pub(super) revision: Option<String>,
    /// A schema file instead, official or facts
    #[arg(long, value_name = "FILE")]
    pub(super) schema: Option<PathBuf>,
    /// The manifest [default: schema/manifest.toml here or above]
    #[arg(long, value_name = "FILE", conflicts_with = "schema")]
    pub(super) manifest: Option<PathBuf>,
}

/// A schema that was read.
pub(super) struct Schema {
    pub(super) name: String,
    pub(super) spec: Option<String>,
    pub(super) definitions: Definitions,
}

impl Choice {
    /// The chosen schema, or all of the manifest if none is chosen, and the documentation.
    pub(super) fn read(&self) -> Result<(Vec<Schema>, Docs), Failure> {
        if let Some(path) = &self.schema {
            let definitions = Definitions::read(path)?;
            let name = path.display().to_string();
            return Ok((
                vec![Schema {
                    name,
                    spec: None,
                    definitions,
                }],
                Docs::default(),
            ));
        }
        let manifest = Manifest::read(&manifest_path(self.manifest.clone())?)?;
        if let Some(name) = &self.revision
            && manifest.input(name).is_none()
        {
            let names: Vec<&str> = manifest.inputs.iter().map(|it| it.name.as_str()).collect();
            let near = closest(name, names.iter().copied())
                .map_or_else(String::new, |near| format!("did you mean `{near}`? "));
            return Err(format!(
                "{}: has no input `{name}`; {near}it has {}",
                manifest.path.display(),
                names.join(", ")
            )
            .into());
        }
        let chosen = |name: &str| self.revision.as_deref().is_none_or(|it| it == name);
        let mut schemas = Vec::new();
        for input in manifest.inputs.iter().filter(|input| chosen(&input.name)) {
            schemas.push(Schema {
                name: input.name.clone(),
                spec: input.spec.clone(),
                definitions: Definitions::read(&manifest.resolve(&input.file))?,
            });
        }
        let docs = manifest.resolve(&manifest.output.docs);
        let docs = if docs.is_dir() {
            Docs::read(&docs)?
        } else {
            Docs::default()
        };
        Ok((schemas, docs))
    }
}
