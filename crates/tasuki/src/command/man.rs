//! `tasuki man`: the manual pages, one per command.

use std::path::PathBuf;

use clap::CommandFactory as _;

use crate::cli::Cli;
use crate::exit::{Exit, Failure};
use crate::printer::Printer;

/// Print the manual page, or write all pages into a folder.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki man | man -l -\n  tasuki man --to ~/.local/share/man/man1"
)]
pub(crate) struct Arguments {
    /// Write `tasuki.1` and a page for every command into this folder.
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let failed = |error: std::io::Error| Failure::usage(format!("cannot write the pages: {error}"));
    if let Some(folder) = &arguments.to {
        std::fs::create_dir_all(folder).map_err(failed)?;
        clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
        printer.remark(&format!("Wrote the manual pages to {}", folder.display()));
    } else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(failed)?;
        printer.data(&String::from_utf8_lossy(&page));
    }
    Ok(Exit::Success)
}
