//! The result of comparing one fact of a packet, and of all of them.

use serde_json::{Value, json};

/// The subject of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// The branch that was checked out.
    Branch,
    /// A commit: the current one, or one in the evidence.
    Commit,
    /// A file with uncommitted changes.
    DirtyFile,
    /// A file with its digest and size.
    Artifact,
    /// An input of the work.
    Input,
    /// A path that the context names.
    Path,
    /// The version of a tool.
    Tool,
    /// A command that decides a criterion.
    Check,
}

/// The outcome of comparing a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It still holds.
    Same,
    /// It no longer holds.
    Differs,
    /// Its subject does not exist.
    Missing,
    /// It was not checked, for this reason.
    NotLooked(String),
}

/// One fact of the packet, compared with the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The subject.
    pub(crate) what: What,
    /// A path, a tool, or the name of a member or criterion.
    pub(crate) name: String,
    /// The value in the packet.
    pub(crate) expected: String,
    /// The current value, if there is one.
    pub(crate) found: Option<String>,
    /// The outcome.
    pub(crate) outcome: Outcome,
    /// The end of the output of a check, or the digest of a file that differs. It stays on this
    /// machine: the sender of a packet must not learn it.
    pub(crate) output: Option<String>,
}

/// All findings, in the order of the comparison.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    /// One finding per compared fact.
    pub(crate) findings: Vec<Finding>,
    /// The number of facts beyond the limit, which were not compared.
    pub(crate) left_out: usize,
}

/// The number of facts per outcome.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) same: usize,
    pub(crate) differs: usize,
    pub(crate) missing: usize,
    pub(crate) not_looked: usize,
}

/// LIMIT: compared facts of one kind. A packet with thousands of them could keep a receiver busy.
const FACTS_OF_A_KIND_MAX: usize = 200;

/// LIMIT: findings that are sent. A claim is a small document.
const SENT_FINDINGS_MAX: usize = 100;

/// LIMIT: characters of each text that is sent.
const SENT_CHARS_MAX: usize = 200;

impl What {
    /// Returns its name in JSON.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Commit => "commit",
            Self::DirtyFile => "dirty_file",
            Self::Artifact => "artifact",
            Self::Input => "input",
            Self::Path => "path",
            Self::Tool => "tool",
            Self::Check => "check",
        }
    }
}

impl Outcome {
    /// Returns its name in JSON.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Differs => "differs",
            Self::Missing => "missing",
            Self::NotLooked(_) => "not_looked",
        }
    }

    /// Returns the priority of an outcome if not all findings fit.
    fn rank(&self) -> u8 {
        match self {
            Self::Differs => 0,
            Self::Missing => 1,
            Self::NotLooked(_) => 2,
            Self::Same => 3,
        }
    }
}

impl Finding {
    /// Returns a finding that was not compared yet.
    pub(super) fn new(what: What, name: impl Into<String>, expected: impl Into<String>) -> Self {
        let (name, expected) = (name.into(), expected.into());
        let outcome = Outcome::NotLooked(String::new());
        Self { what, name, expected, found: None, outcome, output: None }
    }

    /// Sets the outcome: the current value matches.
    pub(super) fn same(self, found: impl Into<String>) -> Self {
        Self { found: Some(found.into()), outcome: Outcome::Same, ..self }
    }

    /// Sets the outcome: the current value differs.
    pub(super) fn differs(self, found: impl Into<String>) -> Self {
        Self { found: Some(found.into()), outcome: Outcome::Differs, ..self }
    }

    /// Sets the outcome: the subject does not exist.
    pub(super) fn missing(self) -> Self {
        Self { outcome: Outcome::Missing, ..self }
    }

    /// Sets the outcome: the fact was not checked.
    pub(super) fn not_looked(self, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::NotLooked(reason.into()), ..self }
    }

    /// Returns `true` if the fact has changed: the subject differs or is missing.
    pub(crate) fn is_drift(&self) -> bool {
        matches!(self.outcome, Outcome::Differs | Outcome::Missing)
    }

    fn to_value(&self) -> Value {
        let mut value = json!({
            "what": self.what.as_str(),
            "name": cut(&self.name),
            "expected": cut(&self.expected),
        });
        if let Some(found) = &self.found {
            value["found"] = cut(found).into();
        }
        value["outcome"] = self.outcome.as_str().into();
        if let Outcome::NotLooked(reason) = &self.outcome {
            value["reason"] = cut(reason).into();
        }
        value
    }
}

