//! The output options of every command.

use clap::{Args, ValueEnum};

/// The output options of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output options")]
pub(crate) struct OutputFlags {
    /// Print JSON on stdout, one object per line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print JSON with these fields only, separated by commas.
    #[arg(long, global = true, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,
    /// When to use colours.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorMode,
    /// Never prompt; a command that needs an answer fails.
    #[arg(long, global = true)]
    pub(crate) no_input: bool,
    /// Print results only, without remarks.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// When to use colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorMode {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Even in a pipe or a file.
    Always,
    /// No colours.
    Never,
}
