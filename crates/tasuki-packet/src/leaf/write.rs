//! Writes the exact bytes of a leaf, with members in the sort order of RFC 8785.
//!
//! The project worker writes leaves while callers wait, so they are written directly, without
//! building a value first. The tests check that the bytes are canonical.

use jiff::Timestamp;

use super::attribute::Attribute;
use super::entry::{Actor, FORMAT, Leaf, ORIGIN, Regulation, Subject};
use super::hash::Hash;
use crate::types::id::AnyId;
use crate::types::instant::InstantText;

/// A JSON object that is being written.
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

    /// Writes the name of the next member and returns the buffer for its value.
    fn member(&mut self, name: &str) -> &mut Vec<u8> {
        if !self.is_empty {
            self.written.push(b',');
        }
        self.is_empty = false;
        write_plain(name.as_bytes(), self.written);
        self.written.push(b':');
        self.written
    }

    fn word(&mut self, name: &str, word: &str) {
        write_plain(word.as_bytes(), self.member(name));
    }

    fn id(&mut self, name: &str, id: impl Into<AnyId>) {
        write_plain(id.into().text().as_bytes(), self.member(name));
    }

    fn hash(&mut self, name: &str, hash: &Hash) {
        write_plain(&hash.base64(), self.member(name));
    }

    fn instant(&mut self, name: &str, instant: Timestamp) {
        write_plain(InstantText::of(instant).as_bytes(), self.member(name));
    }

    fn number(&mut self, name: &str, number: u64) {
        write_number(number, self.member(name));
    }
}

impl Leaf {
    pub(super) fn write(&self, written: &mut Vec<u8>) {
        let mut leaf = Object::open(written);
        self.actor.write(leaf.member("actor"));
        self.write_attributes(leaf.member("attr"));
        if let Some(class) = self.class {
            leaf.word("class", class);
        }
        if let Some(document) = &self.document {
            leaf.hash("doc", document);
        }
        leaf.number("i", self.index);
        self.write_origin(leaf.member("log"));
        leaf.number("n", self.number);
        if let Some(policy) = &self.policy {
            leaf.hash("pol", policy);
        }
        leaf.hash("prev", &self.previous);
        if !self.regulations.is_empty() {
            write_list(&self.regulations, leaf.member("reg"), Regulation::write);
        }
        if let Some(subject) = &self.subject {
            subject.write(leaf.member("subj"));
        }
        leaf.instant("t", self.time);
        if let Some(taint) = self.taint {
            leaf.word("taint", taint);
        }
        leaf.word("type", self.event.name());
        leaf.word("v", FORMAT);
        leaf.close();
    }

    /// Writes the name of the log.
    fn write_origin(&self, written: &mut Vec<u8>) {
        written.push(b'"');
        written.extend_from_slice(ORIGIN.as_bytes());
        written.extend_from_slice(AnyId::from(self.project).text().as_bytes());
        written.push(b'/');
        write_number(self.epoch, written);
        written.push(b'"');
    }

    fn write_attributes(&self, written: &mut Vec<u8>) {
        let mut attributes = Object::open(written);
        for (name, attribute) in self.attributes.iter() {
            match attribute {
                Attribute::Integer(integer) => attributes.number(name, *integer),
                Attribute::Id(id) => attributes.id(name, *id),
                Attribute::Instant(instant) => attributes.instant(name, *instant),
                Attribute::Word(word) => attributes.word(name, word),
                Attribute::Words(words) => {
                    write_list(words, attributes.member(name), |word, place| {
                        write_plain(word.as_bytes(), place);
                    });
                }
                Attribute::Hash(hash) => attributes.hash(name, hash),
            }
        }
        attributes.close();
    }
}

impl Actor {
    fn write(&self, written: &mut Vec<u8>) {
        let mut actor = Object::open(written);
        actor.word("auth", self.authentication.word());
        if let Some(credential) = self.credential {
            actor.id("cred", credential);
        }
        if let Some(party) = self.on_behalf_of {
            actor.id("for", party);
        }
        if let Some(party) = self.party {
            actor.id("id", party);
        }
        actor.word("kind", self.kind.word());
        actor.close();
    }
}

impl Subject {
    fn write(&self, written: &mut Vec<u8>) {
        let mut subject = Object::open(written);
        subject.id("h", self.handoff);
        subject.hash("pc", &self.packet);
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
        regulation.word("r", &self.reference);
        regulation.word("s", &self.scheme);
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

/// Writes a string without escapes. INVARIANT: a leaf contains only letters, digits and a few
/// marks, which `check` ensures before it is written.
fn write_plain(plain: &[u8], written: &mut Vec<u8>) {
    debug_assert!(plain.iter().all(|byte| matches!(byte, b' '..=b'~') && !b"\"\\".contains(byte)));
    written.push(b'"');
    written.extend_from_slice(plain);
    written.push(b'"');
}

fn write_number(number: u64, written: &mut Vec<u8>) {
    serde_json::to_writer(written, &number).expect("writing to memory does not fail");
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::canonical;
    use crate::leaf::{
        Actor, ActorKind, Attribute, Attributes, Authentication, EventType, Hash, Leaf, Regulation,
        Subject,
    };
    use crate::types::id::{ClaimId, HandoffId, PartyId, ProjectId, TokenId};

    /// A leaf with every member.
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
            attributes: Attributes::from([
                ("integer", Attribute::Integer(3)),
                ("id", Attribute::Id(ClaimId::from_bytes([5; 16]).into())),
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
    fn the_written_bytes_are_canonical() {
        let sparse = Leaf {
            subject: None,
            document: None,
            attributes: Attributes::default(),
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
