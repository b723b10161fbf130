//! What a packet says that gates and rules look at, in the one form in which they look.

use serde_json::Value;

use crate::Packet;

/// The classification of a packet as one text, whichever way it is written.
///
/// The object `{ tier: OFFICIAL, sensitive: true }` is what the text `OFFICIAL-SENSITIVE` says.
pub fn classification(packet: &Packet) -> Option<&str> {
    match packet.get("classification")? {
        Value::String(text) => Some(text),
        Value::Object(members) => {
            let tier = members.get("tier")?.as_str()?;
            let is_sensitive = members.get("sensitive") == Some(&Value::Bool(true));
            if is_sensitive && tier.eq_ignore_ascii_case("OFFICIAL") {
                return Some("OFFICIAL-SENSITIVE");
            }
            Some(tier)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    }
}

/// Scheme and reference of each rule that a packet refers to. A plain text is all scheme.
pub fn regulations(packet: &Packet) -> Vec<(&str, &str)> {
    packet.list("regulation_refs").iter().filter_map(regulation).collect()
}

fn regulation(item: &Value) -> Option<(&str, &str)> {
    let text = |name: &str| item.get(name).and_then(Value::as_str);
    match item.as_str() {
        Some(whole) => Some((whole.trim(), "")),
        None => Some((text("scheme")?.trim(), text("ref").unwrap_or_default().trim())),
    }
}

/// The names of the gates that a packet asks for in `sign_off_gates`.
pub fn sign_off_gates(packet: &Packet) -> Vec<&str> {
    packet.list("sign_off_gates").iter().filter_map(gate_name).collect()
}

fn gate_name(item: &Value) -> Option<&str> {
    item.as_str().or_else(|| item.get("gate")?.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn packet(name: &str, value: &Value) -> Packet {
        Packet::from_value(json!({ name: value })).unwrap()
    }

    #[test]
    fn a_classification_is_one_text() {
        let check = |value: Value, expected| {
            assert_eq!(classification(&packet("classification", &value)), expected);
        };
        check(json!("SECRET UK EYES ONLY"), Some("SECRET UK EYES ONLY"));
        check(json!({"tier": "OFFICIAL", "sensitive": true}), Some("OFFICIAL-SENSITIVE"));
        check(json!({"tier": "OFFICIAL", "sensitive": false}), Some("OFFICIAL"));
        check(json!({"tier": "SECRET", "sensitive": true}), Some("SECRET"));
        check(json!({"sensitive": true}), None);
        check(json!(null), None);
    }

    #[test]
    fn regulations_are_pairs() {
        let refs = json!([{"scheme": "UK-DCB0129", "ref": "4.2"}, "DTAC", {"ref": "1"}, 5]);
        let packet = packet("regulation_refs", &refs);
        assert_eq!(regulations(&packet), [("UK-DCB0129", "4.2"), ("DTAC", "")]);
    }

    #[test]
    fn gates_are_named_as_text_or_object() {
        let gates = json!(["clinical-release", {"gate": "four-eyes", "role": "reviewer"}, {}]);
        let packet = packet("sign_off_gates", &gates);
        assert_eq!(sign_off_gates(&packet), ["clinical-release", "four-eyes"]);
    }
}
