//! `tasuki project`: shows and changes the settings of a project.

use clap::Subcommand;
use serde_json::{Map, Value};
use tasuki_engine::command::Command as EngineCommand;
use tasuki_engine::model::Settings;
use tasuki_engine::steps::SetSettings;

use crate::backend;
use crate::config::Flags;
use crate::exit::{Exit, Failure};
use crate::output::escape::excerpt;
use crate::output::printer::{GOOD, Printer, STRONG};

/// Show or change project settings.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show every setting.
    #[command(after_help = "Example:\n  tasuki project show --json | jq .settings")]
    Show {
        #[command(flatten)]
        flags: Flags,
    },
    /// Change settings.
    #[command(
        after_help = "Examples:\n  tasuki project set redacts_secrets=true hops=8\n  tasuki project set chain_time=2h\n  tasuki project set 'ladder=[{\"after\":\"10m\",\"to\":\"role:oncall\"},{\"to\":\"dead_letter\"}]'\n\n`tasuki project show` lists the settings. A value is JSON or text; `null` resets it."
    )]
    Set {
        /// A setting and its value; may be repeated.
        #[arg(required = true, value_name = "KEY=VALUE")]
        values: Vec<String>,
        #[command(flatten)]
        flags: Flags,
    },
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    match &arguments.command {
        Command::Show { flags } => show(flags, printer),
        Command::Set { values, flags } => set(values, flags, printer),
    }
}

fn show(flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_anonymous(flags)?;
    let project = exchange.project()?;
    if printer.is_json() {
        printer.json(&project);
        return Ok(Exit::Success);
    }
    let halted = if project.halted { ", halted" } else { "" };
    let name = project.project.as_deref().unwrap_or_default();
    let mut text = format!("{STRONG}{name}{STRONG:#}  {}{halted}\n", project.id);
    let widest = project.settings.keys().map(String::len).max().unwrap_or_default();
    for (key, value) in &project.settings {
        text.push_str(&format!("{key:<widest$}  {value}\n"));
    }
    printer.data(&text);
    Ok(Exit::Success)
}

fn set(values: &[String], flags: &Flags, printer: &Printer) -> Result<Exit, Failure> {
    let exchange = backend::open_as_operator(flags, printer)?;
    let known = exchange.project()?.settings;
    let mut changes = Map::new();
    for written in values {
        let (key, value) = written.split_once('=').ok_or_else(|| {
            Failure::usage(format!("`{}` is not a setting", excerpt(written)))
                .hint("write KEY=VALUE")
        })?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        changes.insert(key.to_owned(), value);
    }
    reject_unknown_settings(known, &changes)?;
    let answer = exchange.run(EngineCommand::SetSettings(SetSettings(changes)), None)?;
    match (printer.is_json(), answer.repeated) {
        (true, _) => printer.json(&answer),
        (false, true) => printer.data(&format!("{GOOD}✓{GOOD:#} Nothing changed: already set\n")),
        (false, false) => printer.data(&format!("{GOOD}✓{GOOD:#} Set {}\n", values.join(", "))),
    }
    Ok(Exit::Success)
}

/// Fails early for an unknown setting. The exchange checks again.
fn reject_unknown_settings(
    known: Map<String, Value>,
    changes: &Map<String, Value>,
) -> Result<(), Failure> {
    // A newer server may have more settings.
    let Ok(settings) = serde_json::from_value::<Settings>(Value::Object(known)) else {
        return Ok(());
    };
    let Err(refusal) = settings.with(changes) else { return Ok(()) };
    let failure = Failure::usage(refusal.message);
    Err(match refusal.hint {
        Some(hint) => failure.hint(hint),
        None => failure,
    })
}
