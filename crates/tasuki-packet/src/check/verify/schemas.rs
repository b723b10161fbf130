//! Compiles the schemas of expected outputs when a packet is written, not when its return comes.

use serde_json::Value;

use crate::packet::Packet;
use crate::policy::contract::{SchemaSource, Schemas};
use crate::violation::{Code, Violation};

/// Returns everything that is wrong with the schemas in `expected_outputs`.
///
/// `schemas` provides the documents that a `$ref` names. A document that it does not have is a
/// `TK-SCHEMA-MISSING`.
///
/// ```
/// use serde_json::json;
/// use tasuki_packet::Packet;
/// use tasuki_packet::check::verify::schema_violations;
///
/// let packet = json!({"expected_outputs": [{"name": "report", "schema": {"type": 7}}]});
/// let found = schema_violations(&Packet::from_value(packet).unwrap(), &());
/// assert_eq!(found[0].pointer, "/expected_outputs/0/schema/type");
/// ```
pub fn schema_violations(packet: &Packet, schemas: &dyn Schemas) -> Vec<Violation> {
    let mut found = Vec::new();
    for (index, output) in packet.list("expected_outputs").iter().enumerate() {
        let Some(schema) = output.get("schema").filter(|schema| schema.is_object()) else {
            continue;
        };
        let place = format!("/expected_outputs/{index}/schema");
        let Err(violations) = SchemaSource::of(schema).compile(&place, schemas) else { continue };
        let name = output.get("name").and_then(Value::as_str).unwrap_or_default();
        found.extend(violations.into_iter().map(|violation| named(name, violation)));
    }
    found
}

fn named(name: &str, mut violation: Violation) -> Violation {
    if violation.code == Code::SchemaMissing {
        violation = violation.hint(
            "write the schema into the packet, or put the file beside it; an exchange has no files",
        );
    }
    violation.message = format!("the schema of output `{name}`: {}", violation.message);
    violation
}
