//! `tasuki config`: shows the configuration and its origin.

use std::path::PathBuf;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::config::{DEFAULT_FILE, Environment, Flags, Row, Settings};
use crate::exit::{Exit, Failure, reason};
use crate::output::printer::{FAINT, Printer, STRONG};
use crate::output::width::{pad, width};

/// Show the configuration.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print the effective value of every setting.
    #[command(
        after_help = "Examples:\n  tasuki config show --origin\n  TASUKI_AS=ana tasuki config show --json\n\nFlags override TASUKI_ variables, which override the nearest tasuki.toml upward, then\n$XDG_CONFIG_HOME/tasuki/config.toml and /etc/tasuki/tasuki.toml. Credentials are not printed."
    )]
    Show {
        /// Print the origin of each value: a flag, a variable, or a line of a file.
        #[arg(long)]
        origin: bool,
        #[command(flatten)]
        flags: Flags,
    },
    /// Print a configuration file with every setting and its default.
    #[command(after_help = "Example:\n  tasuki config default > tasuki.toml")]
    Default,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let Command::Show { origin, flags } = &arguments.command else {
        printer.data(DEFAULT_FILE);
        return Ok(Exit::Success);
    };
    let environment = Environment::of_process();
    environment.reject_unknown()?;
    let settings = Settings::resolve(flags, &environment, &current_folder()?)?;
    let rows = settings.rows()?;
    if printer.is_json() {
        for row in &rows {
            printer.json(&object(row));
        }
    } else {
        printer.data(&table(&rows, *origin));
    }
    Ok(Exit::Success)
}

fn current_folder() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
    })
}

/// Formats a setting as JSON; an unset one is null.
fn object(row: &Row) -> Value {
    let mut object = json!({ "key": row.key, "value": null, "origin": null });
    if let (Some((value, origin)), Some(members)) = (&row.set, object.as_object_mut()) {
        members.insert("value".to_owned(), json!(value));
        members.extend(origin.to_json());
    }
    object
}

fn table(rows: &[Row], has_origin: bool) -> String {
    let value = |row: &Row| row.set.as_ref().map_or("-".to_owned(), |(value, _)| value.clone());
    let widest = |text: &dyn Fn(&Row) -> usize| rows.iter().map(text).max().unwrap_or(0);
    let keys = widest(&|row| row.key.len());
    let values = widest(&|row| width(&value(row)));
    let line = |row: &Row| {
        let start = format!("{STRONG}{:<keys$}{STRONG:#}", row.key);
        if !has_origin {
            return format!("{start}  {}\n", value(row));
        }
        let origin =
            row.set.as_ref().map_or("not set".to_owned(), |(_, origin)| origin.to_string());
        format!("{start}  {}  {FAINT}{origin}{FAINT:#}\n", pad(&value(row), values))
    };
    rows.iter().map(line).collect()
}
