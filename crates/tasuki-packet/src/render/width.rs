//! The display width of a text in a terminal, and line wrapping.
//!
//! A small table of wide ranges is sufficient for a card. A full Unicode width table would be
//! another dependency for little gain.

/// Returns the number of columns of a text without control characters.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(columns).sum()
}

/// Wraps a text to lines of at most `width_max` columns, at spaces or inside a word that is too
/// long for a line.
pub(super) fn wrap(text: &str, width_max: usize) -> Vec<String> {
    text.lines().flat_map(|line| wrap_line(line, width_max)).collect()
}

fn wrap_line(text: &str, width_max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let gap = usize::from(!line.is_empty());
        if width(&line) + gap + width(word) <= width_max {
            line.push_str(if gap == 1 { " " } else { "" });
            line.push_str(word);
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        line = break_word(word, width_max, &mut lines);
    }
    lines.push(line);
    lines
}

/// Pushes full lines of a long word and returns the remainder.
fn break_word(word: &str, width_max: usize, lines: &mut Vec<String>) -> String {
    let mut piece = String::new();
    let mut piece_width = 0;
    for character in word.chars() {
        let columns = columns(character);
        if piece_width + columns > width_max && !piece.is_empty() {
            lines.push(std::mem::take(&mut piece));
            piece_width = 0;
        }
        piece.push(character);
        piece_width += columns;
    }
    piece
}

fn columns(character: char) -> usize {
    match character {
        // Combining marks and emoji selectors take no column of their own.
        '\u{300}'..='\u{36f}'
        | '\u{483}'..='\u{489}'
        | '\u{591}'..='\u{5bd}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20ff}'
        | '\u{302a}'..='\u{302d}'
        | '\u{3099}'..='\u{309a}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{fe20}'..='\u{fe2f}' => 0,
        // East Asian wide and full-width characters, and emoji.
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{303e}'
        | '\u{3041}'..='\u{33ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{a000}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1f64f}'
        | '\u{1f680}'..='\u{1f6ff}'
        | '\u{1f900}'..='\u{1f9ff}'
        | '\u{1fa70}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_columns() {
        for (text, expected) in
            [("abc", 3), ("漢字", 4), ("e\u{301}", 1), ("한글", 4), ("ｶﾅ", 2), ("🚀", 2)]
        {
            assert_eq!(width(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_never_exceed_the_maximum_width() {
        let cases = [
            ("one two three", 7, vec!["one two", "three"]),
            ("abcdefgh ij", 3, vec!["abc", "def", "gh", "ij"]),
            ("漢字漢字", 5, vec!["漢字", "漢字"]),
            ("a\n\nb", 9, vec!["a", "", "b"]),
        ];
        for (text, width_max, expected) in cases {
            assert_eq!(wrap(text, width_max), expected);
        }
    }
}
