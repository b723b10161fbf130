//! Schemas of values that bodies carry as plain text or as any JSON.
//!
//! A field names one of these types with `schemars(with = …)`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use tasuki_packet::policy::contract;
use tasuki_packet::policy::trigger::TriggerKind;

/// Declares types whose schema is written out where they are used.
macro_rules! inline_types {
    ($($(#[$doc:meta])* $name:ident = $schema:expr;)+) => {
        $(
            $(#[$doc])*
            pub(crate) struct $name;

            impl JsonSchema for $name {
                fn inline_schema() -> bool {
                    true
                }

                fn schema_name() -> Cow<'static, str> {
                    stringify!($name).into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    $schema
                }
            }
        )+
    };
}

inline_types! {
    /// The id of a handoff.
    HandoffId = id("hof");
    /// The id of a claim.
    ClaimId = id("clm");
    /// The id of a question.
    QuestionId = id("qst");
    /// The id of a return packet.
    ReturnId = id("ret");
    /// The id of a verdict.
    VerdictId = id("vrd");
    /// The id of a party.
    PartyId = id("pty");
    /// The id of a project.
    ProjectId = id("prj");
    /// The id of a token.
    TokenId = id("tok");
    /// The id of a subscription.
    SubscriptionId = id("sub");
    /// The digest of a document.
    Digest = pattern("^sha256:[0-9a-f]{64}$");
    /// The id of a git commit.
    CommitId = pattern("^([0-9a-f]{40}|[0-9a-f]{64})$");
    /// A duration.
    Duration = pattern("^[0-9]{1,12}(ms|s|m|h|d)$");
    /// The value of an HTTP header.
    HeaderValue = pattern("^[ -~]*$");
    /// An instant.
    Instant = json_schema!({ "type": "string", "format": "date-time" });
    /// The risk of a handoff.
    Risk = words(contract::Risk::ALL.iter().map(|risk| risk.as_str()));
    /// The trigger of a packet.
    Trigger = words(TriggerKind::ALL.iter().map(|kind| kind.as_str()));
    /// An action to approve: any JSON value that is not empty.
    Action = json_schema!({ "anyOf": [
        { "type": "string", "pattern": "\\S" },
        { "type": ["number", "boolean"] },
        { "type": "array", "minItems": 1 },
        { "type": "object", "minProperties": 1 },
    ] });
    /// An object of any shape.
    JsonObject = json_schema!({ "type": "object" });
}

fn id(prefix: &str) -> Schema {
    pattern(&format!("^{prefix}_[0-9a-f]{{32}}$"))
}

pub(crate) fn pattern(pattern: &str) -> Schema {
    json_schema!({ "type": "string", "pattern": pattern })
}

pub(crate) fn words<'a>(words: impl Iterator<Item = &'a str>) -> Schema {
    let words: Vec<Value> = words.map(|word| json!(word)).collect();
    json_schema!({ "type": "string", "enum": words })
}

/// Declares documents that another schema describes.
macro_rules! documents {
    ($($(#[$doc:meta])* $name:ident = $shown:literal, $description:literal;)+) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub struct $name;

            impl JsonSchema for $name {
                fn schema_name() -> Cow<'static, str> {
                    $shown.into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    json_schema!({ "type": "object", "description": $description })
                }
            }
        )+
    };
}

documents! {
    /// A packet, whose schema the packet format defines.
    Packet = "Packet", "A packet. `/v1/handoff/schema` returns the schema of each variant.";
    /// A JSON Schema or an OpenAPI document.
    JsonSchemaDocument = "JsonSchema", "A JSON Schema, or the OpenAPI document of this interface.";
}
