//! The lint report and its findings.

use serde::Serialize;

use super::score::Score;
use super::{names, prose, shape};
use crate::document::limits::VIOLATIONS_MAX;
use crate::packet::Packet;
use crate::violation::{Code, Position};

/// The result of [`lint`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LintReport {
    /// The findings, first about the structure of the packet and then about its texts.
    pub findings: Vec<Finding>,
    /// The completeness score.
    pub score: Score,
}

/// One possible improvement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The severity of the finding.
    pub severity: Severity,
    /// The stable code.
    pub code: Code,
    /// An RFC 6901 pointer to the value, or to where it should be. The whole packet is `""`.
    pub pointer: String,
    /// The position in the source. Only the caller has the source, so the caller fills this in.
    #[serde(flatten)]
    pub position: Option<Position>,
    /// The finding, as one sentence without a full stop.
    pub message: String,
    /// The suggested improvement.
    pub hint: &'static str,
}

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Severity {
    /// A receiver is likely to have trouble with it.
    Warning,
    /// An optional improvement.
    Advice,
}

/// Finds everything that makes a packet hard to continue from.
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
    names::check(packet, &mut findings);
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
