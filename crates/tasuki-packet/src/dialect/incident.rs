//! The incident that a correlation agent hands to an investigation agent.
//!
//! It is a payload under a contract: four of its members are packet fields, and all others form the
//! payload. It names neither sender nor receiver. The sender is the submitting party, and the
//! contract defines the receiver.

use super::convert::{Export, Import};
use super::name::Dialect;
use super::table::{Overflow, Slot, Table, handoffs_only};
use super::{exporter, importer};
use crate::dialect::codec::Codec;
use crate::document::Members;
use crate::violation::Violation;

pub(super) fn import(document: &Members) -> Result<Import, Violation> {
    importer::import(&TABLE, document)
}

pub(super) fn export(packet: &Members) -> Result<Export, Violation> {
    handoffs_only(&TABLE, packet)?;
    Ok(exporter::export(&TABLE, packet))
}

pub(super) static TABLE: Table = Table {
    dialect: Dialect::Incident,
    called: "an incident",
    slots: &[
        Slot::moved(&["incident_id"], &["task_id"], Codec::TaskId),
        Slot::same(&["evidence_refs"], Codec::Texts),
        Slot::same(&["confidence"], Codec::Number),
        Slot::same(&["fallback"], Codec::FallbackLine),
    ],
    defaults: &[],
    implied: &[
        ("handoff_version", "1.0"),
        ("packet_type", "handoff"),
        ("status", "in_progress"),
        ("contract", "correlation-to-investigation@1.2"),
    ],
    synonyms: &[],
    overflow: Overflow::Payload,
    order: &[
        "incident_id",
        "signal_types",
        "services",
        "time_window",
        "alert_count",
        "primary_hypothesis",
        "evidence_refs",
        "confidence",
        "fallback",
    ],
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::round_trip::{imported, losses, members, returns};

    fn example() -> serde_json::Value {
        json!({
            "incident_id": "inc-2026-04-17-0042",
            "signal_types": ["metric", "log", "trace"],
            "services": ["checkout-api", "payment-client"],
            "time_window": {"start": "2026-04-17T23:03:00Z", "duration_seconds": 240},
            "alert_count": 84,
            "primary_hypothesis": "recent_deploy",
            "evidence_refs": ["deploy:prod-2026-04-17-2247", "trace:abc123..."],
            "confidence": 0.74,
            "fallback": "escalate_to_oncall_if_not_progressed_within_300s"
        })
    }

    #[test]
    fn the_example_becomes_a_packet_under_a_contract_and_comes_back() {
        let packet = imported(Dialect::Incident, &example()).packet;
        assert_eq!(packet["task_id"], "inc-2026-04-17-0042");
        assert_eq!(packet["contract"], "correlation-to-investigation@1.2");
        assert_eq!(packet["status"], "in_progress");
        assert_eq!(packet["confidence"], 0.74);
        assert_eq!(packet["fallback"], example()["fallback"]);
        assert_eq!(
            packet["payload"],
            json!({
                "signal_types": ["metric", "log", "trace"],
                "services": ["checkout-api", "payment-client"],
                "time_window": {"start": "2026-04-17T23:03:00Z", "duration_seconds": 240},
                "alert_count": 84,
                "primary_hypothesis": "recent_deploy"
            })
        );
        assert!(!packet.contains_key("from_agent"));
        returns(Dialect::Incident, &example());

        let document = export(&packet).expect("a handoff").document;
        assert!(document.keys().eq(members(&example()).keys()), "in the order of the example");
    }

    #[test]
    fn a_confidence_in_words_is_preserved() {
        let source = json!({"incident_id": "i", "confidence": "high", "region": {"name": "eu"}});
        let import = imported(Dialect::Incident, &source);
        assert!(!import.packet.contains_key("confidence"));
        assert_eq!(import.packet["extensions"]["incident"], json!({"confidence": "high"}));
        assert_eq!(import.packet["payload"], json!({"region": {"name": "eu"}}));
        returns(Dialect::Incident, &source);

        let mut packet = import.packet;
        packet.insert("confidence".to_owned(), json!(0.9));
        let export = export(&packet).expect("a handoff");
        assert_eq!(export.document["confidence"], 0.9);
        insta::assert_snapshot!(losses(&export), @"/extensions/incident/confidence: replaced by `confidence`");
    }

    #[test]
    fn fields_that_an_incident_cannot_represent_are_reported() {
        let packet = members(&json!({
            "task_id": "i",
            "status": "blocked",
            "goal": "g",
            "evidence_refs": [{"text": "log:1", "state": "verified"}],
            "fallback": [{"after": "5m", "on": "no_progress", "to": "role:oncall"}],
            "payload": {"confidence": 1, "alert_count": 3}
        }));
        let export = export(&packet).expect("a handoff");
        assert_eq!(
            json!(export.document),
            json!({
                "incident_id": "i",
                "alert_count": 3,
                "evidence_refs": ["log:1"],
                "fallback": "escalate_to_oncall_if_not_progressed_within_300s"
            })
        );
        insta::assert_snapshot!(losses(&export), @"
        /evidence_refs: items are written as plain text, without their state
        /fallback: only the first rung is written, as one line
        /payload/confidence: `confidence` has another meaning in the document
        /status: not supported by `incident`
        /goal: not supported by `incident`
        ");
    }
}
