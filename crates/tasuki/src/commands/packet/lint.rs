//! `tasuki lint`: checks the quality of packets, beyond validity.

use std::path::PathBuf;

use serde::Serialize;
use tasuki_packet::check::lint::{Finding, LintReport, Severity, lint};
use tasuki_packet::check::secrets;
use tasuki_packet::open::OpenOptions;
use tasuki_packet::{Packet, Violation};

use crate::exit::{Exit, Failure};
use crate::input::file::{self, Input};
use crate::input::packet_file::{self, InspectedPacket};
use crate::output::diagnostics;
use crate::output::escape::escape;
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
    /// Count advice as findings.
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut exit = Exit::Success;
    let mut shown = 0;
    for input in Input::expand(&arguments.files)? {
        let inspected = match packet_file::inspect(&input, OpenOptions::default()) {
            Ok(inspected) => inspected,
            // The other files are still checked.
            Err(failure) => {
                printer.failure(&failure);
                (exit, shown) = (Exit::Usage, shown + 1);
                continue;
            }
        };
        let Some(row) = Row::of(&input, inspected) else { continue };
        shown += 1;
        if exit == Exit::Success && row.counts(arguments.strict) {
            exit = Exit::Found;
        }
        if printer.is_json() {
            printer.json(&row);
        } else {
            printer.data(&row.to_text());
        }
    }
    if shown == 0 { Err(file::no_packets_found()) } else { Ok(exit) }
}

/// The result for one file.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    valid: bool,
    /// Absent if the file has no packet.
    #[serde(flatten)]
    report: Option<LintReport>,
    violations: Vec<Violation>,
    #[serde(skip)]
    text: String,
}

impl Row {
    /// Returns none for a file in a folder that is not a packet.
    fn of(input: &Input, inspected: InspectedPacket) -> Option<Self> {
        let (report, violations) = match inspected.opened {
            Ok(opened) => (Some(report_of(&opened.packet)), opened.violations),
            Err(violation)
                if input.is_discovered && packet_file::is_not_a_packet(violation.code) =>
            {
                return None;
            }
            Err(violation) => (None, vec![violation]),
        };
        let valid = violations.is_empty();
        Some(Self { file: input.name.clone(), valid, report, violations, text: inspected.text })
    }

    fn counts(&self, strict: bool) -> bool {
        let counts = |finding: &Finding| strict || finding.severity == Severity::Warning;
        !self.valid || self.report.iter().any(|report| report.findings.iter().any(counts))
    }

    fn to_text(&self) -> String {
        let mut text = String::new();
        if let Some(report) = &self.report {
            text.push_str(&findings(&self.file, self.valid, report));
        }
        if !self.valid {
            let count = counted(self.violations.len(), "violation");
            let name = &self.file;
            text.push_str(&format!("{BAD}invalid{BAD:#}  {name}  {FAINT}{count}{FAINT:#}\n"));
            for shown in diagnostics::violations(&self.file, &self.text, &self.violations) {
                text.push_str(&format!("\n{shown}"));
            }
            text.push('\n');
        }
        text
    }
}

/// Lints a packet after redaction, because findings quote it. Secrets are violations anyway.
fn report_of(packet: &Packet) -> LintReport {
    let mut value = packet.to_value();
    secrets::redact(&mut value);
    Packet::from_value(value).map_or_else(|_| lint(packet), |redacted| lint(&redacted))
}

fn findings(name: &str, is_valid: bool, report: &LintReport) -> String {
    let score = &report.score;
    let mut text = format!("{STRONG}{name}{STRONG:#}  completeness {}/100\n", score.total);
    for part in &score.parts {
        let (points, weight, reason) = (part.points, part.weight, &part.reason);
        text.push_str(&format!(
            "  {FAINT}{:<16} {points:>3}/{weight:<3} {reason}{FAINT:#}\n",
            part.name
        ));
    }
    if report.findings.is_empty() && is_valid {
        text.push_str(&format!("  {GOOD}no findings{GOOD:#}\n"));
    }
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
