//! Finds the position of a violation in the source of a packet.

use crate::document::{Document, pointer};
use crate::read::Source;
use crate::violation::{Span, Violation};

/// The positions of a packet's values in its source.
pub(super) enum Origin<'s> {
    /// A document that was read with positions.
    Document(Document<'s>),
    /// A document that holds the packet in another shape.
    Folded(Document<'s>),
    /// The lines of a flat YAML text, found by field name.
    Lines,
}

impl Origin<'_> {
    pub(super) fn locate(&self, source: &Source<'_>, violation: Violation) -> Violation {
        let mut violations = [violation];
        self.locate_all(source, &mut violations, str::to_owned);
        let [violation] = violations;
        violation
    }

    /// Sets the positions; `sent_pointer` maps a pointer of the packet to one of the source
    /// document.
    pub(super) fn locate_all(
        &self,
        source: &Source<'_>,
        violations: &mut [Violation],
        sent_pointer: impl Fn(&str) -> String,
    ) {
        let mut packet_pointers = Vec::with_capacity(violations.len());
        for violation in violations.iter_mut() {
            let sent = sent_pointer(&violation.pointer);
            packet_pointers.push(std::mem::replace(&mut violation.pointer, sent));
        }
        match self {
            Self::Document(document) | Self::Folded(document) => {
                source.locate(document, violations);
            }
            Self::Lines => {
                source.set_positions(violations, |violation| {
                    line_span(source.content(), &violation.pointer)
                });
            }
        }
        for (violation, pointer) in violations.iter_mut().zip(packet_pointers) {
            violation.pointer = pointer;
        }
    }
}

/// Returns the line of a flat YAML text that a pointer refers to.
fn line_span(text: &str, pointer: &str) -> Span {
    let tokens = pointer::tokens(pointer).unwrap_or_default();
    let name = tokens.first().map(|name| format!("{name}:")).unwrap_or_default();
    let item = tokens.get(1).and_then(|index| index.parse::<usize>().ok());
    let mut start = 0;
    let mut lines = text.split_inclusive('\n').map(|line| {
        start += line.len();
        (start - line.len(), line.trim_end())
    });
    let key = lines.find(|(_, line)| !name.is_empty() && line.starts_with(&name));
    let items = lines.filter(|(_, line)| line.trim_start().starts_with('-'));
    let found = item.and_then(|index| items.into_iter().nth(index)).or(key);
    let (start, length) = found.map_or((0, 0), |(start, line)| (start, line.len()));
    let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span { start: offset(start), end: offset(start + length) }
}
