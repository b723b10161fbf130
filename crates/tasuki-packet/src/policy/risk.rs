//! The risk of a handoff: low, medium or high.
//!
//! Risk orders an inbox and excludes high-risk handoffs from bulk decisions. It is derived, never
//! stated by a packet. The trigger, the gates, the classification, the confidence and the contract
//! each set a minimum, and the highest one counts. No input can lower the risk that another one
//! sets.
//!
//! ```
//! use tasuki_packet::policy::risk::{Risk, risk};
//! use tasuki_packet::policy::trigger::TriggerKind;
//!
//! assert_eq!(risk(Some(TriggerKind::Stuck), false, None, Some(0.9), None), Risk::Medium);
//! assert_eq!(risk(Some(TriggerKind::Stuck), false, Some("SECRET"), None, None), Risk::High);
//! ```

use super::classification::Tier;
use super::trigger::TriggerKind;
use crate::types::string_enum::string_enum;

string_enum! {
    /// The expected cost of a wrong handoff.
    pub enum Risk {
        /// Low cost.
        Low = "low",
        /// Medium cost.
        Medium = "medium",
        /// High cost.
        High = "high",
    }
}

/// Below this confidence, the sender is more likely wrong than right.
const CONFIDENCE_HIGH_BELOW: f64 = 0.5;

/// Below this confidence, the sender has doubts.
const CONFIDENCE_MEDIUM_BELOW: f64 = 0.7;

/// Returns the risk of a handoff.
///
/// | input | low | medium | high |
/// |---|---|---|---|
/// | trigger | `completion`, `session_ended`, `context_limit`, `no_progress`, `manual`, none | `confidence_below`, `error`, `required_step`, `stuck`, `misrouted` | `critical_action`, `sensitive_topic` |
/// | gate | none | | one applies |
/// | classification | none, `PUBLIC`, `INTERNAL`, `OFFICIAL` | any other | `RESTRICTED`, `SECRET`, `TOP SECRET` |
/// | confidence | 0.7 or more, none | below 0.7 | below 0.5 |
/// | contract | none or `low` | `medium` | `high` |
pub fn risk(
    trigger: Option<TriggerKind>,
    has_gate: bool,
    classification: Option<&str>,
    confidence: Option<f64>,
    contract: Option<Risk>,
) -> Risk {
    let asked = [
        trigger.map_or(Risk::Low, of_trigger),
        if has_gate { Risk::High } else { Risk::Low },
        classification.map_or(Risk::Low, of_classification),
        confidence.map_or(Risk::Low, of_confidence),
        contract.unwrap_or(Risk::Low),
    ];
    asked.into_iter().fold(Risk::Low, Risk::max)
}

const fn of_trigger(trigger: TriggerKind) -> Risk {
    match trigger {
        TriggerKind::CriticalAction | TriggerKind::SensitiveTopic => Risk::High,
        TriggerKind::ConfidenceBelow
        | TriggerKind::Error
        | TriggerKind::RequiredStep
        | TriggerKind::Stuck
        | TriggerKind::Misrouted => Risk::Medium,
        TriggerKind::Completion
        | TriggerKind::SessionEnded
        | TriggerKind::ContextLimit
        | TriggerKind::NoProgress
        | TriggerKind::Manual => Risk::Low,
    }
}

fn of_classification(stated: &str) -> Risk {
    match Tier::of(Some(stated)) {
        Tier::Public | Tier::Internal => Risk::Low,
        Tier::Confidential => Risk::Medium,
        Tier::Restricted | Tier::Secret | Tier::TopSecret => Risk::High,
    }
}

fn of_confidence(confidence: f64) -> Risk {
    if confidence < CONFIDENCE_HIGH_BELOW {
        Risk::High
    } else if confidence < CONFIDENCE_MEDIUM_BELOW {
        Risk::Medium
    } else {
        Risk::Low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_risk_is_low_without_input() {
        assert_eq!(risk(None, false, None, None, None), Risk::Low);
    }

    #[test]
    fn each_trigger_has_its_risk() {
        let of = |expected| {
            let is_it =
                |kind: &&TriggerKind| risk(Some(**kind), false, None, None, None) == expected;
            let words: Vec<_> =
                TriggerKind::ALL.iter().filter(is_it).map(|kind| kind.as_str()).collect();
            words.join(" ")
        };
        insta::assert_snapshot!(of(Risk::High), @"critical_action sensitive_topic");
        insta::assert_snapshot!(
            of(Risk::Medium),
            @"confidence_below error required_step stuck misrouted"
        );
        insta::assert_snapshot!(
            of(Risk::Low),
            @"completion session_ended context_limit no_progress manual"
        );
    }

    #[test]
    fn a_gate_is_high() {
        assert_eq!(risk(None, true, None, Some(1.0), Some(Risk::Low)), Risk::High);
    }

    #[test]
    fn each_classification_has_its_risk() {
        let check = |stated: &str, expected| {
            assert_eq!(risk(None, false, Some(stated), None, None), expected, "{stated}");
        };
        check("PUBLIC", Risk::Low);
        check("internal", Risk::Low);
        check("OFFICIAL", Risk::Low);
        check("OFFICIAL-SENSITIVE", Risk::Medium);
        check("CONFIDENTIAL", Risk::Medium);
        check("for the board only", Risk::Medium);
        check("RESTRICTED", Risk::High);
        check("Secret UK EYES ONLY", Risk::High);
        check("TOP SECRET", Risk::High);
        check("SECRETARIAL", Risk::Medium);
        check("é", Risk::Medium);
    }

    #[test]
    fn confidence_raises_the_risk_as_it_falls() {
        let check = |confidence, expected| {
            assert_eq!(risk(None, false, None, Some(confidence), None), expected, "{confidence}");
        };
        check(0.7, Risk::Low);
        check(0.69, Risk::Medium);
        check(0.5, Risk::Medium);
        check(0.49, Risk::High);
    }

    #[test]
    fn a_contract_raises_the_risk_and_never_lowers_it() {
        for stated in Risk::ALL {
            for derived in [(None, Risk::Low), (Some(TriggerKind::CriticalAction), Risk::High)] {
                let expected = derived.1.max(*stated);
                assert_eq!(risk(derived.0, false, None, None, Some(*stated)), expected);
            }
        }
    }
}
