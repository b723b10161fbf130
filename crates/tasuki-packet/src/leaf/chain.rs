//! Checks that a log has no gaps, is in order, and has not changed since it was written.

use std::collections::HashMap;

use super::entry::Leaf;
use super::hash::Hash;
use super::read::ParseLeafError;
use super::{Attribute, EventType};

/// The first leaf of a log that breaks the chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("leaf {index}: {reason}")]
pub struct BrokenChain {
    /// The index of the leaf, counted from the first one given.
    pub index: u64,
    /// The reason.
    pub reason: String,
}

/// Checks a log from its first leaf and returns the hash of the last one.
///
/// - Each leaf is well-formed and has the right index.
/// - It contains the hash of the leaf before it, and is not earlier.
/// - It names the last leaf of the same handoff.
///
/// # Errors
///
/// The first leaf that breaks the chain.
pub fn check_chain<'l>(leaves: impl IntoIterator<Item = &'l [u8]>) -> Result<Hash, BrokenChain> {
    let mut chain = Chain::default();
    let mut last_of_handoff = HashMap::new();
    for bytes in leaves {
        let leaf = chain.push(bytes)?;
        if let Some(subject) = leaf.subject {
            let last = last_of_handoff.insert(subject.handoff, leaf.number);
            names_last_of_handoff(&leaf, last)?;
        }
    }
    Ok(chain.hash)
}

/// A log that is checked leaf by leaf, so that it need not fit in memory.
///
/// ```
/// use tasuki_packet::leaf::{Chain, Hash};
///
/// let mut chain = Chain::default();
/// assert_eq!(chain.hash(), Hash::ZERO);
/// assert!(chain.push(b"{}").is_err());
/// ```
#[derive(Debug)]
pub struct Chain {
    index: u64,
    hash: Hash,
    previous: Option<Leaf>,
}

impl Default for Chain {
    fn default() -> Self {
        Self { index: 0, hash: Hash::ZERO, previous: None }
    }
}

impl Chain {
    /// Continues after this leaf, which is trusted.
    ///
    /// # Errors
    ///
    /// If the bytes are not a leaf.
    pub fn behind(bytes: &[u8]) -> Result<Self, ParseLeafError> {
        let leaf = Leaf::read(bytes)?;
        let (index, hash) = (leaf.index + 1, Hash::of_leaf(bytes));
        Ok(Self { index, hash, previous: Some(leaf) })
    }

    /// Returns the hash of the last leaf.
    pub const fn hash(&self) -> Hash {
        self.hash
    }

    /// Adds the next leaf. It must be well-formed, have the right index, contain the hash of the
    /// leaf before it, and not be earlier.
    ///
    /// # Errors
    ///
    /// The reason why the leaf breaks the chain.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Leaf, BrokenChain> {
        let index = self.index;
        let broken = |reason: String| BrokenChain { index, reason };
        let leaf = Leaf::read(bytes).map_err(|error| broken(error.to_string()))?;
        check_order(&leaf, index, self.previous.as_ref())
            .map_err(|reason| broken(reason.to_owned()))?;
        if leaf.previous != self.hash {
            return Err(broken("wrong hash of the previous leaf".to_owned()));
        }
        self.index += 1;
        self.hash = Hash::of_leaf(bytes);
        self.previous = Some(leaf.clone());
        Ok(leaf)
    }
}

/// Checks that a leaf names the last leaf of the same handoff, so that its history has no gap.
///
/// # Errors
///
/// If it names another leaf.
pub fn names_last_of_handoff(leaf: &Leaf, last: Option<u64>) -> Result<(), BrokenChain> {
    if leaf.subject.is_none_or(|subject| subject.previous == last) {
        return Ok(());
    }
    let reason = "wrong number of the last leaf of this handoff".to_owned();
    Err(BrokenChain { index: leaf.index, reason })
}

