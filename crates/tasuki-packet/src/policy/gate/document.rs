//! The gate document: factors, separation of duties, expiry, and conditions.
//!
//! A gate keeps the document it was read from. The exchange binds the digest of that document to a
//! handoff at submission, so a later version of the gate does not change what an earlier handoff
//! waits for.

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
    /// A description for people.
    pub description: Option<String>,
    /// The required sign-offs. All factors must be met.
    pub factors: Vec<Factor>,
    /// The number of denials that close the gate.
    pub deny: u32,
    /// Separation of duties.
    pub distinct: Distinct,
    /// The members of a role who may sign.
    pub members: Members,
    /// The time that the gate waits, and that an approval stays valid.
    pub ttl: Option<Duration>,
    /// The documents that a person must open before signing off.
    pub requires_opened: Vec<Opened>,
    /// The conditions under which the gate applies without being named. One of them must hold.
    pub applies: Vec<Conditions>,
    pub(super) document: Value,
}

/// A required sign-off: a number of people with certain roles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    /// The name, unique within the gate.
    pub name: String,
    /// The accepted roles, including the `role:` prefix. A person with any of them counts.
    pub roles: Vec<PartyName>,
    /// The number of people who must sign off.
    pub approvals: u32,
    /// The meanings that a signer chooses from. If empty, a signature has no meaning.
    pub meaning: Vec<String>,
}

/// The configurable part of the separation of duties.
///
/// The author of a revision and its contributors can never sign it off. A document may state that
/// (`from_author`, `from_contributors`) but cannot change it, so neither member is here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Distinct {
    /// Excludes every party on whose behalf the packet was sent.
    pub from_on_behalf_of: bool,
    /// Counts each person for one factor only.
    pub across_factors: bool,
}

string_enum! {
    /// A document that a person must open before signing off.
    pub enum Opened {
        /// The packet.
        Packet = "packet",
        /// All evidence that the packet refers to.
        Evidence = "evidence",
    }
}

string_enum! {
    /// The time at which membership of a role is judged.
    pub enum Members {
        /// When a person signs. A signer who leaves the role before the release no longer counts.
        AtSigning = "at_signing",
        /// When the handoff was submitted. Later changes of the role have no effect on it.
        AtSubmit = "at_submit",
    }
}

impl Gate {
    /// Returns the name and version, such as `clinical-release@1.0`.
    pub fn identity(&self) -> Identity {
        Identity { name: self.name.clone(), version: self.version }
    }

    /// Returns the digest of the canonical bytes of the document.
    pub fn digest(&self) -> String {
        canonical::digest(&self.document)
    }

    /// Returns the document that the gate was read from.
    pub fn to_value(&self) -> Value {
        self.document.clone()
    }

    /// Returns `true` if the gate applies to a handoff without being named.
    ///
    /// `is_member` is called with a party and a role, including the `role:` prefix.
    pub fn applies_to(
        &self,
        context: &GateContext<'_>,
        is_member: &dyn Fn(&str, &str) -> bool,
    ) -> bool {
        self.applies.iter().any(|conditions| conditions.hold(context, is_member))
    }

    /// Returns the minimum number of people who must sign off.
    pub fn approvals(&self) -> u32 {
        let needed = self.factors.iter().map(|factor| factor.approvals);
        if self.distinct.across_factors { needed.sum() } else { needed.max().unwrap_or(0) }
    }
}

impl Factor {
    /// Returns `true` if a party has one of the roles.
    ///
    /// `is_member` is called with a party and a role, including the `role:` prefix.
    pub fn admits(&self, party: &str, is_member: &dyn Fn(&str, &str) -> bool) -> bool {
        self.roles.iter().any(|role| is_member(party, role.as_str()))
    }

    /// Returns `true` if a signature may have this meaning, or no meaning where none is required.
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
