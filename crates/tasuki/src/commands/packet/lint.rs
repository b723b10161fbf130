//! `tasuki lint`: checks the quality of packets, beyond validity.

use std::path::PathBuf;

use serde::Serialize;
use tasuki_packet::check::lint::{Finding, LintReport, Severity, lint};
use tasuki_packet::check::secrets;
use tasuki_packet::open::OpenOptions;
use tasuki_packet::{Packet, Violation};

use crate::exit::{Exit, Failure};
use crate::input::file::{self, Input};
use crate::input::packet_file::{self, InspectedPacket, VariantFlag};
use crate::output::diagnostics;
use crate::output::escape::escape;
use crate::output::left_out::LeftOut;
use crate::output::printer::{BAD, FAINT, GOOD, NOTE, Printer, STRONG, counted};

/// Check the quality of packets.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki lint handoff.yaml\n  tasuki lint packets/ --strict\n\nChecks length, evidence, vague acceptance criteria, secrets and completeness.\n\nExit codes: 0 no findings (advice does not count), 1 findings or an invalid packet, 2 a file cannot be read."
)]
pub(crate) struct Arguments {
    /// Files, folders, or `-` for stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    variant: VariantFlag,
    /// Count advice as findings.
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut exit = Exit::Success;
    let mut shown = 0;
    let variant = arguments.variant.read()?;
    let terms = OpenOptions { variant: variant.as_ref(), ..OpenOptions::default() };
    for input in Input::expand(&arguments.files)? {
        let content = match input.read() {
            Ok(content) => content,
            // The other files are still checked.
            Err(failure) => {
                printer.failure(&failure);
                (exit, shown) = (Exit::Usage, shown + 1);
                continue;
            }
        };
        if packet_file::is_no_packet(&input, &content) {
            continue;
        }
        let row = Row::of(&input, packet_file::inspect_content(&content, terms));
        shown += 1;
        if exit == Exit::Success && row.counts(arguments.strict) {
            exit = Exit::Found;
        }
        if printer.is_json() {
            printer.json(&row);
        } else {
            printer.data(&row.to_text(printer.is_quiet()));
        }
    }
    if shown == 0 { Err(file::no_packets_found()) } else { Ok(exit) }
}

/// The result for one file.
#[derive(Debug, Default, Serialize)]
struct Row {
    file: String,
    valid: bool,
    /// Absent if the file has no packet.
    #[serde(flatten)]
    report: Option<LintReport>,
    /// The variant that the packet was checked against.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<String>,
    /// The field that chose the variant.
    #[serde(skip_serializing_if = "Option::is_none")]
    variant_field: Option<&'static str>,
    /// The content that the receiver's brief leaves out.
    #[serde(skip_serializing_if = "Option::is_none")]
    brief: Option<LeftOut>,
    violations: Vec<Violation>,
    #[serde(skip)]
    text: String,
}

impl Row {
    fn of(input: &Input, inspected: InspectedPacket) -> Self {
        let mut row = Self { file: input.name.clone(), text: inspected.text, ..Self::default() };
        match inspected.opened {
            Ok(opened) => {
                row.report = Some(report_of(&opened.packet));
                row.brief = LeftOut::of(&opened.packet);
                row.variant = Some(opened.variant);
                row.variant_field = opened.variant_field;
                row.violations = opened.violations;
            }
            Err(violation) => row.violations = vec![violation],
        }
        row.valid = row.violations.is_empty();
        row
    }

    fn counts(&self, strict: bool) -> bool {
        let counts = |finding: &Finding| strict || finding.severity == Severity::Warning;
        !self.valid || self.report.iter().any(|report| report.findings.iter().any(counts))
    }

    /// Formats the result; quietly, without the score, and without a word about a good packet that
    /// reaches its receiver as a whole.
    fn to_text(&self, is_quiet: bool) -> String {
        let mut text = String::new();
        if let Some(report) = &self.report {
            if !is_quiet || !report.findings.is_empty() || self.brief.is_some() {
                text.push_str(&self.head(report));
            }
            if !is_quiet {
                text.push_str(&score(self.valid, report));
            }
            text.push_str(&findings(report));
        }
        if let Some(brief) = &self.brief {
            text.push_str(&format!("  {NOTE}note{NOTE:#}    the receiver's brief {brief}\n"));
        }
        if !self.valid {
            let count = counted(self.violations.len(), "violation") + &self.variant_violated();
            let name = &self.file;
            text.push_str(&format!("{BAD}invalid{BAD:#}  {name}  {FAINT}{count}{FAINT:#}\n"));
            for shown in diagnostics::violations(&self.file, &self.text, &self.violations) {
                text.push_str(&format!("\n{shown}"));
            }
            text.push('\n');
        }
        text
    }

    /// Formats the score, with the variant if a field of the packet chose it.
    fn head(&self, report: &LintReport) -> String {
        let chosen = match (&self.variant, self.variant_field) {
            (Some(variant), Some(field)) => format!(", {variant} (chosen by `{field}`)"),
            _ => String::new(),
        };
        let (name, total) = (&self.file, report.score.total);
        format!("{STRONG}{name}{STRONG:#}  completeness {total}/100{chosen}\n")
    }

    /// Names the variant that is violated, and the field that chose it.
    fn variant_violated(&self) -> String {
        let Some(variant) = &self.variant else { return String::new() };
        let because = self.variant_field.map(|field| format!(", chosen by `{field}`"));
        format!(" of {variant}{}", because.unwrap_or_default())
    }
}

/// Lints a packet after redaction, because findings quote it. Secrets are violations anyway.
fn report_of(packet: &Packet) -> LintReport {
    let mut value = packet.to_value();
    secrets::redact(&mut value);
    Packet::from_value(value).map_or_else(|_| lint(packet), |redacted| lint(&redacted))
}

fn score(is_valid: bool, report: &LintReport) -> String {
    let mut text = String::new();
    for part in &report.score.parts {
        let (points, weight, reason) = (part.points, part.weight, &part.reason);
        text.push_str(&format!(
            "  {FAINT}{:<16} {points:>3}/{weight:<3} {reason}{FAINT:#}\n",
            part.name
        ));
    }
    if report.findings.is_empty() && is_valid {
        text.push_str(&format!("  {GOOD}no findings{GOOD:#}\n"));
    }
    text
}

fn findings(report: &LintReport) -> String {
    let mut text = String::new();
    for finding in &report.findings {
        let word = match finding.severity {
            Severity::Warning => format!("{NOTE}warning{NOTE:#}"),
            _ => format!("{FAINT}advice {FAINT:#}"),
        };
        let pointer = escape(&finding.pointer);
        let place = if pointer.is_empty() { "the packet" } else { &pointer };
        text.push_str(&format!(
            "  {word} {} {place}: {}\n          {FAINT}hint: {}{FAINT:#}\n",
            finding.code,
            escape(&finding.message),
            escape(finding.hint)
        ));
    }
    text
}
