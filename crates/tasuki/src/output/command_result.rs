//! Prints the result of a command: one sentence, then what the caller should know.

use tasuki_api as api;

use super::escape::escape;
use super::printer::{GOOD, Printer};

/// Prints the result of a command on a handoff as JSON, or as a sentence with a check mark. A repeated
/// command is marked as such.
pub(crate) fn print(
    answer: &api::CommandResponse,
    printer: &Printer,
    sentence: impl FnOnce(&api::Handoff) -> String,
) {
    registered(answer, printer);
    if printer.is_json() {
        printer.json(answer);
        return;
    }
    if let Some(handoff) = &answer.handoff {
        let repeated = if answer.repeated { " (already done)" } else { "" };
        printer.data(&format!("{GOOD}✓{GOOD:#} {}{repeated}\n", sentence(handoff)));
    }
    notes(answer, printer);
}

/// Prints the notes of an answer.
pub(crate) fn notes(answer: &api::CommandResponse, printer: &Printer) {
    for note in &answer.notes {
        printer.remark(&format!("note: {}", escape(note)));
    }
}

/// Reports the parties that were registered on first use.
pub(crate) fn registered(answer: &api::CommandResponse, printer: &Printer) {
    for name in &answer.registered {
        printer.note_registered(name);
    }
}
