//! `tasuki init`: creates an exchange, or with `--packet` a packet template.

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;

use serde_json::json;
use tasuki_packet::write;
use tasuki_store::Location;

use super::first_person;
use super::packet_template::{self, Answers, Extent};
use crate::backend::local::{self, StorePlace};
use crate::backend::require_local;
use crate::config::{Environment, Flags, Settings};
use crate::exit::{Exit, Failure, reason};
use crate::input::packet_file;
use crate::output::escape::argument;
use crate::output::file;
use crate::output::printer::{Printer, STRONG};

/// Create an exchange in this directory.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki init\n  tasuki init --packet > handoff.yaml\n  tasuki init --packet --task build-42 --from planner --to coder --goal \"Ship it\" --out handoff.yaml\n  tasuki init --packet --minimal --variant coding --no-input\n\nWith `--packet` it writes a packet template instead: every common field with a comment, or with `--minimal` the required ones. `tasuki help packet` explains them."
)]
pub(crate) struct Arguments {
    /// Write a packet template instead.
    #[arg(long)]
    packet: bool,
    /// Write only the required fields, without comments.
    #[arg(long, requires = "packet")]
    minimal: bool,
    /// The variant whose required fields the template has.
    #[arg(long, default_value = "baseline", value_name = "NAME|FILE")]
    variant: String,
    /// The task id.
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// The sender.
    #[arg(long, value_name = "PARTY")]
    from: Option<String>,
    /// The receiver: a party, or a role such as role:reviewer.
    #[arg(long, value_name = "PARTY")]
    to: Option<String>,
    /// The goal of the work.
    #[arg(long, value_name = "TEXT")]
    goal: Option<String>,
    /// Write to this new file instead of stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    flags: Flags,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if arguments.packet {
        write_packet(arguments, printer)
    } else {
        create_data_dir(arguments, printer)
    }
}

/// Creates `.tasuki/` with an empty project; an existing one stays.
fn create_data_dir(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let folder = std::env::current_dir().map_err(|error| {
        Failure::usage(format!("cannot determine the current directory: {}", reason(&error)))
    })?;
    let settings = Settings::resolve(&arguments.flags, &Environment::of_process(), &folder)?;
    require_local(&settings)?;
    let (place, is_new_directory) = StorePlace::create(&folder, &settings)?;
    let name = settings.project.value.as_str().to_owned();
    let is_new = local::create_project(&place.location, &name)?;
    if printer.is_json() {
        let shown = place.location.display();
        printer.json(&json!({ "place": shown, "project": name, "created": is_new }));
        return Ok(Exit::Success);
    }
    let shown = match &place.location {
        Location::Directory(path) => {
            format!("{}/", path.strip_prefix(&folder).unwrap_or(path).display())
        }
        database @ Location::Postgres(_) => database.display(),
    };
    printer.data(&match (is_new_directory, is_new) {
        (true, _) => format!("Created an exchange in {shown} (project {name}).\n"),
        (false, true) => format!("Created project {name} in the exchange {shown}.\n"),
        (false, false) => format!("Nothing changed: project {name} already exists in {shown}.\n"),
    });
    if is_new {
        first_person::offer(&place, settings, printer)?;
    }
    printer.remark("Next: tasuki submit --as planner --to coder --goal \"…\"");
    Ok(Exit::Success)
}

fn write_packet(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let variant = packet_file::variant(&arguments.variant)?.ok_or_else(|| {
        Failure::usage("`auto` needs a packet to detect the variant")
            .hint("name a variant: `tasuki schema --list`")
    })?;
    let answers = answers(arguments, printer)?;
    let extent = if arguments.minimal { Extent::Minimal } else { Extent::Common };
    let members = packet_template::members(&variant, &answers, extent);
    let text = match extent {
        _ if printer.is_json() => write::json(&members),
        Extent::Common => packet_template::commented(&members),
        Extent::Minimal => write::yaml(&members),
    };
    match &arguments.out {
        None => printer.data(&text),
        Some(path) => {
            file::create(path, &text)?;
            printer.remark(&format!(
                "Wrote {}. Next: edit it, then tasuki validate {}",
                path.display(),
                argument(&path.display().to_string())
            ));
        }
    }
    Ok(Exit::Success)
}

/// Returns the values of the flags, or of prompts, or examples.
fn answers(arguments: &Arguments, printer: &Printer) -> Result<Answers, Failure> {
    let asks = printer.may_prompt();
    let answer = |given: &Option<String>, question: &str, example: &str| match given {
        Some(given) => Ok(given.clone()),
        None if asks => ask(question, example),
        None => Ok(example.to_owned()),
    };
    Ok(Answers {
        task: answer(&arguments.task, "Task id", "my-task-1")?,
        from: answer(&arguments.from, "From (sender)", "planner")?,
        to: answer(&arguments.to, "To (receiver, or role:name)", "coder")?,
        goal: answer(&arguments.goal, "Goal", "What this work is for")?,
    })
}

fn ask(question: &str, example: &str) -> Result<String, Failure> {
    let engine_failure = |error: std::io::Error| Failure::usage(format!("cannot prompt: {error}"));
    let mut screen = anstream::stderr();
    write!(screen, "{STRONG}{question}{STRONG:#} [{example}]: ").map_err(engine_failure)?;
    screen.flush().map_err(engine_failure)?;
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(engine_failure)?;
    let line = line.trim();
    Ok(if line.is_empty() { example.to_owned() } else { line.to_owned() })
}
