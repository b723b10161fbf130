//! The parts a page is made of, before they are Markdown or HTML.
//!
//! Both writers work on the same list of blocks, so that they cannot say different things. Texts in
//! here are already without control and invisible characters; escaping is left to the writers. A text
//! may have several lines.

use super::text;

/// One part of a page.
#[derive(Debug)]
pub(super) enum Block {
    /// What the page is about. There is one.
    Title(String),
    /// The classification, at the top and at the bottom.
    Marking(String),
    /// The head of a section.
    Heading(&'static str),
    /// A line of text.
    Paragraph(Line),
    /// What somebody else wrote, in their lines.
    Quote(String),
    /// Statements, one below the other.
    List(Vec<Line>),
    /// Facts in rows.
    Table(Table),
}

/// Rows below a head. Every row has one cell for each column.
#[derive(Debug)]
pub(super) struct Table {
    /// The names of the columns.
    pub(super) head: Vec<&'static str>,
    /// The rows.
    pub(super) rows: Vec<Vec<Line>>,
}

/// Text with emphasis in it.
pub(super) type Line = Vec<Span>;

/// A stretch of a line.
#[derive(Debug)]
pub(super) enum Span {
    /// Plain text.
    Text(String),
    /// A label of ours.
    Strong(&'static str),
    /// A path, a digest, an id.
    Code(String),
}

impl Block {
    /// A text of the packet: a paragraph, or a quote if it has lines of its own.
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
    /// The table without the columns that have no cell with content.
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
    /// Plain text of the packet.
    pub(super) fn text(words: &str) -> Self {
        Self::Text(text::visible(words))
    }

    /// A path, digest or id of the packet.
    pub(super) fn code(words: &str) -> Self {
        Self::Code(text::one_line(&text::visible(words)))
    }
}

/// A cell of plain text; an empty one if there is nothing to say.
pub(super) fn cell(words: &str) -> Line {
    if text::has_text(words) { vec![Span::text(words)] } else { Vec::new() }
}

/// A cell of code; an empty one if there is nothing to say.
pub(super) fn code_cell(words: &str) -> Line {
    if text::has_text(words) { vec![Span::code(words)] } else { Vec::new() }
}
