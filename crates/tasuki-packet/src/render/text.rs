//! Cleans packet text: no control characters, no invisible characters.
//!
//! An invisible character is made visible (`<U+202E>`), because people must notice it and it could
//! carry words to a model that no person has seen. The writers for Markdown and HTML do their own
//! escaping.

/// The mark for a line end in single-line places.
const LINE_END: &str = " ↵ ";

/// Returns the text with line ends and tabs as its only control characters. Invisible characters
/// are made visible. A carriage return alone is one of them: some readers show the text after it on
/// a line of its own, others over the text before it.
pub(super) fn visible(text: &str) -> String {
    let mut cleaned = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => cleaned.push(character),
            '\r' if characters.next_if_eq(&'\n').is_some() => cleaned.push('\n'),
            hidden if hidden.is_control() || is_hidden(hidden) => {
                cleaned.push_str(&code_point(hidden));
            }
            other => cleaned.push(other),
        }
    }
    cleaned
}

/// Returns a text of several lines on one line.
pub(super) fn one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(LINE_END).replace('\t', " ")
}

/// Returns the text of another party on one line for people: no control characters, and invisible
/// characters are made visible.
///
/// ```
/// assert_eq!(tasuki_packet::render::line("pay\n\u{202e}me"), "pay ↵ <U+202E>me");
/// ```
pub fn line(text: &str) -> String {
    one_line(&visible(text))
}

/// Returns `true` if the text has something to show.
pub(super) fn has_text(text: &str) -> bool {
    !text.trim().is_empty()
}

/// Returns the visible form of a character that people cannot see: `<U+202E>`.
pub fn code_point(character: char) -> String {
    format!("<U+{:04X}>", u32::from(character))
}

/// Returns `true` for invisible characters that change how text looks or reads: bidirectional
/// controls, zero-width characters, fillers, tags, and variation selectors other than those of
/// emoji.
pub fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0d}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_see_invisible_characters() {
        let cases = [
            ("a\u{202e}b", "a<U+202E>b"),
            ("\u{1b}[31mred", "<U+001B>[31mred"),
            ("tag\u{e0041}", "tag<U+E0041>"),
            ("zero\u{200b}width\u{feff}", "zero<U+200B>width<U+FEFF>"),
            ("next\u{85}line\u{2028}", "next<U+0085>line<U+2028>"),
            ("a\r\nb\td", "a\nb\td"),
            ("Line1\rEVIL\r", "Line1<U+000D>EVIL<U+000D>"),
            ("a\r\r\nb", "a<U+000D>\nb"),
            ("漢字 ❤\u{fe0f} é", "漢字 ❤\u{fe0f} é"),
        ];
        for (text, expected) in cases {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn one_line_marks_where_lines_ended() {
        assert_eq!(one_line("  a\n\n b\tc \n"), "a ↵ b c");
        assert_eq!(one_line("\n"), "");
    }
}
