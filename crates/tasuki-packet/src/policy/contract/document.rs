//! The contract document: what may be handed over on an edge, what must come back, and by when.
//!
//! The five parts (payload schema, scope, confidence, provenance, fallback) may each be absent in
//! a document that was read: `check` names what is missing, so that a half-written contract gets
//! one complete answer. Reading is in `read`, judging packets in `apply`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::schema::SchemaSource;
use crate::Packet;
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
    /// What the contract is for, for people.
    pub description: Option<String>,
    /// Who may send.
    pub from: Vec<PartyName>,
    /// Who may receive.
    pub to: Vec<PartyName>,
    /// Part one: the schema of the payload.
    pub payload_schema: Option<SchemaSource>,
    /// Part two: what the payload represents, and what it does not.
    pub scope: Option<Scope>,
    /// Part three: how certain a sender must be.
    pub confidence: Option<Confidence>,
    /// Part four: what a sender must show of where it got its statements.
    pub provenance: Option<Provenance>,
    /// Part five: where the work goes when a receiver cannot go on.
    pub fallback: Option<Vec<Rung>>,
    /// The variant or profile that packets must satisfy as well.
    pub profile: Option<String>,
    /// How long a claim holds, and how often the work is offered again.
    pub lease: Lease,
    /// By when each step must have happened.
    pub deadlines: Deadlines,
    /// What comes back, and whether the receiver may hand back.
    pub returns: Returns,
    /// How often a return that failed is worked on again.
    pub rework: Rework,
    /// How many handoffs a chain under this contract may have.
    pub hops: Option<u32>,
    /// The least risk of a handoff under this contract; it raises, never lowers.
    pub risk: Option<Risk>,
    /// Names of gates that must be signed off.
    pub gates: Vec<String>,
    /// Effects of triggers that are other than the default on this edge.
    pub triggers: BTreeMap<TriggerKind, Effect>,
    /// For whom parked work waits.
    pub park: Park,
    /// Who judges what comes back.
    pub verify: Verifier,
    /// Versions of this contract whose packets are read as they are.
    pub compatible_with: Vec<Version>,
    /// How the payload of an older version becomes one of this: RFC 6902 operations by version.
    pub convert_from: BTreeMap<Version, Vec<Value>>,
}

/// What an artifact represents and what it does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// What it is.
    pub is: String,
    /// What it is not.
    pub is_not: Vec<String>,
    /// What the payload must not contain: pointers into the payload (`/plan/steps`), or member
    /// names (`remediation`) that are refused at any depth.
    pub forbid: Vec<String>,
}

/// How certain a sender must be. Limits are from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Confidence {
    /// Whether a packet must say its confidence.
    pub required: bool,
    /// From here on no person has to look.
    pub auto_progress_at: Option<f64>,
    /// Below this a person must look.
    pub hold_below: Option<f64>,
}

/// What a sender must show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provenance {
    /// Members of the packet's `provenance` that must be there and say something.
    pub require: Vec<String>,
}

/// How long a claim holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lease {
    /// The length of one lease, written `for`.
    pub duration: Option<Duration>,
    /// How many claims may lapse before the next rung.
    pub attempts: Option<u32>,
}

/// By when each step must have happened, counted from the step before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Deadlines {
    /// Until the receiver has read it.
    pub deliver: Option<Duration>,
    /// Until somebody has claimed it.
    pub claim: Option<Duration>,
    /// Until the first checkpoint.
    pub start: Option<Duration>,
    /// Between two signs of progress.
    pub progress: Option<Duration>,
    /// Until the return packet, written `return`.
    pub return_packet: Option<Duration>,
    /// Until the verdict.
    pub verify: Option<Duration>,
}

/// One step of the fallback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rung {
    /// How long the rung before may take.
    pub after: Option<Duration>,
    /// Only for this reason; a rung without one is for all.
    pub on: Option<FallbackReason>,
    /// Where the work goes.
    pub to: Destination,
}

/// Where a rung leads.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Destination {
    /// To a party or a role.
    Party(PartyName),
    /// To the dead letter, where an operator finds it.
    DeadLetter,
}

