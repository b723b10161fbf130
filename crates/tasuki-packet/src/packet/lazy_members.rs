//! Members of a packet that are parsed on first access.
//!
//! An exchange reads, validates, scans and hashes a packet as a document. Its rules then look at a
//! handful of members, and the long ones are for people and agents: making values of those, only to
//! drop them, costs more than all rules. Which members are lazy affects speed and never the result,
//! because an access to a lazy member parses it.

use std::sync::OnceLock;

use serde_json::Value;

use crate::document::{Document, Members};
use crate::read::Source;
use crate::violation::Span;

/// The members of a packet that have not been parsed yet.
#[derive(Debug, Clone)]
pub(crate) struct LazyMembers {
    /// The whole packet as JSON, which was read without a complaint.
    json: String,
    lazy: Vec<LazyMember>,
    all: OnceLock<Members>,
}

/// A lazy member: the span of its value, and the value once it has been parsed.
#[derive(Debug, Clone)]
struct LazyMember {
    name: &'static str,
    span: Span,
    value: OnceLock<Box<Value>>,
}

/// Few packets have more parsed or more lazy members.
const COUNT_USUAL: usize = 16;

macro_rules! lazy_members {
    ($($name:literal)+) => {
        /// Returns the name of a lazy member. Dialect and variant depend on none of them.
        fn lazy_name(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some($name),)+
                _ => None,
            }
        }
    };
}

lazy_members! {
    "artifacts"
    "assumptions"
    "completed"
    "constraints"
    "context"
    "decisions"
    "evidence_refs"
    "failed_approaches"
    "failure_boundary"
    "human_brief"
    "inputs"
    "next_request"
    "pitfalls_hit"
    "provenance"
    "remaining"
    "scope"
    "summary"
}

/// Whether a member is parsed on first access only.
pub(crate) fn is_lazy(name: &str) -> bool {
    lazy_name(name).is_some()
}

impl LazyMembers {
    /// Returns the parsed members, and the lazy ones if there are any.
    ///
    /// Returns nothing for a document that does not begin as a packet does: it may be of another
    /// dialect or a wire form, which any of its members can tell.
    pub(crate) fn of(document: &Document<'_>, json: &str) -> Option<(Members, Option<Self>)> {
        let root = document.root();
        let (first, _) = root.members().next()?;
        if first.as_text() != Some("handoff_version") {
            return None;
        }
        let mut parsed = Members::with_capacity(COUNT_USUAL);
        let mut lazy = Vec::with_capacity(COUNT_USUAL);
        for (name, value) in root.members() {
            let name = name.as_text().unwrap_or_default();
            match lazy_name(name) {
                Some(name) => lazy.push(LazyMember::new(name, value.span())),
                None => _ = parsed.insert(name.to_owned(), value.to_value()),
            }
        }
        let lazy =
            (!lazy.is_empty()).then(|| Self { json: json.to_owned(), lazy, all: OnceLock::new() });
        Some((parsed, lazy))
    }

    /// Returns a lazy member, parsed on first access.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let LazyMember { span, value, .. } = self.lazy.iter().find(|one| one.name == name)?;
        let range = span.start as usize..span.end as usize;
        Some(value.get_or_init(|| Box::new(read(&self.json[range]))))
    }

    /// Returns all members of the packet in their order, those that are not lazy as well.
    pub(crate) fn all(&self) -> &Members {
        self.all.get_or_init(|| members(&self.json))
    }

    pub(crate) fn into_all(self) -> Members {
        self.all.into_inner().unwrap_or_else(|| members(&self.json))
    }
}

impl LazyMember {
    fn new(name: &'static str, span: Span) -> Self {
        Self { name, span, value: OnceLock::new() }
    }
}

fn members(json: &str) -> Members {
    match read(json) {
        Value::Object(members) => members,
        _ => unreachable!("it was read as an object before"),
    }
}

