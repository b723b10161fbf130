//! Text of other parties, without anything that a terminal would obey.

/// A text of somebody else in a message: short, and without what a terminal would obey.
pub(crate) fn shown(text: &str) -> String {
    // LIMIT: enough to recognise it; a line of a terminal.
    const CHARS_MAX: usize = 80;
    let mut shown: String = text.chars().take(CHARS_MAX).flat_map(char::escape_debug).collect();
    if text.chars().nth(CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

/// Text of another party on one line, without anything that a terminal would obey.
pub(crate) fn visible(text: &str) -> String {
    let visible = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    text.chars().map(visible).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        assert_eq!(shown("a"), "a");
        assert_eq!(shown(&"a".repeat(81)), format!("{}…", "a".repeat(80)));
    }

    #[test]
    fn no_text_of_another_party_moves_the_cursor() {
        assert_eq!(visible("it's \u{1b}[2J\u{202e}ok\n"), r"it's \u{1b}[2J\u{202e}ok\n");
    }
}
