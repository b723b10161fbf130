//! Where the lines of a text begin, to turn offsets into lines and columns.
//!
//! A report has up to a thousand violations, and the text up to a mebibyte in a single line, so
//! neither lines nor columns may be counted from the start for each of them.

/// LIMIT: so many bytes are counted anew for a column; the rest is looked up.
const STRIDE: usize = 1024;

/// The lines of one text.
#[derive(Debug, Clone)]
pub(super) struct LineIndex {
    /// The first byte of every line.
    starts: Vec<usize>,
    /// How many characters begin before every [`STRIDE`]th byte.
    characters: Vec<usize>,
}

impl LineIndex {
    pub(super) fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        let mut count = 0;
        let strides = text.as_bytes().chunks(STRIDE).map(|stride| {
            count += characters_in(stride);
            count
        });
        Self { starts, characters: std::iter::once(0).chain(strides).collect() }
    }

    /// The line that has the byte at `offset`, counted from 0.
    pub(super) fn line(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset) - 1
    }

    /// The first byte of a line; a line beyond the end begins where the last one does.
    pub(super) fn start(&self, line: usize) -> usize {
        self.starts[line.min(self.starts.len() - 1)]
    }

    /// The characters of `text` between two offsets.
    pub(super) fn characters(&self, text: &str, from: usize, to: usize) -> usize {
        let before = |offset: usize| {
            let stride = offset / STRIDE;
            self.characters[stride] + characters_in(&text.as_bytes()[stride * STRIDE..offset])
        };
        before(to) - before(from)
    }
}

fn characters_in(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_what_counting_from_the_start_gives() {
        let long = "é漢x".repeat(STRIDE);
        let texts =
            ["", "a", "\n", "a\nb\n", "ä\r\n漢\n\n👩‍👧x", long.as_str(), &format!("{long}\n{long}")];
        for text in texts {
            let index = LineIndex::of(text);
            let offsets = (0..=text.len()).filter(|at| text.is_char_boundary(*at));
            for offset in offsets.step_by(7).chain([text.len()]) {
                let before = &text[..offset];
                let start = before.rfind('\n').map_or(0, |at| at + 1);
                assert_eq!(index.line(offset), before.matches('\n').count());
                assert_eq!(index.start(index.line(offset)), start);
                assert_eq!(index.characters(text, start, offset), before[start..].chars().count());
            }
        }
    }
}
