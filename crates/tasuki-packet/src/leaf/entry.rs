//! One entry of the log and its exact bytes.

use jiff::Timestamp;

use super::attribute::Attributes;
use super::event::EventType;
use super::hash::Hash;
use super::read::ParseLeafError;
use crate::types::id::{HandoffId, PartyId, ProjectId, TokenId};

/// The version of the format, the first thing that every leaf says.
pub(super) const FORMAT: &str = "tasuki-leaf/1";

/// What the name of a log begins with. It names no host, so that the log survives a move.
pub(super) const ORIGIN: &str = "tasuki.local/";

/// The tiers that a leaf may name. Handling instructions and descriptors stay in the packet.
pub(super) const CLASSES: &[&str] = &[
    "PUBLIC",
    "INTERNAL",
    "CONFIDENTIAL",
    "RESTRICTED",
    "OFFICIAL",
    "OFFICIAL-SENSITIVE",
    "SECRET",
    "TOP SECRET",
];

/// The tier that a marking begins with, if a leaf may name it.
pub fn class_of(marking: &str) -> Option<&'static str> {
    let begins = |class: &&str| {
        let rest = marking.trim().strip_prefix(class);
        rest.is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-')
        })
    };
    CLASSES.iter().copied().filter(|class| begins(class)).max_by_key(|class| class.len())
}

/// Where the least trusted content of the packet comes from.
pub(super) const TAINTS: &[&str] = &["operator", "human", "agent", "tool", "external"];

/// LIMIT: an entry of a tile has a length of two bytes.
const BYTES_MAX: usize = 65_535;

/// Most leaves have no more.
const BYTES_USUAL: usize = 1024;

/// LIMIT: rules that one leaf refers to.
const REGULATIONS_MAX: usize = 32;

/// One entry of a project's log.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The project whose log it is.
    pub project: ProjectId,
    /// The part of the project's log, from 1 on.
    pub epoch: u64,
    /// Its place in this part of the log, from 0 on.
    pub index: u64,
    /// Its number in the project, which never starts again.
    pub number: u64,
    /// When it happened; never before the leaf before it.
    pub time: Timestamp,
    /// The hash of the leaf before it, zero for the first.
    pub previous: Hash,
    /// What happened.
    pub event: EventType,
    /// The handoff it happened to.
    pub subject: Option<Subject>,
    /// The commitment to the document that the event brought.
    pub document: Option<Hash>,
    /// What else is said, by the list of the event's type.
    pub attributes: Attributes,
    /// Who did it.
    pub actor: Actor,
    /// The tier of the packet's classification.
    pub class: Option<&'static str>,
    /// Where the least trusted content of the packet comes from.
    pub taint: Option<&'static str>,
    /// The rules that the packet refers to.
    pub regulations: Vec<Regulation>,
    /// The hash of the contract and the gates that it was decided by.
    pub policy: Option<Hash>,
}

/// The handoff that something happened to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The handoff.
    pub handoff: HandoffId,
    /// Its revision.
    pub revision: u64,
    /// The commitment to the packet of that revision.
    pub packet: Hash,
    /// The number of the last leaf about this handoff, if there is one.
    pub previous: Option<u64>,
}

/// Who did something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actor {
    /// The party; the clock and the system are none.
    pub party: Option<PartyId>,
    /// What it is.
    pub kind: ActorKind,
    /// How it proved itself.
    pub authentication: Authentication,
    /// The credential it used.
    pub credential: Option<TokenId>,
    /// The party it acted for.
    pub on_behalf_of: Option<PartyId>,
}

/// What an actor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorKind {
    /// A program.
    Agent,
    /// A person.
    Human,
    /// Time passed.
    Clock,
    /// The exchange itself.
    System,
}

/// How an actor proved itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authentication {
    /// Whoever can write the local store.
    Local,
    /// A token.
    Token,
    /// A password.
    Password,
    /// Nobody had to: the clock and the system.
    None,
}

/// A rule that a packet refers to: a scheme and a place in it, both without spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regulation {
    /// The scheme: `UK-DCB0129`.
    pub scheme: String,
    /// The place: `4.2`.
    pub reference: String,
}

impl Leaf {
    /// The exact bytes of the leaf: RFC 8785.
    ///
    /// # Errors
    ///
    /// If it says what a leaf of its type must not say, or does not say what it must.
    pub fn bytes(&self) -> Result<Vec<u8>, ParseLeafError> {
        self.check()?;
        let mut bytes = Vec::with_capacity(BYTES_USUAL);
        self.write(&mut bytes);
        if bytes.len() > BYTES_MAX {
            return Err(ParseLeafError::new(format!("{} bytes, at most {BYTES_MAX}", bytes.len())));
        }
        Ok(bytes)
    }

    fn check(&self) -> Result<(), ParseLeafError> {
        let event = self.event;
        let wrong = |what: String| Err(ParseLeafError::new(format!("{}: {what}", event.name())));
        if self.subject.is_some() != event.has_subject() {
            return wrong("a handoff's event has a subject, and no other has one".to_owned());
        }
        for (name, attribute) in self.attributes.iter() {
            if !event.attribute(name).is_some_and(|kind| attribute.is(kind)) {
                return wrong(format!("the attribute `{name}` is not one of this type"));
            }
        }
        for (name, _) in event.required() {
            if self.attributes.get(name).is_none() {
                return wrong(format!("the attribute `{name}` is missing"));
            }
        }
        let is_party = matches!(self.actor.kind, ActorKind::Agent | ActorKind::Human);
        if self.actor.party.is_some() != is_party {
            return wrong("an agent or a person has an id, and nobody else".to_owned());
        }
        let has_words =
            |word: Option<&str>, words: &[&str]| word.is_none_or(|w| words.contains(&w));
        if !has_words(self.class, CLASSES) || !has_words(self.taint, TAINTS) {
            return wrong("a class or a taint that is not in the list".to_owned());
        }
        if self.regulations.len() > REGULATIONS_MAX
            || !self.regulations.iter().all(Regulation::is_one)
        {
            return wrong("a rule is a scheme and a place without spaces, at most 32".to_owned());
        }
        Ok(())
    }
}

impl ActorKind {
    pub(super) const ALL: [Self; 4] = [Self::Agent, Self::Human, Self::Clock, Self::System];

    /// The word in a leaf.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Human => "human",
            Self::Clock => "clock",
            Self::System => "system",
        }
    }
}

impl Authentication {
    pub(super) const ALL: [Self; 4] = [Self::Local, Self::Token, Self::Password, Self::None];

    /// The word in a leaf.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Token => "token",
            Self::Password => "password",
            Self::None => "none",
        }
    }
}

impl Regulation {
    /// Letters, digits and a few marks: no room for a sentence or a name.
    pub fn is_one(&self) -> bool {
        let is_word = |text: &str| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/()-".contains(&byte);
            (1..=48).contains(&text.len()) && text.bytes().all(is_allowed)
        };
        is_word(&self.scheme) && is_word(&self.reference)
    }
}
