//! `tasuki validate --against`: checks whether a return packet fulfils its handoff.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tasuki_packet::check::verify::{Row, Verdict, judge};
use tasuki_packet::open::OpenOptions;
use tasuki_packet::{Kind, Packet, Violation};

use crate::drift::{self, Drift, Finding, Outcome};
use crate::exit::{Exit, Failure};
use crate::input::contract_file::SchemaFolder;
use crate::input::file::{self, Input};
use crate::input::packet_file::{self, Secrets};
use crate::output::diagnostics;
use crate::output::drift::artifact_line;
use crate::output::escape::escape;
use crate::output::printer::{BAD, FAINT, GOOD, NOTE, Printer, counted};

/// Checks each return packet against the handoff.
pub(super) fn run(
    handoff: &Path,
    returns: &[PathBuf],
    terms: OpenOptions<'_>,
    is_json: bool,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let asked = packet_file::load_valid(handoff, &Secrets::redacted(), None)?.opened.packet;
    let schemas = SchemaFolder::of(&Input::new(handoff));
    let mut exit = Exit::Success;
    let mut shown = 0;
    for input in Input::expand(returns)? {
        let content = input.read()?;
        if packet_file::is_no_packet(&input, &content) {
            continue;
        }
        let inspected = packet_file::inspect_content(&content, terms);
        let result = match inspected.opened {
            Ok(opened) if opened.violations.is_empty() => {
                if opened.packet.kind() != Kind::Return && input.is_discovered {
                    continue;
                }
                let verdict = verdict(&asked, &opened.packet, &schemas, &input)?;
                FileResult::Judged(verdict, drift::artifacts(&opened.packet, Path::new(".")))
            }
            Ok(opened) => FileResult::Invalid(opened.violations),
            Err(violation) => FileResult::Invalid(vec![violation]),
        };
        if !result.is_done() {
            exit = Exit::Found;
        }
        if is_json {
            printer.json(&result.to_json(&input.name));
        } else {
            let gap = if shown > 0 { "\n" } else { "" };
            printer.data(&format!("{gap}{}", result.to_text(&input.name, &inspected.text)));
        }
        shown += 1;
    }
    if shown == 0 { Err(file::no_packets_found()) } else { Ok(exit) }
}

fn verdict(
    asked: &Packet,
    returned: &Packet,
    schemas: &SchemaFolder,
    input: &Input,
) -> Result<Verdict, Failure> {
    if returned.kind() != Kind::Return {
        let failure = Failure::refused(format!("{} is not a return packet", input.name));
        return Err(failure.hint("a return packet has `packet_type: return`"));
    }
    Ok(judge(asked, returned, schemas))
}

/// The result for one return packet.
enum FileResult {
    /// The verdict, and the artifacts of the return compared with this directory.
    Judged(Verdict, Drift),
    /// The file is not a valid packet.
    Invalid(Vec<Violation>),
}

impl FileResult {
    fn is_done(&self) -> bool {
        matches!(self, Self::Judged(verdict, files) if verdict.done && !files.has_drift())
    }

    fn to_json(&self, name: &str) -> Value {
        match self {
            Self::Judged(verdict, files) => {
                let mut result = json!({ "file": name, "valid": true, "verdict": verdict });
                if !files.findings.is_empty() {
                    result["done"] = self.is_done().into();
                    result["artifacts"] = files.to_value()["findings"].clone();
                }
                result
            }
            Self::Invalid(found) => json!({ "file": name, "valid": false, "violations": found }),
        }
    }

    fn to_text(&self, name: &str, source: &str) -> String {
        match self {
            Self::Judged(verdict, files) => verdict_text(name, verdict, files),
            Self::Invalid(violations) => {
                let count = counted(violations.len(), "violation");
                let head = format!("{BAD}invalid{BAD:#}   {name}  {FAINT}{count}{FAINT:#}\n");
                let shown = diagnostics::violations(name, source, violations);
                shown.into_iter().fold(head, |text, one| text + "\n" + &one)
            }
        }
    }
}

fn verdict_text(name: &str, verdict: &Verdict, files: &Drift) -> String {
    let mut text = if verdict.done && !files.has_drift() {
        format!("{GOOD}done{GOOD:#}      {name}\n")
    } else {
        format!("{BAD}not done{BAD:#}  {name}\n")
    };
    let rows: String = verdict.rows().iter().map(row).collect();
    let missing: String = verdict.missing.iter().map(missing).collect();
    let notes = verdict.notes.iter().map(|note| format!("  {NOTE}note:{NOTE:#} {note}\n"));
    let files: String = files.findings.iter().map(artifact).collect();
    for part in [rows, files, missing, notes.collect()].iter().filter(|part| !part.is_empty()) {
        text.push_str(&format!("\n{part}"));
    }
    text
}

fn row(row: &Row) -> String {
    let mark = if row.is_met { format!("{GOOD}✓{GOOD:#}") } else { format!("{BAD}✗{BAD:#}") };
    format!("  {mark} {}\n", escape(&row.to_string()))
}

fn artifact(file: &Finding) -> String {
    let mark = match &file.outcome {
        Outcome::Same => format!("{GOOD}✓{GOOD:#}"),
        Outcome::Differs | Outcome::Missing => format!("{BAD}✗{BAD:#}"),
        Outcome::NotLooked(_) => format!("{FAINT}–{FAINT:#}"),
    };
    format!("  {mark} {}\n", escape(&artifact_line(file)))
}

fn missing(missing: &Violation) -> String {
    let hint = missing.hint.as_ref();
    let hint = hint.map(|hint| format!("    {FAINT}hint: {}{FAINT:#}\n", escape(hint)));
    let text = format!("  {BAD}{}{BAD:#} {}\n", missing.code, escape(&missing.message));
    text + &hint.unwrap_or_default()
}
