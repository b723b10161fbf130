//! The round-trip property of every dialect: a round trip keeps every field or reports it as lost.

use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::order::FIELDS;
use super::{Dialect, Export, Import, export, import, path};
use crate::document::Members;

pub(super) fn members(value: &Value) -> Members {
    value.as_object().expect("an object").clone()
}

/// Imports a document that belongs to the dialect.
pub(super) fn imported(dialect: Dialect, source: &Value) -> Import {
    import(dialect, &members(source)).expect("a document of the dialect")
}

/// Checks that exporting the import gives the document again.
pub(super) fn returns(dialect: Dialect, source: &Value) {
    let import = imported(dialect, source);
    let first = import.packet.keys().next().map(String::as_str);
    assert_eq!(first, Some("handoff_version"), "first member of {:?}", import.packet);
    let export = export(dialect, &import.packet).expect("the kind it was imported as");
    assert_eq!(json!(export.document), *source, "by way of {}", json!(import.packet));
    assert_eq!(export.lost, []);
}

pub(super) fn losses(export: &Export) -> String {
    let lines: Vec<String> =
        export.lost.iter().map(|lost| format!("{}: {}", lost.pointer, lost.reason)).collect();
    lines.join("\n")
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(|flag| json!(flag)),
        (0_u32..200).prop_map(|number| json!(number)),
        (0_u32..100).prop_map(|percent| json!(f64::from(percent) / 100.0)),
        word().prop_map(|text| json!(text)),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "handoff",
        "task",
        "return",
        "verification_report",
        "checkpoint",
        "completed",
        "in_progress",
        "1.0",
        "1.1",
        "a",
        "b: c",
        "",
    ])
    .prop_map(str::to_owned)
}

/// Generates names that are used somewhere, so that paths collide.
fn name() -> impl Strategy<Value = String> {
    let dialect_names = [
        "data_classification",
        "regulation_ref",
        "sender",
        "agent_id",
        "task_description",
        "workspace_path",
        "agent_memory",
        "pending_items",
        "key_decisions",
        "quality_checklist",
        "receiver_agent_id",
        "progress",
        "results",
        "sourceAgent",
        "destinationAgent",
        "nextRequest",
        "canIntercept",
        "className",
        "incident_id",
        "signal_types",
        "packet",
        "extensions",
        "tasuki",
        "ahp",
        "fastio",
        "card",
        "works-with-agents",
        "project_root",
        "branch",
        "text",
        "label",
        "value",
        "unknown",
    ];
    let fields = FIELDS.iter().copied().chain(dialect_names).collect::<Vec<_>>();
    prop::sample::select(fields).prop_map(str::to_owned)
}

fn item() -> impl Strategy<Value = Value> {
    prop_oneof![
        word().prop_map(|text| json!(text)),
        word().prop_map(|text| json!({"text": text, "state": "assumed"})),
        (word(), scalar()).prop_map(|(label, value)| json!({"label": label, "value": value})),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![scalar(), vec(item(), 0..3).prop_map(Value::Array)];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::Array),
            object(inner).prop_map(Value::Object),
        ]
    })
}

fn object(value: impl Strategy<Value = Value>) -> impl Strategy<Value = Members> {
    vec((name(), value), 0..5).prop_map(|members| members.into_iter().collect())
}

/// Nested paths that random names would seldom hit.
const PLACES: &[&str] = &[
    "context/task_description",
    "context/workspace_path",
    "context/state_snapshot/branch",
    "context/agent_memory/pending_items",
    "context/agent_memory/key_decisions",
    "context/extensions/tasuki/remaining",
    "context/extensions/tasuki/completed",
    "context/extensions/tasuki/context/branch",
    "context/extensions/tasuki/extensions/works-with-agents",
    "sender/agent_id",
    "progress/pitfalls_found",
    "extensions/tasuki/completed",
    "extensions/tasuki/packet_type",
    "extensions/tasuki/unknown",
    "extensions/tasuki/extensions/tasuki",
    "extensions/ahp/goal",
    "extensions/handoff-protocol",
    "packet/handoff_version",
    "packet/state",
    "packet/extensions/fastio",
];

fn document() -> impl Strategy<Value = Members> {
    let place = prop::sample::select(PLACES.to_vec());
    (vec((name(), value()), 1..7), vec((place, value()), 0..4)).prop_map(|(members, nested)| {
        let mut document: Members = members.into_iter().collect();
        for (place, value) in nested {
            path::put(&mut document, &place.split('/').collect::<Vec<_>>(), value);
        }
        document
    })
}

/// Generates a realistic packet: known and unknown members, and extensions of other tools.
fn packet() -> impl Strategy<Value = Members> {
    let field = prop::sample::select(FIELDS.to_vec()).prop_map(str::to_owned);
    let own = "x_[a-c]".prop_map(|name| name);
    let member = (prop_oneof![4 => field, 1 => own], value());
    let extensions = vec(("(tasuki|other|a2a)", value()), 0..3);
    (vec(member, 0..9), extensions).prop_map(|(list, extensions)| {
        let mut packet: Members = list.into_iter().collect();
        packet.insert("handoff_version".to_owned(), json!("1.0"));
        packet.insert("task_id".to_owned(), json!("t"));
        packet.insert("from_agent".to_owned(), json!("a"));
        if !extensions.is_empty() {
            let extensions: Members = extensions.into_iter().collect();
            packet.insert("extensions".to_owned(), Value::Object(extensions));
        }
        packet
    })
}

