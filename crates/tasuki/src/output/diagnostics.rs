//! Renders violations for people: position, line, caret and hint.
//!
//! Secrets in a line are masked, because reports end up in logs and issues.

use serde_json::Value;
use tasuki_packet::check::secrets;
use tasuki_packet::{Code, Span, Violation};

use super::escape::escape;
use super::printer::{BAD, FAINT, STRONG};
use super::width::width;

/// LIMIT: a longer line is cut around the caret, so that a minified file stays readable.
const LINE_CHARS_MAX: usize = 100;

/// Renders all violations of `source`, one text each. `name` is its file name.
pub(crate) fn violations(name: &str, source: &str, violations: &[Violation]) -> Vec<String> {
    let source = mask_secrets(source, violations);
    let redacted_violations = violations.iter().cloned().map(redacted).map(escaped);
    redacted_violations.map(|one| violation(name, &source, &one)).collect()
}

/// Renders a single violation.
pub(crate) fn only_violation(name: &str, source: &str, one: &Violation) -> String {
    violations(name, source, std::slice::from_ref(one)).concat()
}

/// Escapes the names and values of a document in the words of a violation, for text output.
pub(crate) fn escaped(mut violation: Violation) -> Violation {
    violation.pointer = escape(&violation.pointer);
    violation.message = escape(&violation.message);
    for part in [&mut violation.found, &mut violation.allowed, &mut violation.hint] {
        *part = part.as_deref().map(escape);
    }
    violation
}

/// Redacts secrets in a violation, which quotes names and values of a document.
pub(crate) fn redacted(mut violation: Violation) -> Violation {
    violation.pointer = redacted_text(&violation.pointer);
    violation.message = redacted_text(&violation.message);
    for part in [&mut violation.found, &mut violation.allowed, &mut violation.hint] {
        *part = part.as_deref().map(redacted_text);
    }
    violation
}

/// Redacts secrets in a text that quotes a document.
pub(crate) fn redacted_text(text: &str) -> String {
    let mut value = Value::from(text);
    secrets::redact(&mut value);
    value.as_str().unwrap_or_default().to_owned()
}

