//! Who can send and receive: an agent, a human, or a role whose members may claim.

use serde::{Deserialize, Serialize};
use tasuki_api::PartyKind;
use tasuki_packet::canonical;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Hash;

use crate::hmac::hmac_sha256;
use crate::model::Head;
use crate::model::handoff::is_default;

/// One party of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Party {
    /// Its id, which leaves name; it says nothing about who it is.
    pub id: PartyId,
    /// Its name: `hermes-main`, or `role:reviewer`.
    pub name: String,
    /// What it is.
    pub kind: PartyKind,
    /// Other names that packets may use for it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub aliases: Vec<String>,
    /// The members of a role.
    #[serde(default, skip_serializing_if = "is_default")]
    pub members: Vec<PartyId>,
    /// What it can be sent for: `skill:python`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub skills: Vec<String>,
    /// Contract versions it reads, as `name@version`; nothing said means all.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reads: Vec<String>,
    /// What it may do at most; nothing said means nothing limited.
    #[serde(default, skip_serializing_if = "is_default")]
    pub authority: Option<Vec<String>>,
    /// Parties in whose name it may send.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sends_for: Vec<PartyId>,
    /// Where a person is reached outside of the exchange.
    #[serde(default, skip_serializing_if = "is_default")]
    pub channels: Channels,
}

/// Where a person is reached outside of the exchange. In no leaf and in no list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Channels {
    /// A mailbox.
    #[serde(skip_serializing_if = "is_default")]
    pub email: Option<String>,
}

impl Party {
    /// A party with nothing but a name.
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
            channels: Channels::default(),
        }
    }

    /// What a leaf says of everything but its channels. Keyed, because names and roles can be guessed.
    pub fn commitment(&self, head: &Head) -> Hash {
        let stated = Self { channels: Channels::default(), ..self.clone() };
        let bytes = canonical::bytes(&serde_json::to_value(stated).unwrap_or_default());
        Hash::from_bytes(hmac_sha256(&head.fingerprint_key, &[b"tasuki party", &bytes]))
    }
}

/// The name that a party gets whose name in a packet is no name of a party.
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

/// What the names of roles begin with.
pub(crate) const ROLE: &str = "role:";

/// Whether a name is one of a role, however it is written.
pub(crate) fn names_role(name: &str) -> bool {
    name.trim().to_lowercase().starts_with(ROLE)
}
