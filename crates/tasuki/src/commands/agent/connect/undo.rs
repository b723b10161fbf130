//! `tasuki connect --undo`: takes everything back.
//!
//! A file that is still as `connect` left it becomes what it was, byte for byte. From any other only
//! the entries of Tasuki are removed.

use std::path::Path;

use super::plan::{Choices, PlannedFile, shown};
use super::record::{Record, WrittenFile, digest};
use crate::exit::{Exit, Failure};
use crate::output::file;
use crate::output::printer::{GOOD, NOTE, Printer};

pub(super) fn undo(choices: &Choices, printer: &Printer) -> Result<Exit, Failure> {
    let record = Record::read(choices)?;
    let mut count = 0;
    for planned in choices.files() {
        let Ok(text) = std::fs::read_to_string(&planned.path) else { continue };
        let written = record.of(&planned.path);
        let name = shown(&planned.path, choices);
        let said = match written.filter(|one| one.after == digest(&text)) {
            Some(written) => restore(written)?,
            None => match remove_entries(&planned, written, &text)? {
                Some(said) => said,
                None => continue,
            },
        };
        count += 1;
        printer.data(&format!("{GOOD}✓{GOOD:#} {name}: {said}\n"));
    }
    Record::remove(choices)?;
    if count == 0 {
        printer.remark(&format!("{} is not connected.", choices.host.name()));
    }
    Ok(Exit::Success)
}

fn restore(written: &WrittenFile) -> Result<&'static str, Failure> {
    if let Some(before) = &written.before {
        file::replace(&written.path, before)?;
        return Ok("restored");
    }
    remove(&written.path)?;
    for folder in &written.folders {
        // A folder that is not empty is not ours any more.
        let _stays = std::fs::remove_dir(folder).is_err();
    }
    Ok("removed")
}

/// Removes our entries from a file that was changed since.
fn remove_entries(
    planned: &PlannedFile,
    written: Option<&WrittenFile>,
    text: &str,
) -> Result<Option<&'static str>, Failure> {
    if !planned.change.is_in(text) {
        return Ok(None);
    }
    match planned.change.removed_from(text) {
        Ok(Some(without)) => {
            let is_left = !matches!(without.trim(), "" | "{}");
            if !is_left && written.is_none_or(|one| one.before.is_none()) {
                remove(&planned.path)?;
                return Ok(Some("removed"));
            }
            file::replace(&planned.path, &without)?;
            Ok(Some("removed the entries of Tasuki; it was changed since"))
        }
        Ok(None) if written.is_some() => Ok(Some("left, because it was changed since")),
        Ok(None) => Ok(None),
        Err(why) => {
            let message = format!("cannot change {}: {why}", planned.path.display());
            Err(Failure::usage(message).hint("remove the entries named `tasuki` by hand"))
        }
    }
}

fn remove(path: &Path) -> Result<(), Failure> {
    std::fs::remove_file(path)
        .map_err(|error| Failure::of_file(format!("cannot remove {}", path.display()), &error))
}

/// Says that a file is left alone, and what to add to it.
pub(super) fn left_alone(planned: &PlannedFile, choices: &Choices, why: &str, printer: &Printer) {
    let name = shown(&planned.path, choices);
    printer.remark(&format!("{NOTE}!{NOTE:#} {name} is left alone: {why}. Add this yourself:"));
    printer.data(&planned.change.snippet());
}