impl Drift {
    /// Compares the facts of one kind, up to the limit.
    pub(super) fn compare_all<Fact>(
        &mut self,
        facts: impl IntoIterator<Item = Fact>,
        look: impl FnMut(Fact) -> Finding,
    ) {
        let mut facts = facts.into_iter();
        self.findings.extend(facts.by_ref().take(FACTS_OF_A_KIND_MAX).map(look));
        self.left_out += facts.count();
    }

    /// Returns `true` if any fact has changed.
    pub(crate) fn has_drift(&self) -> bool {
        self.findings.iter().any(Finding::is_drift)
    }

    /// Counts the facts per outcome.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for finding in &self.findings {
            match finding.outcome {
                Outcome::Same => counts.same += 1,
                Outcome::Differs => counts.differs += 1,
                Outcome::Missing => counts.missing += 1,
                Outcome::NotLooked(_) => counts.not_looked += 1,
            }
        }
        counts
    }

    /// Returns every finding as JSON.
    pub(crate) fn to_findings(&self) -> Vec<Value> {
        self.findings.iter().map(Finding::to_value).collect()
    }

    /// Returns the report that is sent with a claim: a closed shape with at most 100 findings and
    /// short texts. Changed facts take precedence; all are counted. The output of checks is not
    /// included.
    pub(crate) fn to_value(&self) -> Value {
        let mut chosen: Vec<_> = self.findings.iter().enumerate().collect();
        chosen.sort_by_key(|(_, finding)| finding.outcome.rank());
        chosen.truncate(SENT_FINDINGS_MAX);
        chosen.sort_by_key(|(index, _)| *index);
        let findings: Vec<_> = chosen.iter().map(|(_, finding)| finding.to_value()).collect();
        let left_out = self.left_out + self.findings.len() - findings.len();
        let Counts { same, differs, missing, not_looked } = self.counts();
        json!({
            "directory": ".",
            "findings": findings,
            "counts": {
                "same": same, "differs": differs, "missing": missing, "not_looked": not_looked,
            },
            "left_out": left_out,
        })
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= SENT_CHARS_MAX {
        return text.to_owned();
    }
    text.chars().take(SENT_CHARS_MAX - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(number: usize) -> Finding {
        Finding::new(What::Input, format!("{number}.md"), "exists")
    }

    #[test]
    fn the_sent_report_has_one_closed_shape() {
        let mut drift = Drift::default();
        drift.compare_all([0, 1, 2, 3], |number| match number {
            0 => input(0).same("a file"),
            1 => input(1).differs("a folder"),
            2 => input(2).missing(),
            _ => input(3).not_looked("absolute paths are not opened"),
        });
        let text = serde_json::to_string_pretty(&drift.to_value()).unwrap();
        insta::assert_snapshot!(text, @r#"
        {
          "directory": ".",
          "findings": [
            {
              "what": "input",
              "name": "0.md",
              "expected": "exists",
              "found": "a file",
              "outcome": "same"
            },
            {
              "what": "input",
              "name": "1.md",
              "expected": "exists",
              "found": "a folder",
              "outcome": "differs"
            },
            {
              "what": "input",
              "name": "2.md",
              "expected": "exists",
              "outcome": "missing"
            },
            {
              "what": "input",
              "name": "3.md",
              "expected": "exists",
              "outcome": "not_looked",
              "reason": "absolute paths are not opened"
            }
          ],
          "counts": {
            "same": 1,
            "differs": 1,
            "missing": 1,
            "not_looked": 1
          },
          "left_out": 0
        }
        "#);
    }

    #[test]
    fn the_sent_report_is_bounded_and_keeps_changed_facts() {
        let mut drift = Drift::default();
        let long = "é".repeat(1_000);
        drift.compare_all(0..10_000, |number| match number {
            199 => input(number).differs(long.clone()),
            _ => input(number).same(long.clone()),
        });
        let value = drift.to_value();
        let findings = value["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 100);
        assert_eq!(findings[98]["name"], "98.md");
        assert_eq!(findings[99]["name"], "199.md");
        assert_eq!(findings[99]["found"].as_str().unwrap().chars().count(), 200);
        assert_eq!(value["counts"]["same"], 199);
        assert_eq!(value["left_out"], 9_900);
    }

    #[test]
    fn output_of_checks_is_not_sent() {
        let check = Finding::new(What::Check, "tests", "make test").differs("fail");
        let output = Some("the password is swordfish".to_owned());
        let drift = Drift { findings: vec![Finding { output, ..check }], left_out: 0 };
        assert!(!drift.to_value().to_string().contains("swordfish"));
    }
}
