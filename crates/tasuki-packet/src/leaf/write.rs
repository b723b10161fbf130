//! The exact bytes of a leaf, written in the order in which RFC 8785 sorts its members.
//!
//! Leaves are made in the line, where everybody waits, so that they are written at once instead of
//! being put together as a value first. That the bytes are canonical is what the tests compare.

use std::fmt::Display;
use std::io::Write as _;

use super::attribute::{Attribute, instant_text};
use super::entry::{Actor, FORMAT, Leaf, Regulation, Subject, origin};
use crate::canonical::write_text;

/// One object that is being written.
struct Object<'w> {
    written: &'w mut Vec<u8>,
    is_empty: bool,
}

impl<'w> Object<'w> {
    fn open(written: &'w mut Vec<u8>) -> Self {
        written.push(b'{');
        Self { written, is_empty: true }
    }

    fn close(self) {
        self.written.push(b'}');
    }

    /// The place for the value of the next member.
    fn member(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.is_empty {
            self.written.push(b',');
        }
        self.is_empty = false;
        write_text(name, self.written);
        self.written.push(b':');
        self.written
    }

    fn text(&mut self, name: &str, text: &str) {
        write_text(text, self.member(name));
    }

    /// A value that prints nothing but letters, digits and a few marks.
    fn plain(&mut self, name: &str, plain: impl Display) {
        let written = self.member(name);
        write!(written, "\"{plain}\"").expect("writing to memory does not fail");
    }

    fn number(&mut self, name: &str, number: u64) {
        let written = self.member(name);
        write!(written, "{number}").expect("writing to memory does not fail");
    }
}

impl Leaf {
    pub(super) fn write(&self, written: &mut Vec<u8>) {
        let mut leaf = Object::open(written);
        self.actor.write(leaf.member("actor"));
        self.write_attributes(leaf.member("attr"));
        if let Some(class) = self.class {
            leaf.text("class", class);
        }
        if let Some(document) = self.document {
            leaf.plain("doc", document);
        }
        leaf.number("i", self.index);
        leaf.text("log", &origin(self.project, self.epoch));
        leaf.number("n", self.number);
        if let Some(policy) = self.policy {
            leaf.plain("pol", policy);
        }
        leaf.plain("prev", self.previous);
        if !self.regulations.is_empty() {
            write_list(&self.regulations, leaf.member("reg"), Regulation::write);
        }
        if let Some(subject) = &self.subject {
            subject.write(leaf.member("subj"));
        }
        leaf.plain("t", instant_text(self.time));
        if let Some(taint) = self.taint {
            leaf.text("taint", taint);
        }
        leaf.text("type", self.event.name());
        leaf.text("v", FORMAT);
        leaf.close();
    }

    fn write_attributes(&self, written: &mut Vec<u8>) {
        let mut attributes = Object::open(written);
        for (name, attribute) in &self.attributes {
            match attribute {
                Attribute::Integer(integer) => attributes.number(name, *integer),
                Attribute::Id(id) => attributes.text(name, id),
                Attribute::Instant(instant) => attributes.plain(name, instant_text(*instant)),
                Attribute::Word(word) => attributes.text(name, word),
                Attribute::Words(words) => {
                    write_list(words, attributes.member(name), |word, place| {
                        write_text(word, place);
                    });
                }
                Attribute::Hash(hash) => attributes.plain(name, hash),
            }
        }
        attributes.close();
    }
}

impl Actor {
    fn write(&self, written: &mut Vec<u8>) {
        let mut actor = Object::open(written);
        actor.text("auth", self.authentication.word());
        if let Some(credential) = self.credential {
            actor.plain("cred", credential);
        }
        if let Some(party) = self.on_behalf_of {
            actor.plain("for", party);
        }
        if let Some(party) = self.party {
            actor.plain("id", party);
        }
        actor.text("kind", self.kind.word());
        actor.close();
    }
}

impl Subject {
    fn write(&self, written: &mut Vec<u8>) {
        let mut subject = Object::open(written);
        subject.plain("h", self.handoff);
        subject.plain("pc", self.packet);
        if let Some(previous) = self.previous {
            subject.number("prev_n", previous);
        }
        subject.number("rev", self.revision);
        subject.close();
    }
}

impl Regulation {
    fn write(&self, written: &mut Vec<u8>) {
        let mut regulation = Object::open(written);
        regulation.text("r", &self.reference);
        regulation.text("s", &self.scheme);
        regulation.close();
    }
}

fn write_list<T>(items: &[T], written: &mut Vec<u8>, write: impl Fn(&T, &mut Vec<u8>)) {
    written.push(b'[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            written.push(b',');
        }
        write(item, written);
    }
    written.push(b']');
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use crate::canonical;
    use crate::id::{HandoffId, PartyId, ProjectId, TokenId};
    use crate::leaf::{
        Actor, ActorKind, Attribute, Authentication, EventType, Hash, Leaf, Regulation, Subject,
    };

    /// A leaf that says everything that a leaf can say.
    fn full() -> Leaf {
        let party = PartyId::from_bytes([2; 16]);
        let time = "2026-11-16T08:00:21.624000Z".parse().unwrap();
        Leaf {
            project: ProjectId::from_bytes([1; 16]),
            epoch: 1,
            index: 7,
            number: 7,
            time,
            previous: Hash::of_leaf(b"before"),
            event: EventType::Claimed,
            subject: Some(Subject {
                handoff: HandoffId::from_bytes([3; 16]),
                revision: 2,
                packet: Hash::of_leaf(b"packet"),
                previous: Some(5),
            }),
            document: Some(Hash::of_leaf(b"document")),
            attributes: BTreeMap::from([
                ("integer", Attribute::Integer(3)),
                ("id", Attribute::Id("clm_00".to_owned())),
                ("instant", Attribute::Instant(time)),
                ("word", Attribute::Word("lease")),
                ("words", Attribute::Words(vec!["one", "two"])),
                ("hash", Attribute::Hash(Hash::of_leaf(b"hash"))),
            ]),
            actor: Actor {
                party: Some(party),
                kind: ActorKind::Agent,
                authentication: Authentication::Token,
                credential: Some(TokenId::from_bytes([4; 16])),
                on_behalf_of: Some(party),
            },
            class: Some("OFFICIAL-SENSITIVE"),
            taint: Some("agent"),
            regulations: vec![
                Regulation { scheme: "UK-DCB0129".to_owned(), reference: "4.2".to_owned() },
                Regulation { scheme: "GDPR".to_owned(), reference: "Art.30".to_owned() },
            ],
            policy: Some(Hash::of_leaf(b"policy")),
        }
    }

    #[test]
    fn what_is_written_is_canonical() {
        let sparse = Leaf {
            subject: None,
            document: None,
            attributes: BTreeMap::new(),
            class: None,
            taint: None,
            regulations: Vec::new(),
            policy: None,
            ..full()
        };
        for leaf in [full(), sparse] {
            let mut written = Vec::new();
            leaf.write(&mut written);
            let value: Value = serde_json::from_slice(&written).unwrap();
            assert_eq!(
                String::from_utf8(written).unwrap(),
                String::from_utf8(canonical::bytes(&value)).unwrap()
            );
        }
    }
}