fn check_order(leaf: &Leaf, index: u64, previous: Option<&Leaf>) -> Result<(), &'static str> {
    if leaf.index != index {
        return Err("wrong index");
    }
    let Some(previous) = previous else { return Ok(()) };
    if (leaf.project, leaf.epoch) != (previous.project, previous.epoch) {
        return Err("the leaf belongs to another log");
    }
    if leaf.number <= previous.number {
        return Err("the number is not larger than that of the previous leaf");
    }
    if leaf.time < previous.time && !is_step_back(leaf, previous) {
        return Err("the leaf is earlier than the previous one");
    }
    Ok(())
}

/// Returns `true` for the record of an operator who set the time of the log back. No other leaf may be
/// earlier than the one before it.
fn is_step_back(leaf: &Leaf, previous: &Leaf) -> bool {
    let names =
        |attribute: &str, time| leaf.attributes.get(attribute) == Some(&Attribute::Instant(time));
    leaf.event == EventType::ClockStepped
        && names("from", previous.time)
        && names("until", leaf.time)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{
        Actor, ActorKind, Attribute, Authentication, Commitment, EventType, Regulation, Subject,
    };
    use super::*;
    use crate::types::id::{ClaimId, HandoffId, PartyId, ProjectId, TokenId};

    /// A log of three leaves: created, submitted, claimed. The golden bytes are in
    /// `vectors/leaves.json`.
    fn log() -> Vec<Leaf> {
        let project = ProjectId::new(1_763_200_000_000, [1; 10]);
        let handoff = HandoffId::new(1_763_200_000_001, [2; 10]);
        let packet = Commitment::Packet.to(&[7; 32], &json!({ "goal": "Ship it" }));
        let at = |second: i64| jiff::Timestamp::from_second(1_763_200_000 + second).unwrap();
        let base = Leaf {
            project,
            epoch: 1,
            index: 0,
            number: 0,
            time: at(0),
            previous: Hash::ZERO,
            event: EventType::ProjectCreated,
            subject: None,
            document: None,
            attributes: [("project", Attribute::Id(project.into()))].into(),
            actor: Actor {
                party: None,
                kind: ActorKind::System,
                authentication: Authentication::None,
                ..agent(0)
            },
            class: None,
            taint: None,
            regulations: Vec::new(),
            policy: None,
        };
        let submitted = Leaf {
            index: 1,
            number: 1,
            time: at(1),
            event: EventType::Submitted,
            subject: Some(Subject { handoff, revision: 1, packet, previous: None }),
            attributes: [
                ("receiver", Attribute::Id(party(4).into())),
                ("hops", Attribute::Integer(0)),
            ]
            .into(),
            actor: agent(3),
            class: Some("OFFICIAL-SENSITIVE"),
            taint: Some("external"),
            regulations: vec![Regulation {
                scheme: "UK-DCB0129".to_owned(),
                reference: "4.2".to_owned(),
            }],
            policy: Some(Hash::from_bytes([9; 32])),
            ..base.clone()
        };
        let claimed = Leaf {
            index: 2,
            number: 2,
            time: at(2),
            event: EventType::Claimed,
            subject: Some(Subject { handoff, revision: 1, packet, previous: Some(1) }),
            document: Some(Commitment::Document.to(&[8; 32], &json!({ "goal": "Ship it" }))),
            attributes: [
                ("claim", Attribute::Id(ClaimId::new(1_763_200_000_002, [5; 10]).into())),
                ("fence", Attribute::Integer(1)),
                ("attempt", Attribute::Integer(1)),
                ("until", Attribute::Instant(at(122))),
            ]
            .into(),
            actor: agent(4),
            ..base.clone()
        };
        chained(vec![base, submitted, claimed])
    }

    fn party(seed: u8) -> PartyId {
        PartyId::new(1_763_200_000_000, [seed; 10])
    }

    fn agent(seed: u8) -> Actor {
        Actor {
            party: Some(party(seed)),
            kind: ActorKind::Agent,
            authentication: Authentication::Local,
            credential: None,
            on_behalf_of: None,
        }
    }

    fn chained(mut leaves: Vec<Leaf>) -> Vec<Leaf> {
        let mut hash = Hash::ZERO;
        for leaf in &mut leaves {
            leaf.previous = hash;
            hash = Hash::of_leaf(&leaf.bytes().unwrap());
        }
        leaves
    }

    fn bytes(leaves: &[Leaf]) -> Vec<Vec<u8>> {
        leaves.iter().map(|leaf| leaf.bytes().unwrap()).collect()
    }

    fn check(entries: &[Vec<u8>], expected: &str) {
        let shown = match check_chain(entries.iter().map(Vec::as_slice)) {
            Ok(_) => "intact".to_owned(),
            Err(broken) => broken.to_string(),
        };
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_bytes_of_a_leaf_never_change() {
        let golden: Value =
            serde_json::from_str(include_str!("../../../../vectors/leaves.json")).unwrap();
        let leaves = bytes(&log());
        let texts: Vec<_> = leaves.iter().map(|bytes| str::from_utf8(bytes).unwrap()).collect();
        let hash = check_chain(leaves.iter().map(Vec::as_slice)).unwrap();
        assert_eq!(json!({ "leaves": texts, "last_hash": hash.to_string() }), golden);
    }

    #[test]
    fn the_leaf_of_a_token_has_its_owner_scopes_and_expiry() {
        let [first, ..] = <[Leaf; 3]>::try_from(log()).unwrap();
        let token = TokenId::new(1_763_200_000_000, [6; 10]);
        let attributes = [
            ("credential", Attribute::Id(token.into())),
            ("party", Attribute::Id(party(4).into())),
            ("scopes", Attribute::Words(vec!["submit", "receive", "read"])),
            ("until", Attribute::Instant(first.time + jiff::SignedDuration::from_hours(24))),
        ];
        let created = Leaf {
            event: EventType::TokenCreated,
            attributes: attributes.clone().into(),
            ..first.clone()
        };
        insta::assert_snapshot!(String::from_utf8(created.bytes().unwrap()).unwrap(), @r#"{"actor":{"auth":"none","kind":"system"},"attr":{"credential":"tok_019a86e8e00076068606060606060606","party":"pty_019a86e8e00074048404040404040404","scopes":["submit","receive","read"],"until":"2025-11-16T09:46:40.000000Z"},"i":0,"log":"tasuki.local/prj_019a86e8e00071018101010101010101/1","n":0,"prev":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","t":"2025-11-15T09:46:40.000000Z","type":"token.created","v":"tasuki-leaf/1"}"#);
        let revoked = Leaf {
            event: EventType::TokenRevoked,
            attributes: attributes[..2].iter().cloned().collect(),
            ..first
        };
        insta::assert_snapshot!(String::from_utf8(revoked.bytes().unwrap()).unwrap(), @r#"{"actor":{"auth":"none","kind":"system"},"attr":{"credential":"tok_019a86e8e00076068606060606060606","party":"pty_019a86e8e00074048404040404040404"},"i":0,"log":"tasuki.local/prj_019a86e8e00071018101010101010101/1","n":0,"prev":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=","t":"2025-11-15T09:46:40.000000Z","type":"token.revoked","v":"tasuki-leaf/1"}"#);
    }

    #[test]
    fn only_written_bytes_are_read() {
        for leaf in log() {
            let written = leaf.bytes().unwrap();
            assert_eq!(Leaf::read(&written), Ok(leaf));
            let text = String::from_utf8(written).unwrap();
            for other in [
                text.replacen('{', "{ ", 1),
                text.replacen("\"v\"", "\"x\":1,\"v\"", 1),
                text.replacen("tasuki-leaf/1", "tasuki-leaf/2", 1),
                text.replacen(".000000Z", "Z", 1),
                text.replacen("\"n\":", "\"n\":0", 1),
            ] {
                assert!(Leaf::read(other.as_bytes()).is_err(), "{other}");
            }
        }
    }

    #[test]
    fn a_leaf_has_only_the_attributes_of_its_type() {
        let [_, submitted, _] = <[Leaf; 3]>::try_from(log()).unwrap();
        let refused = |change: &dyn Fn(&mut Leaf)| {
            let mut leaf = submitted.clone();
            change(&mut leaf);
            assert!(leaf.bytes().is_err(), "{leaf:?}");
        };
        refused(&|leaf| leaf.subject = None);
        refused(&|leaf| drop(leaf.attributes.remove("hops")));
        refused(&|leaf| drop(leaf.attributes.insert("fence", Attribute::Integer(1))));
        refused(&|leaf| drop(leaf.attributes.insert("hops", Attribute::Word("yes"))));
        refused(&|leaf| drop(leaf.attributes.insert("hops", Attribute::Integer(u64::MAX))));
        let handoff = Attribute::Id(HandoffId::from_bytes([1; 16]).into());
        refused(&|leaf| drop(leaf.attributes.insert("receiver", handoff.clone())));
        refused(&|leaf| leaf.class = Some("Ana's secret"));
        refused(&|leaf| leaf.actor.party = None);
        refused(&|leaf| leaf.regulations[0].reference = "a whole sentence".to_owned());
    }

    #[test]
    fn every_changed_byte_is_found() {
        let entries = bytes(&log());
        check(&entries, "intact");
        for index in 0..entries.len() {
            for at in 0..entries[index].len() {
                let mut changed = entries.clone();
                changed[index][at] ^= 1;
                let broken = check_chain(changed.iter().map(Vec::as_slice));
                // The last leaf has no successor. If it stays well-formed, the change shows in its
                // hash, which a tree head signs.
                let is_found = match broken {
                    Err(broken) => broken.index >= index as u64,
                    Ok(hash) => hash != Hash::of_leaf(&entries[entries.len() - 1]),
                };
                assert!(is_found, "leaf {index}, byte {at}");
            }
        }
    }

    #[test]
    fn gaps_and_wrong_order_are_named() {
        let entries = bytes(&log());
        let without = |index: usize| {
            let mut rest = entries.clone();
            rest.remove(index);
            rest
        };
        check(&without(0), "leaf 0: wrong index");
        check(&without(1), "leaf 1: wrong index");
        let changed = |change: &dyn Fn(&mut Vec<Leaf>)| {
            let mut leaves = log();
            change(&mut leaves);
            bytes(&chained(leaves))
        };
        check(
            &changed(&|leaves| leaves[2].time = leaves[0].time),
            "leaf 2: the leaf is earlier than the previous one",
        );
        check(
            &changed(&|leaves| leaves[2].number = 1),
            "leaf 2: the number is not larger than that of the previous leaf",
        );
        check(&changed(&|leaves| leaves[2].epoch = 2), "leaf 2: the leaf belongs to another log");
        check(
            &changed(&|leaves| leaves[2].subject.as_mut().unwrap().previous = Some(0)),
            "leaf 2: wrong number of the last leaf of this handoff",
        );
        let mut forged = entries.clone();
        forged[1] = bytes(
            &log()
                .into_iter()
                .map(|leaf| Leaf { previous: Hash::ZERO, ..leaf })
                .collect::<Vec<_>>(),
        )[1]
        .clone();
        check(&forged, "leaf 1: wrong hash of the previous leaf");
    }

    #[test]
    fn every_event_has_a_name_and_attributes_of_its_own() {
        for event in EventType::ALL {
            assert_eq!(EventType::named(event.name()), Some(*event));
            let names: Vec<_> =
                event.required().iter().chain(event.optional()).map(|a| a.0).collect();
            let different: std::collections::HashSet<_> = names.iter().collect();
            assert_eq!(different.len(), names.len(), "{event:?}");
        }
    }
}
