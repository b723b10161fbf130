//! `tasuki eval`: measures packets against prose, without network; `eval pairs` runs agents.

mod cases;
mod examples;
mod html;
mod markdown;
pub(crate) mod pairs;

use std::path::{Path, PathBuf};

use clap::{Subcommand, ValueEnum};
use jiff::{Timestamp, civil::Date, tz::TimeZone};
use serde::Serialize;

use crate::evaluation::measure::Evaluation;
use crate::evaluation::rules;
use crate::exit::{Exit, Failure};
use crate::input::packet_file;
use crate::output::file;
use crate::output::printer::Printer;
use examples::Examples;

/// Measure packets against prose.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  tasuki eval\n  tasuki eval --format html --out report.html\n  tasuki eval pairs --agent ./agent.sh --out runs/first\n\nMeasures every case in `evals/cases`: the fields that a program recognizes in the note and in the packet, and the tokens of each form. It also validates the packets in `examples`. Nothing is sent anywhere."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The folder with the cases.
    #[arg(long, default_value = "evals/cases", value_name = "FOLDER")]
    cases: PathBuf,
    /// The folder with example packets.
    #[arg(long, default_value = "examples", value_name = "FOLDER")]
    examples: PathBuf,
    /// The output format.
    #[arg(long, value_enum, default_value = "markdown")]
    format: Format,
    /// Write to this new file instead of stdout.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Pairs(pairs::Arguments),
}

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Markdown,
    Json,
    Html,
}

/// Everything that a report shows.
#[derive(Debug, Serialize)]
struct Report {
    date: Date,
    version: &'static str,
    #[serde(flatten)]
    evaluation: Evaluation,
    examples: Examples,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    if let Some(Command::Pairs(arguments)) = &arguments.command {
        return pairs::run(arguments, printer);
    }
    let report = Report::of(&arguments.cases, &arguments.examples)?;
    if printer.is_json() && arguments.out.is_none() {
        printer.json(&report);
        return Ok(Exit::Success);
    }
    let text = match arguments.format {
        Format::Markdown => markdown::report(&report),
        Format::Json => {
            let text = serde_json::to_string_pretty(&report).expect("a report has text keys only");
            format!("{text}\n")
        }
        Format::Html => html::report(&report),
    };
    match &arguments.out {
        Some(path) => {
            file::create(path, &text)?;
            printer.remark(&format!("Wrote {}", path.display()));
        }
        None => printer.data(&text),
    }
    Ok(Exit::Success)
}

impl Report {
    fn of(cases: &Path, examples: &Path) -> Result<Self, Failure> {
        let read = cases::read_all(cases)?;
        for case in &read {
            let defects = rules::defects(case);
            if !defects.is_empty() {
                let (name, list) = (&case.name, defects.join("\n  - "));
                return Err(Failure::refused(format!("the case {name} breaks rules:\n  - {list}"))
                    .hint("`evals/README.md` has the rules of a case"));
            }
        }
        let evaluation = Evaluation::of(&read)
            .map_err(|violation| packet_file::violation_failure(&violation))?;
        Ok(Self {
            date: Timestamp::now().to_zoned(TimeZone::UTC).date(),
            version: env!("CARGO_PKG_VERSION"),
            evaluation,
            examples: Examples::of(examples)?,
        })
    }
}
