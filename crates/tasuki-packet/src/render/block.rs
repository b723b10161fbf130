//! The parts of a page, before they become Markdown or HTML.
//!
//! Both writers use the same blocks, so they cannot differ in content. Texts in blocks have no
//! control or invisible characters; the writers escape them. A text may have several lines.

use super::text;

#[derive(Debug)]
pub(super) enum Block {
    /// The title of the page. There is exactly one.
    Title(String),
    /// The classification, at the top and at the bottom.
    Marking(String),
    Heading(&'static str),
    Paragraph(Line),
    /// A text of several lines from a packet.
    Quote(String),
    /// A list of statements.
    List(Vec<Line>),
    /// Steps with their numbers.
    Steps(Vec<(u32, Line)>),
    Table(Table),
}

/// A table. Every row has one cell for each column.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) head: Vec<&'static str>,
    pub(super) rows: Vec<Vec<Line>>,
}

/// Text with emphasis.
pub(super) type Line = Vec<Span>;

#[derive(Debug)]
pub(super) enum Span {
    Text(String),
    /// A fixed label.
    Strong(&'static str),
    /// A path, a digest or an id.
    Code(String),
}

impl Block {
    /// Creates a paragraph from a text of the packet, or a quote if it has several lines.
    pub(super) fn prose(words: &str) -> Self {
        let words = text::visible(words.trim());
        if words.contains('\n') {
            Self::Quote(words)
        } else {
            Self::Paragraph(vec![Span::Text(words)])
        }
    }
}

impl Table {
    pub(super) fn compact(mut self) -> Self {
        let is_used: Vec<bool> = (0..self.head.len())
            .map(|column| {
                self.rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()))
            })
            .collect();
        let mut head_used = is_used.iter();
        self.head.retain(|_| head_used.next().copied().unwrap_or(false));
        for row in &mut self.rows {
            let mut cell_used = is_used.iter();
            row.retain(|_| cell_used.next().copied().unwrap_or(false));
        }
        self
    }
}

impl Span {
    /// Creates plain text from the packet.
    pub(super) fn text(words: &str) -> Self {
        Self::Text(text::visible(words))
    }

    /// Creates a path, digest or id from the packet.
    pub(super) fn code(words: &str) -> Self {
        Self::Code(text::one_line(&text::visible(words)))
    }
}

/// Creates a cell of plain text, empty if there is no text.
pub(super) fn cell(words: &str) -> Line {
    if text::has_text(words) { vec![Span::text(words)] } else { Vec::new() }
}

/// Creates a cell of code, empty if there is no text.
pub(super) fn code_cell(words: &str) -> Line {
    if text::has_text(words) { vec![Span::code(words)] } else { Vec::new() }
}
