//! Converts an older packet to the current version of its contract.
//!
//! Conversion runs at submission, before any check, and only to newer versions. The caller keeps
//! the original. A packet of an accepted version without a conversion stays unchanged.

use serde_json::Value;

use super::apply::mismatch;
use super::document::Contract;
use crate::document::pointer;
use crate::policy::name::Identity;
use crate::{Kind, Packet, Violation, patch};

/// Converts a packet to the version of `contract`.
///
/// Returns `None` for a packet that stays unchanged: it names no contract, is of this version, or
/// is of another version that is accepted without conversion.
///
/// # Errors
///
/// Fails for a packet of another contract or of a version without a conversion, and for a payload
/// that the conversion does not fit.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::policy::contract::{Contract, convert_up};
///
/// let contract = Contract::read(&json!({
///     "contract": "review", "version": "1.1", "from": ["coder"], "to": ["role:reviewer"],
///     "convert_from": {"1.0": [{"op": "move", "from": "/diff", "path": "/patch"}]},
/// }))
/// .unwrap();
/// let packet = json!({"contract": "review@1.0", "payload": {"diff": "+1"}});
/// let converted = convert_up(&contract, &Packet::from_value(packet).unwrap()).unwrap().unwrap();
/// let expected = json!({"contract": "review@1.1", "payload": {"patch": "+1"}});
/// assert_eq!(converted.to_value(), expected);
/// ```
pub fn convert_up(contract: &Contract, packet: &Packet) -> Result<Option<Packet>, Violation> {
    let Some(written) = packet.text("contract") else { return Ok(None) };
    let named: Option<Identity> = written.parse().ok();
    let named = named.filter(|named| named.name == contract.name);
    let version = named.ok_or_else(|| mismatch(contract, written))?.version;
    if version == contract.version {
        return Ok(None);
    }
    match contract.convert_from.get(&version) {
        // A return has its own schema, so only handoffs are converted.
        Some(operations) if packet.kind() == Kind::Handoff => {
            converted(contract, packet, written, operations).map(Some)
        }
        _ if contract.reads(version) => Ok(None),
        _ => Err(mismatch(contract, written)),
    }
}

fn converted(
    contract: &Contract,
    packet: &Packet,
    written: &str,
    operations: &[Value],
) -> Result<Packet, Violation> {
    let mut members = packet.members().clone();
    if let Some(payload) = members.get_mut("payload") {
        patch::apply(payload, &Value::Array(operations.to_vec()))
            .map_err(|violation| refused(contract, written, operations, violation))?;
    }
    members.insert("contract".to_owned(), Value::String(contract.identity().to_string()));
    Ok(Packet::new(members))
}

/// Points the patch's violation at the location in the packet that its operation failed on.
fn refused(
    contract: &Contract,
    written: &str,
    operations: &[Value],
    violation: Violation,
) -> Violation {
    let tokens = pointer::tokens(&violation.pointer).unwrap_or_default();
    let index = tokens.first().and_then(|token| token.parse::<usize>().ok());
    let operation = index.and_then(|index| operations.get(index));
    let member = |name| operation.and_then(|operation| operation.get(name));
    let place = member("from").or_else(|| member("path")).and_then(Value::as_str);
    let identity = contract.identity();
    Violation {
        pointer: format!("/payload{}", place.unwrap_or_default()),
        message: format!("cannot convert `{written}` to `{identity}`: {}", violation.message),
        ..violation
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::contract::read::tests::incident_contract;

    fn convert(version: &str, payload: &Value) -> Result<Option<Value>, String> {
        let mut document = incident_contract();
        document["convert_from"]["0.9"] = json!([
            {"op": "add", "path": "/tags", "value": []},
            {"op": "remove", "path": "/draft"},
        ]);
        let contract = Contract::read(&document).unwrap();
        let packet = json!({"task_id": "t", "contract": version, "payload": payload, "goal": "g"});
        let packet = Packet::from_value(packet).unwrap();
        convert_up(&contract, &packet)
            .map(|packet| packet.map(|packet| packet.to_value()))
            .map_err(|violation| format!("{} {violation}", violation.pointer))
    }

    #[test]
    fn an_older_payload_is_converted_and_the_version_with_it() {
        let converted =
            convert("correlation-to-investigation@1.0", &json!({"a": 1, "hypothesis": "deploy"}));
        let expected = r#"{"task_id":"t","contract":"correlation-to-investigation@1.2","payload":{"a":1,"primary_hypothesis":"deploy"},"goal":"g"}"#;
        assert_eq!(converted.unwrap().unwrap().to_string(), expected);
        let converted = convert("correlation-to-investigation@0.9", &json!({"draft": 1}));
        assert_eq!(converted.unwrap().unwrap()["payload"], json!({"tags": []}));
    }

    #[test]
    fn an_accepted_version_stays_unchanged() {
        for version in ["1.1", "1.2", "1.7"] {
            let name = format!("correlation-to-investigation@{version}");
            assert_eq!(convert(&name, &json!({})), Ok(None));
        }
    }

    #[test]
    fn a_packet_without_a_conversion_is_refused() {
        for name in ["correlation-to-investigation@2.0", "another@1.0", "correlation"] {
            let refusal = convert(name, &json!({})).unwrap_err();
            assert!(refusal.starts_with("/contract TK-CONTRACT-MISMATCH"), "{refusal}");
        }
    }

    #[test]
    fn a_payload_that_does_not_fit_the_conversion_is_refused_with_its_pointer() {
        let refusal = convert("correlation-to-investigation@1.0", &json!({"a": 1})).unwrap_err();
        insta::assert_snapshot!(refusal, @"/payload/hypothesis TK-PATCH-PATH: cannot convert `correlation-to-investigation@1.0` to `correlation-to-investigation@1.2`: `/hypothesis` does not exist in the document");
        let refusal = convert("correlation-to-investigation@0.9", &json!({})).unwrap_err();
        assert!(refusal.starts_with("/payload/draft TK-PATCH-PATH"), "{refusal}");
    }
}
