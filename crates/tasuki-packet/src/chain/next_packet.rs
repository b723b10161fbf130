//! The packet for the next receiver, made from the work so far.

use serde_json::Value;

use crate::document::Members;
use crate::packet::{Item, Packet};

/// Members that belong to the old edge.
const OF_THE_EDGE: [&str; 3] = ["contract", "supersedes", "trigger"];

/// Returns the members of a packet that passes work on: those of the continuation, without what
/// belongs to the old edge, and with the return fields that the contract of the work requires.
///
/// `sent` is the packet as its holder received it. Its cost is in the chain already, so only a cost
/// that a checkpoint stated is kept.
pub fn next_packet(continuation: &Packet, sent: &Packet, required: &[Value]) -> Members {
    let mut members = continuation.members().clone();
    for name in OF_THE_EDGE {
        members.shift_remove(name);
    }
    if members.get("cost") == sent.get("cost") {
        members.shift_remove("cost");
    }
    // An export replaces the trail that the sender wrote with that of the exchange.
    match sent.get("audit_trail") {
        Some(written) => members.insert("audit_trail".to_owned(), written.clone()),
        None => members.shift_remove("audit_trail"),
    };
    add_required_returns(&mut members, required);
    members
}

/// Adds the required fields that `return_required` does not name yet.
fn add_required_returns(members: &mut Members, required: &[Value]) {
    if required.is_empty() {
        return;
    }
    let mut owed = match members.get("return_required") {
        Some(Value::Array(fields)) => fields.clone(),
        Some(field @ Value::String(_)) => vec![field.clone()],
        _ => Vec::new(),
    };
    let text = |field: &Value| Item::of(field).map(|item| item.text.to_owned());
    let named: Vec<Option<String>> = owed.iter().map(text).collect();
    owed.extend(required.iter().filter(|field| !named.contains(&text(field))).cloned());
    members.insert("return_required".to_owned(), Value::Array(owed));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(continuation: Value, sent: Value, required: &[Value], expected: &str) {
        let [continuation, sent] =
            [continuation, sent].map(|value| Packet::from_value(value).unwrap());
        let members = next_packet(&continuation, &sent, required);
        assert_eq!(Value::Object(members).to_string(), expected);
    }

    #[test]
    fn what_belongs_to_the_old_edge_stays_behind() {
        check(
            json!({ "goal": "g", "contract": "c@1.0", "cost": { "usd": 1 }, "audit_trail": [7] }),
            json!({ "goal": "g", "cost": { "usd": 1 } }),
            &[],
            r#"{"goal":"g"}"#,
        );
        check(
            json!({ "goal": "g", "cost": { "usd": 2 } }),
            json!({ "goal": "g", "cost": { "usd": 1 } }),
            &[],
            r#"{"goal":"g","cost":{"usd":2}}"#,
        );
    }

    #[test]
    fn the_next_receiver_owes_what_the_contract_requires() {
        check(
            json!({ "return_required": "summary" }),
            json!({}),
            &[json!("summary"), json!("evidence")],
            r#"{"return_required":["summary","evidence"]}"#,
        );
    }
}