/// Replaces every byte of a secret with a star, so that positions stay valid.
fn mask_secrets(source: &str, violations: &[Violation]) -> String {
    let named = violations
        .iter()
        .filter(|violation| violation.code == Code::SecretFound)
        .filter_map(|violation| violation.position)
        .map(|position| position.span.start as usize..position.span.end as usize);
    // A file that cannot be parsed has no such violations, but may have secrets.
    let scanned =
        secrets::scan(&Value::from(source)).into_iter().map(|found| found.start..found.end);
    let mut bytes = source.as_bytes().to_vec();
    for range in named.chain(scanned) {
        let secret = bytes.get_mut(range).unwrap_or_default();
        secret
            .iter_mut()
            .filter(|byte| !matches!(byte, b'\n' | b'\r'))
            .for_each(|byte| *byte = b'*');
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn violation(name: &str, source: &str, violation: &Violation) -> String {
    let code = violation.code;
    let message = &violation.message;
    let Some(position) = violation.position else {
        let head = format!("{STRONG}{name}{STRONG:#}: {BAD}{code}{BAD:#} {message}\n");
        return head + &explanation(violation, 1);
    };
    let (line, column) = (position.line, position.column);
    let mut text =
        format!("{STRONG}{name}:{line}:{column}{STRONG:#}: {BAD}{code}{BAD:#} {message}\n");
    let width = line.to_string().len();
    // A missing field has no line to show.
    let is_somewhere = position.span.start < position.span.end;
    if is_somewhere && let Some(shown) = SourceLine::of(source, position.span) {
        let pad = " ".repeat(width);
        let SourceLine { text: line_text, before, marked } = &shown;
        text.push_str(&format!("{FAINT}{pad} |{FAINT:#}\n"));
        text.push_str(&format!("{FAINT}{line} |{FAINT:#} {line_text}\n"));
        let carets = "^".repeat(*marked);
        text.push_str(&format!("{FAINT}{pad} |{FAINT:#} {before}{BAD}{carets}{BAD:#}\n"));
    }
    text + &explanation(violation, width)
}

fn explanation(violation: &Violation, width: usize) -> String {
    let pad = " ".repeat(width);
    let mut text = String::new();
    let rows =
        [("found", &violation.found), ("allowed", &violation.allowed), ("hint", &violation.hint)];
    for (label, content) in rows {
        if let Some(content) = content {
            text.push_str(&format!(
                "{FAINT}{pad} ={FAINT:#} {STRONG}{label}:{STRONG:#} {content}\n"
            ));
        }
    }
    text
}

/// The line of a violation, cut to fit, with the white space before its caret.
struct SourceLine {
    text: String,
    before: String,
    marked: usize,
}

impl SourceLine {
    fn of(source: &str, span: Span) -> Option<Self> {
        let start = source.floor_char_boundary(span.start as usize);
        let line_start = source[..start].rfind('\n').map_or(0, |at| at + 1);
        let rest = &source[line_start..];
        let line = rest.split(['\n', '\r']).next()?;
        let column = source[line_start..start].chars().count();
        let end = source.floor_char_boundary(span.end as usize).max(start);
        let marked = source[start..end].split(['\n', '\r']).next()?.chars().count();
        let skipped = if column > LINE_CHARS_MAX * 3 / 4 { column - LINE_CHARS_MAX / 2 } else { 0 };
        let shown = || line.chars().skip(skipped).take(LINE_CHARS_MAX).map(sanitized);
        let before: String = shown().take(column - skipped).collect();
        let marked: String = shown().skip(column - skipped).take(marked).collect();
        Some(Self {
            text: shown().collect(),
            before: padding(&before),
            marked: width(&marked).max(1),
        })
    }
}

/// Replaces control and direction characters, which would control the terminal.
fn sanitized(character: char) -> char {
    match character {
        '\t' => '\t',
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        other if other.is_control() => '\u{fffd}',
        other => other,
    }
}

/// Returns white space as wide as a text. A terminal decides how wide a tab is, so tabs stay.
fn padding(text: &str) -> String {
    text.split('\t').map(|part| " ".repeat(width(part))).collect::<Vec<_>>().join("\t")
}

#[cfg(test)]
mod tests {
    use tasuki_packet::{Code, Position};

    use super::*;

    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn the_caret_is_below_the_error() {
        let source = "goal: Deploy\nconfidence: 74\n";
        let position = Position { line: 2, column: 13, span: Span { start: 25, end: 27 } };
        let found = Violation::new(Code::FieldRange, "/confidence", "`confidence` is out of range")
            .at(position)
            .found("74")
            .allowed("a number between 0 and 1")
            .hint("did you mean 0.74?");
        insta::assert_snapshot!(plain(&violation("packet.yaml", source, &found)), @r"
        packet.yaml:2:13: TK-FIELD-RANGE `confidence` is out of range
          |
        2 | confidence: 74
          |             ^^
          = found: 74
          = allowed: a number between 0 and 1
          = hint: did you mean 0.74?
        ");
    }

    #[test]
    fn the_caret_is_below_the_error_after_wide_characters() {
        let source = "{\"目標\": \t\"出荷🚚\", \"state\": 完了}";
        let check = |what: &str, shown: &str| {
            let start = source.find(what).unwrap();
            let end = u32::try_from(start + what.len()).unwrap();
            let span = Span { start: u32::try_from(start).unwrap(), end };
            let found = Violation::new(Code::JsonSyntax, "", "here").at(Position {
                line: 1,
                column: 1,
                span,
            });
            let text = plain(&violation("x", source, &found));
            assert_eq!(text.lines().nth(3), Some(shown), "{text}");
        };
        check("\"出荷🚚\"", "  |          \t^^^^^^^^");
        check("完了", "  |          \t                   ^^^^");
    }

    #[test]
    fn control_characters_of_a_file_never_reach_the_terminal() {
        let source = "a: \u{1b}[31mred\u{202e}\n";
        let position = Position { line: 1, column: 4, span: Span { start: 3, end: 4 } };
        let found = Violation::new(Code::YamlSyntax, "", "control character").at(position);
        let shown = plain(&violation("x", source, &found));
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
    }

    #[test]
    fn a_minified_line_is_cut_around_the_caret() {
        let source = format!("{}X{}", "a".repeat(5_000), "b".repeat(5_000));
        let position = Position { line: 1, column: 5_001, span: Span { start: 5_000, end: 5_001 } };
        let found = Violation::new(Code::JsonSyntax, "", "here").at(position);
        let shown = plain(&violation("x", &source, &found));
        assert!(shown.lines().all(|line| line.chars().count() < 120), "{shown}");
        assert!(shown.contains("aX"), "{shown}");
    }
}
