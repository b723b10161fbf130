//! One fact of a packet and what became of it, and all of them together.

use serde_json::{Value, json};

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// The branch that was checked out.
    Branch,
    /// A commit: the one that was checked out, or one that is evidence.
    Commit,
    /// A file with changes that were not committed.
    DirtyFile,
    /// A file with its digest and size.
    Artifact,
    /// A file that the work begins with.
    Input,
    /// A path that the context names.
    Path,
    /// The version of a tool.
    Tool,
    /// A command that decides a criterion.
    Check,
}

/// What became of a fact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It holds.
    Same,
    /// It holds no longer.
    Differs,
    /// What it is about is not here.
    Missing,
    /// Nobody looked, and this is why.
    NotLooked(String),
}

/// One fact of the packet, compared with the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// What it is about.
    pub(crate) what: What,
    /// Which one: a path, a tool, the name of a member or a criterion.
    pub(crate) name: String,
    /// What the packet says.
    pub(crate) expected: String,
    /// What is here, if anything was seen.
    pub(crate) found: Option<String>,
    /// Whether that is the same.
    pub(crate) outcome: Outcome,
    /// The last that a check printed. It stays on this machine.
    pub(crate) output: Option<String>,
}

/// Everything that was compared, in the order of looking.
#[derive(Debug, Default)]
pub(crate) struct Drift {
    /// One for each fact that was looked at.
    pub(crate) findings: Vec<Finding>,
    /// Facts beyond the limit, which nobody looked at.
    pub(crate) left_out: usize,
}

/// How many facts came out in each way.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) same: usize,
    pub(crate) differs: usize,
    pub(crate) missing: usize,
    pub(crate) not_looked: usize,
}

/// LIMIT: facts of one kind that are looked at. A real packet has a few; one with thousands is a way
/// to keep a receiver busy.
const FACTS_OF_A_KIND_MAX: usize = 200;

/// LIMIT: findings that are sent. A claim is a small document, and nobody reads more.
const SENT_FINDINGS_MAX: usize = 100;

/// LIMIT: characters of each text that is sent.
const SENT_CHARS_MAX: usize = 200;

impl What {
    /// Its name in JSON.
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
    /// Its name in JSON.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Differs => "differs",
            Self::Missing => "missing",
            Self::NotLooked(_) => "not_looked",
        }
    }

    /// What matters more comes first where there is no room for all.
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
    /// A fact that nobody has looked at yet.
    pub(super) fn new(what: What, name: impl Into<String>, expected: impl Into<String>) -> Self {
        let (name, expected) = (name.into(), expected.into());
        let outcome = Outcome::NotLooked(String::new());
        Self { what, name, expected, found: None, outcome, output: None }
    }

    /// What is here is what the packet says.
    pub(super) fn same(self, found: impl Into<String>) -> Self {
        Self { found: Some(found.into()), outcome: Outcome::Same, ..self }
    }

    /// What is here is something else.
    pub(super) fn differs(self, found: impl Into<String>) -> Self {
        Self { found: Some(found.into()), outcome: Outcome::Differs, ..self }
    }

    /// There is nothing here.
    pub(super) fn missing(self) -> Self {
        Self { outcome: Outcome::Missing, ..self }
    }

    /// It was not looked at.
    pub(super) fn not_looked(self, reason: impl Into<String>) -> Self {
        Self { outcome: Outcome::NotLooked(reason.into()), ..self }
    }

    /// Whether something has changed: it is different now, or gone.
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
    /// Looks at the facts of one kind, as many as the limit allows.
    pub(super) fn compare_all<Fact>(
        &mut self,
        facts: impl IntoIterator<Item = Fact>,
        look: impl FnMut(Fact) -> Finding,
    ) {
        let mut facts = facts.into_iter();
        self.findings.extend(facts.by_ref().take(FACTS_OF_A_KIND_MAX).map(look));
        self.left_out += facts.count();
    }

    /// Whether anything has changed.
    pub(crate) fn has_drift(&self) -> bool {
        self.findings.iter().any(Finding::is_drift)
    }

    /// How many facts came out in each way.
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

    /// What is sent with a claim: a closed shape, at most 100 findings with short texts. Where there
    /// are more, those that changed go first; all are counted. What checks printed is not in it.
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
        Finding::new(What::Input, format!("{number}.md"), "is here")
    }

    #[test]
    fn what_is_sent_has_one_closed_shape() {
        let mut drift = Drift::default();
        drift.compare_all([0, 1, 2, 3], |number| match number {
            0 => input(0).same("a file"),
            1 => input(1).differs("a folder"),
            2 => input(2).missing(),
            _ => input(3).not_looked("an absolute path is not opened"),
        });
        let text = serde_json::to_string_pretty(&drift.to_value()).unwrap();
        insta::assert_snapshot!(text, @r#"
        {
          "directory": ".",
          "findings": [
            {
              "what": "input",
              "name": "0.md",
              "expected": "is here",
              "found": "a file",
              "outcome": "same"
            },
            {
              "what": "input",
              "name": "1.md",
              "expected": "is here",
              "found": "a folder",
              "outcome": "differs"
            },
            {
              "what": "input",
              "name": "2.md",
              "expected": "is here",
              "outcome": "missing"
            },
            {
              "what": "input",
              "name": "3.md",
              "expected": "is here",
              "outcome": "not_looked",
              "reason": "an absolute path is not opened"
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
    fn what_is_sent_is_bounded_and_keeps_what_changed() {
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
