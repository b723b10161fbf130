//! The path to a value during a walk, turned into text only when something is reported.

use super::pointer;
use crate::violation::shorten;

/// The path to a value, kept on the stack.
#[derive(Debug)]
pub(crate) enum Path<'p> {
    Root,
    Name(&'p Path<'p>, &'p str),
    Index(&'p Path<'p>, usize),
}

impl Path<'_> {
    /// Returns the RFC 6901 pointer.
    pub(crate) fn pointer(&self) -> String {
        let mut text = String::new();
        self.print(&mut text);
        text
    }

    fn print(&self, text: &mut String) {
        match self {
            Self::Root => {}
            Self::Name(parent, name) => {
                parent.print(text);
                pointer::push(text, name);
            }
            Self::Index(parent, index) => {
                parent.print(text);
                pointer::push(text, &index.to_string());
            }
        }
    }

    /// Returns the name of the value for a message, with the whole path to it:
    /// `acceptance[0].evidence`.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Root => "the packet".to_owned(),
            Self::Name(..) => format!("`{}`", self.dotted()),
            Self::Index(parent, index) => format!("item {} of {}", index + 1, parent.name()),
        }
    }

    fn dotted(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Name(Self::Root, name) => shorten::text(name),
            Self::Name(parent, name) => format!("{}.{}", parent.dotted(), shorten::text(name)),
            Self::Index(parent, index) => format!("{}[{index}]", parent.dotted()),
        }
    }
}
