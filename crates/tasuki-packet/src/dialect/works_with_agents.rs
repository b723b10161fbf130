//! The published JSON of Works With Agents 1.1.
//!
//! - A handoff request hands work over.
//! - A progress update is a checkpoint.
//! - A completion event is a return packet.
//! - A handoff response answers a request and carries no work, so it is rejected.
//!
//! The specification does not define unknown members (its envelope ignores them). Fields without a
//! place, `completed` above all, are carried under `context.extensions.tasuki`, or under
//! `extensions.tasuki` in the two messages without a context.

use serde_json::Value;

use super::convert::{Export, Import};
use super::name::Dialect;
use super::table::{Overflow, Slot, Table};
use super::{exporter, importer};
use crate::dialect::codec::Codec;
use crate::document::Members;
use crate::schema::Kind;
use crate::violation::{Code, Violation};

/// The messages of the protocol, distinguished by the parties they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Message {
    Request,
    Response,
    Progress,
    Completion,
}

pub(super) fn is_message(document: &Members) -> bool {
    let has_task = document.get("context").and_then(|context| context.get("task_description"));
    let names_party =
        ["sender", "receiver", "receiver_agent_id"].iter().any(|name| document.contains_key(*name));
    if document.contains_key("handoff_id") {
        return names_party || has_task.is_some();
    }
    // A packet of this format has no such id, so an export of it has none either.
    let is_object = |name: &str| document.get(name).is_some_and(Value::is_object);
    let has_sender = document.get("sender").and_then(|sender| sender.get("agent_id")).is_some();
    let has_holder = document.contains_key("receiver_agent_id");
    has_sender && is_object("context")
        || has_holder && (is_object("progress") || document.contains_key("status"))
}

pub(super) fn import(document: &Members) -> Result<Import, Violation> {
    match message_of(document) {
        Message::Request => importer::import(&REQUEST, document),
        Message::Progress => importer::import(&PROGRESS, document),
        Message::Completion => importer::import(&COMPLETION, document),
        Message::Response => Err(no_packet(document)),
    }
}

/// Exports a packet as the message for its kind.
pub(super) fn export(packet: &Members) -> Result<Export, Violation> {
    let kind = Kind::of(packet.get("packet_type").and_then(Value::as_str));
    let table = match kind {
        Kind::Handoff => &REQUEST,
        Kind::Checkpoint => &PROGRESS,
        Kind::Return => &COMPLETION,
        Kind::Decision => {
            return Err(Violation::new(
                Code::FieldValue,
                "/packet_type",
                "`works-with-agents` has no message for a decision",
            )
            .allowed("a handoff, a checkpoint or a return packet"));
        }
    };
    let mut export = exporter::export(table, packet);
    if kind == Kind::Checkpoint && !export.document.contains_key("progress") {
        // Without `progress`, it would be read as a completion event.
        export.document.insert("progress".to_owned(), Value::Object(Members::new()));
    }
    Ok(export)
}

fn message_of(document: &Members) -> Message {
    if document.contains_key("sender") || document.contains_key("context") {
        return Message::Request;
    }
    if document.contains_key("receiver_agent_id") {
        let is_progress = document.contains_key("progress");
        return if is_progress { Message::Progress } else { Message::Completion };
    }
    if document.contains_key("receiver") { Message::Response } else { Message::Request }
}

fn no_packet(document: &Members) -> Violation {
    let status = document.get("status").and_then(Value::as_str).unwrap_or("no status");
    Violation::new(Code::FieldValue, "/receiver", "a handoff response contains no packet")
        .found(status)
        .allowed("a handoff request, a progress update or a completion event")
        .hint("claim, decline or answer the handoff instead")
}

/// The messages that hand over work, in lookup order.
pub(super) static TABLES: &[&Table] = &[&REQUEST, &PROGRESS, &COMPLETION];

static REQUEST: Table = Table {
    dialect: Dialect::WorksWithAgents,
    called: "a handoff request",
    slots: &[
        Slot::same(&["task_id"], Codec::TaskId),
        Slot::moved(&["sender", "agent_id"], &["from_agent"], Codec::Text),
        Slot::moved(&["context", "task_description"], &["goal"], Codec::Text),
        Slot::moved(&["context", "workspace_path"], &["context", "project_root"], Codec::Text),
        Slot::moved(
            &["context", "state_snapshot", "files_modified"],
            &["changed_paths"],
            Codec::Texts,
        ),
        Slot::moved(&["context", "state_snapshot", "branch"], &["context", "branch"], Codec::Text),
        Slot::moved(
            &["context", "state_snapshot", "last_commit"],
            &["context", "last_commit"],
            Codec::Text,
        ),
        Slot::moved(&["context", "agent_memory", "key_decisions"], &["decisions"], Codec::Texts),
        Slot::moved(
            &["context", "agent_memory", "discovered_pitfalls"],
            &["pitfalls_hit"],
            Codec::Texts,
        ),
        Slot::moved(&["context", "agent_memory", "pending_items"], &["remaining"], Codec::Texts),
        Slot::same(&["context", "tools_required"], Codec::Texts),
        Slot::moved(
            &["context", "constraints", "max_turns"],
            &["context", "max_turns"],
            Codec::Number,
        ),
        Slot::moved(&["context", "constraints", "deadline"], &["expires_at"], Codec::Text),
        Slot::moved(
            &["context", "constraints", "compliance_level"],
            &["context", "compliance_level"],
            Codec::Text,
        ),
        Slot::moved(&["quality_checklist"], &["acceptance"], Codec::Texts),
    ],
    defaults: &[],
    implied: &[("handoff_version", "1.0"), ("packet_type", "handoff")],
    synonyms: &[],
    overflow: Overflow::Carried(&["context", "extensions", "tasuki"]),
    order: &["handoff_id", "task_id", "sender", "context", "quality_checklist"],
};

