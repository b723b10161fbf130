//! The verdict on a return, as one paragraph for people and as one row per requirement.

use std::fmt::Write as _;

use serde::Serialize;

use crate::violation::Violation;

/// The result of [`judge`](super::judge).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Verdict {
    /// `true` if nothing is missing.
    pub done: bool,
    /// One entry per name in `return_required`.
    pub fields: Vec<FieldCheck>,
    /// One entry per acceptance criterion.
    pub criteria: Vec<CriterionCheck>,
    /// One entry per expected output.
    pub outputs: Vec<OutputCheck>,
    /// Every defect that keeps the work from being done. Pointers refer to the return packet.
    pub missing: Vec<Violation>,
    /// Observations for a person that do not affect the verdict.
    pub notes: Vec<String>,
}

/// A field that the handoff required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FieldCheck {
    /// The name as written in the handoff.
    pub name: String,
    /// The member of the return packet that satisfies it: present and not null, including an empty
    /// list.
    pub member: Option<String>,
}

/// An acceptance criterion and its result in the return packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CriterionCheck {
    /// The index in `acceptance`, from 0.
    pub index: usize,
    /// The id, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The text of the criterion.
    pub text: String,
    /// The result.
    pub result: CriterionResult,
    /// The evidence in the return packet.
    pub evidence: Vec<String>,
}

/// The result of a criterion, ordered from best to worst. Of two entries for one criterion the
/// worse one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum CriterionResult {
    /// Checked and met.
    Pass,
    /// Not checked, or only described in prose.
    NotRun,
    /// Checked and not met.
    Fail,
    /// No result given.
    Absent,
}

/// An expected output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct OutputCheck {
    /// The name, or the text if it has no name.
    pub name: String,
    /// The result.
    pub result: OutputResult,
}

/// The result for an expected output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum OutputResult {
    /// Present, and it matches its schema.
    Valid,
    /// Present, and it needs no schema.
    Present,
    /// Present, but it does not match its schema, or the schema is unusable.
    Invalid,
    /// Not present.
    Missing,
    /// Only described in words, so a person has to check it.
    NotChecked,
}

/// One line of a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// `true` if the requirement is met.
    pub is_met: bool,
    /// `field`, `criterion` or `output`.
    pub subject: &'static str,
    /// The name of the field, criterion or output.
    pub name: String,
    /// The result.
    pub state: String,
}

impl Verdict {
    /// Returns one row per field, criterion and output, in this order.
    pub fn rows(&self) -> Vec<Row> {
        let fields = self.fields.iter().map(FieldCheck::row);
        let criteria = self.criteria.iter().map(CriterionCheck::row);
        let outputs = self.outputs.iter().map(OutputCheck::row);
        fields.chain(criteria).chain(outputs).collect()
    }

    /// Returns the verdict as one paragraph.
    pub fn text(&self) -> String {
        let mut text = if self.done { "Done".to_owned() } else { "Not done".to_owned() };
        let counted = [
            counted(&self.fields, |check| check.member.is_some(), "required fields are present"),
            counted(&self.criteria, |check| check.result == CriterionResult::Pass, "criteria pass"),
            counted(&self.outputs, |check| check.row().is_met, "outputs are present"),
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
            Some(member) if *member == self.name => "present".to_owned(),
            Some(member) => format!("present as `{member}`"),
            None => "missing".to_owned(),
        };
        Row { is_met: self.member.is_some(), subject: "field", name: self.name.clone(), state }
    }
}

impl CriterionCheck {
    /// Returns the id or the text, for use in messages.
    pub(super) fn label(&self) -> &str {
        self.id.as_deref().unwrap_or(&self.text)
    }

    fn row(&self) -> Row {
        let mut state = self.result.as_str().to_owned();
        if !self.evidence.is_empty() {
            // Writing to a string cannot fail.
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
    /// Returns the result as written in a packet, or `absent` for no result.
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
            OutputResult::Valid => (true, "matches its schema"),
            OutputResult::Present => (true, "present"),
            OutputResult::Invalid => (false, "does not match its schema"),
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
