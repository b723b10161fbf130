//! `tasuki completions`: prints completion scripts for shells.

use clap_complete::Shell;

use crate::exit::Exit;
use crate::output::printer::Printer;

/// Print shell completions.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tasuki completions bash > ~/.local/share/bash-completion/completions/tasuki"
)]
pub(crate) struct Arguments {
    /// The shell.
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, mut command: clap::Command, printer: &Printer) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "tasuki", &mut script);
    printer.data(&String::from_utf8_lossy(&script));
    Exit::Success
}
