//! Packets without a handoff, many requests in one, and the description of it all.

use tasuki_api::schema::JsonSchemaDocument;
use tasuki_api::{BatchRequest, BatchResponse, ValidationReport};
use tasuki_packet::Variant;

use super::{Operation, ParameterKind, RequestBody, ResponseBody, parameter, text};

/// Batch.
pub static BATCH: Operation =
    Operation::post("batch", "/v1/batch", "Many requests in one, each with an answer of its own.")
        .request(RequestBody::json::<BatchRequest>())
        .response(ResponseBody::document::<BatchResponse>());

/// Check a packet.
pub static VALIDATE: Operation =
    Operation::post("validate", "/v1/handoff/validate", "Check a packet and store nothing.")
        .parameters(&[
            parameter(
                "variant",
                ParameterKind::OneOf(variants),
                "The variant to check against; without it the one that the packet shows.",
            ),
            text("contract", "A contract of the project to check against as well."),
        ])
        .request(RequestBody::Packet)
        .response(ResponseBody::document::<ValidationReport>());

/// The schema of a variant.
pub static SCHEMA: Operation = Operation::get(
    "schema",
    "/v1/handoff/schema",
    "The JSON Schema of a variant; a browser gets a page for people.",
)
.public()
.parameters(&[parameter(
    "variant",
    ParameterKind::OneOf(variants),
    "The variant, baseline unless said otherwise.",
)])
.response(ResponseBody::document_or_html::<JsonSchemaDocument>());

/// This document.
pub static OPENAPI: Operation =
    Operation::get("openapi", "/v1/openapi.json", "This description of the interface.")
        .public()
        .response(ResponseBody::document::<JsonSchemaDocument>());

fn variants() -> Vec<&'static str> {
    Variant::names().collect()
}
