//! A document as it was read: an ordered tree that remembers where each value stood.
//!
//! The tree lies flat in one vector, in the order of the source; a node knows where its subtree
//! ends. Texts borrow from the source unless they had to be unescaped. So reading a packet costs a
//! handful of allocations, and the validator walks it without following pointers.
//!
//! Not here: the forms (see `read`), and what a packet must hold (see `field`, `validate`).

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::limits::{DEPTH_MAX, NODES_MAX};
use super::number::Number;
use crate::violation::{Code, Span, Violation};

/// A document as it was read.
#[derive(Debug, Clone)]
pub struct Document<'s> {
    nodes: Vec<Entry<'s>>,
}

/// One value of a document.
#[derive(Debug, Clone, Copy)]
pub struct Node<'d, 's> {
    nodes: &'d [Entry<'s>],
    index: usize,
}

/// What a node holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content<'s> {
    Null,
    Flag(bool),
    Number(Number),
    Text(Cow<'s, str>),
    /// A YAML scalar without quotes, whose type depends on where it stands.
    Plain(Cow<'s, str>),
    List,
    Object,
}

#[derive(Debug, Clone)]
pub(crate) struct Entry<'s> {
    pub(crate) content: Content<'s>,
    pub(crate) span: Span,
    /// One past the last node of this subtree.
    end: u32,
}

/// The error of a reader. Boxed, because every step of a reader can fail, and next to none does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadError(Box<ReadErrorDetails>);

/// The parts of a [`ReadError`]: a code, where, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadErrorDetails {
    pub(crate) code: Code,
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) hint: Option<&'static str>,
}

impl ReadError {
    pub(crate) fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self(Box::new(ReadErrorDetails { code, span, message: message.into(), hint: None }))
    }

    pub(crate) fn hint(mut self, hint: &'static str) -> Self {
        self.0.hint = Some(hint);
        self
    }

    pub(crate) fn into_details(self) -> ReadErrorDetails {
        *self.0
    }
}

#[cold]
pub(crate) fn too_deep(span: Span) -> ReadError {
    let message = format!("the document nests deeper than {DEPTH_MAX} levels");
    ReadError::new(Code::PacketTooDeep, span, message)
        .hint("flatten it, or move the inner part into an artifact")
}

#[cold]
pub(crate) fn too_many(what: &str, max: usize, span: Span) -> ReadError {
    let message = format!("the document has more than {max} {what}");
    ReadError::new(Code::PacketTooMany, span, message)
        .hint("move large content into an artifact and refer to it by digest")
}

impl<'s> Document<'s> {
    /// The outermost value.
    pub fn root(&self) -> Node<'_, 's> {
        Node { nodes: &self.nodes, index: 0 }
    }

    /// The document as a JSON value.
    pub fn to_value(&self) -> Value {
        self.root().to_value()
    }

    /// A document without a source, for values that were made and not read.
    pub fn from_value(value: &'s Value) -> Result<Self, Violation> {
        let mut builder = Builder::default();
        builder.value(value).map_err(|error| {
            let ReadErrorDetails { code, message, .. } = error.into_details();
            Violation::new(code, "", message)
        })?;
        Ok(builder.finish())
    }

    pub(crate) fn entries_mut(&mut self) -> &mut [Entry<'s>] {
        &mut self.nodes
    }
}

impl<'d, 's> Node<'d, 's> {
    pub(crate) fn content(&self) -> &'d Content<'s> {
        &self.nodes[self.index].content
    }

    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Where it stands in the source.
    pub fn span(&self) -> Span {
        self.nodes[self.index].span
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&'d str> {
        match self.content() {
            Content::Text(text) | Content::Plain(text) => Some(text),
            Content::Null
            | Content::Flag(_)
            | Content::Number(_)
            | Content::List
            | Content::Object => None,
        }
    }

    /// The word for its type in a message.
    pub fn type_name(&self) -> &'static str {
        match self.content() {
            Content::Null => "null",
            Content::Flag(_) => "boolean",
            Content::Number(_) => "number",
            Content::Text(_) | Content::Plain(_) => "text",
            Content::List => "list",
            Content::Object => "object",
        }
    }

    /// Whether it is an object.
    pub fn is_object(&self) -> bool {
        matches!(self.content(), Content::Object)
    }

    /// The items of a list; anything else has none.
    pub fn items(&self) -> Items<'d, 's> {
        let is_list = matches!(self.content(), Content::List);
        Items { nodes: self.nodes, next: self.index + 1, end: self.inner_end(is_list) }
    }

    /// Names and values of an object; anything else has none.
    pub fn members(&self) -> MembersOf<'d, 's> {
        let is_object = matches!(self.content(), Content::Object);
        MembersOf { nodes: self.nodes, next: self.index + 1, end: self.inner_end(is_object) }
    }

    /// The member or the item that a pointer's token names.
    pub fn child(&self, token: &str) -> Option<Self> {
        match self.content() {
            Content::Object => {
                self.members().find(|(name, _)| name.as_text() == Some(token)).map(|pair| pair.1)
            }
            Content::List => self.items().nth(token.parse().ok()?),
            Content::Null
            | Content::Flag(_)
            | Content::Number(_)
            | Content::Text(_)
            | Content::Plain(_) => None,
        }
    }

    /// This value as JSON.
    pub fn to_value(self) -> Value {
        match self.content() {
            Content::Null => Value::Null,
            Content::Flag(flag) => Value::Bool(*flag),
            Content::Number(number) => number.as_value(),
            Content::Text(text) | Content::Plain(text) => Value::String(text.as_ref().to_owned()),
            Content::List => {
                let mut items = Vec::with_capacity(self.items().count());
                for item in self.items() {
                    items.push(item.to_value());
                }
                Value::Array(items)
            }
            Content::Object => {
                let mut members = Map::with_capacity(self.members().count());
                for (name, value) in self.members() {
                    members.insert(name.as_text().unwrap_or_default().to_owned(), value.to_value());
                }
                Value::Object(members)
            }
        }
    }

    fn inner_end(&self, has_children: bool) -> usize {
        if has_children { self.nodes[self.index].end as usize } else { self.index + 1 }
    }
}

