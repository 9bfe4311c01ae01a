//! `mcp-codegen check`.

use std::path::PathBuf;

use super::{Failure, Outcome, Report as Format, Streams, count, manifest_path};
use crate::check::{Report, check};
use crate::coverage::Gap;
use crate::manifest::Manifest;
use crate::plan::Plan;

/// Say whether the generated files are up to date and everything is documented
///
/// Exits with 1 and names each file that is not what `generate` would write, with the first lines that
/// differ, each type, field, variant and method without documentation, and each piece of documentation
/// that describes nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen check\n  \
    mcp-codegen check --fix                write what is out of date, then report what is left\n  \
    mcp-codegen check --format json        for scripts")]
pub(super) struct Args {
    /// Bring the files up to date; missing documentation is still reported
    #[arg(long)]
    fix: bool,
    /// The manifest [default: schema/manifest.toml here or above]
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl Args {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        let plan = Plan::from_manifest(&Manifest::read(&manifest_path(self.manifest)?)?)?;
        if self.fix {
            let (changed, removed) = plan.write()?;
            for path in changed.iter().chain(&removed) {
                writeln!(streams.talk, "fixed    {}", path.display())?;
            }
        }
        let report = check(&plan);
        match self.format {
            Format::Json => {
                let text = serde_json::to_string_pretty(&report)?;
                writeln!(streams.out, "{text}")?;
            }
            Format::Text => print(&report, streams)?,
        }
        if report.is_clean() {
            writeln!(
                streams.talk,
                "{} up to date, everything is documented",
                count(plan.files.len(), "file")
            )?;
            return Ok(Outcome::Clean);
        }
        if !report.files.is_empty() {
            writeln!(
                streams.talk,
                "{} not up to date: run `mcp-codegen generate` or `mcp-codegen check --fix`",
                count(report.files.len(), "file")
            )?;
        }
        if !report.undocumented.is_empty() {
            writeln!(
                streams.talk,
                "{} without documentation: describe it in the TOML files of the docs directory",
                count(report.undocumented.len(), "item")
            )?;
        }
        if !report.strays.is_empty() {
            writeln!(
                streams.talk,
                "{} of documentation without a subject: correct the name or remove it",
                count(report.strays.len(), "piece")
            )?;
        }
        Ok(Outcome::Found)
    }
}

fn print(report: &Report, streams: &mut Streams<'_>) -> Result<(), Failure> {
    for finding in &report.files {
        let line = finding
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        writeln!(
            streams.out,
            "{:<8} {}{line}",
            finding.state.as_str(),
            finding.path.display()
        )?;
        for line in &finding.lines {
            writeln!(streams.out, "  {line}")?;
        }
    }
    for Gap { what, name, .. } in &report.undocumented {
        writeln!(streams.out, "undocumented {what} {name}")?;
    }
    for Gap { what, name, place } in &report.strays {
        let place = place.as_deref().unwrap_or_default();
        writeln!(
            streams.out,
            "{place}: describes the {what} {name}, which does not exist"
        )?;
    }
    Ok(())
}
