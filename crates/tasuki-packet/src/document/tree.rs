//! The document tree: ordered, with the source position of each value.
//!
//! All nodes are in one vector, in source order, and each node knows where its subtree ends. Texts
//! borrow from the source unless they contain escapes. Reading a packet therefore takes few
//! allocations, and walks are sequential.
//!
//! The forms are in `read`; the required content of a packet is in `schema` and `check`.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::limits::{DEPTH_MAX, NODES_MAX};
use super::number::Number;
use crate::violation::{Code, Span, Violation};

/// A document as it was read.
///
/// See the [module](super) for an example.
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

/// The content of a node.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content<'s> {
    Null,
    Flag(bool),
    Number(Number),
    Text(Cow<'s, str>),
    /// An unquoted YAML scalar, whose type depends on its field.
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

/// The error of a reader, boxed to keep the results of the readers small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReadError(Box<ReadErrorDetails>);

/// The code, span, message and hint of a [`ReadError`].
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
    /// Returns the outermost value.
    pub fn root(&self) -> Node<'_, 's> {
        Node { nodes: &self.nodes, index: 0 }
    }

    /// Returns the document as a JSON value.
    pub fn to_value(&self) -> Value {
        self.root().to_value()
    }

    /// Builds a document without source positions from a value.
    ///
    /// # Errors
    ///
    /// A violation if the value exceeds the limits of a document.
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

    /// Returns its span in the source.
    pub fn span(&self) -> Span {
        self.nodes[self.index].span
    }

    /// Returns the text, if the value is one.
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

    /// Returns the name of its type for a message.
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

    /// Returns `true` for an object.
    pub fn is_object(&self) -> bool {
        matches!(self.content(), Content::Object)
    }

    /// Returns the items of a list; empty for other values.
    pub fn items(&self) -> Items<'d, 's> {
        let is_list = matches!(self.content(), Content::List);
        Items { nodes: self.nodes, next: self.index + 1, end: self.inner_end(is_list) }
    }

    /// Returns the names and values of an object; empty for other values.
    pub fn members(&self) -> MembersOf<'d, 's> {
        let is_object = matches!(self.content(), Content::Object);
        MembersOf { nodes: self.nodes, next: self.index + 1, end: self.inner_end(is_object) }
    }

    /// Returns the member or item that a pointer token names.
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

    /// Returns the value as JSON.
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

/// The members of an object as pairs of name and value, in order.
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

/// Builds a document in source order, within its limits.
#[derive(Debug, Default)]
pub(crate) struct Builder<'s> {
    nodes: Vec<Entry<'s>>,
    depth: usize,
}

impl<'s> Builder<'s> {
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        // LIMIT: a long source may be a single long text, so memory is not reserved for its length.
        Self { nodes: Vec::with_capacity(nodes.min(NODES_MAX)), depth: 0 }
    }

    #[inline]
    pub(crate) fn scalar(&mut self, content: Content<'s>, span: Span) -> Result<(), ReadError> {
        self.push(content, span).map(|_| ())
    }

    /// Adds a text that borrows from the source, as nearly all do.
    ///
    /// The entry is created after everything that can fail, which saves a copy.
    #[inline]
    pub(crate) fn plain_text(&mut self, text: &'s str, span: Span) -> Result<(), ReadError> {
        let end = self.next_end(span)?;
        self.nodes.push(Entry { content: Content::Text(Cow::Borrowed(text)), span, end });
        Ok(())
    }

    /// Opens a list or an object; its children follow until `close`.
    pub(crate) fn open(&mut self, content: Content<'s>, span: Span) -> Result<usize, ReadError> {
        // LIMIT: checked before descending, so that it bounds the recursion of every walk.
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

    /// Returns `true` if the object opened at `opened` already has a member of this name.
    pub(crate) fn has_member(&self, opened: usize, name: &str) -> bool {
        self.member_names(opened).any(|existing| existing == name)
    }

    /// Returns the names of the members that the object opened at `opened` has so far.
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
        reason = "measured: copying the entry took 8 % of the reading time"
    )]
    #[inline(always)]
    fn push(&mut self, content: Content<'s>, span: Span) -> Result<usize, ReadError> {
        let end = self.next_end(span)?;
        self.nodes.push(Entry { content, span, end });
        Ok(self.nodes.len() - 1)
    }

    /// Returns the end of the next entry while it has no children.
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
