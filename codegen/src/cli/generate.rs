//! `mcp-codegen generate`.

use std::path::PathBuf;

use super::{Failure, Outcome, Streams, count, manifest_path};
use crate::manifest::Manifest;
use crate::plan::{AdHoc, Plan};

/// Write the Rust types: as the manifest says, or a new crate from any schema files
///
/// Without --schema, brings the crate that schema/manifest.toml describes up to date. With --schema,
/// writes a whole crate from official files of any revision, and needs no manifest. Files are replaced
/// as a whole, only where something changed; generated files that are no longer needed are removed.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen generate\n  \
    mcp-codegen generate --schema spec/2025-06-18/schema.json --out mcp-2025-06-18\n  \
    mcp-codegen generate --schema a.json b.json --out types --registry\n\n\
    Two definitions that want the same Rust name, or a name you do not like: write\n  \
    [names]\n  JSONRPCError = \"RpcError\"\n\
    into a file and pass it as --manifest.")]
pub(super) struct Args {
    /// Schema files to make a crate from
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "out")]
    schema: Vec<PathBuf>,
    /// Directory of that crate
    #[arg(long, value_name = "DIR", requires = "schema")]
    out: Option<PathBuf>,
    /// Name of that crate [default: the directory's]
    #[arg(long, value_name = "NAME", requires = "schema")]
    package: Option<String>,
    /// Also write `registry::reencode`, which decodes and encodes by definition name
    #[arg(long, requires = "schema")]
    registry: bool,
    /// Documentation for that crate (TOML files)
    #[arg(long, value_name = "DIR", requires = "schema")]
    docs: Option<PathBuf>,
    /// The manifest [default: schema/manifest.toml here or above]; with --schema only its names, domains
    /// and relaxations count
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
}

impl Args {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        let plan = match self.out {
            None => Plan::from_manifest(&Manifest::read(&manifest_path(self.manifest)?)?)?,
            Some(out) => Plan::ad_hoc(&AdHoc {
                schemas: self.schema,
                out,
                package: self.package,
                manifest: self.manifest,
                docs: self.docs,
                registry: self.registry,
            })?,
        };
        let (changed, removed) = plan.write()?;
        for path in &changed {
            writeln!(streams.talk, "wrote    {}", path.display())?;
        }
        for path in &removed {
            writeln!(streams.talk, "removed  {}", path.display())?;
        }
        writeln!(
            streams.talk,
            "{}: {} written, {} removed",
            count(plan.files.len(), "file"),
            changed.len(),
            removed.len()
        )?;
        Ok(Outcome::Clean)
    }
}
