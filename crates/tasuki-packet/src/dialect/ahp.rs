//! The Agent Handoff Packet 0.1, with its five packet types.
//!
//! AHP allows additional properties, so a document has every field of a packet under its own name;
//! only `to_agent` is called `target_agent`. `handoff_version` is omitted if it is `1.0`: AHP has
//! no such member, and an import adds it again.

use super::convert::{Export, Import};
use super::name::Dialect;
use super::table::{Overflow, Slot, Table};
use super::{exporter, importer};
use crate::dialect::codec::Codec;
use crate::document::Members;
use crate::violation::Violation;

pub(super) const PACKET_TYPES: &[&str] =
    &["handoff", "context", "task", "verification_report", "decision_record"];

pub(super) fn import(document: &Members) -> Result<Import, Violation> {
    importer::import(&TABLE, document)
}

pub(super) fn export(packet: &Members) -> Export {
    exporter::export(&TABLE, packet)
}

pub(super) static TABLE: Table = Table {
    dialect: Dialect::Ahp,
    called: "an Agent Handoff Packet",
    slots: &[
        Slot::same(&["packet_type"], Codec::AhpType),
        Slot::same(&["goal"], Codec::Any),
        Slot::moved(&["target_agent"], &["to_agent"], Codec::Any),
        Slot::same(&["constraints"], Codec::TextsOrAny),
        Slot::same(&["inputs"], Codec::TextsOrAny),
        Slot::same(&["expected_outputs"], Codec::TextsOrAny),
        Slot::same(&["acceptance"], Codec::TextsOrAny),
        Slot::same(&["failure_boundary"], Codec::TextsOrAny),
        Slot::same(&["return_required"], Codec::TextsOrAny),
        Slot::same(&["human_brief"], Codec::Any),
        Slot::same(&["notes"], Codec::TextsOrAny),
        Slot::same(&["task_id"], Codec::TaskIdOrAny),
        Slot::alias(&["to_agent"], &["to_agent"], Codec::Any),
    ],
    defaults: &[("packet_type", "handoff")],
    implied: &[("handoff_version", "1.0")],
    synonyms: &[("target_agent", "to_agent")],
    overflow: Overflow::Open(&["extensions", "tasuki"]),
    order: &[],
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::round_trip::{imported, members, returns};

    fn example() -> serde_json::Value {
        json!({
            "packet_type": "handoff",
            "goal": "Implement validator examples",
            "target_agent": "executor",
            "constraints": ["Do not modify protected runtime data"],
            "inputs": ["schemas/packet.schema.json", "examples/"],
            "expected_outputs": ["validator result", "changed paths"],
            "acceptance": ["Examples validate successfully"],
            "failure_boundary": ["Stop before publishing external resources"],
            "return_required": [
                "status", "changed_paths", "verification", "blockers", "handoff_summary"
            ],
            "human_brief":
                "Please implement the validator examples and report verification evidence."
        })
    }

    #[test]
    fn the_example_becomes_a_packet_and_comes_back() {
        let import = imported(Dialect::Ahp, &example());
        let names: Vec<&str> = import.packet.keys().map(String::as_str).collect();
        assert_eq!(names[..4], ["handoff_version", "packet_type", "to_agent", "goal"]);
        assert_eq!(import.packet["handoff_version"], "1.0");
        assert_eq!(import.packet["to_agent"], "executor");
        assert!(!import.packet.contains_key("extensions"));
        let notes: Vec<String> =
            import.notes.iter().map(|note| format!("{}: {}", note.pointer, note.message)).collect();
        insta::assert_snapshot!(notes.join("\n"), @"
        /target_agent: becomes `to_agent`
        : `handoff_version` defaults to `1.0`
        ");
        returns(Dialect::Ahp, &example());
    }

    #[test]
    fn a_packet_type_becomes_a_kind_and_is_preserved() {
        for (ahp, kind) in [("verification_report", "return"), ("decision_record", "decision")] {
            let source = json!({"packet_type": ahp, "goal": "g"});
            let import = imported(Dialect::Ahp, &source);
            assert_eq!(import.packet["packet_type"], kind);
            assert_eq!(import.packet["extensions"]["ahp"], json!({"packet_type": ahp}));
            returns(Dialect::Ahp, &source);
        }
        for same in ["handoff", "context", "task", "unheard_of"] {
            let import = imported(Dialect::Ahp, &json!({"packet_type": same}));
            assert_eq!(import.packet["packet_type"], same);
        }
        let export = export(&members(&json!({"packet_type": "checkpoint", "goal": "g"})));
        assert_eq!(export.document["packet_type"], "context");
        let back = imported(Dialect::Ahp, &json!(export.document));
        assert_eq!(back.packet["packet_type"], "checkpoint");
    }

    #[test]
    fn unusual_documents_round_trip_unchanged() {
        for source in [
            json!({"goal": "no packet type"}),
            json!({"packet_type": "handoff", "to_agent": "a"}),
            json!({"packet_type": "handoff", "to_agent": "a", "target_agent": "b"}),
            json!({"packet_type": "handoff", "handoff_version": "1.0"}),
            json!({"packet_type": "handoff", "handoff_version": "1.3"}),
            json!({"packet_type": "handoff", "handoff_version": 7}),
            json!({"packet_type": "handoff", "constraints": "not a list", "inputs": [1]}),
            json!({"packet_type": null, "goal": null}),
            json!({"packet_type": "task", "priority": {"level": 1, "why": []}, "extensions": "x"}),
            json!({"packet_type": "task", "extensions": {"tasuki": {"goal": "g", "x": 1}}}),
            json!({"packet_type": "task", "extensions": {"tasuki": {}}, "x": 1}),
            json!({"packet_type": "task", "extensions": {"ahp": {"a": 1}, "tasuki": [1]}}),
        ] {
            returns(Dialect::Ahp, &source);
        }
    }

    #[test]
    fn members_that_only_fail_validation_stay_in_place() {
        let source = json!({"packet_type": "handoff", "goal": "  ", "constraints": ["", 1]});
        let import = imported(Dialect::Ahp, &source);
        assert_eq!(import.packet["goal"], "  ");
        assert_eq!(import.packet["constraints"], json!(["", 1]));
    }

    #[test]
    fn a_changed_field_is_written_with_its_new_value() {
        let source = json!({"packet_type": "verification_report", "goal": "g", "to_agent": "a"});
        let mut packet = imported(Dialect::Ahp, &source).packet;
        packet.insert("packet_type".to_owned(), json!("handoff"));
        packet.insert("to_agent".to_owned(), json!("b"));
        let export = export(&packet);
        assert_eq!(export.lost, []);
        assert_eq!(
            json!(export.document),
            json!({"packet_type": "handoff", "goal": "g", "target_agent": "b"})
        );
    }

    #[test]
    fn a_document_of_another_kind_is_refused() {
        let violation = import(&members(&json!({"priority": 1}))).expect_err("nothing of AHP");
        assert_eq!(violation.message, "the document is not an Agent Handoff Packet");
    }
}
