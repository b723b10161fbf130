//! Normalizes the packet fields that gates and rules examine.

use serde_json::Value;

use crate::Packet;

/// Returns the classification of a packet as one text.
///
/// The object `{ tier: OFFICIAL, sensitive: true }` becomes the text `OFFICIAL-SENSITIVE`.
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

/// Returns the scheme and reference of each regulation in a packet. A plain text is a scheme with
/// an empty reference.
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

/// Returns the names of the gates in a packet's `sign_off_gates`.
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
