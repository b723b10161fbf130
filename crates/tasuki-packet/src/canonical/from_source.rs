//! The canonical bytes of a document, copied from its source.
//!
//! In JSON without white space, whose escapes and numbers are those of RFC 8785, every value stands
//! as it is hashed but for the order of members. So nothing is written anew: spans are sorted and
//! copied.

use super::{Member, sort};
use crate::document::{Content, Document, Node};
use crate::violation::Span;

/// Returns the canonical bytes of a document that was read from `source`, if they can be copied.
pub(crate) fn bytes(document: &Document<'_>, source: &str) -> Option<Vec<u8>> {
    if !document.is_compact {
        return None;
    }
    let mut writer = SourceWriter {
        document,
        source: source.as_bytes(),
        bytes: Vec::with_capacity(source.len()),
        sorted: Vec::with_capacity(64),
    };
    writer.value(document.root());
    Some(writer.bytes)
}

struct SourceWriter<'d, 's> {
    document: &'d Document<'s>,
    source: &'d [u8],
    bytes: Vec<u8>,
    /// As the one of `canonical`: the members of every object that is open, each with where in the
    /// document its name stands.
    sorted: Vec<Member<'d, usize>>,
}

impl<'d, 's> SourceWriter<'d, 's> {
    fn value(&mut self, node: Node<'d, 's>) {
        match node.content() {
            Content::Object => self.members(node),
            Content::List if has_objects(node) => self.items(node),
            _ => self.copy(node.span()),
        }
    }

    fn items(&mut self, node: Node<'d, 's>) {
        self.bytes.push(b'[');
        for (index, item) in node.items().enumerate() {
            if index > 0 {
                self.bytes.push(b',');
            }
            self.value(item);
        }
        self.bytes.push(b']');
    }

    fn members(&mut self, node: Node<'d, 's>) {
        let first = self.sorted.len();
        for (name, _) in node.members() {
            self.sorted.push(Member::new(name.as_text().unwrap_or_default(), name.index()));
        }
        let end = self.sorted.len();
        sort(&mut self.sorted[first..]);
        self.bytes.push(b'{');
        for index in first..end {
            if index > first {
                self.bytes.push(b',');
            }
            let name = self.sorted[index].value;
            self.member(self.document.at(name), self.document.at(name + 1));
        }
        self.bytes.push(b'}');
        self.sorted.truncate(first);
    }

    /// Between a name and its value there is nothing but a colon.
    fn member(&mut self, name: Node<'d, 's>, value: Node<'d, 's>) {
        let start = name.span().start;
        if has_objects(value) {
            self.copy(Span { start, end: value.span().start });
            self.value(value);
        } else {
            self.copy(Span { start, end: value.span().end });
        }
    }

    fn copy(&mut self, span: Span) {
        self.bytes.extend_from_slice(&self.source[span.start as usize..span.end as usize]);
    }
}

/// Whether there is anything to put in order: an object, or one anywhere inside of a list.
fn has_objects(node: Node<'_, '_>) -> bool {
    match node.content() {
        Content::Object => true,
        Content::List => node.has_object_inside(),
        _ => false,
    }
}
