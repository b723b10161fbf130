//! The terms of a handoff: what contract, gates and project have fixed when it was submitted.
//!
//! Later changes of the project's policy do not reach a handoff that is already on its way, except
//! that another route may add gates and make limits stricter (`route`). Everything a step has to know of the
//! contract is here, so that deciding needs no contract document.

use serde::{Deserialize, Serialize};
use serde_json::json;
use tasuki_packet::canonical;
use tasuki_packet::duration::Duration;
use tasuki_packet::leaf::Hash;
use tasuki_packet::policy::contract::{Contract, Deadlines, Risk, Verifier};
use tasuki_packet::policy::trigger::Effect;

use crate::model::document::hash_of_digest;
use crate::model::handoff::is_default;
use crate::model::{Rung, Settings};

/// What was fixed at submit.
#[expect(clippy::struct_excessive_bools, reason = "each is one clause of a contract")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The contract, as `name@version`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub contract: Option<String>,
    /// The hash over contract and gates that leaves name.
    #[serde(default, skip_serializing_if = "is_default")]
    pub policy: Option<Hash>,
    /// Below this a person must look.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hold_below: Option<f64>,
    /// From here on `can_intercept` alone holds nothing.
    #[serde(default, skip_serializing_if = "is_default")]
    pub auto_progress_at: Option<f64>,
    /// What the trigger of the packet does on this edge.
    pub effect: Effect,
    /// Whether the sender asked for a person, beyond what the packet says.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_hold_asked: bool,
    /// Whether the receiver may hand back to somebody who had the work before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allows_return: bool,
    /// How many handoffs the chain may have.
    pub hops: u32,
    /// The length of a lease, if the contract says one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lease: Option<Duration>,
    /// How many claims of one receiver may lapse.
    pub attempts: u32,
    /// How many returns may fail.
    pub reworks: u32,
    /// By when each step must have happened.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deadlines: StepDeadlines,
    /// Where it goes when a receiver cannot go on; the dead letter follows the last rung.
    pub ladder: Vec<Rung>,
    /// Whether a return is judged at all; without it a return is the end.
    pub asks_return: bool,
    /// Who judges a return.
    pub verify: Judge,
    /// Contracts of edges that it came to later, whose returns it owes as well, as `name@version`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub also_returns: Vec<String>,
    /// Whether parked work waits for the same party.
    pub parks_with_same: bool,
    /// Digests of the gates that must be signed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gates: Vec<String>,
    /// What a wrong handoff would cost.
    pub risk: RiskWord,
}

/// The hash over the digest of a contract and those of gates that leaves name.
pub fn policy(contract: Option<&str>, gates: &[String]) -> Hash {
    let stated = json!({ "contract": contract, "gates": gates });
    hash_of_digest(&canonical::digest(&stated))
}

/// Who judges a return; it sorts by how much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judge {
    /// The contract's own check.
    Automatic,
    /// The sender, or any reviewer.
    Sender,
    /// A person.
    Person,
}

/// [`Deadlines`] as they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepDeadlines {
    /// Until the receiver has seen it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deliver: Option<Duration>,
    /// Until somebody has claimed it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub claim: Option<Duration>,
    /// Until the first checkpoint.
    #[serde(default, skip_serializing_if = "is_default")]
    pub start: Option<Duration>,
    /// Between two signs of progress.
    #[serde(default, skip_serializing_if = "is_default")]
    pub progress: Option<Duration>,
    /// Until the return packet.
    #[serde(default, rename = "return", skip_serializing_if = "is_default")]
    pub return_packet: Option<Duration>,
    /// Until the verdict.
    #[serde(default, skip_serializing_if = "is_default")]
    pub verify: Option<Duration>,
}

/// [`Risk`] as it is stored; it sorts by what is at stake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskWord {
    /// Little.
    Low,
    /// Something.
    Medium,
    /// Much.
    High,
}

impl Terms {
    /// The terms of a handoff that no contract covers.
    pub fn without_contract(settings: &Settings) -> Self {
        Self {
            contract: None,
            policy: None,
            hold_below: None,
            auto_progress_at: None,
            effect: Effect::Offer,
            is_hold_asked: false,
            allows_return: false,
            hops: settings.hops,
            lease: None,
            attempts: settings.attempts,
            reworks: settings.reworks,
            deadlines: StepDeadlines::default(),
            ladder: settings.ladder.clone(),
            asks_return: false,
            verify: Judge::Sender,
            also_returns: Vec::new(),
            parks_with_same: true,
            gates: Vec::new(),
            risk: RiskWord::Low,
        }
    }

    /// The terms that a contract sets, with the project's where it says nothing.
    pub fn of_contract(contract: &Contract, settings: &Settings) -> Self {
        let plain = Self::without_contract(settings);
        let step = |rung: &tasuki_packet::policy::contract::Rung| Rung {
            after: rung.after,
            on: rung.on.map(|on| on.as_str().to_owned()),
            to: rung.to.as_str().to_owned(),
        };
        let ladder = contract.fallback.as_ref().map(|rungs| rungs.iter().map(step).collect());
        Self {
            contract: Some(contract.identity().to_string()),
            hold_below: contract.confidence.and_then(|confidence| confidence.hold_below),
            auto_progress_at: contract
                .confidence
                .and_then(|confidence| confidence.auto_progress_at),
            allows_return: contract.returns.allowed,
            hops: contract.hops.unwrap_or(plain.hops),
            lease: contract.lease.duration,
            attempts: contract.lease.attempts.unwrap_or(plain.attempts),
            reworks: contract.rework.attempts.unwrap_or(plain.reworks),
            deadlines: StepDeadlines::from(contract.deadlines),
            ladder: ladder.unwrap_or_else(|| plain.ladder.clone()),
            asks_return: !contract.returns.require.is_empty() || contract.returns.schema.is_some(),
            ..plain
        }
    }
}

