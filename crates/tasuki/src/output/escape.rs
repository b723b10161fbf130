//! Escapes text of other parties, so that it controls neither the terminal nor a shell.
//!
//! [`excerpt`] and [`escape`] put a text into a message, on one line. They change only characters that
//! a person could not see, so that a text can be copied. [`argument`] puts it into a
//! command that a person or an agent may run. [`guard`] is applied to everything that is printed,
//! and catches what the others were not asked for.

use tasuki_packet::render::{code_point, is_hidden};

/// Shortens and escapes a text of another party for a message.
pub(crate) fn excerpt(text: &str) -> String {
    // LIMIT: one line of a terminal.
    const CHARS_MAX: usize = 80;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => escape(&text[..end]) + "…",
        None => escape(text),
    }
}

/// Puts a text of another party on one line. Control characters other than tabs, and invisible
/// characters, are made visible.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => escaped.push('↵'),
            '\t' => escaped.push(c),
            _ if c.is_control() || is_hidden(c) => escaped.push_str(&code_point(c)),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// Returns a text as one argument of a shell command, in single quotes unless it is a plain word.
pub(crate) fn argument(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | ':' | '/' | '@' | '-');
    if !text.is_empty() && !text.starts_with('-') && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", escape(text).replace('\'', r"'\''"))
}

/// Escapes the control and bidirectional characters of an output, except line ends, tabs and the
/// styles of this program.
///
/// The escape is that of JSON, so a JSON document keeps its values.
pub(crate) fn guard(output: &str) -> String {
    let mut guarded = String::with_capacity(output.len());
    let mut rest = output;
    while let Some(at) = rest.find(is_control) {
        let (plain, special) = rest.split_at(at);
        guarded.push_str(plain);
        let length = style_length(special);
        if length > 0 {
            guarded.push_str(&special[..length]);
            rest = &special[length..];
            continue;
        }
        let mut behind = special.chars();
        let units = behind.next().into_iter().flat_map(|c| json_escape(c).into_bytes());
        guarded.extend(units.map(char::from));
        rest = behind.as_str();
    }
    guarded + rest
}

/// Returns `true` for C0 and C1 controls other than line end and tab, and for characters that change the
/// direction or the order of text.
fn is_control(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2066}'..='\u{206f}' | '\u{e0000}'..='\u{e007f}' => true,
        other => other.is_control(),
    }
}

/// Returns the length of a style at the start of a text: `ESC [ 1 ; 31 m`.
fn style_length(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else { return 0 };
    let digits = parameters.bytes().take_while(|b| b.is_ascii_digit() || *b == b';').count();
    if parameters[digits..].starts_with('m') { digits + 3 } else { 0 }
}

fn json_escape(c: char) -> String {
    let mut units = [0; 2];
    c.encode_utf16(&mut units)
        .iter()
        .fold(String::new(), |text, unit| format!("{text}\\u{unit:04x}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(excerpt("a"), "a");
        assert_eq!(excerpt(&"a".repeat(81)), format!("{}…", "a".repeat(80)));
    }

    #[test]
    fn no_text_of_another_party_moves_the_cursor() {
        for (hostile, expected) in [
            ("it's \u{1b}[2Jok\r\n", "it's <U+001B>[2Jok<U+000D>↵"),
            ("a\u{202e}b\u{200b}c\u{feff}", "a<U+202E>b<U+200B>c<U+FEFF>"),
            ("\u{9b}31m\u{85}\u{2028}\u{e0041}", "<U+009B>31m<U+0085><U+2028><U+E0041>"),
        ] {
            assert_eq!(escape(hostile), expected);
        }
    }

    #[test]
    fn a_text_that_people_can_see_is_not_changed() {
        for text in [r#"Say "hi" in C:\temp, it's <5 `x` \t"#, "a\tb", "é漢字"] {
            assert_eq!((escape(text), excerpt(text)), (text.to_owned(), text.to_owned()));
        }
    }

    #[test]
    fn an_argument_is_never_a_command() {
        for (text, expected) in [
            ("export-7", "export-7"),
            ("t@1:role:team:0123", "t@1:role:team:0123"),
            ("", "''"),
            ("-rf", "'-rf'"),
            ("build-42; touch pwned #", "'build-42; touch pwned #'"),
            ("it's $(id)", r"'it'\''s $(id)'"),
            ("a\nb", "'a↵b'"),
            ("a\u{1b}[2J", "'a<U+001B>[2J'"),
        ] {
            assert_eq!(argument(text), expected, "{text:?}");
        }
    }

    #[test]
    fn an_output_keeps_lines_tabs_and_styles_only() {
        let output =
            "\u{1b}[1mok\u{1b}[0m\ta\n\u{1b}[2Jb\u{9b}c\u{202e}d\u{2066}e\u{7f}f\rg\u{e0041}";
        assert_eq!(
            guard(output),
            "\u{1b}[1mok\u{1b}[0m\ta\n\\u001b[2Jb\\u009bc\\u202ed\\u2066e\\u007ff\\u000dg\\udb40\\udc41"
        );
        let plain = "Grüße 任务 👩‍🚀 कार्य\n";
        assert_eq!(guard(plain), plain);
    }

    #[test]
    fn a_json_document_keeps_its_values() {
        for c in (0..=0x10_ffff).filter_map(char::from_u32) {
            let value = serde_json::Value::from(format!("a{c}b"));
            let guarded = guard(&value.to_string());
            assert!(!guarded.contains(is_control), "{c:?}");
            if is_control(c) || u32::from(c).is_multiple_of(997) {
                assert_eq!(serde_json::from_str::<serde_json::Value>(&guarded).unwrap(), value);
            }
        }
    }
}
