//! The findings of an audit, in words: what is wrong, and how to repair it.
//!
//! `tasuki doctor` and the operation `doctor` report the same ones. Checks of files and of the log
//! are not here: the former need the machine, and the latter has an operation of its own.

use jiff::Timestamp;
use tasuki_api::{Finding, Health};

use super::Audit;
use crate::model::StateWord;
use crate::ports::Counts;

/// Returns the findings of an audit: counters, due times and ladders.
pub fn of_audit(audit: &Audit) -> Vec<Finding> {
    vec![conservation(audit), clock(audit), ladders(audit)]
}

/// Returns the finding about the halt of a project.
pub fn of_halt(is_halted: bool) -> Finding {
    if is_halted {
        let remedy = "`tasuki halt --lift -m \"why\"`";
        return finding("work", Health::Warning, "the project is halted", Some(remedy));
    }
    finding("work", Health::Ok, "not halted", None)
}

fn finding(
    check: &str,
    health: Health,
    message: impl Into<String>,
    remedy: Option<&str>,
) -> Finding {
    Finding {
        check: check.to_owned(),
        state: health.as_str().to_owned(),
        message: message.into(),
        remedy: remedy.map(str::to_owned),
    }
}

fn conservation(audit: &Audit) -> Finding {
    if audit.is_conserved() {
        return finding("conservation", Health::Ok, equation(&audit.kept), None);
    }
    let (kept, counted) = (equation(&audit.kept), equation(&audit.counted));
    let message = format!("stored {kept}, but counted {counted}");
    finding("conservation", Health::Error, message, Some("`tasuki doctor --fix` recounts"))
}

/// Formats the equation: `3 begun + 409 submitted = 371 done + … + 11 open`.
fn equation(counts: &Counts) -> String {
    let in_state = |state: StateWord| {
        let found = counts.states.iter().find(|(known, _)| *known == state);
        found.map_or(0, |(_, count)| *count)
    };
    let ended = [
        StateWord::Done,
        StateWord::PassedOn,
        StateWord::Rejected,
        StateWord::Cancelled,
        StateWord::Discarded,
        StateWord::Dead,
    ];
    let ended =
        ended.map(|state| format!("{} {}", in_state(state), state.as_str().replace('_', " ")));
    let open: u64 = StateWord::ALL.into_iter().filter(|s| s.is_open()).map(in_state).sum();
    let (begun, submitted) = (counts.begun, counts.submitted);
    format!("{begun} begun + {submitted} submitted = {} + {open} open", ended.join(" + "))
}

fn clock(audit: &Audit) -> Finding {
    let shown =
        |due: Option<Timestamp>| due.map_or_else(|| "none".to_owned(), |due| format!("{due:.6}"));
    if audit.is_due_right() {
        let message = format!("next deadline: {}", shown(audit.kept_due));
        return finding("clock", Health::Ok, message, None);
    }
    let (kept, counted) = (shown(audit.kept_due), shown(audit.counted_due));
    let message = format!("next deadline is stored as {kept}, but is {counted}");
    finding("clock", Health::Error, message, Some("`tasuki doctor --fix` recomputes deadlines"))
}

fn ladders(audit: &Audit) -> Finding {
    if audit.dead_ends.is_empty() {
        return finding("ladders", Health::Ok, "every rung has a receiver", None);
    }
    let message = format!("rungs without a receiver are skipped: {}", audit.dead_ends.join(", "));
    finding("ladders", Health::Warning, message, Some("`tasuki party add ROLE --member NAME`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn audit() -> Audit {
        let counts = Counts {
            submitted: 2,
            states: StateWord::ALL
                .map(|state| (state, u64::from(matches!(state, StateWord::Done | StateWord::Held))))
                .to_vec(),
            ..Counts::default()
        };
        Audit {
            kept: counts.clone(),
            counted: counts,
            kept_due: None,
            counted_due: None,
            dead_ends: Vec::new(),
        }
    }

    fn told(audit: &Audit) -> String {
        let line = |one: Finding| {
            let remedy = one.remedy.map_or_else(String::new, |remedy| format!(" -> {remedy}"));
            format!("{} {}: {}{remedy}", one.state, one.check, one.message)
        };
        of_audit(audit).into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_sound_project_has_no_remedies() {
        insta::assert_snapshot!(told(&audit()), @"
        ok conservation: 0 begun + 2 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 1 open
        ok clock: next deadline: none
        ok ladders: every rung has a receiver
        ");
        assert_eq!(of_halt(false).state, "ok");
    }

    #[test]
    fn each_problem_has_its_severity_and_its_remedy() {
        let mut broken = audit();
        broken.kept.submitted = 3;
        broken.counted_due = Some(Timestamp::UNIX_EPOCH);
        broken.dead_ends = vec!["role:nobody".to_owned()];
        insta::assert_snapshot!(told(&broken), @"
        error conservation: stored 0 begun + 3 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 1 open, but counted 0 begun + 2 submitted = 1 done + 0 passed on + 0 rejected + 0 cancelled + 0 discarded + 0 dead + 1 open -> `tasuki doctor --fix` recounts
        error clock: next deadline is stored as none, but is 1970-01-01T00:00:00.000000Z -> `tasuki doctor --fix` recomputes deadlines
        warning ladders: rungs without a receiver are skipped: role:nobody -> `tasuki party add ROLE --member NAME`
        ");
        assert_eq!(of_halt(true).state, "warning");
    }
}
