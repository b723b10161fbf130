//! `tasuki init`: creates an exchange, or with `--packet` a packet template.

use std::io::{BufRead as _, Write as _};
use std::path::PathBuf;

use serde_json::{Value, json};
use tasuki_packet::schema::field::FIELDS;
use tasuki_packet::schema::variant::Presence;
use tasuki_packet::{Kind, Members, Variant, write};

use super::first_person;
use crate::backend::{local, require_local};
use crate::config::{Environment, Flags, Settings};
use crate::data_dir::DataDir;
use crate::exit::{Exit, Failure, reason};
use crate::input::packet_file;
use crate::output::escape::argument;
use crate::output::file;
use crate::output::printer::{Printer, STRONG};

/// Create an exchange in this directory.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki init\n  tasuki init --packet > handoff.yaml\n  tasuki init --packet --task build-42 --from planner --to coder --goal \"Ship it\" --out handoff.yaml\n  tasuki init --packet --variant coding --no-input\n\nWith `--packet` it writes a packet template instead."
)]
pub(crate) struct Arguments {
    /// Write a packet template instead.
    #[arg(long)]
    packet: bool,
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
    let (data_dir, created) = DataDir::create(&folder)?;
    let name = settings.project.value.as_str().to_owned();
    let is_new = local::create_project(&data_dir, &name)?;
    if printer.is_json() {
        printer.json(&json!({ "place": data_dir.path(), "project": name, "created": is_new }));
        return Ok(Exit::Success);
    }
    let path = data_dir.path();
    let shown = path.strip_prefix(&folder).unwrap_or(path).display();
    printer.data(&match (created.is_new(), is_new) {
        (true, _) => format!("Created an exchange in {shown}/ (project {name}).\n"),
        (false, true) => format!("Created project {name} in the exchange {shown}/.\n"),
        (false, false) => {
            format!("Nothing changed: project {name} already exists in {shown}/.\n")
        }
    });
    if is_new {
        first_person::offer(&data_dir, settings, printer)?;
    }
    printer.remark("Next: tasuki submit --as planner --to coder --goal \"…\"");
    Ok(Exit::Success)
}

fn write_packet(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let variant = packet_file::variant(&arguments.variant)?.ok_or_else(|| {
        Failure::usage("`auto` needs a packet to detect the variant")
            .hint("name a variant: `tasuki schema --list`")
    })?;
    let answers = Answers::of(arguments, printer)?;
    let members = packet(&variant, &answers);
    let text = if printer.is_json() { write::json(&members) } else { write::yaml(&members) };
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

/// The fields that a person is prompted for.
struct Answers {
    task: String,
    from: String,
    to: String,
    goal: String,
}

impl Answers {
    fn of(arguments: &Arguments, printer: &Printer) -> Result<Self, Failure> {
        let asks = printer.may_prompt();
        let answer = |given: &Option<String>, question: &str, example: &str| match given {
            Some(given) => Ok(given.clone()),
            None if asks => ask(question, example),
            None => Ok(example.to_owned()),
        };
        Ok(Self {
            task: answer(&arguments.task, "Task id", "my-task-1")?,
            from: answer(&arguments.from, "From (sender)", "planner")?,
            to: answer(&arguments.to, "To (receiver, or role:name)", "coder")?,
            goal: answer(&arguments.goal, "Goal", "What this work is for")?,
        })
    }
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

/// Builds a valid packet with the fields that the variant requires, and those that every good packet has.
fn packet(variant: &Variant, answers: &Answers) -> Members {
    const ALWAYS: &[&str] = &[
        "goal",
        "next_request",
        "completed",
        "remaining",
        "decisions",
        "constraints",
        "acceptance",
    ];
    let mut members = Members::new();
    for field in FIELDS {
        let is_required =
            matches!(variant.presence(field, Kind::Handoff), Presence::Required | Presence::Filled);
        if (is_required || ALWAYS.contains(&field.name))
            && let Some(value) = example(field.name, answers)
        {
            members.insert(field.name.to_owned(), value);
        }
    }
    members
}

fn example(field: &str, answers: &Answers) -> Option<Value> {
    Some(match field {
        "handoff_version" => json!("1.0"),
        "packet_type" => json!("handoff"),
        "task_id" => json!(answers.task),
        "from_agent" => json!(answers.from),
        "to_agent" => json!(answers.to),
        "status" => json!("in_progress"),
        "goal" => json!(answers.goal),
        "summary" => json!("What has happened so far, in a sentence or two."),
        "next_request" => json!("What the receiver should do next."),
        "question" => json!("The question to answer."),
        "completed" => json!(["A step that is done"]),
        "remaining" => json!(["A step that is left"]),
        "decisions" => json!(["A decision and why it was taken"]),
        "failed_approaches" => {
            json!([{ "tried": "What was tried", "result": "Why it did not work" }])
        }
        "constraints" => json!(["Something the receiver must not break"]),
        "inputs" => json!(["a/file/to/read.md"]),
        "expected_outputs" => json!(["What should come out"]),
        "acceptance" => json!([{ "id": "tests", "text": "All tests pass", "run": "make test" }]),
        "failure_boundary" => json!(["Stop before anything is published"]),
        "return_required" => {
            json!(["status", "changed_paths", "verification", "blockers", "summary"])
        }
        "source_rules" => json!(["Primary sources only"]),
        "uncertainty" => json!("Say how sure each answer is."),
        "scope" => json!({ "is": "What this packet is", "is_not": ["What it is not"] }),
        "confidence" => json!(0.8),
        "provenance" => {
            json!({ "inputs": ["what was read"], "sources": ["where it came from"], "tools": ["what was used"] })
        }
        "fallback" => {
            json!([{ "after": "300s", "on": "no_progress", "to": "role:oncall" }, { "to": "dead_letter" }])
        }
        "classification" => json!("OFFICIAL"),
        "regulation_refs" => json!([{ "scheme": "UK-DCB0129", "ref": "4.2" }]),
        "sign_off_gates" => json!(["clinical-release"]),
        "retention" => json!({ "period": "P8Y", "schedule_ref": "records-schedule-1" }),
        "clinical" => json!({ "hazard_refs": ["HAZ-1"], "safety_case_ref": "SC-1" }),
        "purpose" => json!("Why the data is used"),
        "lawful_basis" => json!("The legal ground for it"),
        "contains" => json!(["patient_data"]),
        "accountable_person" => json!("The senior manager's id"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use tasuki_packet::check::validate::violations;
    use tasuki_packet::document::Document;

    use super::*;

    #[test]
    fn a_new_packet_is_valid_in_every_variant() {
        let answers = Answers {
            task: "t".to_owned(),
            from: "a".to_owned(),
            to: "b".to_owned(),
            goal: "g".to_owned(),
        };
        for name in Variant::names() {
            let variant = Variant::named(name).unwrap();
            let value = Value::Object(packet(&variant, &answers));
            let document = Document::from_value(&value).unwrap();
            assert_eq!(violations(&document, &variant), [], "{name}");
        }
    }
}
