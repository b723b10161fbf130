//! Prints the result of a command in one line.

use tasuki_api as api;

use super::handoff::headline;
use super::printer::{GOOD, Printer};

/// Prints the result of a step: `✓ Accepted hof_1a2b3c …`, or the answer as JSON.
pub(crate) fn print(word: &str, answer: &api::CommandResponse, printer: &Printer) {
    registered(answer, printer);
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    let repeated = if answer.repeated { " (before)" } else { "" };
    match &answer.handoff {
        Some(handoff) => {
            printer.data(&format!("{GOOD}✓{GOOD:#} {word}{repeated} {}\n", headline(handoff)));
        }
        None => printer.data(&format!("{GOOD}✓{GOOD:#} {word}{repeated}\n")),
    }
    notes(answer, printer);
}

/// Prints the notes of an answer.
pub(crate) fn notes(answer: &api::CommandResponse, printer: &Printer) {
    for note in &answer.notes {
        printer.remark(&format!("note: {note}"));
    }
}

/// Prints the parties that were registered on first use.
pub(crate) fn registered(answer: &api::CommandResponse, printer: &Printer) {
    for name in &answer.registered {
        printer.remark(&format!("Added `{name}` to the project as an agent."));
    }
}
