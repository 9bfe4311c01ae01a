//! `mcp-codegen import`.

use std::fs;
use std::path::PathBuf;

use super::{Failure, Outcome, Streams, manifest_path};
use crate::manifest::Manifest;
use crate::write::{Written, replace};
use crate::{facts, import, source};

/// Take over an official schema file: keep its facts, drop its sentences, record where it is from
///
/// Writes NAME.json next to the manifest, with every description, title and comment left out and the
/// keys sorted, and notes the file's SHA-256 and origin in the manifest. A second import of the same
/// name says what changed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen import spec/2026-07-28/schema.json --commit 1a2b3c4\n  \
    mcp-codegen import draft.json --name draft --repository https://github.com/me/fork\n  \
    mcp-codegen import schema.json --output -      only print the facts")]
pub(super) struct Args {
    /// The official schema.json
    file: PathBuf,
    /// Name of the input [default: the directory of a schema.json, or the file's name]
    #[arg(long)]
    name: Option<String>,
    /// The manifest [default: schema/manifest.toml here or above]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Write the facts to this file (`-`: standard output) and leave the manifest alone
    #[arg(long, value_name = "FILE", conflicts_with_all = ["manifest", "name"])]
    output: Option<PathBuf>,
    /// Address of the upstream repository
    #[arg(long, value_name = "URL")]
    repository: Option<String>,
    /// Path of the file in that repository
    #[arg(long)]
    path: Option<String>,
    /// Commit that the file was taken from
    #[arg(long)]
    commit: Option<String>,
    /// Licence of the upstream file, as an SPDX expression
    #[arg(long, value_name = "SPDX")]
    licence: Option<String>,
}

impl Args {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        let source = source::read(&self.file)?;
        let facts = facts::reduce(&source.value);
        let text = facts::to_text(&facts.schema);
        for pointer in &facts.unknown {
            writeln!(
                streams.talk,
                "note: {}: {pointer} is no keyword of JSON Schema and was left out",
                self.file.display()
            )?;
        }
        if let Some(output) = &self.output {
            if output.as_os_str() == "-" {
                streams.out.write_all(text.as_bytes())?;
            } else {
                replace(output, &text)?;
            }
            return Ok(Outcome::Clean);
        }
        let name = match self.name {
            Some(name) if import::is_name(&name) => name,
            Some(name) => {
                return Err(format!(
                    "`{name}` cannot be the name of an input; use letters, digits, `-`, `_`, `.`"
                )
                .into());
            }
            None => import::name_of(&self.file).ok_or_else(|| {
                format!("{}: give the input a name with --name", self.file.display())
            })?,
        };
        let path = manifest_path(self.manifest)?;
        let (before, manifest) = if path.exists() {
            let manifest = Manifest::read(&path)?;
            (fs::read_to_string(&path)?, manifest)
        } else {
            writeln!(
                streams.talk,
                "{}: does not exist yet and is made",
                path.display()
            )?;
            (String::new(), Manifest::parse(&path, "")?)
        };
        let known = manifest.input(&name);
        let file = known.map_or_else(
            || PathBuf::from(format!("{name}.json")),
            |it| it.file.clone(),
        );
        let target = manifest.resolve(&file);
        let old = import::earlier(&target);
        let upstream = import::provenance(
            known.and_then(|input| input.upstream.as_ref()),
            import::Origin {
                repository: self.repository,
                path: self.path,
                commit: self.commit,
                licence: self.licence,
            },
            source.sha256,
        );
        let after = import::record(
            &before,
            &path,
            &name,
            &file.display().to_string(),
            &upstream,
        )?;

        let written = replace(&target, &text)?;
        replace(&path, &after)?;
        let definitions = source::definitions(&facts.schema).map_or(0, |(_, all)| all.len());
        writeln!(
            streams.talk,
            "{}: {definitions} definitions, {} sentences left out{}",
            target.display(),
            facts.sentences,
            if written == Written::Unchanged {
                ", unchanged"
            } else {
                ""
            },
        )?;
        if upstream.commit.is_none() {
            writeln!(
                streams.talk,
                "note: the commit of this file is not known; say --commit to record it in {}",
                path.display()
            )?;
        }
        if let Some(old) = old.filter(|old| *old != facts.schema) {
            for line in import::changes(&old, &facts.schema) {
                writeln!(streams.talk, "  {line}")?;
            }
        }
        if known.is_none() {
            writeln!(
                streams.talk,
                "note: `{name}` is new; look over its module and feature in {}",
                path.display()
            )?;
        }
        Ok(Outcome::Clean)
    }
}
