//! Computes lines and columns in a single pass over a text.

use std::ops::Range;

use super::text;
use crate::violation::{Position, Span};

/// A position in a text that only moves forward.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    column: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1, column: 1 }
    }

    /// Returns the line and column of these bytes, which must not start before the previous ones.
    pub(super) fn position(&mut self, bytes: Range<usize>) -> Position {
        self.move_to(self.text.floor_char_boundary(bytes.start));
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position {
            line: count(self.line),
            column: count(self.column),
            span: Span { start: count(bytes.start), end: count(bytes.end) },
        }
    }

    fn move_to(&mut self, to: usize) {
        let passed = self.text.get(self.at..to).unwrap_or_default();
        let line = match passed.rfind('\n') {
            Some(end) => {
                self.line += text::count(passed, b'\n');
                self.column = 1;
                &passed[end + 1..]
            }
            None => passed,
        };
        self.column += line.chars().count();
        self.at = self.at.max(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_from_the_previous_one() {
        let text = "a: 1\n\nbé: 2\n";
        let mut cursor = Cursor::new(text);
        for (at, expected) in [(0, (1, 1)), (3, (1, 4)), (3, (1, 4)), (5, (2, 1)), (9, (3, 3))] {
            let position = cursor.position(at..at);
            assert_eq!((position.line, position.column), expected, "at {at}");
        }
        // Inside a character, and after the end.
        assert_eq!(Cursor::new(text).position(8..8).column, 2);
        assert_eq!(Cursor::new(text).position(99..99).line, 4);
    }
}