impl From<Deadlines> for StepDeadlines {
    fn from(deadlines: Deadlines) -> Self {
        Self {
            deliver: deadlines.deliver,
            claim: deadlines.claim,
            start: deadlines.start,
            progress: deadlines.progress,
            return_packet: deadlines.return_packet,
            verify: deadlines.verify,
        }
    }
}

impl StepDeadlines {
    /// The shorter of each.
    #[must_use]
    pub fn shorter(self, other: Self) -> Self {
        let least =
            |one: Option<Duration>, other: Option<Duration>| one.into_iter().chain(other).min();
        Self {
            deliver: least(self.deliver, other.deliver),
            claim: least(self.claim, other.claim),
            start: least(self.start, other.start),
            progress: least(self.progress, other.progress),
            return_packet: least(self.return_packet, other.return_packet),
            verify: least(self.verify, other.verify),
        }
    }
}

impl From<Verifier> for Judge {
    fn from(verifier: Verifier) -> Self {
        match verifier {
            Verifier::Automatic => Self::Automatic,
            Verifier::Sender => Self::Sender,
            Verifier::Person => Self::Person,
        }
    }
}

impl From<Risk> for RiskWord {
    fn from(risk: Risk) -> Self {
        match risk {
            Risk::Low => Self::Low,
            Risk::Medium => Self::Medium,
            Risk::High => Self::High,
        }
    }
}

impl From<RiskWord> for Risk {
    fn from(risk: RiskWord) -> Self {
        match risk {
            RiskWord::Low => Self::Low,
            RiskWord::Medium => Self::Medium,
            RiskWord::High => Self::High,
        }
    }
}

impl RiskWord {
    /// The word as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// What sorts first in a list: high risk.
    pub const fn priority(self) -> u8 {
        match self {
            Self::High => 0,
            Self::Medium => 1,
            Self::Low => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn terms(more: &Value) -> Terms {
        let mut document =
            json!({"contract": "work", "version": "1.0", "from": ["a"], "to": ["b"]});
        for (name, value) in more.as_object().unwrap() {
            document[name] = value.clone();
        }
        let settings = Settings {
            ladder: vec![Rung { after: None, on: None, to: "role:oncall".to_owned() }],
            ..Settings::default()
        };
        Terms::of_contract(&Contract::read(&document).unwrap(), &settings)
    }

    #[test]
    fn what_a_contract_does_not_say_the_project_says() {
        let terms = terms(&json!({}));
        assert_eq!(terms.contract.as_deref(), Some("work@1.0"));
        assert_eq!((terms.hops, terms.attempts, terms.reworks), (5, 3, 2));
        assert_eq!(terms.ladder[0].to, "role:oncall");
        assert!(!terms.allows_return && !terms.asks_return && terms.lease.is_none());
    }

    #[test]
    fn what_a_contract_says_counts_in_either_direction() {
        let terms = terms(&json!({
            "hops": 8,
            "lease": {"for": "90s", "attempts": 7},
            "rework": {"attempts": 0},
            "deadlines": {"claim": "60s", "return": "2h"},
            "fallback": [{"to": "role:people", "after": "15m", "on": "no_progress"}, {"to": "dead_letter"}],
            "returns": {"allowed": true, "require": ["status"]},
            "confidence": {"auto_progress_at": 0.8, "hold_below": 0.7},
        }));
        assert_eq!((terms.hops, terms.attempts, terms.reworks), (8, 7, 0));
        assert_eq!(terms.lease.unwrap().to_string(), "90s");
        assert_eq!(terms.deadlines.claim.unwrap().to_string(), "1m");
        assert_eq!(terms.deadlines.return_packet.unwrap().to_string(), "2h");
        assert_eq!(terms.ladder[0].on.as_deref(), Some("no_progress"));
        assert_eq!(terms.ladder[1].to, "dead_letter");
        assert_eq!((terms.auto_progress_at, terms.hold_below), (Some(0.8), Some(0.7)));
        assert!(terms.allows_return && terms.asks_return);
    }

    #[test]
    fn risk_has_an_order_for_lists() {
        assert!(RiskWord::Low < RiskWord::Medium && RiskWord::Medium < RiskWord::High);
        let words = [RiskWord::High, RiskWord::Medium, RiskWord::Low];
        assert_eq!(words.map(RiskWord::priority), [0, 1, 2]);
        assert_eq!(words.map(RiskWord::as_str), ["high", "medium", "low"]);
    }

    #[test]
    fn terms_are_stored_and_read_again() {
        let terms = terms(&json!({"lease": {"for": "90s"}}));
        let stored = serde_json::to_value(&terms).unwrap();
        assert_eq!(serde_json::from_value::<Terms>(stored).unwrap(), terms);
    }
}
