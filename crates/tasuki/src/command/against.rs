//! `tasuki validate --against`: does a return packet finish what a handoff asked for?

use std::path::{Path, PathBuf};

use serde_json::json;
use tasuki_packet::open::Terms;
use tasuki_packet::verify::{Verdict, judge};
use tasuki_packet::{Kind, Packet, Violation};

use crate::contract_file::Folder;
use crate::exit::{Exit, Failure};
use crate::input::Input;
use crate::packet_file::{self, Secrets};
use crate::printer::{BAD, FAINT, GOOD, NOTE, Printer};
use crate::report;

/// Judges each return packet by the handoff.
pub(super) fn run(
    handoff: &Path,
    returns: &[PathBuf],
    terms: Terms<'_>,
    printer: &Printer,
) -> Result<Exit, Failure> {
    let asked = packet_file::valid(handoff, &Secrets::redacted())?.opened.packet;
    let schemas = Folder::of(&Input::named(handoff));
    let mut exit = Exit::Success;
    for input in Input::all(returns)? {
        let looked = packet_file::look(&input, terms)?;
        let is_done = match looked.opened {
            Ok(opened) if opened.violations.is_empty() => {
                let verdict = verdict(&asked, &opened.packet, &schemas, &input)?;
                print(printer, &input.name, &verdict);
                verdict.done
            }
            Ok(opened) => invalid(printer, &input.name, &looked.text, &opened.violations),
            Err(violation) => invalid(printer, &input.name, &looked.text, &[violation]),
        };
        if !is_done {
            exit = Exit::Found;
        }
    }
    Ok(exit)
}

fn verdict(
    asked: &Packet,
    returned: &Packet,
    schemas: &Folder,
    input: &Input,
) -> Result<Verdict, Failure> {
    if returned.kind() != Kind::Return {
        let failure = Failure::refused(format!("{} is not a return packet", input.name));
        return Err(failure.hint("a return packet has `packet_type: return`"));
    }
    Ok(judge(asked, returned, schemas))
}

fn print(printer: &Printer, name: &str, verdict: &Verdict) {
    if printer.is_json() {
        return printer.json(&json!({ "file": name, "valid": true, "verdict": verdict }));
    }
    let word = if verdict.done {
        format!("{GOOD}done{GOOD:#}      {name}")
    } else {
        format!("{BAD}not done{BAD:#}  {name}")
    };
    let mut text = format!("{word}\n\n");
    for row in verdict.rows() {
        let mark =
            if row.is_met { format!("{GOOD}✓{GOOD:#}") } else { format!("{BAD}✗{BAD:#}") };
        text.push_str(&format!("  {mark} {row}\n"));
    }
    for missing in &verdict.missing {
        let hint = missing
            .hint
            .as_ref()
            .map_or(String::new(), |hint| format!(" {FAINT}({hint}){FAINT:#}"));
        text.push_str(&format!("  {BAD}{}{BAD:#} {}{hint}\n", missing.code, missing.message));
    }
    for note in &verdict.notes {
        text.push_str(&format!("  {NOTE}note:{NOTE:#} {note}\n"));
    }
    text.push_str(&format!("\n{}\n", verdict.text()));
    printer.data(&text);
}

/// A return that is not even a packet finishes nothing.
fn invalid(printer: &Printer, name: &str, text: &str, violations: &[Violation]) -> bool {
    if printer.is_json() {
        printer.json(&json!({ "file": name, "valid": false, "violations": violations }));
        return false;
    }
    printer.data(&format!("{BAD}invalid{BAD:#}   {name}\n"));
    for violation in violations {
        printer.data(&format!("\n{}", report::violation(name, text, violation)));
    }
    false
}
