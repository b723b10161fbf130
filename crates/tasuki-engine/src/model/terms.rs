//! The terms of a handoff: what contract, gates and project set when it was submitted.
//!
//! Later policy changes do not affect a handoff, except that a reroute may add gates and tighten
//! limits (`route`). The terms contain everything that a step needs from the contract, so that
//! deciding needs no contract document.

use serde::{Deserialize, Serialize};
use serde_json::json;
use tasuki_packet::canonical;
use tasuki_packet::duration::Duration;
use tasuki_packet::leaf::Hash;
use tasuki_packet::policy::contract::{Contract, Deadlines, Reapproval, Risk, Verifier};
use tasuki_packet::policy::trigger::Effect;

use crate::model::document::hash_of_digest;
use crate::model::handoff::is_default;
use crate::model::{Rung, Settings};

/// The terms set at submission.
#[expect(clippy::struct_excessive_bools, reason = "each is one clause of a contract")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The contract, as `name@version`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub contract: Option<String>,
    /// The hash of contract and gates, named in leaves.
    #[serde(default, skip_serializing_if = "is_default")]
    pub policy: Option<Hash>,
    /// The confidence below which a person must decide.
    #[serde(default, skip_serializing_if = "is_default")]
    pub hold_below: Option<f64>,
    /// The confidence from which `can_intercept` alone does not cause a hold.
    #[serde(default, skip_serializing_if = "is_default")]
    pub auto_progress_at: Option<f64>,
    /// The effect of the packet's trigger on this edge.
    pub effect: Effect,
    /// `true` if the sender asked for a person in addition to the packet.
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_hold_asked: bool,
    /// `true` if the approval of a person also covers later packets of the task.
    #[serde(default, skip_serializing_if = "is_default")]
    pub keeps_approval: bool,
    /// `true` if the receiver may pass the work to a party that had it before.
    #[serde(default, skip_serializing_if = "is_default")]
    pub allows_return: bool,
    /// The maximum number of handoffs in the chain.
    pub hops: u32,
    /// The length of a lease, if the contract sets one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lease: Option<Duration>,
    /// The maximum number of expired claims of one receiver.
    pub attempts: u32,
    /// The maximum number of failed returns.
    pub reworks: u32,
    /// The deadline of each step.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deadlines: StepDeadlines,
    /// The fallback ladder; the dead letter follows its last rung.
    pub ladder: Vec<Rung>,
    /// `true` if a return needs a verdict; otherwise the return completes the handoff.
    pub asks_return: bool,
    /// The judge of a return.
    pub verify: Judge,
    /// Contracts of later edges whose return requirements also apply, as `name@version`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub also_returns: Vec<String>,
    /// `true` if parked work waits for the same party.
    pub parks_with_same: bool,
    /// Digests of the gates that must be signed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub gates: Vec<String>,
    /// The risk of a wrong handoff.
    pub risk: RiskWord,
}

/// Returns the hash of a contract's digest and the digests of gates, named in leaves.
pub fn policy(contract: Option<&str>, gates: &[String]) -> Hash {
    let stated = json!({ "contract": contract, "gates": gates });
    hash_of_digest(&canonical::digest(&stated))
}

/// The judge of a return, ordered by strictness.
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

/// The stored form of [`Deadlines`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepDeadlines {
    /// Time until the receiver has seen it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub deliver: Option<Duration>,
    /// Time until it is claimed.
    #[serde(default, skip_serializing_if = "is_default")]
    pub claim: Option<Duration>,
    /// Time until the first checkpoint.
    #[serde(default, skip_serializing_if = "is_default")]
    pub start: Option<Duration>,
    /// Time between two signs of progress.
    #[serde(default, skip_serializing_if = "is_default")]
    pub progress: Option<Duration>,
    /// Time until the return packet.
    #[serde(default, rename = "return", skip_serializing_if = "is_default")]
    pub return_packet: Option<Duration>,
    /// Time until the verdict.
    #[serde(default, skip_serializing_if = "is_default")]
    pub verify: Option<Duration>,
}

/// The stored form of [`Risk`], ordered by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskWord {
    /// Low risk.
    Low,
    /// Medium risk.
    Medium,
    /// High risk.
    High,
}

impl Terms {
    /// Returns the terms of a handoff without a contract.
    pub fn without_contract(settings: &Settings) -> Self {
        Self {
            contract: None,
            policy: None,
            hold_below: None,
            auto_progress_at: None,
            effect: Effect::Offer,
            is_hold_asked: false,
            keeps_approval: false,
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

    /// Returns the terms of a contract, with the project's defaults where it sets none.
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
            keeps_approval: contract.reapproval == Reapproval::None,
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
    /// Returns the shorter of each deadline.
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
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }

    /// Returns the sort key in lists: high risk first.
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
    fn the_project_sets_what_a_contract_leaves_open() {
        let terms = terms(&json!({}));
        assert_eq!(terms.contract.as_deref(), Some("work@1.0"));
        assert_eq!((terms.hops, terms.attempts, terms.reworks), (5, 3, 2));
        assert_eq!(terms.ladder[0].to, "role:oncall");
        assert!(!terms.allows_return && !terms.asks_return && terms.lease.is_none());
    }

    #[test]
    fn a_contract_may_raise_or_lower_the_defaults() {
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
