//! The contract document: what may be handed over on an edge, what must come back, and by when.
//!
//! Each of the five parts (payload schema, scope, confidence, provenance, fallback) may be absent
//! after reading. `check` reports the missing ones, so a half-written contract gets one complete
//! report. `read` reads the document, and `apply` checks packets.

use std::collections::BTreeMap;

use serde_json::Value;

use super::schema::SchemaSource;
use crate::Packet;
use crate::policy::decide::Decide;
use crate::policy::name::{Identity, PartyName, Version};
use crate::policy::risk::Risk;
use crate::policy::trigger::{Effect, TriggerKind};
use crate::types::duration::Duration;
use crate::types::string_enum::string_enum;

/// One version of a contract.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// The name, the same in all versions.
    pub name: String,
    /// The version; a version is immutable once used.
    pub version: Version,
    /// A description for people.
    pub description: Option<String>,
    /// The parties that may send.
    pub from: Vec<PartyName>,
    /// The parties that may receive.
    pub to: Vec<PartyName>,
    /// Part one: the schema of the payload.
    pub payload_schema: Option<SchemaSource>,
    /// Part two: what the payload represents and what it does not.
    pub scope: Option<Scope>,
    /// Part three: the confidence that a sender needs.
    pub confidence: Option<Confidence>,
    /// Part four: the sources that a sender must list.
    pub provenance: Option<Provenance>,
    /// Part five: where the work goes when a receiver cannot continue.
    pub fallback: Option<Vec<Rung>>,
    /// A variant or profile that packets must also satisfy.
    pub profile: Option<String>,
    /// The length of a lease and the number of attempts.
    pub lease: Lease,
    /// The deadline of each step.
    pub deadlines: Deadlines,
    /// The requirements for returns, and whether the receiver may hand work back.
    pub returns: Returns,
    /// The number of times that a failed return is reworked.
    pub rework: Rework,
    /// The maximum number of handoffs in a chain under this contract.
    pub hops: Option<u32>,
    /// The minimum risk of a handoff under this contract.
    pub risk: Option<Risk>,
    /// The names of gates that must be signed off.
    pub gates: Vec<String>,
    /// The trigger effects that differ from the default on this edge.
    pub triggers: BTreeMap<TriggerKind, Effect>,
    /// The party that parked work waits for.
    pub park: Park,
    /// The reach of a person's approval within a task.
    pub reapproval: Reapproval,
    /// The people who decide about a hold.
    pub decide: Option<Decide>,
    /// The party that judges a return.
    pub verify: Verifier,
    /// Versions of this contract whose packets are accepted unchanged.
    pub compatible_with: Vec<Version>,
    /// Conversions of older payloads to this version: RFC 6902 operations by version.
    pub convert_from: BTreeMap<Version, Vec<Value>>,
}

/// The meaning of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The content that it represents.
    pub is: String,
    /// Content that it does not represent.
    pub is_not: Vec<String>,
    /// Content that the payload must not have: pointers into the payload (`/plan/steps`), or member
    /// names (`remediation`) that are rejected at any depth.
    pub forbid: Vec<String>,
}

/// The confidence that a sender needs. Limits are from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// `true` if a packet must state its confidence.
    pub required: bool,
    /// At or above this limit, no person has to review the packet.
    pub auto_progress_at: Option<f64>,
    /// Below this limit, a person must review the packet.
    pub hold_below: Option<f64>,
}

/// The provenance that a sender must state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Members of the packet's `provenance` that must be present and not blank.
    pub require: Vec<String>,
}

/// The lease of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lease {
    /// The length of one lease, written `for`.
    pub duration: Option<Duration>,
    /// The number of claims that may expire before the next rung.
    pub attempts: Option<u32>,
}

/// The deadline of each step, measured from the previous step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deadlines {
    /// The time until the receiver has read the handoff.
    pub deliver: Option<Duration>,
    /// The time until the handoff is claimed.
    pub claim: Option<Duration>,
    /// The time until the first checkpoint.
    pub start: Option<Duration>,
    /// The maximum time between two signs of progress.
    pub progress: Option<Duration>,
    /// The time until the return packet, written `return`.
    pub return_packet: Option<Duration>,
    /// The time until the verdict.
    pub verify: Option<Duration>,
}

/// One rung of the fallback ladder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rung {
    /// The time allowed for the previous rung.
    pub after: Option<Duration>,
    /// The only reason that the rung applies to. If absent, it applies to every reason.
    pub on: Option<FallbackReason>,
    /// The destination of the work.
    pub to: Destination,
}

/// The destination of a rung.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Destination {
    /// A party or a role.
    Party(PartyName),
    /// The dead letter queue, which an operator inspects.
    DeadLetter,
}

/// The reason why work leaves its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FallbackReason {
    /// No progress was reported in time.
    NoProgress,
    /// The receiver declined.
    Declined,
    /// A person rejected the handoff, or the return failed.
    Rejected,
    /// Never occurs, because invalid packets and returns are refused. Contracts may still state it.
    Invalid,
    /// The packet expired.
    Expired,
    /// The lease expired too often.
    Lapsed,
    /// The holder parked the work, and the contract moves parked work to another party.
    Parked,
}

