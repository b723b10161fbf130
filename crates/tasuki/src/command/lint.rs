//! `tasuki lint`: is it a good packet? Quality, beyond what makes it valid.

use std::path::PathBuf;

use serde_json::json;
use tasuki_packet::Violation;
use tasuki_packet::lint::{Finding, LintReport, Severity, lint};
use tasuki_packet::open::Terms;

use crate::exit::{Exit, Failure};
use crate::input::Input;
use crate::packet_file::{self, Looked};
use crate::printer::{BAD, FAINT, GOOD, NOTE, Printer, STRONG};
use crate::report;

/// Look at the quality of packets: length, evidence, vague acceptance, secrets, completeness.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  tasuki lint handoff.yaml\n  tasuki lint packets/ --strict\n\nExit codes: 0 nothing found (advice does not count), 1 findings, or a packet that is not valid."
)]
pub(crate) struct Arguments {
    /// Files, folders, or `-` for stdin.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Let advice count as a finding too.
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(arguments: &Arguments, printer: &Printer) -> Result<Exit, Failure> {
    let mut exit = Exit::Success;
    for input in Input::all(&arguments.files)? {
        let Looked { text, opened, .. } = packet_file::look(&input, Terms::default())?;
        let violations = match opened {
            Ok(opened) => {
                let report = lint(&opened.packet);
                print(printer, &input.name, &report);
                let counts =
                    |finding: &Finding| arguments.strict || finding.severity == Severity::Warning;
                if report.findings.iter().any(counts) {
                    exit = Exit::Found;
                }
                opened.violations
            }
            Err(violation) if input.is_found && packet_file::is_no_packet(violation.code) => {
                continue;
            }
            Err(violation) => vec![violation],
        };
        if !violations.is_empty() {
            exit = Exit::Found;
            print_invalid(printer, &input.name, &text, &violations);
        }
    }
    Ok(exit)
}

fn print(printer: &Printer, name: &str, report: &LintReport) {
    if printer.is_json() {
        return printer.json(&json!({
            "file": name, "score": report.score, "findings": report.findings,
        }));
    }
    let score = &report.score;
    let mut text = format!("{STRONG}{name}{STRONG:#}  completeness {}/100\n", score.total);
    for part in &score.parts {
        let (points, weight, reason) = (part.points, part.weight, &part.reason);
        text.push_str(&format!(
            "  {FAINT}{:<16} {points:>3}/{weight:<3} {reason}{FAINT:#}\n",
            part.name
        ));
    }
    if report.findings.is_empty() {
        text.push_str(&format!("  {GOOD}nothing to improve{GOOD:#}\n"));
    }
    for finding in &report.findings {
        let word = match finding.severity {
            Severity::Warning => format!("{NOTE}warning{NOTE:#}"),
            _ => format!("{FAINT}advice {FAINT:#}"),
        };
        let place = if finding.pointer.is_empty() { "the packet" } else { &finding.pointer };
        text.push_str(&format!(
            "  {word} {} {place}: {}\n          {FAINT}hint: {}{FAINT:#}\n",
            finding.code, finding.message, finding.hint
        ));
    }
    printer.data(&text);
}

fn print_invalid(printer: &Printer, name: &str, text: &str, violations: &[Violation]) {
    if printer.is_json() {
        return printer.json(&json!({ "file": name, "violations": violations }));
    }
    let count = violations.len();
    printer.data(&format!("{BAD}invalid{BAD:#}  {name}  {FAINT}{count} violations{FAINT:#}\n"));
    for violation in violations {
        printer.data(&format!("\n{}", report::violation(name, text, violation)));
    }
}
