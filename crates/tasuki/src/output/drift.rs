//! Formats drift for people.
//!
//! Names and values may be text of another party, so all of it is escaped.

use tasuki_packet::{Packet, duration};

use super::diagnostics;
use super::escape::escape;
use super::printer::{BAD, FAINT, GOOD, NOTE, Printer, counted};
use super::width::{pad, truncate, width};
use crate::drift::{self, Counts, Drift, Finding, Outcome, What};

/// Announces how many checks will run.
pub(crate) fn announce_checks(packet: &Packet, timeout: duration::Duration, printer: &Printer) {
    let count = drift::checks(packet);
    if count > 0 {
        printer.remark(&format!("Running {}, at most {timeout} each", counted(count, "check")));
    }
}

/// Formats the findings, one line each. Checks are always included, so that people see the commands.
pub(crate) fn table(drift: &Drift, is_all: bool) -> String {
    let is_shown = |finding: &&Finding| is_all || finding.is_drift() || finding.what == What::Check;
    let rows: Vec<_> = drift.findings.iter().filter(is_shown).collect();
    let width = rows.iter().map(|finding| width(&short_name(finding))).max().unwrap_or(0);
    rows.into_iter().map(|finding| line(finding, width) + &output(finding)).collect()
}

fn line(finding: &Finding, width: usize) -> String {
    let (style, outcome) = match finding.outcome {
        Outcome::Same => (GOOD, "same"),
        Outcome::Differs => (BAD, "changed"),
        Outcome::Missing => (BAD, "missing"),
        Outcome::NotLooked(_) => (NOTE, "skipped"),
    };
    let what = finding.what.as_str().replace('_', " ");
    let name = pad(&short_name(finding), width);
    let line = format!("{style}{outcome:<8}{style:#}  {what:<10}  {name}  {}", detail(finding));
    format!("{}\n", line.trim_end())
}

fn detail(finding: &Finding) -> String {
    // A command is shown in full, so that no part of it can hide.
    let expected = match finding.what {
        What::Check => escape(&finding.expected),
        _ => shortened(&finding.expected),
    };
    let found = finding.found.as_deref().map(shortened);
    match &finding.outcome {
        Outcome::Same if finding.found.as_ref() == Some(&finding.expected) => expected,
        Outcome::Same | Outcome::Differs => {
            let found = found.unwrap_or_default();
            format!("{expected} {FAINT}→{FAINT:#} {found}")
        }
        // A file is missing by its name; a tool or a commit by what was expected.
        Outcome::Missing => match finding.what {
            What::Artifact | What::Input | What::Path | What::DirtyFile => String::new(),
            _ => format!("expected {expected}"),
        },
        Outcome::NotLooked(reason) => {
            format!("{expected} {FAINT}({}){FAINT:#}", escape(reason))
        }
    }
}

/// Formats the output of a check that did not pass.
fn output(finding: &Finding) -> String {
    let is_failed_check = finding.what == What::Check && finding.is_drift();
    let Some(output) = finding.output.as_ref().filter(|_| is_failed_check) else {
        return String::new();
    };
    let output = diagnostics::redacted_text(output);
    let lines = output.lines().map(|line| format!("{FAINT}    |{FAINT:#} {}\n", escape(line)));
    lines.collect()
}

/// Summarizes the findings in a sentence.
pub(crate) fn summary(drift: &Drift) -> String {
    let Counts { same, differs, missing, not_looked } = drift.counts();
    let mut parts = vec![format!("{same} unchanged")];
    let part = |count: usize, outcome: &str| (count > 0).then(|| format!("{count} {outcome}"));
    parts.extend(part(differs, "changed"));
    parts.extend(part(missing, "missing"));
    parts.extend(part(not_looked, "skipped"));
    parts.extend(part(drift.left_out, "more not listed"));
    parts.join(", ")
}

/// LIMIT: columns of a name or value on its line; `--json` has more.
const SHOWN_COLUMNS_MAX: usize = 60;

fn short_name(finding: &Finding) -> String {
    shortened(&finding.name)
}

fn shortened(text: &str) -> String {
    truncate(&escape(text), SHOWN_COLUMNS_MAX)
}

/// Describes a file of a return packet compared with this directory.
pub(crate) fn artifact_line(file: &Finding) -> String {
    let found = file.output.as_ref().or(file.found.as_ref());
    let state = match (&file.outcome, found) {
        (Outcome::Differs, Some(found)) => format!("{found}, expected {}", file.expected),
        (Outcome::Same, Some(found)) => found.clone(),
        (Outcome::NotLooked(reason), _) => format!("not checked: {reason}"),
        (Outcome::Missing, _) => "missing".to_owned(),
        (Outcome::Same | Outcome::Differs, None) => file.expected.clone(),
    };
    format!("artifact `{}`: {state}", file.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_counts_findings() {
        let finding = |outcome| Finding {
            what: What::Input,
            name: String::new(),
            expected: String::new(),
            found: None,
            outcome,
            output: None,
        };
        let outcomes = [
            Outcome::Same,
            Outcome::Same,
            Outcome::Same,
            Outcome::Differs,
            Outcome::NotLooked(String::new()),
        ];
        let mut drift = Drift { findings: outcomes.map(finding).to_vec(), left_out: 0 };
        assert_eq!(summary(&drift), "3 unchanged, 1 changed, 1 skipped");
        drift.findings = vec![finding(Outcome::Missing), finding(Outcome::Missing)];
        drift.left_out = 7;
        assert_eq!(summary(&drift), "0 unchanged, 2 missing, 7 more not listed");
    }
}