/// The requirements for returns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Returns {
    /// `true` if the receiver may hand work back to the sender. Otherwise the edge is one-way.
    pub allowed: bool,
    /// Fields that a return packet must have.
    pub require: Vec<String>,
    /// The schema of a return packet's payload.
    pub schema: Option<SchemaSource>,
}

/// The limit on reworking failed returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rework {
    /// The number of times. If absent, the exchange's default applies.
    pub attempts: Option<u32>,
}

string_enum! {
    /// The party that parked work waits for.
    #[derive(Default)]
    pub enum Park {
        /// The party that parked it.
        #[default]
        Same = "same",
        /// The next rung of the ladder.
        Other = "other",
    }
}

string_enum! {
    /// The reach of a person's approval within a task.
    #[derive(Default)]
    pub enum Reapproval {
        /// The bytes that the person saw. Other bytes by an agent wait for a person again.
        #[default]
        Changed = "changed",
        /// The whole task.
        None = "none",
    }
}

string_enum! {
    /// The party that judges a return packet. Later variants are stricter.
    #[derive(Default)]
    pub enum Verifier {
        /// No party: a return that passes the contract's check is done.
        Automatic = "automatic",
        /// The sender, or a party authorized to judge for it.
        #[default]
        Sender = "sender",
        /// A person.
        Person = "person",
    }
}

impl Contract {
    /// Returns the name and version.
    pub fn identity(&self) -> Identity {
        Identity { name: self.name.clone(), version: self.version }
    }

    /// Returns `true` if the packet's confidence is below the limit, so that a person must decide.
    ///
    /// A packet without a confidence needs a person wherever there is a limit. Omitting the number
    /// must not bypass the limit.
    pub fn needs_person(&self, packet: &Packet) -> bool {
        let limit = self.confidence.and_then(|confidence| confidence.hold_below);
        limit.is_some_and(|limit| packet.number("confidence").is_none_or(|stated| stated < limit))
    }

    /// Returns `true` if the packet's confidence is high enough to progress without review.
    pub fn auto_progresses(&self, packet: &Packet) -> bool {
        let limit = self.confidence.and_then(|confidence| confidence.auto_progress_at);
        limit.is_some_and(|limit| packet.number("confidence").is_some_and(|stated| stated >= limit))
    }

    /// Returns the effect of a trigger on this edge, from the contract or the defaults.
    ///
    /// The project's own defaults take precedence over the built-in ones and are not applied here.
    /// [`Contract::triggers`] has only the overrides of the contract.
    pub fn effect_of(&self, trigger: TriggerKind) -> Effect {
        self.triggers.get(&trigger).copied().unwrap_or_else(|| trigger.default_effect())
    }

    /// Returns `true` if packets of that version of this contract are accepted unchanged.
    pub fn reads(&self, version: Version) -> bool {
        version.major == self.version.major || self.compatible_with.contains(&version)
    }
}

impl FallbackReason {
    /// The reasons by the names of the format.
    pub(super) const NAMES: [(&'static str, Self); 7] = [
        ("no_progress", Self::NoProgress),
        ("declined", Self::Declined),
        ("rejected", Self::Rejected),
        ("invalid", Self::Invalid),
        ("expired", Self::Expired),
        ("lapsed", Self::Lapsed),
        ("parked", Self::Parked),
    ];

    /// Returns the name used in documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoProgress => "no_progress",
            Self::Declined => "declined",
            Self::Rejected => "rejected",
            Self::Invalid => "invalid",
            Self::Expired => "expired",
            Self::Lapsed => "lapsed",
            Self::Parked => "parked",
        }
    }
}

impl Destination {
    /// Returns the name used in documents.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Party(name) => name.as_str(),
            Self::DeadLetter => "dead_letter",
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::contract::read::tests::incident_contract;

    fn check(confidence: &Value, stated: &Value, expected: (bool, bool)) {
        let mut document = incident_contract();
        document["confidence"] = confidence.clone();
        let contract = Contract::read(&document).unwrap();
        let packet = Packet::from_value(stated.clone()).unwrap();
        let answer = (contract.needs_person(&packet), contract.auto_progresses(&packet));
        assert_eq!(answer, expected, "{confidence} {stated}");
    }

    #[test]
    fn low_confidence_needs_a_person_and_high_confidence_progresses() {
        let limits = json!({"auto_progress_at": 0.8, "hold_below": 0.7});
        check(&limits, &json!({"confidence": 0.62}), (true, false));
        check(&limits, &json!({"confidence": 0.7}), (false, false));
        check(&limits, &json!({"confidence": 0.8}), (false, true));
        check(&limits, &json!({}), (true, false));
        check(&json!({"required": true}), &json!({}), (false, false));
        check(&json!({"required": true}), &json!({"confidence": 0.1}), (false, false));
    }
}
