//! A finding, the report, and the list of what is looked at.

use serde::Serialize;

use super::score::Score;
use super::{prose, shape};
use crate::document::limits::VIOLATIONS_MAX;
use crate::packet::Packet;
use crate::violation::{Code, Position};

/// What [`lint`] says of a packet.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LintReport {
    /// In the order in which the packet is read: its shape, then its texts.
    pub findings: Vec<Finding>,
    /// How complete it is.
    pub score: Score,
}

/// One thing that could be better.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// How much it matters.
    pub severity: Severity,
    /// The stable code.
    pub code: Code,
    /// RFC 6901 pointer to the value, or to where it should be. The whole packet is `""`.
    pub pointer: String,
    /// Where in the source; the caller fills it in, because only the caller has the source.
    #[serde(flatten)]
    pub position: Option<Position>,
    /// What is found, as one sentence without a full stop.
    pub message: String,
    /// What to do about it.
    pub hint: &'static str,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Severity {
    /// A receiver will probably stumble over it.
    Warning,
    /// It would be better otherwise.
    Advice,
}

/// Looks for everything that makes a packet hard to pick up.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::check::lint::lint;
///
/// let packet = Packet::from_value(json!({"goal": "Ship it", "acceptance": ["works"]})).unwrap();
/// let report = lint(&packet);
/// assert!(report.findings.iter().any(|finding| finding.code.as_str() == "TK-LINT-VAGUE"));
/// ```
pub fn lint(packet: &Packet) -> LintReport {
    let mut findings = Vec::new();
    shape::check(packet, &mut findings);
    prose::check(packet, &mut findings);
    findings.truncate(VIOLATIONS_MAX);
    LintReport { findings, score: Score::of(packet) }
}

impl Finding {
    pub(super) fn warning(
        code: Code,
        pointer: impl Into<String>,
        message: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        let (pointer, message) = (pointer.into(), message.into());
        Self { severity: Severity::Warning, code, pointer, position: None, message, hint }
    }

    pub(super) fn advice(
        code: Code,
        pointer: impl Into<String>,
        message: impl Into<String>,
        hint: &'static str,
    ) -> Self {
        Self { severity: Severity::Advice, ..Self::warning(code, pointer, message, hint) }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(position) = self.position {
            write!(f, "{}:{}: ", position.line, position.column)?;
        }
        write!(f, "{}: {}", self.code, self.message)
    }
}