static PROGRESS: Table = Table {
    dialect: Dialect::WorksWithAgents,
    called: "a progress update",
    slots: &[
        Slot::moved(&["receiver_agent_id"], &["from_agent"], Codec::Text),
        Slot::moved(&["progress", "pitfalls_found"], &["pitfalls_hit"], Codec::Texts),
    ],
    defaults: &[],
    implied: &[("handoff_version", "1.0"), ("packet_type", "checkpoint")],
    synonyms: &[],
    overflow: Overflow::Carried(&["extensions", "tasuki"]),
    order: &["handoff_id", "receiver_agent_id", "progress"],
};

static COMPLETION: Table = Table {
    dialect: Dialect::WorksWithAgents,
    called: "a completion event",
    slots: &[
        Slot::moved(&["receiver_agent_id"], &["from_agent"], Codec::Text),
        Slot::same(&["status"], Codec::Completed),
        Slot::moved(&["results"], &["payload"], Codec::Object),
    ],
    defaults: &[],
    implied: &[("handoff_version", "1.0"), ("packet_type", "return")],
    synonyms: &[],
    overflow: Overflow::Carried(&["extensions", "tasuki"]),
    order: &["handoff_id", "receiver_agent_id", "status", "results", "timestamp"],
};

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::dialect::round_trip::{imported, members, returns};

    #[test]
    fn a_checkpoint_without_progress_is_not_a_completion_event() {
        let checkpoint = json!({
            "handoff_version": "1.0", "packet_type": "checkpoint", "task_id": "t", "from_agent": "a",
        });
        let exported = export(&members(&checkpoint)).unwrap().document;
        assert_eq!(exported["progress"], json!({}));
        assert_eq!(
            imported(Dialect::WorksWithAgents, &json!(exported)).packet["packet_type"],
            "checkpoint"
        );
    }

    fn request() -> Value {
        json!({
            "handoff_id": "0197a3c4-5d6e-7f80-9a1b-2c3d4e5f6071",
            "task_id": "5b0b1c52-3f6e-4c7e-9d0a-0f5f0c0a7b11",
            "sender": {
                "agent_id": "hermes-main",
                "session_id": "session-7",
                "identity_sig": "ed25519:Zm9v"
            },
            "context": {
                "task_description": "Ship the accessible web part",
                "workspace_path": "/srv/webparts",
                "state_snapshot": {
                    "files_modified": ["src/Hello.tsx", "config/sass.json"],
                    "branch": "feature/hello",
                    "last_commit": "9f2c1e0"
                },
                "agent_memory": {
                    "key_decisions": ["Chose Fluent UI v9 over v8"],
                    "discovered_pitfalls": ["SCSS alias: needs an explicit path"],
                    "pending_items": ["Write component logic", "Add tests"]
                },
                "tools_required": ["node", "git"],
                "constraints": {
                    "max_turns": 20,
                    "deadline": "2026-11-16T18:00:00Z",
                    "compliance_level": "internal"
                }
            },
            "quality_checklist": ["npm test passes"]
        })
    }

    #[test]
    fn a_request_becomes_a_packet_and_comes_back() {
        let packet = imported(Dialect::WorksWithAgents, &request()).packet;
        assert_eq!(
            json!(packet),
            json!({
                "handoff_version": "1.0",
                "packet_type": "handoff",
                "task_id": "5b0b1c52-3f6e-4c7e-9d0a-0f5f0c0a7b11",
                "from_agent": "hermes-main",
                "goal": "Ship the accessible web part",
                "remaining": ["Write component logic", "Add tests"],
                "decisions": ["Chose Fluent UI v9 over v8"],
                "pitfalls_hit": ["SCSS alias: needs an explicit path"],
                "changed_paths": ["src/Hello.tsx", "config/sass.json"],
                "acceptance": ["npm test passes"],
                "context": {
                    "project_root": "/srv/webparts",
                    "branch": "feature/hello",
                    "last_commit": "9f2c1e0",
                    "tools_required": ["node", "git"],
                    "max_turns": 20,
                    "compliance_level": "internal"
                },
                "expires_at": "2026-11-16T18:00:00Z",
                "extensions": {"works-with-agents": {
                    "handoff_id": "0197a3c4-5d6e-7f80-9a1b-2c3d4e5f6071",
                    "sender": {"session_id": "session-7", "identity_sig": "ed25519:Zm9v"}
                }}
            })
        );
        returns(Dialect::WorksWithAgents, &request());
        let document = export(&packet).expect("a handoff").document;
        assert!(document.keys().eq(members(&request()).keys()));
    }

    #[test]
    fn an_export_keeps_fields_without_a_place_in_the_request() {
        let packet = members(&json!({
            "handoff_version": "1.0",
            "packet_type": "handoff",
            "task_id": "t",
            "from_agent": "a",
            "to_agent": "b",
            "completed": ["Scaffolded"],
            "remaining": [{"text": "Add tests", "pinned": true}],
            "context": {"project_root": "/srv", "node_version": "22.11.0"},
            "confidence": 0.62,
            "extensions": {"ahp": {"priority": 1}},
            "x_own": 1
        }));
        let export = export(&packet).expect("a handoff");
        assert_eq!(export.lost, []);
        assert_eq!(
            json!(export.document),
            json!({
                "task_id": "t",
                "sender": {"agent_id": "a"},
                "context": {
                    "workspace_path": "/srv",
                    "agent_memory": {"pending_items": ["Add tests"]},
                    "extensions": {"tasuki": {
                        "to_agent": "b",
                        "completed": ["Scaffolded"],
                        "remaining": [{"text": "Add tests", "pinned": true}],
                        "context": {"node_version": "22.11.0"},
                        "confidence": 0.62,
                        "extensions": {"ahp": {"priority": 1}},
                        "x_own": 1
                    }}
                }
            })
        );
        assert_eq!(imported(Dialect::WorksWithAgents, &json!(export.document)).packet, packet);
    }

    #[test]
    fn unusual_requests_round_trip_unchanged() {
        for source in [
            json!({"handoff_id": "h", "task_id": "t", "context": "not an object"}),
            json!({"handoff_id": "h", "task_id": "t", "context": {}, "sender": {}}),
            json!({"task_id": "t", "context": {"agent_memory": {"pending_items": ["a", 1]}}}),
            json!({"task_id": "t", "context": {"constraints": {"deadline": 5, "max_turns": "x"}}}),
            json!({"task_id": "t", "context": {"extensions": {"tasuki": {
                "goal": "g", "context": {"branch": "b", "x": 1}, "packet_type": "handoff",
                "extensions": {"works-with-agents": 1, "tasuki": 2}
            }}}}),
            json!({"task_id": "t", "context": {"extensions": {"tasuki": {"context": {}}}}}),
            json!({"handoff_id": "h", "context": {"extensions": {"tasuki": {"extensions": {}}}},
                "task_id": "t"}),
            json!({"task_id": "t", "handoff_version": "1.0", "packet_type": "x"}),
        ] {
            returns(Dialect::WorksWithAgents, &source);
        }
    }

    #[test]
    fn a_progress_update_is_a_checkpoint() {
        let update = json!({
            "handoff_id": "0197a3c4-5d6e-7f80-9a1b-2c3d4e5f6071",
            "receiver_agent_id": "hermes-worker-3",
            "progress": {
                "percent_complete": 0.4,
                "pitfalls_found": ["Yeoman ignores flags"],
                "timestamp": "2026-11-15T10:00:00Z"
            }
        });
        let packet = imported(Dialect::WorksWithAgents, &update).packet;
        assert_eq!(packet["packet_type"], "checkpoint");
        assert_eq!(packet["from_agent"], "hermes-worker-3");
        assert_eq!(packet["pitfalls_hit"], json!(["Yeoman ignores flags"]));
        returns(Dialect::WorksWithAgents, &update);
    }

    #[test]
    fn a_completion_event_is_a_return_packet() {
        let event = json!({
            "handoff_id": "0197a3c4-5d6e-7f80-9a1b-2c3d4e5f6071",
            "receiver_agent_id": "hermes-worker-3",
            "status": "completed",
            "results": {"bundle": "dist/bundle.js", "bytes": 281_034},
            "timestamp": "2026-11-15T11:00:00Z"
        });
        let packet = imported(Dialect::WorksWithAgents, &event).packet;
        assert_eq!(packet["packet_type"], "return");
        assert_eq!(packet["status"], "completed");
        assert_eq!(packet["payload"], event["results"]);
        returns(Dialect::WorksWithAgents, &event);

        let failed = members(&json!({
            "handoff_version": "1.0", "packet_type": "verification_report", "status": "failed"
        }));
        let document = export(&failed).expect("a return packet").document;
        assert_eq!(
            json!(document),
            json!({"extensions": {"tasuki": {
                "packet_type": "verification_report", "status": "failed"
            }}})
        );
    }

    #[test]
    fn a_response_and_a_decision_have_no_counterpart() {
        let response = json!({
            "handoff_id": "h",
            "status": "rejected",
            "reason": "missing_tools",
            "receiver": {"agent_id": "a", "session_id": "s"}
        });
        assert!(is_message(&members(&response)));
        let violation = import(&members(&response)).expect_err("no packet");
        assert_eq!(violation.found.as_deref(), Some("rejected"));

        let decision = members(&json!({"packet_type": "decision", "decision": "accept"}));
        assert_eq!(export(&decision).expect_err("no message").pointer, "/packet_type");
    }
}
