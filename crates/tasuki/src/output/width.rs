//! The width of text in a terminal.
//!
//! Characters of wide scripts and emoji take two columns, and accents none, so alignment must not count
//! characters.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Returns the columns of a text.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Pads a text with spaces to a number of columns.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    let pad = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(pad))
}

/// Truncates a text to a number of columns, with a mark where it was cut.
pub(crate) fn truncate(text: &str, most: usize) -> String {
    // LIMIT: accents count as one column here, so that a line of accents has an end.
    let room = |character: char| character.width().unwrap_or(0).max(1);
    if text.chars().map(room).sum::<usize>() <= most {
        return text.to_owned();
    }
    let mut left = most - 1;
    let fits = |character: &char| {
        let rest = left.checked_sub(room(*character));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    text.chars().take_while(fits).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_text_fits_in_every_script() {
        for (text, most, short) in [
            ("Ship it", 7, "Ship it"),
            ("Ship it", 6, "Ship …"),
            ("出荷する", 8, "出荷する"),
            ("出荷する", 7, "出荷す…"),
            ("出荷する", 6, "出荷…"),
            ("e\u{301}\u{301}\u{301}", 3, "e\u{301}…"),
        ] {
            assert_eq!(truncate(text, most), short, "{text} in {most}");
        }
    }
}
