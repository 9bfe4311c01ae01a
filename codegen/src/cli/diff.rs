//! `mcp-codegen diff`.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{Failure, Outcome, Streams};
use crate::definitions::Definitions;
use crate::diff;

/// Say what changed between two schemas, and whom each change breaks
///
/// Takes official schema files and facts files of any revision. A change breaks readers when code that
/// knows OLD cannot count on understanding messages of NEW (more is valid than before), and writers when
/// messages of OLD are no longer what a peer that knows NEW expects (less is valid than before). Changes
/// that concern tasks come first. Identical schemas print nothing.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen diff schema/2025-11-25.json schema/2026-07-28.json\n  \
    mcp-codegen diff old.json new.json --format markdown > NOTES.md\n  \
    mcp-codegen diff old.json new.json --exit-code    1 if anything breaks\n  \
    mcp-codegen diff old.json new.json --format json | jq '.changes[] | select(.breaks.writer)'")]
pub(super) struct Args {
    /// The schema before
    old: PathBuf,
    /// The schema after
    new: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Exit with 1 if a change breaks readers or writers
    #[arg(long)]
    exit_code: bool,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Format {
    /// One line a change
    #[default]
    Text,
    /// For release notes
    Markdown,
    /// For programs
    Json,
}

impl Args {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        let old = Definitions::read(&self.old)?;
        let new = Definitions::read(&self.new)?;
        let diff = diff::diff(&old, &new);
        let text = match self.format {
            Format::Text => diff::text(&diff),
            Format::Markdown => diff::markdown(&diff),
            Format::Json => diff::json(&diff),
        };
        streams.out.write_all(text.as_bytes())?;
        if diff.changes.is_empty() {
            writeln!(streams.talk, "no differences")?;
        }
        let breaking = diff.changes.iter().any(|change| change.breaks.any());
        Ok(if self.exit_code && breaking {
            Outcome::Found
        } else {
            Outcome::Clean
        })
    }
}
