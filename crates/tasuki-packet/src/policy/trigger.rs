//! Why work is handed over now, and what follows from that.
//!
//! Each kind of trigger has a default effect. A project may change it, and a contract may change it
//! for its edge; what a project *rule* demands is above both. Which effect wins is decided by the
//! exchange, with all three at hand; here are the words and the defaults.

use crate::Packet;
use crate::types::string_enum::string_enum;

string_enum! {
    /// Why work is handed over: the words of a packet's `trigger.kind`.
    pub enum TriggerKind {
        /// The sender is less certain than it should be.
        ConfidenceBelow = "confidence_below",
        /// The next action cannot be taken back, or is dear.
        CriticalAction = "critical_action",
        /// Something failed.
        Error = "error",
        /// The work is finished, as its holder sees it.
        Completion = "completion",
        /// The subject is one that people must look at.
        SensitiveTopic = "sensitive_topic",
        /// A procedure asks for a person at this point.
        RequiredStep = "required_step",
        /// The sender's session ended.
        SessionEnded = "session_ended",
        /// The sender's context is full.
        ContextLimit = "context_limit",
        /// The sender does not know how to go on.
        Stuck = "stuck",
        /// The work is not for the party that got it.
        Misrouted = "misrouted",
        /// Nothing was heard in time.
        NoProgress = "no_progress",
        /// Somebody wanted it so.
        Manual = "manual",
    }
}

string_enum! {
    /// What an exchange does with a handoff because of its trigger.
    pub enum Effect {
        /// It waits for a person.
        Hold = "hold",
        /// It is offered to its receiver at once.
        Offer = "offer",
        /// Its result is to be verified.
        Verify = "verify",
        /// It goes on by attempts and along the ladder.
        Continue = "continue",
    }
}

impl TriggerKind {
    /// What happens where neither contract nor project says otherwise.
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

    /// The kind that a packet states, if it states one of the known ones.
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
