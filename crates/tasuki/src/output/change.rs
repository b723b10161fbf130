//! Formats the differences between two packets, one line each.

use serde_json::Value;
use tasuki_packet::patch::diff::{Change, ChangeKind};

use super::escape::escape;
use super::printer::{BAD, FAINT, GOOD, NOTE};

/// Formats one change.
pub(crate) fn line(change: &Change) -> String {
    let pointer = escape(&change.pointer);
    let before = change.before.as_ref().map(shown).unwrap_or_default();
    let after = change.after.as_ref().map(shown).unwrap_or_default();
    match change.kind {
        ChangeKind::Added => format!("{GOOD}+ {pointer}{GOOD:#}  {after}\n"),
        ChangeKind::Removed => format!("{BAD}- {pointer}{BAD:#}  {before}\n"),
        ChangeKind::Changed => {
            format!("{NOTE}~ {pointer}{NOTE:#}  {before} {FAINT}→{FAINT:#} {after}\n")
        }
        ChangeKind::Moved => {
            let from = escape(change.from.as_deref().unwrap_or_default());
            format!("{NOTE}> {pointer}{NOTE:#}  {after} {FAINT}from {from}{FAINT:#}\n")
        }
    }
}

/// LIMIT: the length of a value on its line; `--json` prints all of it.
const SHOWN_CHARS_MAX: usize = 120;

fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= SHOWN_CHARS_MAX {
        return text;
    }
    text.chars().take(SHOWN_CHARS_MAX).chain(['…']).collect()
}