/// The items of a list, in order.
#[derive(Debug)]
pub struct Items<'d, 's> {
    nodes: &'d [Entry<'s>],
    next: usize,
    end: usize,
}

impl<'d, 's> Iterator for Items<'d, 's> {
    type Item = Node<'d, 's>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let node = Node { nodes: self.nodes, index: self.next };
        self.next = self.nodes[self.next].end as usize;
        Some(node)
    }
}

/// The members of an object, in order: the name, then the value.
#[derive(Debug)]
pub struct MembersOf<'d, 's> {
    nodes: &'d [Entry<'s>],
    next: usize,
    end: usize,
}

impl<'d, 's> Iterator for MembersOf<'d, 's> {
    type Item = (Node<'d, 's>, Node<'d, 's>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let name = Node { nodes: self.nodes, index: self.next };
        let value = Node { nodes: self.nodes, index: self.next + 1 };
        self.next = self.nodes[self.next + 1].end as usize;
        Some((name, value))
    }
}

/// Builds a document in the order of its source and keeps its limits.
#[derive(Debug, Default)]
pub(crate) struct Builder<'s> {
    nodes: Vec<Entry<'s>>,
    depth: usize,
}

impl<'s> Builder<'s> {
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        // LIMIT: a long source may be one long text, so its length alone must not cost memory.
        Self { nodes: Vec::with_capacity(nodes.min(NODES_MAX)), depth: 0 }
    }

    #[inline]
    pub(crate) fn scalar(&mut self, content: Content<'s>, span: Span) -> Result<(), ReadError> {
        self.push(content, span).map(|_| ())
    }

    /// A text that stands in the source as it is, as nearly all do. Its entry is made behind all that
    /// can fail, which spares it a copy: the processor waits for each of them.
    #[inline]
    pub(crate) fn plain_text(&mut self, text: &'s str, span: Span) -> Result<(), ReadError> {
        let end = self.next_end(span)?;
        self.nodes.push(Entry { content: Content::Text(Cow::Borrowed(text)), span, end });
        Ok(())
    }

    /// Opens a list or an object; its children follow until `close`.
    pub(crate) fn open(&mut self, content: Content<'s>, span: Span) -> Result<usize, ReadError> {
        // LIMIT: checked before going down, so that no walk over a tree recurses deeper.
        if self.depth == DEPTH_MAX {
            return Err(too_deep(span));
        }
        self.depth += 1;
        self.push(content, span)
    }

    pub(crate) fn close(&mut self, opened: usize, end: u32) {
        self.depth -= 1;
        let count = self.nodes.len();
        let entry = &mut self.nodes[opened];
        entry.span.end = end;
        entry.end = u32::try_from(count).expect("the node limit is far below");
    }

    /// Whether the object opened at `opened` already has a member of this name.
    pub(crate) fn has_member(&self, opened: usize, name: &str) -> bool {
        self.member_names(opened).any(|existing| existing == name)
    }

    /// The names that the object opened at `opened` has so far.
    pub(crate) fn member_names(&self, opened: usize) -> impl Iterator<Item = &str> {
        let mut next = opened + 1;
        std::iter::from_fn(move || {
            let name = self.nodes.get(next)?;
            next = self.nodes[next + 1].end as usize;
            match &name.content {
                Content::Text(name) => Some(&**name),
                _ => None,
            }
        })
    }

    pub(crate) fn finish(self) -> Document<'s> {
        Document { nodes: self.nodes }
    }

    #[expect(
        clippy::inline_always,
        reason = "measured: 8 % of reading, spent on copying the entry"
    )]
    #[inline(always)]
    fn push(&mut self, content: Content<'s>, span: Span) -> Result<usize, ReadError> {
        let end = self.next_end(span)?;
        self.nodes.push(Entry { content, span, end });
        Ok(self.nodes.len() - 1)
    }

    /// The end of the next entry as long as it has no children.
    fn next_end(&self, span: Span) -> Result<u32, ReadError> {
        let index = self.nodes.len();
        if index == NODES_MAX {
            return Err(too_many("names and values", NODES_MAX, span));
        }
        Ok(u32::try_from(index + 1).expect("the node limit is far below"))
    }

    fn value(&mut self, value: &'s Value) -> Result<(), ReadError> {
        let nowhere = Span::default();
        match value {
            Value::Null => self.scalar(Content::Null, nowhere),
            Value::Bool(flag) => self.scalar(Content::Flag(*flag), nowhere),
            Value::Number(number) => self.scalar(Content::Number(number.into()), nowhere),
            Value::String(text) => self.scalar(Content::Text(Cow::Borrowed(text)), nowhere),
            Value::Array(items) => {
                let opened = self.open(Content::List, nowhere)?;
                items.iter().try_for_each(|item| self.value(item))?;
                self.close(opened, 0);
                Ok(())
            }
            Value::Object(members) => {
                let opened = self.open(Content::Object, nowhere)?;
                for (name, member) in members {
                    self.scalar(Content::Text(Cow::Borrowed(name)), nowhere)?;
                    self.value(member)?;
                }
                self.close(opened, 0);
                Ok(())
            }
        }
    }
}
