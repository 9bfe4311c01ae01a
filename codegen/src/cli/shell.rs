//! `mcp-codegen completions` and `mcp-codegen man`.

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, Failure, Outcome, Streams};

/// Print completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen completions bash > ~/.local/share/bash-completion/completions/mcp-codegen\n  \
    mcp-codegen completions zsh > ~/.zfunc/_mcp-codegen\n  \
    mcp-codegen completions fish > ~/.config/fish/completions/mcp-codegen.fish")]
pub(super) struct Completions {
    /// Shell to complete in
    shell: Shell,
}

/// Print the manual page
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    mcp-codegen man | man -l -\n  \
    mcp-codegen man > ~/.local/share/man/man1/mcp-codegen.1")]
pub(super) struct Man {}

impl Completions {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "mcp-codegen", &mut text);
        streams.out.write_all(&text)?;
        Ok(Outcome::Clean)
    }
}

impl Man {
    pub(super) fn run(self, streams: &mut Streams<'_>) -> Result<Outcome, Failure> {
        let mut command = Cli::command();
        command.build();
        let mut text = Vec::new();
        clap_mangen::Man::new(command.clone()).render(&mut text)?;
        // One page for all: each command follows with its options and examples.
        for inner in command
            .get_subcommands()
            .filter(|it| it.get_name() != "help")
        {
            let page = clap_mangen::Man::new(inner.clone());
            let title = inner.get_name().to_uppercase();
            text.extend_from_slice(format!(".SH {title}\n").as_bytes());
            page.render_synopsis_section(&mut text)?;
            page.render_description_section(&mut text)?;
            page.render_options_section(&mut text)?;
            page.render_extra_section(&mut text)?;
        }
        streams.out.write_all(&text)?;
        Ok(Outcome::Clean)
    }
}
