//! Reports of violations for other programs: SARIF for code scanning, and annotations for GitHub
//! Actions.
//!
//! Both need the end of a violation, which [`Region`] computes from the source. Secrets are
//! redacted before a violation gets here or while it is written, as in every other output.

pub(crate) mod github;
pub(crate) mod sarif;

use tasuki_packet::{Position, Violation};

use crate::output::diagnostics;

/// The violations of one file.
#[derive(Debug)]
pub(crate) struct FileReport {
    /// The name that the caller used; `None` for stdin.
    file: Option<String>,
    entries: Vec<ReportEntry>,
}

/// One violation with its place.
#[derive(Debug)]
struct ReportEntry {
    violation: Violation,
    level: Level,
    region: Option<Region>,
}

/// The level of an entry. Both formats use these words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Error,
    Warning,
}

/// The range of a violation. Lines and columns count from 1, columns count characters, and the end
/// is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Region {
    line: u32,
    column: u32,
    /// Absent if the violation is about a place where something is missing.
    end: Option<(u32, u32)>,
}

impl FileReport {
    /// Creates the report of a file; `text` is the source of the positions.
    pub(crate) fn new(
        file: Option<String>,
        text: &str,
        violations: &[Violation],
        warnings: &[Violation],
    ) -> Self {
        let entry = |level: Level| {
            move |violation: &Violation| ReportEntry {
                violation: diagnostics::redacted(violation.clone()),
                level,
                region: violation.position.map(|position| Region::of(text, position)),
            }
        };
        let errors = violations.iter().map(entry(Level::Error));
        Self { file, entries: errors.chain(warnings.iter().map(entry(Level::Warning))).collect() }
    }
}

impl ReportEntry {
    /// Returns the message with everything that helps to repair the document.
    fn text(&self) -> String {
        let Violation { message, found, allowed, hint, .. } = &self.violation;
        let mut text = message.clone();
        for (label, part) in [("found", found), ("allowed", allowed), ("hint", hint)] {
            if let Some(part) = part {
                text.push_str(&format!("\n{label}: {part}"));
            }
        }
        text
    }
}

impl Level {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl Region {
    fn of(text: &str, position: Position) -> Self {
        let Position { line, column, span } = position;
        let marked = text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let end = (!marked.is_empty()).then(|| {
            let breaks = marked.matches('\n').count();
            let last = marked.rsplit('\n').next().unwrap_or_default();
            let width = u32::try_from(last.chars().count()).unwrap_or(u32::MAX);
            match u32::try_from(breaks).unwrap_or(u32::MAX) {
                0 => (line, column.saturating_add(width)),
                breaks => (line.saturating_add(breaks), width.saturating_add(1)),
            }
        });
        Self { line, column, end }
    }
}

#[cfg(test)]
mod tests {
    use tasuki_packet::Span;

    use super::*;

    #[test]
    fn a_region_ends_behind_its_last_character() {
        let check = |text: &str, marked: &str, expected: Region| {
            let start = text.find(marked).unwrap();
            let line = text[..start].matches('\n').count() + 1;
            let column = text[..start].rsplit('\n').next().unwrap().chars().count() + 1;
            let position = Position {
                line: u32::try_from(line).unwrap(),
                column: u32::try_from(column).unwrap(),
                span: Span {
                    start: u32::try_from(start).unwrap(),
                    end: u32::try_from(start + marked.len()).unwrap(),
                },
            };
            assert_eq!(Region::of(text, position), expected, "{marked:?}");
        };
        check("a: 1\nb: 74\n", "74", Region { line: 2, column: 4, end: Some((2, 6)) });
        check("é: 漢字\n", "漢字", Region { line: 1, column: 4, end: Some((1, 6)) });
        check("a: [1,\n  2]\n", "[1,\n  2]", Region { line: 1, column: 4, end: Some((2, 5)) });
        check("a: 1\n", "", Region { line: 1, column: 1, end: None });
    }
}
