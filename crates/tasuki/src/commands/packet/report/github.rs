//! Violations as workflow commands of GitHub Actions, which show them beside the changed lines.
//!
//! A command is one line: `::error file=a.yaml,line=5,col=9,title=TK-…::message`. GitHub unescapes
//! `%25`, `%0D` and `%0A`, and in properties also `%3A` and `%2C`.

use super::{FileReport, Region, ReportEntry};
use crate::output::escape::escape;

/// Returns the workflow commands for the violations of a file, one line each.
pub(crate) fn annotations(report: &FileReport) -> String {
    report.entries.iter().map(|entry| annotation(report.file.as_deref(), entry)).collect()
}

fn annotation(file: Option<&str>, entry: &ReportEntry) -> String {
    let mut properties = Vec::new();
    if let Some(file) = file {
        properties.push(format!("file={}", property(file)));
    }
    if let Some(Region { line, column, end }) = entry.region {
        properties.push(format!("line={line},col={column}"));
        // GitHub takes an end column only on the same line.
        if let Some((_, end_column)) = end.filter(|(end_line, _)| *end_line == line) {
            properties.push(format!("endColumn={end_column}"));
        }
    }
    properties.push(format!("title={}", property(entry.violation.code.as_str())));
    let lines: Vec<String> = entry.text().lines().map(escape).collect();
    format!("::{} {}::{}\n", entry.level.as_str(), properties.join(","), data(&lines.join("\n")))
}

/// Escapes the message of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use tasuki_packet::{Code, Position, Span, Violation};

    use super::*;

    #[test]
    fn text_cannot_start_a_command_of_its_own() {
        let position = Position { line: 1, column: 4, span: Span { start: 3, end: 5 } };
        let violation = Violation::new(Code::FieldValue, "/a", "100% wrong\n::error::forged")
            .at(position)
            .hint("see a:b, c");
        let report = FileReport::new(Some("a,b:c.yaml".to_owned()), "a: 74\n", &[violation], &[]);
        insta::assert_snapshot!(annotations(&report), @"::error file=a%2Cb%3Ac.yaml,line=1,col=4,endColumn=6,title=TK-FIELD-VALUE::100%25 wrong%0A::error::forged%0Ahint: see a:b, c");
    }

    #[test]
    fn a_warning_without_a_place_has_neither_file_nor_line() {
        let violation = Violation::new(Code::LintField, "", "misspelt");
        let report = FileReport::new(None, "", &[], &[violation]);
        assert_eq!(annotations(&report), "::warning title=TK-LINT-FIELD::misspelt\n");
    }
}
