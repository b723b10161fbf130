//! Senders and receivers: an agent, a person, or a role whose members may claim.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tasuki_api::PartyKind;
use tasuki_packet::canonical;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Hash;

use crate::hmac::hmac_sha256;
use crate::model::handoff::is_default;
use crate::model::{Head, RoleMembers};

/// A party of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Party {
    /// The id, used in leaves; it does not identify the person or agent.
    pub id: PartyId,
    /// The name: `hermes-main`, or `role:reviewer`.
    pub name: String,
    /// The kind of party.
    pub kind: PartyKind,
    /// Other names that packets may use for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub aliases: Vec<String>,
    /// The members of a role.
    #[serde(default, skip_serializing_if = "is_default")]
    pub members: Vec<PartyId>,
    /// Skills that a receiver can be named by: `skill:python`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub skills: Vec<String>,
    /// Contract versions that it supports, as `name@version`; empty means all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reads: Vec<String>,
    /// The actions that it may take; `None` means unlimited.
    #[serde(default, skip_serializing_if = "is_default")]
    pub authority: Option<Vec<String>>,
    /// Parties on whose behalf it may send.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sends_for: Vec<PartyId>,
    /// The absence of a person, which may be over.
    #[serde(default, skip_serializing_if = "is_default")]
    pub absence: Option<Absence>,
    /// Contact addresses outside of the exchange.
    #[serde(default, skip_serializing_if = "is_default")]
    pub channels: Channels,
}

/// A time in which a person is away and another one stands in for them. It ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Absence {
    /// The person who stands in.
    pub deputy: PartyId,
    /// The first instant.
    pub from: Timestamp,
    /// The first instant after it.
    pub until: Timestamp,
}

impl Absence {
    /// Returns `true` if the person is away at this instant.
    pub fn covers(&self, now: Timestamp) -> bool {
        self.from <= now && now < self.until
    }

    /// Returns `true` if the two times overlap.
    pub fn overlaps(&self, from: Timestamp, until: Timestamp) -> bool {
        self.from < until && from < self.until
    }
}

/// Contact addresses outside of the exchange. They appear in no leaf and in no list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Channels {
    /// The email address.
    #[serde(skip_serializing_if = "is_default")]
    pub email: Option<String>,
}

impl Party {
    /// Creates a party with only a name.
    pub fn new(id: PartyId, name: impl Into<String>, kind: PartyKind) -> Self {
        Self {
            id,
            name: name.into(),
            kind,
            aliases: Vec::new(),
            members: Vec::new(),
            skills: Vec::new(),
            reads: Vec::new(),
            authority: None,
            sends_for: Vec::new(),
            absence: None,
            channels: Channels::default(),
        }
    }

    /// Returns the members of a role, as the leaf of a signature commits to them.
    pub fn role_members(&self) -> RoleMembers {
        let mut members = self.members.clone();
        members.sort();
        RoleMembers { role: self.id, members }
    }

    /// Returns the commitment to everything but the channels, keyed because names can be guessed.
    pub fn commitment(&self, head: &Head) -> Hash {
        let stated = Self { channels: Channels::default(), ..self.clone() };
        let bytes = canonical::bytes(&serde_json::to_value(stated).unwrap_or_default());
        Hash::from_bytes(hmac_sha256(&head.fingerprint_key, &[b"tasuki party", &bytes]))
    }
}

/// Converts a name from a packet into a valid party name.
pub fn plain(name: &str) -> String {
    let lower = name.trim().to_lowercase();
    let (role, rest) = match lower.strip_prefix(ROLE) {
        Some(rest) => (ROLE, rest.trim()),
        None => ("", lower.as_str()),
    };
    let letters: String = rest
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') { c } else { '-' })
        .collect();
    let letters = letters.trim_matches(|c| matches!(c, '-' | '.' | '_'));
    let short: String = letters.chars().take(63).collect();
    format!("{role}{short}")
}

/// Names that no party can have.
pub(crate) const RESERVED: [&str; 3] = ["dead_letter", "clock", "system"];

/// The prefix of role names.
pub(crate) const ROLE: &str = "role:";

/// Returns `true` if the name has the prefix of a role, ignoring case.
pub(crate) fn names_role(name: &str) -> bool {
    name.trim().to_lowercase().starts_with(ROLE)
}
