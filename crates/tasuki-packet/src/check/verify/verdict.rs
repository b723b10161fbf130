//! The verdict and how it reads: one paragraph for people, one row per thing that was asked for.

use std::fmt::Write as _;

use serde::Serialize;

use crate::violation::Violation;

/// What [`judge`](super::judge) says of a return packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// Whether nothing is missing.
    pub done: bool,
    /// One entry per name in `return_required`.
    pub fields: Vec<FieldCheck>,
    /// One entry per acceptance criterion.
    pub criteria: Vec<CriterionCheck>,
    /// One entry per expected output.
    pub outputs: Vec<OutputCheck>,
    /// Everything that keeps the work from being done. Pointers are into the return packet.
    pub missing: Vec<Violation>,
    /// What a person should know although it decides nothing.
    pub notes: Vec<String>,
}

/// A field that the handoff asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FieldCheck {
    /// The name as the handoff wrote it.
    pub name: String,
    /// The member of the return packet that meets it: present and not null, an empty list included.
    pub member: Option<String>,
}

/// An acceptance criterion and what the return packet says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CriterionCheck {
    /// Its place in `acceptance`, from 0.
    pub index: usize,
    /// Its id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What it says.
    pub text: String,
    /// How it went.
    pub result: CriterionResult,
    /// What the return packet shows for it.
    pub evidence: Vec<String>,
}

/// How a criterion went. Worse is greater: of two entries for one criterion the worse one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CriterionResult {
    /// Checked and met.
    Pass,
    /// Not checked, or only spoken of in prose.
    NotRun,
    /// Checked and not met.
    Fail,
    /// Not mentioned.
    Absent,
}

/// An expected output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OutputCheck {
    /// Its name, or its text if it has none.
    pub name: String,
    /// What was found.
    pub result: OutputResult,
}

/// What was found of an expected output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputResult {
    /// There, and it satisfies its schema.
    Valid,
    /// There; no schema was asked for.
    Present,
    /// There, but it does not satisfy its schema, or the schema cannot be used.
    Invalid,
    /// Not there.
    Missing,
    /// Only described in words: a person has to look.
    NotChecked,
}

/// One line of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// Whether nothing is left to do here.
    pub is_met: bool,
    /// `field`, `criterion` or `output`.
    pub subject: &'static str,
    /// Which one.
    pub name: String,
    /// What was found.
    pub state: String,
}

impl Verdict {
    /// One row per field, criterion and output, in this order.
    pub fn rows(&self) -> Vec<Row> {
        let fields = self.fields.iter().map(FieldCheck::row);
        let criteria = self.criteria.iter().map(CriterionCheck::row);
        let outputs = self.outputs.iter().map(OutputCheck::row);
        fields.chain(criteria).chain(outputs).collect()
    }

    /// The verdict as one paragraph.
    pub fn text(&self) -> String {
        let mut text = if self.done { "Done".to_owned() } else { "Not done".to_owned() };
        let counted = [
            counted(&self.fields, |check| check.member.is_some(), "required fields are there"),
            counted(&self.criteria, |check| check.result == CriterionResult::Pass, "criteria pass"),
            counted(&self.outputs, |check| check.row().is_met, "outputs are there"),
        ];
        let counted: Vec<String> = counted.into_iter().flatten().collect();
        if !counted.is_empty() {
            text.push_str(": ");
            text.push_str(&counted.join(", "));
        }
        text.push('.');
        for violation in &self.missing {
            push_sentence(&mut text, &violation.message);
        }
        for note in &self.notes {
            push_sentence(&mut text, &format!("note: {note}"));
        }
        text
    }
}

impl FieldCheck {
    fn row(&self) -> Row {
        let state = match &self.member {
            Some(member) if *member == self.name => "there".to_owned(),
            Some(member) => format!("there as `{member}`"),
            None => "missing".to_owned(),
        };
        Row { is_met: self.member.is_some(), subject: "field", name: self.name.clone(), state }
    }
}

impl CriterionCheck {
    /// Its id, else its text: how a message names it.
    pub(super) fn label(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.text)
    }

    fn row(&self) -> Row {
        let mut state = self.result.as_str().to_owned();
        if !self.evidence.is_empty() {
            // Writing to a text cannot fail.
            write!(state, " ({})", self.evidence.join(", ")).unwrap_or_default();
        }
        Row {
            is_met: self.result == CriterionResult::Pass,
            subject: "criterion",
            name: self.text.clone(),
            state,
        }
    }
}

impl CriterionResult {
    /// The word in a packet; `absent` stands for none.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::NotRun => "not_run",
            Self::Fail => "fail",
            Self::Absent => "absent",
        }
    }
}

impl OutputCheck {
    fn row(&self) -> Row {
        let (is_met, state) = match self.result {
            OutputResult::Valid => (true, "fits its schema"),
            OutputResult::Present => (true, "there"),
            OutputResult::Invalid => (false, "does not fit its schema"),
            OutputResult::Missing => (false, "missing"),
            OutputResult::NotChecked => (true, "described in words, not checked"),
        };
        Row { is_met, subject: "output", name: self.name.clone(), state: state.to_owned() }
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} `{}`: {}", self.subject, self.name, self.state)
    }
}

fn counted<T>(checks: &[T], is_met: impl Fn(&T) -> bool, what: &str) -> Option<String> {
    let met = checks.iter().filter(|check| is_met(check)).count();
    (!checks.is_empty()).then(|| format!("{met} of {} {what}", checks.len()))
}

fn push_sentence(text: &mut String, sentence: &str) {
    text.push(' ');
    let mut characters = sentence.chars();
    text.extend(characters.next().map(|first| first.to_ascii_uppercase()));
    text.push_str(characters.as_str());
    text.push('.');
}
