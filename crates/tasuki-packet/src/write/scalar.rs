//! The YAML spelling of one text: plain, as a literal block, or in double quotes.
//!
//! Every YAML reader must read a plain text as that text, including old readers that take `no` for
//! a boolean, `12:30` for a number and `2026-11-16` for a date. In doubt a text is quoted: double
//! quotes with the escapes of JSON are always safe.

/// Characters that a plain text must not start with. Some are valid in some places, but they are
/// always quoted.
const INDICATORS: &[char] = &[
    '-', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`',
];

/// Texts that some reader takes for null, a boolean, a merge key or a default value.
const WORDS: &[&str] =
    &["null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "="];

/// The characters of integers, decimals, sexagesimal numbers, dates and times.
const NUMBER_CHARACTERS: &str = "0123456789+-.,_:etz ";

/// Returns `true` if the text needs no quotes.
pub(super) fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && text.trim() == text
        && !text.starts_with(INDICATORS)
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && text.chars().all(is_shown)
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text))
        && !is_number_like(text)
}

/// Returns the header of a literal block for exactly this text, if a block can hold it.
///
/// Editors may change blanks at the end of a line and several line breaks at the end, so such texts
/// get no block, and neither does a text whose first line is indented.
pub(super) fn block_header(text: &str) -> Option<&'static str> {
    let (header, body) = match text.strip_suffix('\n') {
        Some(body) => ("|", body),
        None => ("|-", text),
    };
    let is_exact = text.contains('\n')
        && !body.is_empty()
        && body.trim() == body
        && body.chars().all(|character| matches!(character, '\n' | '\t') || is_shown(character))
        && !body.split('\n').any(|line| line.starts_with('\t') || line.ends_with([' ', '\t']));
    is_exact.then_some(header)
}

/// Returns the text in double quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            shown if is_shown(shown) => quoted.push(shown),
            hidden => quoted.push_str(&escaped(hidden)),
        }
    }
    quoted.push('"');
    quoted
}

fn escaped(character: char) -> String {
    match u32::from(character) {
        code @ ..=0xffff => format!("\\u{code:04X}"),
        code => format!("\\U{code:08X}"),
    }
}

/// Returns `true` if the character is visible and every reader keeps it.
///
/// Zero-width joiners count as visible: Persian words and emoji need them.
fn is_shown(character: char) -> bool {
    let is_hidden = matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    let is_noncharacter = u32::from(character) & 0xfffe == 0xfffe;
    !character.is_control() && !is_hidden && !is_noncharacter
}

fn is_number_like(text: &str) -> bool {
    let number = text.strip_prefix('+').unwrap_or(text).to_ascii_lowercase();
    if !number.starts_with(|first: char| first == '.' || first.is_ascii_digit()) {
        return false;
    }
    ["0x", "0o", "0b"].iter().any(|prefix| number.starts_with(prefix))
        || matches!(number.as_str(), ".inf" | ".nan")
        || number.chars().all(|character| NUMBER_CHARACTERS.contains(character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_text_is_plain() {
        for text in [
            "Ship the accessible web part",
            "hof_0190",
            "120s",
            "1d",
            "3 attempts, at most",
            "role:reviewer",
            "src/*.rs",
            "$0.45",
            "~/notes",
            ".github/workflows",
            "9f2c1e0",
            "2026-11-16 is the release",
            "café 家 👩‍🚀",
            "it's [fine] {here} & there",
            "C#",
            "<details>",
        ] {
            assert!(is_plain(text), "{text:?}");
        }
    }

    #[test]
    fn ambiguous_text_is_quoted() {
        for text in [
            "",
            " ",
            "a ",
            " a",
            "null",
            "Null",
            "~",
            "TRUE",
            "No",
            "on",
            "y",
            "N",
            "<<",
            "=",
            "22",
            "1.10",
            "012",
            "1e3",
            "1E+3",
            "+1",
            "-1",
            ".5",
            ".inf",
            "+.INF",
            ".NaN",
            "0x1F",
            "0o17",
            "0b1",
            "1_000",
            "12:30:45",
            "2026-11-16",
            "2026-11-16T18:00:00Z",
            "22.11.0",
            "- a",
            "--flag",
            "? a",
            ": a",
            "a: b",
            "a:",
            "a #b",
            "#a",
            "[a",
            "{a",
            "&a",
            "*a",
            "!a",
            "|",
            ">",
            "'a",
            "\"a",
            "%a",
            "@a",
            "`a",
            "---",
            "...",
            "a\tb",
            "a\nb",
            "\u{feff}a",
            "a\u{85}",
            "a\u{2028}b",
            "a\u{202e}b",
            "\u{a0}a",
            "a\u{fffe}",
        ] {
            assert!(!is_plain(text), "{text:?}");
        }
    }

    #[test]
    fn quotes_escape_invisible_characters() {
        let text = "a\"\\\n\t\r\u{0}\u{7f}\u{85}\u{202e}\u{feff}\u{e0041}é👍";
        let expected = r#""a\"\\\n\t\r\u0000\u007F\u0085\u202E\uFEFF\U000E0041é👍""#;
        assert_eq!(quoted(text), expected);
    }

    #[test]
    fn a_block_is_used_only_for_text_that_it_keeps_exactly() {
        for (text, header) in [
            ("a\nb", Some("|-")),
            ("a\n\n  b\tc\n", Some("|")),
            ("# a\n---\n", Some("|")),
            ("a", None),
            ("\n", None),
            ("a\n\n", None),
            ("\na\n", None),
            (" a\nb\n", None),
            ("a \nb\n", None),
            ("a\n\tb\n", None),
            ("a\n  \nb\n", None),
            ("a\r\nb\n", None),
            ("a\u{2028}\nb\n", None),
        ] {
            assert_eq!(block_header(text), header, "{text:?}");
        }
    }
}
