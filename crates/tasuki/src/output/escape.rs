//! Escapes text of other parties, so that it cannot control the terminal.

/// Shortens and escapes a text of another party for a message.
pub(crate) fn excerpt(text: &str) -> String {
    // LIMIT: one line of a terminal.
    const CHARS_MAX: usize = 80;
    let mut shown: String = text.chars().take(CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

/// Puts a text of another party on one line, and escapes control characters.
pub(crate) fn escape(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    text.chars().map(escaped).collect()
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
        assert_eq!(escape("it's \u{1b}[2J\u{202e}ok\n"), r"it's \u{1b}[2J\u{202e}ok\n");
    }
}
