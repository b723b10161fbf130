//! The gate document: factors, separation of duties, expiry, and where it applies by itself.
//!
//! A gate that was read keeps the document it came from: its digest is bound to a handoff at
//! submit, so a later version of the gate never changes what an earlier handoff waits for.

use serde_json::Value;

use super::conditions::{Conditions, GateContext};
use crate::canonical;
use crate::policy::contract::{Identity, PartyName, Version};
use crate::types::duration::Duration;
use crate::types::string_enum::string_enum;

/// One version of a gate.
#[derive(Debug, Clone, PartialEq)]
pub struct Gate {
    /// The name, the same in all versions.
    pub name: String,
    /// The version; a version is immutable once used.
    pub version: Version,
    /// What the gate is for, for people.
    pub description: Option<String>,
    /// Who must sign off. All factors must be met.
    pub factors: Vec<Factor>,
    /// How many denials close the gate.
    pub deny: u32,
    /// Who may not sign off, and how persons are counted.
    pub distinct: Distinct,
    /// How long the gate waits, and how long an approval is good.
    pub ttl: Option<Duration>,
    /// What a person must have opened before signing off.
    pub requires_opened: Vec<Opened>,
    /// Where the gate applies without being named: wherever one of these holds.
    pub applies: Vec<Conditions>,
    /// What all of this was read from.
    pub(super) document: Value,
}

/// One of the things that must be met: so many persons of these roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    /// Its name, once in the gate.
    pub name: String,
    /// The roles, `role:` included; a person of any of them counts.
    pub roles: Vec<PartyName>,
    /// How many persons.
    pub approvals: u32,
    /// What a signature may mean, of which the person says one; nothing here asks for none.
    pub meaning: Vec<String>,
}

/// Separation of duties, as far as a gate has a choice.
///
/// The author of a revision and whoever contributed to it can never sign it off. A document may
/// say so (`from_author`, `from_contributors`), and cannot say otherwise, so neither is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distinct {
    /// Nobody on whose behalf it was sent can sign it off.
    pub from_on_behalf_of: bool,
    /// A person counts for one factor only.
    pub across_factors: bool,
}

string_enum! {
    /// What a person must have opened.
    pub enum Opened {
        /// The packet.
        Packet = "packet",
        /// Everything that the packet refers to as evidence.
        Evidence = "evidence",
    }
}

impl Gate {
    /// The name and version, `clinical-release@1.0`.
    pub fn identity(&self) -> Identity {
        Identity { name: self.name.clone(), version: self.version }
    }

    /// The digest over the canonical bytes of the document.
    pub fn digest(&self) -> String {
        canonical::digest(&self.document)
    }

    /// The document that the gate was read from.
    pub fn to_value(&self) -> Value {
        self.document.clone()
    }

    /// Whether the gate applies to a handoff by itself, without being named.
    ///
    /// `is_member` is asked with a party and a role, `role:` included.
    pub fn applies_to(
        &self,
        circumstances: &GateContext<'_>,
        is_member: &dyn Fn(&str, &str) -> bool,
    ) -> bool {
        self.applies.iter().any(|conditions| conditions.hold(circumstances, is_member))
    }

    /// How many persons must sign off at least.
    pub fn approvals(&self) -> u32 {
        let needed = self.factors.iter().map(|factor| factor.approvals);
        if self.distinct.across_factors { needed.sum() } else { needed.max().unwrap_or(0) }
    }
}

impl Factor {
    /// Whether a party is of one of the roles.
    ///
    /// `is_member` is asked with a party and a role, `role:` included.
    pub fn admits(&self, party: &str, is_member: &dyn Fn(&str, &str) -> bool) -> bool {
        self.roles.iter().any(|role| is_member(party, role.as_str()))
    }

    /// Whether a person may give this meaning to a signature, or none where none is asked.
    pub fn allows_meaning(&self, meaning: Option<&str>) -> bool {
        match meaning {
            Some(meaning) => self.meaning.iter().any(|allowed| allowed == meaning),
            None => self.meaning.is_empty(),
        }
    }
}

impl Default for Distinct {
    fn default() -> Self {
        Self { from_on_behalf_of: true, across_factors: true }
    }
}