/// Why work leaves its receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FallbackReason {
    /// Nothing was heard in time.
    NoProgress,
    /// The receiver declined.
    Declined,
    /// A person rejected it, or the return failed.
    Rejected,
    /// Never: a packet or return that is not valid is refused. Contracts may say so all the same.
    Invalid,
    /// The packet expired.
    Expired,
    /// The lease lapsed too often.
    Lapsed,
    /// The holder parked it, and the contract says that another goes on.
    Parked,
}

/// What comes back.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Returns {
    /// Whether the receiver may hand work back to the sender: without it an edge is one-way.
    pub allowed: bool,
    /// Fields that a return packet must have.
    pub require: Vec<String>,
    /// The schema of a return packet's payload.
    pub schema: Option<SchemaSource>,
}

/// How often a failed return is worked on again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rework {
    /// How many times; nothing said is the exchange's default.
    pub attempts: Option<u32>,
}

string_enum! {
    /// For whom work waits that its holder has parked.
    #[derive(Default)]
    pub enum Park {
        /// For the party that parked it.
        #[default]
        Same = "same",
        /// For the next rung of the ladder.
        Other = "other",
    }
}

string_enum! {
    /// Who judges a return packet. A later one asks for more than an earlier one.
    #[derive(Default)]
    pub enum Verifier {
        /// Nobody: a return that passes the contract's own check is done.
        Automatic = "automatic",
        /// The sender, or whoever may judge for it.
        #[default]
        Sender = "sender",
        /// A person.
        Person = "person",
    }
}

impl Contract {
    /// The name and version.
    pub fn identity(&self) -> Identity {
        Identity { name: self.name.clone(), version: self.version }
    }

    /// Whether a person must look at this packet because its confidence is under the limit.
    ///
    /// A packet that does not say its confidence needs a person wherever there is a limit:
    /// leaving the number out must not be a way around it.
    pub fn needs_person(&self, packet: &Packet) -> bool {
        let limit = self.confidence.and_then(|confidence| confidence.hold_below);
        limit.is_some_and(|limit| packet.number("confidence").is_none_or(|stated| stated < limit))
    }

    /// Whether this packet is certain enough to go on without anybody looking.
    pub fn auto_progresses(&self, packet: &Packet) -> bool {
        let limit = self.confidence.and_then(|confidence| confidence.auto_progress_at);
        limit.is_some_and(|limit| packet.number("confidence").is_some_and(|stated| stated >= limit))
    }

    /// The effect of a trigger on this edge, as far as the contract and the defaults go.
    ///
    /// A project's own defaults stand between the two; [`Contract::triggers`] has only what the
    /// contract itself says.
    pub fn effect_of(&self, trigger: TriggerKind) -> Effect {
        self.triggers.get(&trigger).copied().unwrap_or_else(|| trigger.default_effect())
    }

    /// Whether a packet of that version of this contract is read as it is.
    pub fn reads(&self, version: Version) -> bool {
        version.major == self.version.major || self.compatible_with.contains(&version)
    }
}

impl FallbackReason {
    /// The words of the format with their reasons.
    pub(super) const NAMES: [(&'static str, Self); 7] = [
        ("no_progress", Self::NoProgress),
        ("declined", Self::Declined),
        ("rejected", Self::Rejected),
        ("invalid", Self::Invalid),
        ("expired", Self::Expired),
        ("lapsed", Self::Lapsed),
        ("parked", Self::Parked),
    ];

    /// The word as it is written.
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
    /// The name as it is written.
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
    fn low_confidence_needs_a_person_and_high_confidence_goes_on() {
        let limits = json!({"auto_progress_at": 0.8, "hold_below": 0.7});
        check(&limits, &json!({"confidence": 0.62}), (true, false));
        check(&limits, &json!({"confidence": 0.7}), (false, false));
        check(&limits, &json!({"confidence": 0.8}), (false, true));
        check(&limits, &json!({}), (true, false));
        check(&json!({"required": true}), &json!({}), (false, false));
        check(&json!({"required": true}), &json!({"confidence": 0.1}), (false, false));
    }
}
