//! Maps pointers back to the source, for many violations at once.
//!
//! A hostile packet can have a thousand violations at the end of a long list, and a scan from the
//! start for each of them would be quadratic. The map therefore indexes each object and list the
//! first time a pointer passes through it.

use std::collections::HashMap;

use super::{Document, Node, pointer};
use crate::violation::{Code, Span, Violation};

/// Finds the source span of a violation.
pub(crate) struct SourceMap<'d, 's> {
    root: Node<'d, 's>,
    /// The children of the objects and lists visited so far, by node index.
    children: HashMap<usize, Children<'d, 's>>,
}

enum Children<'d, 's> {
    Members(HashMap<&'d str, Member<'d, 's>>),
    Items(Vec<Node<'d, 's>>),
}

type Member<'d, 's> = (Node<'d, 's>, Node<'d, 's>);

impl<'d, 's> SourceMap<'d, 's> {
    pub(crate) fn of(document: &'d Document<'s>) -> Self {
        Self { root: document.root(), children: HashMap::new() }
    }

    /// Returns the span of the member name if the member itself is wrong, the span of the value
    /// otherwise, and the start of the enclosing object if the member is missing.
    pub(crate) fn span_of(&mut self, violation: &Violation) -> Span {
        let mut node = self.root;
        let mut name = None;
        for token in pointer::tokens(&violation.pointer).unwrap_or_default() {
            let children = self.children.entry(node.index()).or_insert_with(|| Children::of(node));
            let Some((own_name, child)) = children.child(&token) else {
                let start = node.span().start;
                return Span { start, end: start };
            };
            name = own_name;
            node = child;
        }
        match (violation.code, name) {
            (Code::FieldUnknown | Code::FieldRefused, Some(name)) => name.span(),
            _ => node.span(),
        }
    }
}

impl<'d, 's> Children<'d, 's> {
    fn of(node: Node<'d, 's>) -> Self {
        let mut members = node.members().peekable();
        if members.peek().is_none() {
            return Self::Items(node.items().collect());
        }
        let named = |member: Member<'d, 's>| Some((member.0.as_text()?, member));
        Self::Members(members.filter_map(named).collect())
    }

    /// Returns the child that a token names, with its name node in an object.
    fn child(&self, token: &str) -> Option<(Option<Node<'d, 's>>, Node<'d, 's>)> {
        match self {
            Self::Members(members) => members.get(token).map(|&(name, value)| (Some(name), value)),
            Self::Items(items) => items.get(token.parse::<usize>().ok()?).map(|&item| (None, item)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Source;

    #[test]
    fn a_violation_is_about_the_name_the_value_or_where_it_should_be() {
        let text = r#"{"a":{"b~/c":[10,{"d":20}]},"e":"x"}"#;
        let source = Source::packet(text.as_bytes()).unwrap();
        let document = source.read_packet().unwrap();
        let mut source_map = SourceMap::of(&document);
        let mut check = |code: Code, pointer: &str, expected: &str| {
            let span = source_map.span_of(&Violation::new(code, pointer, ""));
            let shown = &text[span.start as usize..span.end as usize];
            assert_eq!(format!("{} {shown}", span.start), expected, "{pointer}");
        };
        check(Code::FieldType, "/a/b~0~1c/1/d", "22 20");
        check(Code::FieldType, "/a/b~0~1c/0", "14 10");
        check(Code::FieldType, "/a/b~0~1c/9", "13 ");
        check(Code::FieldUnknown, "/a/b~0~1c", "6 \"b~/c\"");
        check(Code::FieldMissing, "/a/nothing", "5 ");
        check(Code::FieldType, "/e/0", "32 ");
        check(Code::FieldType, "", &format!("0 {text}"));
    }
}
