//! Members of a packet that stay in its text until somebody asks for them.
//!
//! An exchange reads, judges, scans and seals a packet as a document. Its rules then look at a
//! handful of members, and the long ones are for people and agents: making values of those, only to
//! drop them, costs more than all rules. Which members wait here decides how long something takes and
//! never what comes out, because whoever asks for one of them gets it.

use std::sync::OnceLock;

use serde_json::Value;

use crate::document::{Document, Members};
use crate::read::Source;
use crate::violation::Span;

/// The members of a packet that are not at hand yet.
#[derive(Debug, Clone)]
pub(crate) struct PutOff {
    /// The whole packet as JSON, which was read without a complaint.
    json: String,
    waiting: Vec<Waiting>,
    whole: OnceLock<Members>,
}

/// A member that waits: where its value stands, and the value once somebody has asked for it.
#[derive(Debug, Clone)]
struct Waiting {
    name: &'static str,
    span: Span,
    value: OnceLock<Box<Value>>,
}

/// Few packets have more members at hand, or more that wait.
const COUNT_USUAL: usize = 16;

macro_rules! put_off {
    ($($name:literal)+) => {
        /// The name of a member that waits. None of them tells dialect or variant.
        fn waiting(name: &str) -> Option<&'static str> {
            match name {
                $($name => Some($name),)+
                _ => None,
            }
        }
    };
}

put_off! {
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

/// Whether a member is one that waits.
pub(crate) fn is_put_off(name: &str) -> bool {
    waiting(name).is_some()
}

impl PutOff {
    /// The members at hand, and the others if there are any.
    ///
    /// Nothing comes back for a document that does not begin as a packet does: it may be of another
    /// dialect or a wire form, which any of its members can tell.
    pub(crate) fn of(document: &Document<'_>, json: &str) -> Option<(Members, Option<Self>)> {
        let root = document.root();
        let (first, _) = root.members().next()?;
        if first.as_text() != Some("handoff_version") {
            return None;
        }
        let mut at_hand = Members::with_capacity(COUNT_USUAL);
        let mut put_off = Vec::with_capacity(COUNT_USUAL);
        for (name, value) in root.members() {
            let name = name.as_text().unwrap_or_default();
            match waiting(name) {
                Some(name) => put_off.push(Waiting::new(name, value.span())),
                None => _ = at_hand.insert(name.to_owned(), value.to_value()),
            }
        }
        let put_off = (!put_off.is_empty()).then(|| Self {
            json: json.to_owned(),
            waiting: put_off,
            whole: OnceLock::new(),
        });
        Some((at_hand, put_off))
    }

    /// A member that waits, read from where it stands.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        let Waiting { span, value, .. } = self.waiting.iter().find(|one| one.name == name)?;
        let stretch = span.start as usize..span.end as usize;
        Some(value.get_or_init(|| Box::new(read(&self.json[stretch]))))
    }

    /// All members of the packet, those at hand as well, in their order.
    pub(crate) fn whole(&self) -> &Members {
        self.whole.get_or_init(|| members(&self.json))
    }

    pub(crate) fn into_whole(self) -> Members {
        self.whole.into_inner().unwrap_or_else(|| members(&self.json))
    }
}

impl Waiting {
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
    fn what_nobody_asks_for_is_not_read() {
        let text = r#"{"handoff_version":"1.0","completed":["a"],"goal":"g","inputs":["b"]}"#;
        let source = Source::json(text.as_bytes()).unwrap();
        let packet = Packet::put_off(&source.read_packet().unwrap(), text).unwrap();
        let is_read = |packet: &Packet| format!("{packet:?}").contains("String(\"a\")");
        assert_eq!((packet.text("goal"), packet.text("absent")), (Some("g"), None));
        assert!(!is_read(&packet));
        assert_eq!(packet.list("completed"), ["a"]);
        assert!(is_read(&packet) && !format!("{packet:?}").contains("String(\"b\")"));
    }

    #[test]
    fn nothing_that_tells_a_dialect_waits() {
        // `detect` looks at these names of a document with a version, and at no other.
        for name in ["data_classification", "regulation_ref", "handoff", "state", "updated_at"] {
            assert!(!is_put_off(name), "{name}");
        }
        let document =
            serde_json::json!({"handoff_version": "1.0", "context": {"packet_type": "task"}});
        assert_eq!(dialect::detect(document.as_object().unwrap()), None);
    }
}
