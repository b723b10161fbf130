//! A page under construction: the members still to be shown, and the blocks so far.
//!
//! A section without content is not begun, so that a reader never meets an empty heading.

use serde_json::Value;

use crate::packet::Packet;
use crate::render::block::{Block, Line, Span, Table, cell};
use crate::render::describe::{self, Entry};
use crate::render::fields::Fields;
use crate::render::text;

/// The blocks of a page, and the members that are not in them yet.
#[derive(Debug)]
pub(crate) struct Page<'p> {
    /// The members still to be shown.
    pub(crate) fields: Fields<'p>,
    blocks: Vec<Block>,
}

/// Which statements of a list carry their state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum States {
    /// All; what is not said is unknown.
    All,
    /// Those that name one.
    Named,
}

impl<'p> Page<'p> {
    /// An empty page for a packet.
    pub(crate) fn new(packet: &'p Packet) -> Self {
        Self { fields: Fields::new(packet.members()), blocks: Vec::new() }
    }

    /// The finished blocks.
    pub(crate) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    /// Adds a block.
    pub(crate) fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// Adds a label and a text behind it, or below it if the text has lines of its own.
    pub(crate) fn labelled(&mut self, label: &'static str, words: &str) {
        let words = text::visible(words.trim());
        let mut line = vec![Span::Strong(label)];
        if words.contains('\n') {
            self.push(Block::Paragraph(line));
            self.push(Block::Quote(words));
        } else {
            line.extend([Span::Text(" ".to_owned()), Span::Text(words)]);
            self.push(Block::Paragraph(line));
        }
    }

    /// Adds one line of labels with a few words each, if any of them is there.
    pub(crate) fn words<'w>(
        &mut self,
        known: impl IntoIterator<Item = (&'static str, Option<&'w str>)>,
    ) {
        let mut line: Line = Vec::new();
        for (label, words) in known {
            let Some(words) = words else { continue };
            let gap = if line.is_empty() { "" } else { " · " };
            let words = format!(" {}", text::one_line(&text::visible(words)));
            line.extend([Span::Text(gap.to_owned()), Span::Strong(label), Span::Text(words)]);
        }
        if !line.is_empty() {
            self.push(Block::Paragraph(line));
        }
    }

    /// Adds a section with one text, if the member is there.
    pub(crate) fn prose(&mut self, heading: &'static str, name: &str) {
        if let Some(words) = self.fields.text(name) {
            self.push(Block::Heading(heading));
            self.push(Block::prose(words));
        }
    }

    /// Adds a section with the statements of a list, if there are any.
    pub(crate) fn statements(&mut self, heading: &'static str, name: &str, states: States) {
        let lines = self.fields.list(name).iter().map(|value| statement(value, states)).collect();
        self.list(heading, lines);
    }

    /// Adds a section with a list, if it has entries.
    pub(crate) fn list(&mut self, heading: &'static str, lines: Vec<Line>) {
        if !lines.is_empty() {
            self.push(Block::Heading(heading));
            self.push(Block::List(lines));
        }
    }

    /// Adds a section with a table, if it has rows.
    pub(crate) fn table(&mut self, heading: &'static str, table: Table) {
        let table = table.compact();
        if !table.head.is_empty() {
            self.push(Block::Heading(heading));
            self.push(Block::Table(table));
        }
    }

    /// Adds a section with a table of names and values, if there are any.
    pub(crate) fn pairs<'v>(
        &mut self,
        heading: &'static str,
        pairs: impl IntoIterator<Item = (&'v str, &'v Value)>,
    ) {
        let rows = pairs.into_iter().map(|(name, value)| fact(name, &shown(value))).collect();
        self.table(heading, Table { head: vec!["Field", "Value"], rows });
    }
}

/// A row of a name and what it says.
pub(crate) fn fact(name: &str, words: &str) -> Vec<Line> {
    vec![cell(name), cell(words)]
}

/// One statement of a list with all that belongs to it.
pub(crate) fn statement(value: &Value, states: States) -> Line {
    let entry = Entry::of(value);
    let mut line = Vec::new();
    let state = entry.state.or((states == States::All).then_some("unknown"));
    if let Some(state) = state {
        line.extend([Span::Strong(state), Span::Text(" ".to_owned())]);
    }
    line.push(Span::text(entry.sentence().trim()));
    if entry.is_pinned {
        line.extend([Span::Text(" ".to_owned()), Span::Strong("pinned")]);
    }
    line
}

/// A value in a table: also one that is empty is named, because nothing may be hidden.
fn shown(value: &Value) -> String {
    let words = describe::plain(value);
    if text::has_text(&words) { words } else { "(empty)".to_owned() }
}
