//! One entry of the log, and its exact bytes.

use jiff::Timestamp;

use super::attribute::Attributes;
use super::event::EventType;
use super::hash::Hash;
use super::read::ParseLeafError;
use crate::types::id::{HandoffId, PartyId, ProjectId, TokenId};

/// The format version, which every leaf contains.
pub(super) const FORMAT: &str = "tasuki-leaf/1";

/// The prefix of a log's name. It contains no host name, so that the log can move.
pub(super) const ORIGIN: &str = "tasuki.local/";

/// The classification tiers that a leaf may name. Handling instructions and descriptors stay in the
/// packet.
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

/// Returns the tier at the start of a marking, if a leaf may name it.
///
/// ```
/// use tasuki_packet::leaf::class_of;
///
/// assert_eq!(class_of("SECRET UK EYES ONLY"), Some("SECRET"));
/// assert_eq!(class_of("for Ana only"), None);
/// ```
pub fn class_of(marking: &str) -> Option<&'static str> {
    let begins = |class: &&str| {
        let rest = marking.trim().strip_prefix(class);
        rest.is_some_and(|rest| {
            !rest.starts_with(|next: char| next.is_alphanumeric() || next == '-')
        })
    };
    CLASSES.iter().copied().filter(|class| begins(class)).max_by_key(|class| class.len())
}

/// The origins of the least trusted content of a packet.
pub(super) const TAINTS: &[&str] = &["operator", "human", "agent", "tool", "external"];

/// LIMIT: the length of an entry in a tile has two bytes.
const BYTES_MAX: usize = 65_535;

/// The usual size of a leaf.
const BYTES_USUAL: usize = 1024;

/// LIMIT: regulations of one leaf.
const REGULATIONS_MAX: usize = 32;

/// One entry of a project's log.
///
/// See the [module](super) for an example.
#[derive(Debug, Clone, PartialEq)]
pub struct Leaf {
    /// The project that the log belongs to.
    pub project: ProjectId,
    /// The epoch of the project's log, from 1.
    pub epoch: u64,
    /// The index in this epoch, from 0.
    pub index: u64,
    /// The number in the project, which never restarts.
    pub number: u64,
    /// The time of the event, never earlier than the previous leaf, except for a recorded step back.
    pub time: Timestamp,
    /// The hash of the previous leaf; zero for the first.
    pub previous: Hash,
    /// The type of the event.
    pub event: EventType,
    /// The handoff that the event belongs to.
    pub subject: Option<Subject>,
    /// The commitment to the event's document.
    pub document: Option<Hash>,
    /// The attributes, as [`EventType`] lists them.
    pub attributes: Attributes,
    /// The actor.
    pub actor: Actor,
    /// The tier of the packet's classification.
    pub class: Option<&'static str>,
    /// The origin of the packet's least trusted content.
    pub taint: Option<&'static str>,
    /// The regulations that the packet refers to.
    pub regulations: Vec<Regulation>,
    /// The hash of the contract and gates that applied.
    pub policy: Option<Hash>,
}

/// The handoff of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject {
    /// The handoff.
    pub handoff: HandoffId,
    /// Its revision.
    pub revision: u64,
    /// The commitment to the packet of that revision.
    pub packet: Hash,
    /// The number of the previous leaf of this handoff, if there is one.
    pub previous: Option<u64>,
}

/// The actor of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Actor {
    /// The party; `None` for the clock and the system.
    pub party: Option<PartyId>,
    /// The kind of actor.
    pub kind: ActorKind,
    /// The way it authenticated.
    pub authentication: Authentication,
    /// The token it used.
    pub credential: Option<TokenId>,
    /// The party it acted for.
    pub on_behalf_of: Option<PartyId>,
}

/// The kind of an actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActorKind {
    /// An agent.
    Agent,
    /// A person.
    Human,
    /// The clock: a deadline passed.
    Clock,
    /// The exchange itself.
    System,
}

/// The way an actor authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Authentication {
    /// Write access to the local store.
    Local,
    /// A token.
    Token,
    /// A password.
    Password,
    /// A proxy that signs people in.
    Proxy,
    /// A code that was mailed to the person.
    Mail,
    /// None, for the clock and the system.
    None,
}

/// A regulation that a packet refers to: a scheme and a reference, both without spaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regulation {
    /// The scheme: `UK-DCB0129`.
    pub scheme: String,
    /// The reference in it: `4.2`.
    pub reference: String,
}

impl Leaf {
    /// Returns the exact bytes of the leaf (RFC 8785).
    ///
    /// # Errors
    ///
    /// If an attribute is missing, not allowed for the event type, or too large.
    pub fn bytes(&self) -> Result<Vec<u8>, ParseLeafError> {
        self.check()?;
        let mut bytes = Vec::with_capacity(BYTES_USUAL);
        self.write(&mut bytes);
        if bytes.len() > BYTES_MAX {
            return Err(ParseLeafError::new(format!(
                "the leaf has {} bytes (limit {BYTES_MAX})",
                bytes.len()
            )));
        }
        Ok(bytes)
    }

    fn check(&self) -> Result<(), ParseLeafError> {
        let event = self.event;
        let wrong = |what: String| Err(ParseLeafError::new(format!("{}: {what}", event.name())));
        if self.subject.is_some() != event.has_subject() {
            return wrong(
                "a subject is required for handoff events and not allowed for others".to_owned(),
            );
        }
        for (name, attribute) in self.attributes.iter() {
            if !event.attribute(name).is_some_and(|kind| attribute.is(kind)) {
                return wrong(format!("invalid attribute `{name}`"));
            }
        }
        for (name, _) in event.required() {
            if self.attributes.get(name).is_none() {
                return wrong(format!("missing attribute `{name}`"));
            }
        }
        let is_party = matches!(self.actor.kind, ActorKind::Agent | ActorKind::Human);
        if self.actor.party.is_some() != is_party {
            return wrong(
                "a party is required for agents and persons and not allowed for others".to_owned(),
            );
        }
        let has_words =
            |word: Option<&str>, words: &[&str]| word.is_none_or(|w| words.contains(&w));
        if !has_words(self.class, CLASSES) || !has_words(self.taint, TAINTS) {
            return wrong("unknown class or taint".to_owned());
        }
        if self.regulations.len() > REGULATIONS_MAX
            || !self.regulations.iter().all(Regulation::is_one)
        {
            return wrong(
                "invalid regulations: at most 32, each a scheme and a reference without spaces"
                    .to_owned(),
            );
        }
        Ok(())
    }
}

impl ActorKind {
    pub(super) const ALL: [Self; 4] = [Self::Agent, Self::Human, Self::Clock, Self::System];

    /// Returns the word in a leaf.
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
    pub(super) const ALL: [Self; 6] =
        [Self::Local, Self::Token, Self::Password, Self::Proxy, Self::Mail, Self::None];

    /// Returns the word in a leaf.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Local => "local",
            Self::Token => "token",
            Self::Password => "password",
            Self::Proxy => "proxy",
            Self::Mail => "mail",
            Self::None => "none",
        }
    }
}

impl Regulation {
    /// Returns `true` if both parts are short and have only letters, digits and a few marks.
    ///
    /// A sentence or a person's name does not fit.
    pub fn is_one(&self) -> bool {
        let is_word = |text: &str| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/()-".contains(&byte);
            (1..=48).contains(&text.len()) && text.bytes().all(is_allowed)
        };
        is_word(&self.scheme) && is_word(&self.reference)
    }
}
