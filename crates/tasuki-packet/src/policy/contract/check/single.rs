//! Checks one contract: its parts, its ladder, its terms and its payload schema.

use super::report::Severity;
use crate::document::pointer;
use crate::policy::contract::apply::CompiledContract;
use crate::policy::contract::document::Contract;
use crate::policy::contract::schema::SchemaSource;
use crate::policy::contract::schema::subschema::{open_places, property_count};
use crate::policy::contract::{ladder, terms};
use crate::{Code, Violation};

/// LIMIT: members per payload. More of them confuse a receiver.
const PROPERTIES_MAX: usize = 20;

/// Checks one contract.
pub fn contract(
    contract: &Contract,
    compiled: Result<&CompiledContract, &[Violation]>,
) -> Vec<(Severity, Violation)> {
    let mut found = Vec::new();
    found.extend(parts(contract).into_iter().map(error));
    found.extend(
        contract.fallback.as_deref().map_or_else(Vec::new, ladder::ladder).into_iter().map(error),
    );
    found.extend(terms::park(contract).map(error));
    found.extend(terms::automatic(contract).map(warning));
    match compiled {
        Ok(compiled) => found.extend(payload_shape(compiled).into_iter().map(warning)),
        Err(violations) => found.extend(violations.iter().cloned().map(error)),
    }
    found
}

pub(super) fn error(violation: Violation) -> (Severity, Violation) {
    (Severity::Error, violation)
}

fn warning(violation: Violation) -> (Severity, Violation) {
    (Severity::Warning, violation)
}

/// Checks that the five parts of a contract are present.
fn parts(contract: &Contract) -> Vec<Violation> {
    let parts = [
        ("payload_schema", contract.payload_schema.is_some(), "the JSON Schema of the payload"),
        ("scope", contract.scope.is_some(), "what the payload is and what it is not"),
        (
            "confidence",
            contract.confidence.is_some(),
            "whether senders must state their confidence",
        ),
        ("provenance", contract.provenance.is_some(), "which sources senders must list"),
        (
            "fallback",
            contract.fallback.is_some(),
            "where the work goes when its receiver cannot continue",
        ),
    ];
    let missing = parts.into_iter().filter(|(_, is_there, _)| !is_there);
    missing
        .map(|(name, _, meaning)| {
            let message = format!("missing `{name}`, one of the five parts of a contract");
            Violation::new(Code::ContractPart, pointer::join("", name), message)
                .hint(format!("state {meaning}"))
        })
        .collect()
}

fn payload_shape(compiled: &CompiledContract) -> Vec<Violation> {
    let Some(schema) = &compiled.payload else { return Vec::new() };
    let source = compiled.contract().payload_schema.as_ref();
    let locate = |place: &str| match source {
        Some(SchemaSource::Reference(_)) => "/payload_schema/$ref".to_owned(),
        Some(SchemaSource::Inline(_)) | None => format!("/payload_schema{place}"),
    };
    let mut found = Vec::new();
    for place in open_places(&schema.value) {
        let message = format!("the schema accepts undescribed members at `#{place}`");
        let violation = Violation::new(Code::SchemaOpen, locate(&place), message);
        found.push(violation.hint("add `additionalProperties: false`"));
    }
    let count = property_count(&schema.value);
    if count > PROPERTIES_MAX {
        let message =
            format!("the schema describes {count} members; the limit is {PROPERTIES_MAX}");
        let violation = Violation::new(Code::SchemaOverpacked, locate(""), message);
        found.push(violation.hint("keep only the members that the receiver needs"));
    }
    found
}
