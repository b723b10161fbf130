//! Triggers: the reason for a handoff, and the default effect of each reason.
//!
//! A project may change the default effect of a trigger, and a contract may change it for its edge.
//! A project *rule* overrides both. The exchange combines the three; this module has the kinds and
//! the defaults.
//!
//! ```
//! use tasuki_packet::policy::trigger::{Effect, TriggerKind};
//!
//! assert_eq!(TriggerKind::CriticalAction.default_effect(), Effect::Hold);
//! assert_eq!(TriggerKind::CriticalAction.as_str(), "critical_action");
//! ```

use crate::Packet;
use crate::types::string_enum::string_enum;

string_enum! {
    /// The reason for a handoff, as written in a packet's `trigger.kind`.
    pub enum TriggerKind {
        /// The sender's confidence is too low.
        ConfidenceBelow = "confidence_below",
        /// The next action is irreversible or expensive.
        CriticalAction = "critical_action",
        /// An operation failed.
        Error = "error",
        /// The holder considers the work finished.
        Completion = "completion",
        /// A person must review the subject.
        SensitiveTopic = "sensitive_topic",
        /// A procedure requires a person at this point.
        RequiredStep = "required_step",
        /// The sender's session ended.
        SessionEnded = "session_ended",
        /// The sender's context is full.
        ContextLimit = "context_limit",
        /// The sender does not know how to continue.
        Stuck = "stuck",
        /// The work was sent to the wrong party.
        Misrouted = "misrouted",
        /// No progress was reported in time.
        NoProgress = "no_progress",
        /// A party requested the handoff.
        Manual = "manual",
    }
}

string_enum! {
    /// The effect of a trigger on a handoff.
    pub enum Effect {
        /// Holds the handoff for a person.
        Hold = "hold",
        /// Offers the handoff to its receiver at once.
        Offer = "offer",
        /// Requires verification of the result.
        Verify = "verify",
        /// Retries the work and then moves it along the fallback ladder.
        Continue = "continue",
    }
}

impl TriggerKind {
    /// Returns the effect that applies unless the contract or the project overrides it.
    pub const fn default_effect(self) -> Effect {
        match self {
            Self::CriticalAction
            | Self::SensitiveTopic
            | Self::RequiredStep
            | Self::Error
            | Self::Stuck
            | Self::Misrouted => Effect::Hold,
            Self::Completion => Effect::Verify,
            Self::SessionEnded | Self::ContextLimit | Self::NoProgress => Effect::Continue,
            Self::ConfidenceBelow | Self::Manual => Effect::Offer,
        }
    }

    /// Returns the trigger kind of a packet, if it states a known one.
    pub fn of(packet: &Packet) -> Option<Self> {
        packet.object("trigger")?.get("kind")?.as_str()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::open::{OpenOptions, open};
    use crate::read::Source;

    fn allowed_by_the_field_table(kind: &str) -> Option<String> {
        let packet = json!({"handoff_version": "1.0", "task_id": "t", "from_agent": "a",
            "to_agent": "b", "status": "blocked", "trigger": {"kind": kind}});
        let bytes = packet.to_string();
        let source = Source::packet(bytes.as_bytes()).unwrap();
        let opened = open(&source, OpenOptions::default()).unwrap();
        let about = |v: &&crate::Violation| v.pointer == "/trigger/kind";
        opened.violations.iter().find(about).and_then(|v| v.allowed.clone())
    }

    #[test]
    fn the_kinds_are_those_of_the_field_table() {
        let words: Vec<&str> = TriggerKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(allowed_by_the_field_table("boredom"), Some(words.join(", ")));
        for word in words {
            assert_eq!(allowed_by_the_field_table(word), None, "{word}");
        }
    }

    #[test]
    fn each_kind_has_its_default_effect() {
        let lines: Vec<String> = TriggerKind::ALL
            .iter()
            .map(|kind| format!("{kind:16} {}", kind.default_effect()))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        confidence_below offer
        critical_action  hold
        error            hold
        completion       verify
        sensitive_topic  hold
        required_step    hold
        session_ended    continue
        context_limit    continue
        stuck            hold
        misrouted        hold
        no_progress      continue
        manual           offer
        ");
    }

    #[test]
    fn a_packet_states_its_kind() {
        let check = |packet: Value, expected| {
            assert_eq!(TriggerKind::of(&Packet::from_value(packet).unwrap()), expected);
        };
        check(json!({"trigger": {"kind": "stuck"}}), Some(TriggerKind::Stuck));
        check(json!({"trigger": {"kind": "boredom"}}), None);
        check(json!({"trigger": "stuck"}), None);
        check(json!({}), None);
    }
}