fn read(json: &str) -> Value {
    let source = Source::json(json.as_bytes());
    let read = source.and_then(|source| Ok(source.read_plain()?.to_value()));
    read.unwrap_or_else(|_| unreachable!("it was read before"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::canonical::tests::any_value;
    use crate::check::verify::asked;
    use crate::dialect;
    use crate::open::{Terms, open, open_to_keep};
    use crate::packet::Packet;
    use crate::schema::field;

    const IN_PART: Terms<'static> =
        Terms { variant: None, contract: None, parent: None, allow: None, in_part: true };

    fn names() -> impl Strategy<Value = String> {
        let known: Vec<&str> = field::FIELDS.iter().map(|field| field.name).collect();
        let telling = ["data_classification", "handoff", "state", "updated_at", "tasuki", "packet"];
        prop_oneof![
            4 => prop::sample::select(known).prop_map(str::to_owned),
            1 => prop::sample::select(telling.to_vec()).prop_map(str::to_owned),
            1 => any::<String>(),
        ]
    }

    fn values() -> impl Strategy<Value = Value> {
        prop_oneof![
            2 => any_value(),
            1 => Just(Value::from("hof_1")),
            1 => Just(Value::from("wire/1")),
            1 => Just(Value::from(["ghp_", "k3Jx9QmT7vLz2RbN8wYc4HdF6sGp1KaE5uXo"].concat())),
        ]
    }

    fn packets() -> impl Strategy<Value = Members> {
        let version = prop_oneof![Just("1.0"), Just("2.0"), Just("x")];
        let others = prop::collection::vec((names(), values()), 0..8);
        (version, others, any::<bool>()).prop_map(|(version, others, is_first)| {
            let version = ("handoff_version".to_owned(), Value::from(version));
            let (before, behind) =
                if is_first { (Some(version), None) } else { (None, Some(version)) };
            before.into_iter().chain(others).chain(behind).collect()
        })
    }

    proptest! {
        #[test]
        fn a_packet_is_the_same_whether_it_is_read_in_part_or_not(members in packets()) {
            let text = Value::Object(members).to_string();
            let source = Source::json(text.as_bytes()).unwrap();
            match (open(&source, Terms::default()), open_to_keep(&source, IN_PART)) {
                (Err(whole), Err(part)) => prop_assert_eq!(whole, part),
                (Ok(whole), Ok((part, written))) => {
                    let kept = open_to_keep(&source, Terms::default()).unwrap().1;
                    prop_assert_eq!(written, kept);
                    prop_assert_eq!(&part.violations, &whole.violations);
                    prop_assert_eq!((part.dialect, &part.variant), (whole.dialect, &whole.variant));
                    prop_assert_eq!((part.has_secrets, &part.notes), (whole.has_secrets, &whole.notes));
                    prop_assert_eq!(&part.foreign, &whole.foreign);
                    for name in whole.packet.members().keys().map(String::as_str).chain(["scope"]) {
                        // Each from a packet that nobody has asked for anything.
                        let unasked = part.packet.clone();
                        prop_assert_eq!(unasked.get(name), whole.packet.get(name));
                    }
                    prop_assert_eq!(asked(part.packet.clone()), asked(whole.packet.clone()));
                    let order: Vec<&String> = whole.packet.members().keys().collect();
                    prop_assert_eq!(part.packet.members().keys().collect::<Vec<_>>(), order);
                    prop_assert_eq!(part.packet.into_members(), whole.packet.into_members());
                }
                (whole, part) => prop_assert!(false, "{:?} and {:?}", whole, part),
            }
        }
    }

    #[test]
    fn a_member_is_parsed_on_first_access() {
        let text = r#"{"handoff_version":"1.0","completed":["a"],"goal":"g","inputs":["b"]}"#;
        let source = Source::json(text.as_bytes()).unwrap();
        let packet = Packet::with_lazy_members(&source.read_packet().unwrap(), text).unwrap();
        let is_read = |packet: &Packet| format!("{packet:?}").contains("String(\"a\")");
        assert_eq!((packet.text("goal"), packet.text("absent")), (Some("g"), None));
        assert!(!is_read(&packet));
        assert_eq!(packet.list("completed"), ["a"]);
        assert!(is_read(&packet) && !format!("{packet:?}").contains("String(\"b\")"));
    }

    #[test]
    fn no_member_that_tells_a_dialect_is_lazy() {
        // `detect` looks at these names of a document with a version, and at no other.
        for name in ["data_classification", "regulation_ref", "handoff", "state", "updated_at"] {
            assert!(!is_lazy(name), "{name}");
        }
        let document =
            serde_json::json!({"handoff_version": "1.0", "context": {"packet_type": "task"}});
        assert_eq!(dialect::detect(document.as_object().unwrap()), None);
    }
}
