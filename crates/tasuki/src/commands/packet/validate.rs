//! `tasuki validate`: validates packets, and reports every violation with its position.

use std::path::PathBuf;

use clap::ValueEnum;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use tasuki_api::ValidationReport;
use tasuki_packet::chain::dropped_obligations;
use tasuki_packet::check::secrets::Allow;
use tasuki_packet::open::OpenOptions;
use tasuki_packet::{Packet, Violation};

use super::held_task::held_task;
use super::validate_return;
use crate::exit::{Exit, Failure};
use crate::input::contract_file::ContractFile;
use crate::input::file::{self, Input};
use crate::input::packet_file::{self, InspectedPacket, Secrets};
use crate::output::diagnostics;
use crate::output::escape::{argument, escape};
use crate::output::printer::{BAD, FAINT, GOOD, NOTE, Printer, counted};

/// Validate packets.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki validate handoff.yaml\n  tasuki validate packets/ --variant strict\n  tasuki validate --against handoff.yaml return.yaml\n  cat comment.md | tasuki validate -\n\nReports every violation with its line, the value found and the values allowed.\n\nExit codes: 0 all valid (with --against: done), 1 violations (not done), 2 an input cannot be read."
)]
pub(crate) struct Arguments {
    /// Files, folders, or `-` for stdin; the content decides between YAML, JSON, Markdown and wire.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The variant: auto, a built-in name, or your own variant file.
    #[arg(long, default_value = "auto", value_name = "NAME|FILE")]
    variant: String,
    /// A contract to validate against; its profile is the default variant.
    #[arg(long, value_name = "FILE")]
    contract: Option<PathBuf>,
    /// The handoff of these return packets; reports whether the work is done.
    #[arg(long, value_name = "HANDOFF")]
    against: Option<PathBuf>,
    /// The packet that these pass on: they may only narrow its authority, and must carry what is owed
    /// and pinned. By default, that of the task if you hold it.
    #[arg(long, value_name = "PACKET", conflicts_with = "against")]
    parent: Option<PathBuf>,
    /// Text that is not a secret, with `*` as wildcard; may be repeated.
    #[arg(long, value_name = "TEXT")]
    allow: Vec<String>,
    /// The output format.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,
}

/// The output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// LIMIT: files whose results are held in memory before they are printed.
const CHUNK_FILES: usize = 256;

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let variant = packet_file::variant(&arguments.variant)?;
    let contract = arguments.contract.as_deref().map(ContractFile::load_compiled).transpose()?;
    let allow = Allow::new(&arguments.allow);
    let is_json = printer.is_json() || arguments.format == Format::Json;
    let parent = match &arguments.parent {
        Some(path) => Some(packet_file::load_valid(path, &Secrets::redacted())?.opened.packet),
        None => None,
    };
    let is_return = arguments.against.is_some();
    let held = if parent.is_some() || is_return { None } else { held_task(&arguments.files) };
    if let Some(held) = &held {
        let task = argument(&held.task);
        printer
            .remark(&format!("Checked against {task}, which you hold: what is owed and pinned."));
    }
    let parent = parent.or(held.map(|held| held.packet));
    let terms = OpenOptions {
        variant: variant.as_ref(),
        contract: contract.as_ref(),
        parent: parent.as_ref(),
        allow: Some(&allow),
    };
    if let Some(handoff) = &arguments.against {
        return validate_return::run(handoff, &arguments.files, terms, is_json, printer);
    }
    let inputs = Input::expand(&arguments.files)?;
    let bar = progress(inputs.len());
    let mut tally = Tally::default();
    for chunk in inputs.chunks(CHUNK_FILES) {
        // Files are validated in parallel and printed in order.
        let rows: Vec<_> = chunk
            .par_iter()
            .map(|input| {
                let mut inspected = packet_file::inspect(input, terms)?;
                add_owed(&mut inspected, terms.parent);
                let row = Row::of(input, inspected);
                let shown = row.show(is_json, inputs.len() == 1);
                Ok((row, shown))
            })
            .collect();
        let mut text = String::new();
        let mut failures = Vec::new();
        for row in rows {
            match row {
                Ok((row, shown)) => {
                    tally.count(&row);
                    text.push_str(&shown);
                }
                // The other files are still validated.
                Err(failure) => failures.push(failure),
            }
        }
        tally.unreadable += failures.len();
        bar.suspend(|| {
            printer.data(&text);
            for failure in &failures {
                printer.failure(failure);
            }
        });
        bar.inc(chunk.len() as u64);
    }
    bar.finish_and_clear();
    if inputs.len() > 1 {
        printer.remark(&tally.summary());
    }
    tally.exit()
}

/// Adds the obligations of the parent that a packet drops, as passing it on would report them.
fn add_owed(inspected: &mut InspectedPacket, parent: Option<&Packet>) {
    let (Some(parent), Ok(opened)) = (parent, &mut inspected.opened) else { return };
    for violation in dropped_obligations(parent, &opened.packet) {
        let is_known = |known: &Violation| {
            (known.code, &known.message) == (violation.code, &violation.message)
        };
        if !opened.violations.iter().any(is_known) {
            opened.violations.push(violation);
        }
    }
}

