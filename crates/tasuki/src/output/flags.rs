//! The flags of every command, which say how it prints.

use clap::{Args, ValueEnum};

/// The flags of every command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct OutputFlags {
    /// Print JSON on stdout, one object per line.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print JSON with only these fields, separated by commas.
    #[arg(long, global = true, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) fields: Vec<String>,
    /// When to colour the output.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: ColorMode,
    /// Print results only, no remarks.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

/// When to print colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorMode {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// Also into a pipe or a file.
    Always,
    /// Not at all.
    Never,
}
