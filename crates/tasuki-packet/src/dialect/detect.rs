//! Detects the dialect of a document by its content, never by its file name.

use serde_json::Value;

use super::importer::CARRIER_NAME;
use super::name::Dialect;
use super::{ahp, fastio, path, works_with_agents};
use crate::document::Members;

/// Returns the dialect of a document, or `None` for a packet or an unknown document.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::dialect::{Dialect, detect};
///
/// let card = json!({"sourceAgent": "Web Scraper", "destinationAgent": "Data Synthesizer"});
/// assert_eq!(detect(card.as_object().unwrap()), Some(Dialect::Card));
/// ```
pub fn detect(document: &Members) -> Option<Dialect> {
    let has = |name: &str| document.contains_key(name);
    if has("handoff_version") {
        return detect_packet(document);
    }
    let packet_type = document.get("packet_type").and_then(Value::as_str);
    if packet_type.is_some_and(|word| ahp::PACKET_TYPES.contains(&word)) {
        return Some(Dialect::Ahp);
    }
    if has("sourceAgent") && has("destinationAgent") {
        return Some(Dialect::Card);
    }
    if works_with_agents::is_message(document) {
        return Some(Dialect::WorksWithAgents);
    }
    if has("incident_id") && (has("primary_hypothesis") || has("signal_types")) {
        return Some(Dialect::Incident);
    }
    let is_packet = fastio::is_packet(document);
    (!is_packet && fastio::wrapper(document).is_some()).then_some(Dialect::Fastio)
}

/// Detects the dialect of a document with `handoff_version`. It is a packet unless it uses names
/// that a packet does not have.
fn detect_packet(document: &Members) -> Option<Dialect> {
    // Labels come first: a classification that is not read would let regulated work pass as open.
    if document.contains_key("data_classification") || document.contains_key("regulation_ref") {
        return Some(Dialect::HandoffProtocol);
    }
    if fastio::has_extras(document) {
        return Some(Dialect::Fastio);
    }
    carries_fields(document).then_some(Dialect::HandoffProtocol)
}

/// Returns `true` if the extensions carry fields of a packet, as an export to an open dialect writes
/// them. Read as a packet, the document would have its items only as plain texts.
fn carries_fields(document: &Members) -> bool {
    let carried = path::get(document, &["extensions", CARRIER_NAME]).and_then(Value::as_object);
    // INVARIANT: an imported packet is not imported again when it is read. Its own extension of this
    // name is carried inside the carrier, and takes its place.
    let holds_another =
        |carried: &Members| path::get(carried, &["extensions", CARRIER_NAME]).is_some();
    carried.is_some_and(|carried| !carried.is_empty() && !holds_another(carried))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(document: &Value, expected: Option<Dialect>) {
        let members = document.as_object().expect("an object");
        assert_eq!(detect(members), expected, "{document}");
    }

    #[test]
    fn a_dialect_is_detected_by_its_members() {
        check(&json!({"packet_type": "task", "goal": "g"}), Some(Dialect::Ahp));
        check(&json!({"sourceAgent": "a", "destinationAgent": "b"}), Some(Dialect::Card));
        check(&json!({"handoff_id": "h", "sender": {}}), Some(Dialect::WorksWithAgents));
        check(
            &json!({"handoff_id": "h", "context": {"task_description": "t"}}),
            Some(Dialect::WorksWithAgents),
        );
        check(&json!({"handoff_id": "h", "receiver": {}}), Some(Dialect::WorksWithAgents));
        check(
            &json!({"handoff_id": "h", "receiver_agent_id": "a"}),
            Some(Dialect::WorksWithAgents),
        );
        check(&json!({"incident_id": "i", "signal_types": []}), Some(Dialect::Incident));
        check(&json!({"packet": {"handoff_version": "1.0"}}), Some(Dialect::Fastio));
        check(&json!({"packet": {"packet_type": "return"}}), Some(Dialect::Fastio));
    }

    #[test]
    fn a_packet_is_a_dialect_only_by_dialect_specific_names() {
        check(&json!({"handoff_version": "1.0", "task_id": "t"}), None);
        check(&json!({"handoff_version": "1.0", "packet_type": "handoff"}), None);
        check(&json!({"handoff_version": "1.0", "sign_off_gates": ["x"]}), None);
        check(
            &json!({"handoff_version": "1.0", "data_classification": "OFFICIAL"}),
            Some(Dialect::HandoffProtocol),
        );
        check(
            &json!({"handoff_version": "1.0", "regulation_ref": "DTAC"}),
            Some(Dialect::HandoffProtocol),
        );
        check(
            &json!({"handoff_version": "1.0", "handoff": "hof_1", "state": "held"}),
            Some(Dialect::Fastio),
        );
        check(
            &json!({"handoff_version": 1.0, "data_classification": "OFFICIAL"}),
            Some(Dialect::HandoffProtocol),
        );
        check(
            &json!({"handoff_version": "1.0", "extensions": {"tasuki": {"x": 1}}}),
            Some(Dialect::HandoffProtocol),
        );
        for extensions in [json!({"tasuki": {}}), json!({"tasuki": 1}), json!({"x": {"y": 1}})] {
            check(&json!({"handoff_version": "1.0", "extensions": extensions}), None);
        }
        check(&json!({"handoff_version": "1.0", "handoff": "hof_1"}), None);
        check(&json!({"handoff_version": "1.0", "state": "held"}), None);
    }

    #[test]
    fn an_unknown_document_has_no_dialect() {
        check(&json!({}), None);
        check(&json!({"packet_type": "checkpoint"}), None);
        check(&json!({"handoff_id": "h"}), None);
        check(&json!({"incident_id": "i"}), None);
        check(&json!({"a": {"handoff_version": "1.0"}, "b": {"handoff_version": "1.0"}}), None);
    }
}