/// Returns a progress bar for long runs, hidden for short ones.
fn progress(files: usize) -> ProgressBar {
    if files < 2 * CHUNK_FILES {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:30} {pos}/{len} files")
        .expect("the template is a constant");
    ProgressBar::new(files as u64).with_style(style)
}

/// The result for one file.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    #[serde(flatten)]
    report: ValidationReport,
    #[serde(skip_serializing_if = "Option::is_none")]
    skipped: Option<&'static str>,
    /// The violations with their positions in the text.
    #[serde(skip)]
    violations: Vec<Violation>,
    /// The warnings with their positions in the text.
    #[serde(skip)]
    warnings: Vec<Violation>,
    #[serde(skip)]
    text: String,
}

impl Row {
    fn of(input: &Input, inspected: InspectedPacket) -> Self {
        let InspectedPacket { text, opened, .. } = inspected;
        let (file, report) = (input.name.clone(), ValidationReport::new(opened.as_ref()));
        let (violations, warnings) = (Vec::new(), Vec::new());
        let mut row = Self { file, report, skipped: None, violations, warnings, text };
        match opened {
            Ok(opened) => (row.violations, row.warnings) = (opened.violations, opened.warnings),
            // A folder may have other files; only a named file must be a packet.
            Err(violation)
                if input.is_discovered && packet_file::is_not_a_packet(violation.code) =>
            {
                row.report.violations.clear();
                row.skipped = Some("no packet in it");
            }
            Err(violation) => row.violations = vec![violation],
        }
        row
    }

    /// Formats the result; a skipped file has none.
    fn show(&self, is_json: bool, is_only: bool) -> String {
        if is_json {
            let row = serde_json::to_string(self).expect("a row has text keys only");
            return format!("{row}\n");
        }
        match (self.skipped, self.report.valid) {
            (Some(_), _) => String::new(),
            (None, true) => self.show_valid(is_only) + &self.show_warnings(),
            (None, false) => self.show_invalid() + &self.show_warnings(),
        }
    }

    fn show_warnings(&self) -> String {
        let file = escape(&self.file);
        let line = |warning: &Violation| {
            let place =
                warning.position.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
            let (code, message) = (warning.code, escape(&warning.message));
            format!("{NOTE}warning{NOTE:#}  {file}{place}: {code} {message}\n")
        };
        self.warnings.iter().map(line).collect()
    }

    fn show_valid(&self, is_only: bool) -> String {
        let report = &self.report;
        let variant = report.variant.as_deref().unwrap_or_default();
        let form = report.form.as_deref().unwrap_or_default();
        let dialect = match report.dialect.as_deref() {
            Some(dialect) if dialect != variant => format!(" read as {dialect},"),
            _ => String::new(),
        };
        let digest = report.digest.as_deref().unwrap_or_default();
        let shown = if is_only { digest } else { &digest[..digest.len().min(23)] };
        let file = &self.file;
        format!(
            "{GOOD}valid{GOOD:#}    {file}  {FAINT}{variant},{dialect} {form}, {shown}{FAINT:#}\n"
        )
    }

    fn show_invalid(&self) -> String {
        let count = counted(self.violations.len(), "violation");
        let field = self.report.variant_field.as_ref();
        let because = field.map_or(String::new(), |field| format!(", chosen by `{field}`"));
        let variant = self.report.variant.as_ref();
        let variant = variant.map_or(String::new(), |name| format!(" of {name}{because}"));
        let mut text =
            format!("{BAD}invalid{BAD:#}  {}  {FAINT}{count}{variant}{FAINT:#}\n", self.file);
        for shown in diagnostics::violations(&self.file, &self.text, &self.violations) {
            text.push('\n');
            text.push_str(&shown);
        }
        text.push('\n');
        text
    }
}

#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    skipped: usize,
    unreadable: usize,
    violations: usize,
}

impl Tally {
    fn exit(&self) -> Result<Exit, Failure> {
        match self {
            Self { unreadable: 1.., .. } => Ok(Exit::Usage),
            Self { invalid: 1.., .. } => Ok(Exit::Found),
            Self { valid: 0, .. } => Err(file::no_packets_found()),
            _ => Ok(Exit::Success),
        }
    }

    fn count(&mut self, row: &Row) {
        self.violations += row.violations.len();
        match (row.skipped, row.report.valid) {
            (Some(_), _) => self.skipped += 1,
            (None, true) => self.valid += 1,
            (None, false) => self.invalid += 1,
        }
    }

    fn summary(&self) -> String {
        let Self { valid, invalid, skipped, unreadable, violations } = self;
        let mut text = format!("{valid} valid, {invalid} invalid");
        if *violations > 0 {
            text.push_str(&format!(" with {}", counted(*violations, "violation")));
        }
        if *unreadable > 0 {
            text.push_str(&format!(", {unreadable} unreadable"));
        }
        if *skipped > 0 {
            text.push_str(&format!(", {skipped} skipped (not a packet)"));
        }
        text
    }
}
