//! Translates the errors of the JSON Schema validator to violations.
//!
//! The validator reports keywords. A person who repairs a packet needs the location, the value
//! found and the value allowed. Used for payloads, and for documents that are not valid schemas.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::document::pointer;
use crate::violation::shorten;
use crate::{Code, Violation};

/// Returns the violations for one error of the validator; `base` is the pointer of the value.
///
/// Usually one error is one violation. Each unexpected member is a violation with its own pointer.
pub(crate) fn violations(code: Code, base: &str, error: &ValidationError<'_>) -> Vec<Violation> {
    let place = format!("{base}{}", error.instance_path().as_str());
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| unexpected_member(code, &place, name)).collect()
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let message = format!("missing required member `{name}`");
            vec![Violation::new(code, pointer::join(&place, name), message)]
        }
        kind => {
            let (message, allowed) = explain(kind);
            let violation =
                Violation::new(code, place, message).found(shorten::value(error.instance()));
            vec![Violation { allowed, ..violation }]
        }
    }
}

fn unexpected_member(code: Code, place: &str, name: &str) -> Violation {
    let message = format!("unknown member `{name}`");
    Violation::new(code, pointer::join(place, name), message).found(name)
}

/// Returns the message for an error, and the allowed values if its kind states them.
fn explain(kind: &ValidationErrorKind) -> (String, Option<String>) {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Type { kind } => allows("the value has the wrong type", types(kind)),
        Kind::Enum { options } => {
            allows("the value is not one of the allowed values", list(options))
        }
        Kind::Constant { expected_value } => {
            allows("the value is not the allowed value", shorten::value(expected_value))
        }
        Kind::Minimum { limit } => too("small", format!("at least {limit}")),
        Kind::ExclusiveMinimum { limit } => too("small", format!("more than {limit}")),
        Kind::Maximum { limit } => too("large", format!("at most {limit}")),
        Kind::ExclusiveMaximum { limit } => too("large", format!("less than {limit}")),
        Kind::MinLength { limit } => too("short", format!("at least {limit} characters")),
        Kind::MaxLength { limit } => too("long", format!("at most {limit} characters")),
        Kind::MinItems { limit } => too("short", format!("at least {limit} items")),
        Kind::MaxItems { limit } => too("long", format!("at most {limit} items")),
        Kind::AdditionalItems { limit } => too("long", format!("at most {limit} items")),
        Kind::MinProperties { limit } => too("small", format!("at least {limit} members")),
        Kind::MaxProperties { limit } => too("large", format!("at most {limit} members")),
        Kind::MultipleOf { multiple_of } => {
            allows("the number is not a valid multiple", format!("a multiple of {multiple_of}"))
        }
        Kind::Pattern { pattern } => allows(
            "the text does not match the pattern",
            format!("text matching `{}`", shorten::text(pattern)),
        ),
        Kind::Format { format } => allows("the text has an invalid format", format.clone()),
        Kind::ContentEncoding { content_encoding } => {
            allows("the text has the wrong encoding", content_encoding.clone())
        }
        Kind::ContentMediaType { content_media_type } => {
            allows("the text has the wrong media type", content_media_type.clone())
        }
        Kind::PropertyNames { error } => {
            let (message, allowed) = explain(error.kind());
            (format!("invalid member name: {message}"), allowed)
        }
        other => (explain_structure(other), None),
    }
}

/// Returns the message for an error whose kind does not state the allowed values.
fn explain_structure(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::UniqueItems => "the list has duplicate items".to_owned(),
        Kind::Contains => "the list lacks a required item".to_owned(),
        Kind::UnevaluatedItems { .. } => {
            "the list has items that the schema does not describe".to_owned()
        }
        Kind::FalseSchema => "no value is allowed here".to_owned(),
        Kind::Not { .. } => "the value is excluded by the schema".to_owned(),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            format!("the value matches none of {} alternatives", context.len())
        }
        Kind::OneOfMultipleValid { .. } => {
            "the value matches more than one alternative instead of exactly one".to_owned()
        }
        Kind::FromUtf8 { .. } => "the encoded text is not UTF-8".to_owned(),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "the text could not be matched against the pattern".to_owned()
        }
        Kind::Custom { message, .. } => message.clone(),
        Kind::Referencing(error) => error.to_string(),
        other => format!("the value violates `{}`", other.keyword()),
    }
}

fn allows(message: &str, allowed: String) -> (String, Option<String>) {
    (message.to_owned(), Some(allowed))
}

fn too(what: &str, allowed: String) -> (String, Option<String>) {
    (format!("the value is too {what}"), Some(allowed))
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(one) => one.to_string(),
        TypeKind::Multiple(several) => {
            let names: Vec<&str> = several.iter().map(jsonschema::JsonType::as_str).collect();
            names.join(", ")
        }
    }
}

fn list(options: &Value) -> String {
    match options {
        Value::Array(options) => shorten::list(options.iter().map(shorten::value)),
        other => shorten::value(other),
    }
}
