//! The YAML of the Handoff Protocol, from which the packet format originates.
//!
//! Nearly all of its members are fields of the same name. The regulated variant has different names
//! for two labels. The map is open, so a document also carries every other field of a packet.

use super::convert::{Export, Import};
use super::name::Dialect;
use super::table::{Overflow, Slot, Table};
use super::{exporter, importer};
use crate::dialect::codec::Codec;
use crate::document::Members;
use crate::violation::Violation;

pub(super) fn import(document: &Members) -> Result<Import, Violation> {
    importer::import(&TABLE, document)
}

pub(super) fn export(packet: &Members) -> Export {
    exporter::export(&TABLE, packet)
}

pub(super) static TABLE: Table = Table {
    dialect: Dialect::HandoffProtocol,
    called: "a Handoff Protocol document",
    slots: &[
        Slot::same(&["handoff_version"], Codec::Any),
        Slot::same(&["task_id"], Codec::TaskIdOrAny),
        Slot::same(&["from_agent"], Codec::Any),
        Slot::same(&["to_agent"], Codec::Any),
        Slot::same(&["status"], Codec::Any),
        Slot::same(&["completed"], Codec::TextsOrAny),
        Slot::same(&["remaining"], Codec::TextsOrAny),
        Slot::same(&["context"], Codec::Any),
        Slot::same(&["pitfalls_hit"], Codec::TextsOrAny),
        Slot::same(&["decisions"], Codec::TextsOrAny),
        Slot::same(&["audit_trail"], Codec::Any),
        Slot::same(&["sign_off_gates"], Codec::Any),
        Slot::moved(&["data_classification"], &["classification"], Codec::Any),
        Slot::moved(&["regulation_ref"], &["regulation_refs"], Codec::RegulationRef),
        Slot::alias(&["classification"], &["classification"], Codec::Any),
        Slot::alias(&["regulation_refs"], &["regulation_refs"], Codec::Any),
    ],
    defaults: &[("handoff_version", "1.0")],
    implied: &[],
    synonyms: &[],
    overflow: Overflow::Open(&["extensions", "tasuki"]),
    order: &[],
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::round_trip::{imported, members, returns};

    fn baseline() -> serde_json::Value {
        json!({
            "handoff_version": "1.0",
            "task_id": "build-spfx-webpart-42",
            "from_agent": "hermes-main",
            "to_agent": "hermes-worker-3",
            "status": "in_progress",
            "completed": [
                "Scaffolded web part structure",
                "Installed dependencies",
                "Configured SCSS aliases"
            ],
            "remaining": ["Write component logic", "Add tests", "Bundle and verify"],
            "context": {
                "project_root": "/Users/vilius/origami-spfx-webparts-lab",
                "node_version": "22.11.0",
                "spfx_version": "1.22.2"
            },
            "pitfalls_hit": [
                "SCSS alias: @fluentui needs explicit path in config/sass.json",
                "Yeoman --component-type ignored when .yo-rc.json exists"
            ],
            "decisions": [
                "Used React hooks instead of class components",
                "Chose Fluent UI v9 over v8"
            ]
        })
    }

    #[test]
    fn the_baseline_document_is_a_packet_unchanged() {
        let import = imported(Dialect::HandoffProtocol, &baseline());
        assert_eq!(json!(import.packet), baseline());
        assert_eq!(import.notes, []);
        returns(Dialect::HandoffProtocol, &baseline());
    }

    #[test]
    fn the_regulated_names_become_the_fields_of_a_packet() {
        let mut source = members(&baseline());
        source.extend(members(&json!({
            "data_classification": "OFFICIAL-SENSITIVE",
            "regulation_ref": "DTAC",
            "audit_trail": [{"at": "2026-05-05T10:00:00Z", "by": "hermes-main"}],
            "sign_off_gates": ["compliance-officer"],
            "urgency": {"level": 2}
        })));
        let import = imported(Dialect::HandoffProtocol, &json!(source));
        assert_eq!(import.packet["classification"], "OFFICIAL-SENSITIVE");
        assert_eq!(import.packet["regulation_refs"], json!(["DTAC"]));
        assert_eq!(import.packet["sign_off_gates"], json!(["compliance-officer"]));
        assert_eq!(
            import.packet["extensions"],
            json!({"handoff-protocol": {"urgency": {"level": 2}}})
        );
        returns(Dialect::HandoffProtocol, &json!(source));
    }

    #[test]
    fn several_spellings_of_one_label_are_all_restored() {
        for source in [
            json!({"task_id": "t", "regulation_ref": ["DTAC"]}),
            json!({"task_id": "t", "regulation_ref": ["DTAC", {"scheme": "FCA", "ref": "SYSC 8"}]}),
            json!({"task_id": "t", "classification": "OFFICIAL"}),
            json!({"task_id": "t", "classification": "A", "data_classification": "A"}),
            json!({"task_id": "t", "classification": "A", "data_classification": "B"}),
            json!({"task_id": "t", "completed": [{"text": "x", "state": "verified"}]}),
            json!({"task_id": "t", "completed": "not a list", "extensions": {}}),
            json!({"task_id": "t", "extensions": {"handoff-protocol": 1, "other": 2}}),
        ] {
            returns(Dialect::HandoffProtocol, &source);
        }
    }

    #[test]
    fn statements_become_plain_text_and_are_carried_in_full() {
        let packet = members(&json!({
            "handoff_version": "1.0",
            "task_id": "t",
            "completed": ["a", {"text": "b", "state": "verified", "evidence": "log:1"}],
            "goal": "ship",
            "x_own": {"y": 1}
        }));
        let export = export(&packet);
        assert_eq!(export.lost, []);
        assert_eq!(export.document["completed"], json!(["a", "b"]));
        assert_eq!(export.document["goal"], "ship");
        let carried = &export.document["extensions"]["tasuki"];
        assert_eq!(carried["completed"], packet["completed"]);
        assert_eq!(carried["x_own"], packet["x_own"]);
        assert_eq!(imported(Dialect::HandoffProtocol, &json!(export.document)).packet, packet);
    }

    #[test]
    fn a_changed_member_takes_precedence_over_the_carried_one() {
        let document = json!({
            "handoff_version": "1.0",
            "completed": ["a", "c"],
            "extensions": {"tasuki": {"completed": ["a", {"text": "b"}]}}
        });
        let import = imported(Dialect::HandoffProtocol, &document);
        assert_eq!(import.packet["completed"], json!(["a", "c"]));
        returns(Dialect::HandoffProtocol, &document);
    }
}
