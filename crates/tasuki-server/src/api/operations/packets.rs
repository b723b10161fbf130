//! Validation, schemas, batches and the OpenAPI document.

use tasuki_api::schema::JsonSchemaDocument;
use tasuki_api::{BatchRequest, BatchResponse, ValidationReport};
use tasuki_packet::Variant;

use super::{Operation, ParameterKind, RequestBody, ResponseBody, parameter, text};

/// Runs a batch of requests.
pub static BATCH: Operation =
    Operation::post("batch", "/v1/batch", "Run many requests in one. Each has its own response.")
        .request(RequestBody::json::<BatchRequest>())
        .response(ResponseBody::document::<BatchResponse>());

/// Validates a packet.
pub static VALIDATE: Operation =
    Operation::post("validate", "/v1/handoff/validate", "Validate a packet. Nothing is stored.")
        .parameters(&[
            parameter(
                "variant",
                ParameterKind::OneOf(variants),
                "The variant to validate against. The default is the variant of the packet.",
            ),
            text("contract", "A contract of the project to validate against in addition."),
        ])
        .request(RequestBody::Packet)
        .response(ResponseBody::document::<ValidationReport>());

/// Shows the schema of a variant.
pub static SCHEMA: Operation = Operation::get(
    "schema",
    "/v1/handoff/schema",
    "Show the JSON Schema of a variant. A browser gets an HTML page.",
)
.public()
.parameters(&[parameter(
    "variant",
    ParameterKind::OneOf(variants),
    "The variant. The default is `baseline`.",
)])
.response(ResponseBody::document_or_html::<JsonSchemaDocument>());

/// Shows the OpenAPI document.
pub static OPENAPI: Operation =
    Operation::get("openapi", "/v1/openapi.json", "Show this OpenAPI document.")
        .public()
        .response(ResponseBody::document::<JsonSchemaDocument>());

fn variants() -> Vec<&'static str> {
    Variant::names().collect()
}
