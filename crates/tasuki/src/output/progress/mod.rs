//! Formats the progress of a task: its steps by number, its checkpoints, and the last sign of life.

pub(crate) mod brief;

use tasuki_api as api;

use super::escape::{escape, excerpt};
use super::printer::FAINT;
use super::time::TimeFormatter;

/// LIMIT: steps of each list that a card prints; `tasuki resume --as-packet` prints all.
const STEPS_MAX: usize = 12;

/// LIMIT: checkpoints that a card prints; `--json` has more.
const CHECKPOINTS_MAX: usize = 5;

/// Formats the steps that are done: `2 of 5 done`. There are none if the caller may not see them.
pub(crate) fn done_of(handoff: &api::Handoff) -> Option<String> {
    let api::StepCounts { done, left } = handoff.steps?;
    (done + left > 0).then(|| format!("{done} of {} done", done + left))
}

/// Formats the steps that are done for a column: `2/5`, unless no work has begun.
pub(crate) fn done_short(handoff: &api::Handoff) -> Option<String> {
    let api::StepCounts { done, left } = handoff.steps.filter(|_| handoff.checkpoints > 0)?;
    Some(format!("{done}/{}", done + left))
}

/// Formats the last sign of life of the holder: `last sign of life 14:20`.
pub(crate) fn alive(handoff: &api::Handoff, times: TimeFormatter) -> Option<String> {
    handoff.alive_at.map(|at| format!("last sign of life {}", times.clock(at)))
}

/// Returns the lines of the steps that are done: `1. Wrote the writer (14:05)`.
pub(crate) fn done_lines(progress: &api::Progress, times: TimeFormatter) -> Vec<String> {
    let line = |step: &api::Step| {
        let at = step.at.map(|at| format!(" ({})", times.clock(at))).unwrap_or_default();
        format!("{}. {}{at}", step.number, escape(&step.text))
    };
    // The newest are the ones to know.
    let hidden = progress.done.len().saturating_sub(STEPS_MAX);
    let more = (hidden > 0).then(|| format!("{hidden} more before"));
    more.into_iter().chain(progress.done[hidden..].iter().map(line)).collect()
}

/// Returns the lines of the steps that are left: `2. Add tests`.
pub(crate) fn left_lines(progress: &api::Progress) -> Vec<String> {
    let line = |step: &api::Step| format!("{}. {}", step.number, escape(&step.text));
    let hidden = progress.left.len().saturating_sub(STEPS_MAX);
    let more = (hidden > 0).then(|| format!("and {hidden} more"));
    progress.left.iter().take(STEPS_MAX).map(line).chain(more).collect()
}

/// Formats the newest checkpoints, one line each: `  14:05  coder: Wrote the writer (1 done, 1 left)`.
pub(crate) fn checkpoint_section(
    progress: &api::Progress,
    count: u32,
    times: TimeFormatter,
) -> String {
    let notes = &progress.checkpoints;
    if notes.is_empty() {
        return String::new();
    }
    let shown = &notes[notes.len().saturating_sub(CHECKPOINTS_MAX)..];
    let heading = match usize::try_from(count) {
        Ok(count) if count > shown.len() => {
            format!("Checkpoints (the last {} of {count})", shown.len())
        }
        _ => "Checkpoints".to_owned(),
    };
    let mut text = format!("\n{FAINT}{heading}{FAINT:#}\n");
    for note in shown {
        let api::StepCounts { done, left } = note.steps;
        let words = if note.text.is_empty() { "no text".to_owned() } else { excerpt(&note.text) };
        let at = times.clock(note.at);
        text.push_str(&format!("  {at}  {}: {words} ({done} done, {left} left)\n", note.by));
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn times() -> TimeFormatter {
        TimeFormatter::new("2026-11-15T12:00:00Z".parse().unwrap(), false)
    }

    fn progress(done: usize, left: usize, checkpoints: usize) -> api::Progress {
        let step = |number: usize| json!({ "number": number, "text": format!("step {number}") });
        let note = |n: usize| {
            json!({
                "n": n, "by": "ben", "at": "2026-11-15T11:00:00Z", "text": format!("did {n}"),
                "steps": { "done": n, "left": left },
            })
        };
        let progress = json!({
            "done": (1..=done).map(step).collect::<Vec<_>>(),
            "left": (done + 1..=done + left).map(step).collect::<Vec<_>>(),
            "checkpoints": (1..=checkpoints).map(note).collect::<Vec<_>>(),
        });
        serde_json::from_value(progress).unwrap()
    }

    #[test]
    fn long_lists_are_cut_where_it_matters_least() {
        let progress = progress(14, 14, 7);
        let done = done_lines(&progress, times());
        assert_eq!((done.len(), done[0].as_str()), (13, "2 more before"));
        assert_eq!(done[12], "14. step 14");
        let left = left_lines(&progress);
        assert_eq!((left[0].as_str(), left[12].as_str()), ("15. step 15", "and 2 more"));
        let section = checkpoint_section(&progress, 30, times());
        let section = anstream::adapter::strip_str(&section).to_string();
        assert!(section.starts_with("\nCheckpoints (the last 5 of 30)\n"), "{section}");
        assert!(section.ends_with("ben: did 7 (7 done, 14 left)\n"), "{section}");
    }

    #[test]
    fn a_handoff_without_checkpoints_has_no_section() {
        assert_eq!(checkpoint_section(&progress(0, 1, 0), 0, times()), "");
    }
}
