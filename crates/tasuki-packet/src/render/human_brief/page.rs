//! A page under construction: the blocks so far, and the members still to be shown.
//!
//! A section without content is not started, so there are no empty headings.

use serde_json::Value;

use crate::chain::continuation::{Step, steps};
use crate::packet::{Packet, is_pinned};
use crate::render::block::{Block, Line, Span, Table, cell};
use crate::render::describe::{self, Entry};
use crate::render::fields::Fields;
use crate::render::step_numbers::StepNumbers;
use crate::render::text;
use crate::schema::Kind;

/// The blocks of a page, and the members that are not in them yet.
#[derive(Debug)]
pub(crate) struct Page<'p> {
    pub(crate) fields: Fields<'p>,
    numbers: StepNumbers,
    blocks: Vec<Block>,
}

impl<'p> Page<'p> {
    /// Starts a page. Only the steps of a handoff have numbers: those of a checkpoint depend on the
    /// packet.
    pub(crate) fn new(packet: &'p Packet) -> Self {
        let steps = if packet.kind() == Kind::Handoff { steps(packet, []) } else { Vec::new() };
        Self::with_steps(packet, &steps)
    }

    /// Starts a page that numbers the steps of a task.
    pub(crate) fn with_steps(packet: &'p Packet, steps: &[Step]) -> Self {
        Self {
            fields: Fields::new(packet.members()),
            numbers: StepNumbers::new(packet, steps),
            blocks: Vec::new(),
        }
    }

    pub(crate) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    pub(crate) fn push(&mut self, block: Block) {
        self.blocks.push(block);
    }

    /// Adds a label followed by a text, or by a quote if the text has several lines.
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

    /// Adds one line of labelled texts, if any of them is present.
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

    /// Adds a section with one text, if the member is present.
    pub(crate) fn prose(&mut self, heading: &'static str, name: &str) {
        if let Some(words) = self.fields.text(name) {
            self.push(Block::Heading(heading));
            self.push(Block::prose(words));
        }
    }

    /// Adds a section with the statements of a list, if it is present.
    pub(crate) fn statements(&mut self, heading: &'static str, name: &str) {
        self.entries(heading, name, statement);
    }

    /// Adds a section with one line for each entry of a list, if it is present.
    pub(crate) fn entries(
        &mut self,
        heading: &'static str,
        name: &str,
        show: impl Fn(&Value) -> Line,
    ) {
        if let Some(values) = self.filled_list(heading, name) {
            self.push(Block::Heading(heading));
            self.push(Block::List(values.iter().map(show).collect()));
        }
    }

    /// Adds a section with one row for each entry of a list, if it is present.
    pub(crate) fn rows(
        &mut self,
        heading: &'static str,
        name: &str,
        head: Vec<&'static str>,
        show: impl Fn(&Value) -> Vec<Line>,
    ) {
        if let Some(values) = self.filled_list(heading, name) {
            self.table(heading, Table { head, rows: values.iter().map(show).collect() });
        }
    }

    /// Takes a list that has entries. Adds the whole section for an empty one, which states that
    /// there are none.
    fn filled_list(&mut self, heading: &'static str, name: &str) -> Option<&'p [Value]> {
        if self.fields.is_empty_list(name) {
            self.none(heading);
        }
        Some(self.fields.list(name)).filter(|values| !values.is_empty())
    }

    fn none(&mut self, heading: &'static str) {
        self.push(Block::Heading(heading));
        self.push(Block::Paragraph(vec![Span::Text(describe::NONE.to_owned())]));
    }

    /// Adds a section with the steps of a list, by number. A done step that `remaining` pins is among
    /// the completed ones.
    pub(crate) fn steps(&mut self, heading: &'static str, name: &str) {
        if self.fields.peek_list(name).is_empty() {
            return self.statements(heading, name);
        }
        let values = self.fields.list(name);
        let remaining = self.fields.peek_list("remaining").iter();
        let moved = remaining.filter(|value| {
            let is_moved = is_pinned(value) && name == "completed";
            is_moved && self.numbers.is_done_step("remaining", value)
        });
        let shown = values.iter().filter(|value| {
            let is_kept = is_pinned(value) && name == "completed";
            is_kept || !self.numbers.is_shown_elsewhere(name, value)
        });
        let shown: Vec<&Value> = shown.chain(moved).collect();
        let number = |value: &&Value| self.numbers.of(name, value);
        let numbers: Option<Vec<u32>> = shown.iter().map(number).collect();
        if shown.is_empty() {
            return self.none(heading);
        }
        let lines = shown.into_iter().map(statement);
        self.push(Block::Heading(heading));
        self.push(match numbers {
            Some(numbers) => {
                let mut steps: Vec<(u32, Line)> = numbers.into_iter().zip(lines).collect();
                steps.sort_by_key(|(number, _)| *number);
                Block::Steps(steps)
            }
            None => Block::List(lines.collect()),
        });
    }

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

pub(crate) fn fact(name: &str, words: &str) -> Vec<Line> {
    vec![cell(name), cell(words)]
}

/// Creates a line from a statement, with its state (if stated) and all of its members.
pub(crate) fn statement(value: &Value) -> Line {
    let entry = Entry::of(value);
    let mut line = Vec::new();
    if let Some(state) = entry.state {
        line.extend([Span::Strong(state), Span::Text(" ".to_owned())]);
    }
    line.extend(marked(value, entry.sentence().trim()));
    line
}

/// Creates a line from the words of an entry, with a mark if it is pinned.
pub(crate) fn marked(value: &Value, words: &str) -> Line {
    let mut line = vec![Span::text(words)];
    if is_pinned(value) {
        line.extend([Span::Text(" ".to_owned()), Span::Strong("pinned")]);
    }
    line
}

/// Returns a value for a table. An empty value is shown too, because nothing may be hidden.
fn shown(value: &Value) -> String {
    let words = describe::plain(value);
    if text::has_text(&words) { words } else { "(empty)".to_owned() }
}
