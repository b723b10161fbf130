//! Tells a receiver which uncommitted files of the sender are not in this directory.

use std::path::Path;

use crate::backend::Backend;
use crate::git::{self, NotHere};
use crate::output::escape::escape;
use crate::output::printer::{NOTE, Printer, counted};

/// LIMIT: files that are named; `--json` has all of them.
const NAMES_MAX: usize = 10;

/// Compares the work tree of the last sender with this directory. A caller that may not read the handoff
/// gets no comparison.
pub(in crate::commands::handoff) fn not_here(
    exchange: &dyn Backend,
    handoff: &str,
) -> Option<NotHere> {
    if !exchange.can_read().ok()? {
        return None;
    }
    let recorded = exchange.details(handoff, None).ok()?.work_tree?;
    git::not_here(&recorded, Path::new("."))
}

/// Prints the files, and the command that brings them.
pub(in crate::commands::handoff) fn print_not_here(
    found: &NotHere,
    reference: &str,
    printer: &Printer,
) {
    printer.remark(&format!("{NOTE}!{NOTE:#} {}", sentence(found)));
    printer.remark(&format!("  `tasuki resume {reference} --restore` brings them"));
}

/// Returns the number of files and their names, escaped.
pub(in crate::commands) fn sentence(found: &NotHere) -> String {
    let listed = found.paths.len();
    let count = listed + usize::try_from(found.unlisted).unwrap_or_default();
    let (files, verb) = (counted(count, "uncommitted file"), if count == 1 { "is" } else { "are" });
    let mut names: Vec<String> =
        found.paths.iter().take(NAMES_MAX).map(|path| escape(path)).collect();
    if count > names.len() {
        names.push(format!("and {} more", count - names.len()));
    }
    let names = names.join(", ");
    format!("{files} of the sender {verb} not here: {names}")
}