/// Returns `true` if `name` was restored with the same value, was reported as lost, or differs by
/// design: a synonym, or a packet type that was absent.
fn is_accounted_for(name: &str, packet: &Members, back: &Members, export: &Export) -> bool {
    let pointer = format!("/{name}");
    let is_named = |lost: &super::Lost| {
        lost.pointer == pointer || lost.pointer.starts_with(&format!("{pointer}/"))
    };
    let is_synonym = match name {
        "target_agent" => back.get("to_agent") == packet.get(name),
        "handoff_summary" => back.get("summary") == packet.get(name),
        // AHP preserves its own packet type, and `handoff.json` the state of the handoff.
        "extensions" | "handoff" | "state" | "updated_at" => is_in_extensions(name, packet, back),
        "packet_type" => {
            crate::schema::Kind::of(packet[name].as_str())
                == crate::schema::Kind::of(back.get(name).and_then(Value::as_str))
        }
        _ => false,
    };
    back.get(name) == packet.get(name) || is_synonym || export.lost.iter().any(is_named)
}

fn is_in_extensions(name: &str, packet: &Members, back: &Members) -> bool {
    let Some(extensions) = back.get("extensions").and_then(Value::as_object) else { return false };
    if name != "extensions" {
        return extensions.get("fastio").and_then(|own| own.get(name)) == packet.get(name);
    }
    let Some(before) = packet[name].as_object() else { return false };
    before.iter().all(|(name, value)| extensions.get(name) == Some(value))
}

fn check_packet(dialect: Dialect, packet: &Members) -> Result<(), TestCaseError> {
    let Ok(export) = export(dialect, packet) else { return Ok(()) };
    let back = import(dialect, &export.document)
        .map_err(|violation| TestCaseError::fail(format!("{violation}: {export:?}")))?
        .packet;
    for name in packet.keys() {
        prop_assert!(
            is_accounted_for(name, packet, &back, &export),
            "{dialect} drops `{name}`\n{}\n{}\n{}",
            json!(packet),
            json!(export.document),
            json!(back)
        );
    }
    Ok(())
}

/// A document of each dialect that has task ids, with this one.
fn with_task_id(id: &str) -> Vec<(Dialect, Value)> {
    vec![
        (Dialect::HandoffProtocol, json!({"task_id": id, "data_classification": "OFFICIAL"})),
        (Dialect::WorksWithAgents, json!({"handoff_id": "h", "task_id": id, "context": {}})),
        (Dialect::Ahp, json!({"packet_type": "handoff", "goal": "g", "task_id": id})),
        (Dialect::Incident, json!({"incident_id": id, "signal_types": ["log"]})),
        (Dialect::Fastio, json!({"handoff_version": "1.0", "task_id": id, "state": "held"})),
        (Dialect::Fastio, json!({"packet": {"handoff_version": "1.0", "task_id": id}, "x": 1})),
    ]
}

#[test]
fn an_import_derives_a_task_id_and_the_export_restores_the_original() {
    for (dialect, document) in with_task_id("build-42; touch pwned #") {
        let import = imported(dialect, &document);
        assert_eq!(import.packet["task_id"], "build-42-touch-pwned-c72a850d", "{dialect}");
        let kept = import.packet["extensions"][dialect.name()].to_string();
        assert!(kept.contains("build-42; touch pwned #"), "{dialect}: {kept}");
        assert!(!import.notes.is_empty(), "{dialect}");
        returns(dialect, &document);
    }
}

#[test]
fn an_import_keeps_a_task_id_that_a_packet_allows() {
    for (dialect, document) in with_task_id("build-42") {
        assert_eq!(imported(dialect, &document).packet["task_id"], "build-42", "{dialect}");
        returns(dialect, &document);
    }
}

#[test]
fn a_task_id_that_changed_after_the_import_is_exported_as_it_is() {
    for (dialect, document) in with_task_id("two words") {
        let mut packet = imported(dialect, &document).packet;
        packet.insert("task_id".to_owned(), json!("other-7"));
        let document = json!(export(dialect, &packet).expect("a handoff").document).to_string();
        assert!(document.contains("other-7"), "{dialect}: {document}");
        assert!(!document.contains("two words"), "{dialect}: {document}");
    }
}

proptest! {
    #[test]
    fn every_imported_document_round_trips(document in document()) {
        for dialect in Dialect::ALL {
            let Ok(import) = import(*dialect, &document) else { continue };
            let Ok(export) = export(*dialect, &import.packet) else { continue };
            prop_assert_eq!(
                json!(export.document),
                json!(document),
                "{} by way of {}",
                dialect,
                json!(import.packet)
            );
            prop_assert_eq!(export.lost, vec![]);
        }
    }

    #[test]
    fn every_field_of_a_packet_round_trips_or_is_reported_as_lost(packet in packet()) {
        for dialect in Dialect::ALL {
            check_packet(*dialect, &packet)?;
        }
    }
}
