//! `tasuki man`: prints the manual pages, one per command.

use std::path::{Path, PathBuf};

use clap::Args as _;

use super::help;
use crate::config::Flags;
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::Printer;

/// Print or install the manual pages.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki man | man -l -\n  tasuki man --to ~/.local/share/man/man1"
)]
pub(crate) struct Arguments {
    /// Write `tasuki.1` and a page for every command to this folder.
    #[arg(long, value_name = "FOLDER")]
    to: Option<PathBuf>,
}

pub(crate) fn run(
    arguments: &Arguments,
    mut command: clap::Command,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let engine_failure = |error: std::io::Error| {
        Failure::usage(format!("cannot write the pages: {}", reason(&error)))
    };
    // The options of every command are on the main page only.
    let about = command.get_about().cloned().unwrap_or_default();
    let mut main = Flags::augment_args(command.clone()).about(about);
    main.build();
    command.build();
    let command = command.mut_subcommands(help::hide_common_options);
    let main_page = page(&main).map_err(engine_failure)?;
    let Some(folder) = &arguments.to else {
        printer.data(&main_page);
        return Ok(Exit::Success);
    };
    std::fs::create_dir_all(folder).map_err(engine_failure)?;
    std::fs::write(folder.join("tasuki.1"), main_page).map_err(engine_failure)?;
    write_below(&command, folder).map_err(engine_failure)?;
    printer.remark(&format!("Wrote the manual pages to {}", folder.display()));
    Ok(Exit::Success)
}

const SEE_ALSO: &str =
    ".SH \"SEE ALSO\"\n\\fBtasuki\\fR(1), which has the options of every command\n";

fn write_all(command: &clap::Command, folder: &Path) -> std::io::Result<()> {
    let name = command.get_display_name().unwrap_or(command.get_name());
    std::fs::write(folder.join(format!("{name}.1")), page(command)? + SEE_ALSO)?;
    write_below(command, folder)
}

fn write_below(command: &clap::Command, folder: &Path) -> std::io::Result<()> {
    let mut shown = command.get_subcommands().filter(|below| !below.is_hide_set());
    shown.try_for_each(|below| write_all(below, folder))
}

fn page(command: &clap::Command) -> std::io::Result<String> {
    let mut bytes = Vec::new();
    let man = clap_mangen::Man::new(command.clone()).source("tasuki").manual("Tasuki manual");
    man.render(&mut bytes)?;
    // An empty date must stay in its position, or the next field would be taken for it.
    let text = String::from_utf8_lossy(&bytes).replacen(" 1  tasuki ", " 1 \"\" tasuki ", 1);
    Ok(match text.split_once(".SH EXTRA\n") {
        None => text,
        Some((before, rest)) => {
            let (extra, after) = match rest.find(".SH ") {
                Some(at) => rest.split_at(at),
                None => (rest, ""),
            };
            format!("{before}{}{after}", examples(extra))
        }
    })
}

/// Formats the text after the options: the examples, line by line, and the notes.
fn examples(extra: &str) -> String {
    let (block, notes) = extra.split_once("\n\n").unwrap_or((extra, ""));
    // The first line is the heading for terminals.
    let commands: Vec<_> = block.lines().skip(1).map(str::trim_start).collect();
    let examples = format!(".SH EXAMPLES\n.nf\n{}\n.fi\n", commands.join("\n"));
    if notes.is_empty() { examples } else { format!("{examples}.SH NOTES\n{notes}") }
}
