//! What a JSON Schema has to say about a value, in the words of a violation.
//!
//! The validator speaks of keywords; a person repairing a packet needs the place, what stands
//! there and what may stand there. Used for payloads, and for schemas that are no schemas.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

use crate::document::pointer;
use crate::violation::shorten;
use crate::{Code, Violation};

/// The violations that one error of the validator stands for; `base` is where the value stands.
///
/// An error usually is one violation. Unexpected members are one each, so that each has a place.
pub(crate) fn violations(code: Code, base: &str, error: &ValidationError<'_>) -> Vec<Violation> {
    let place = format!("{base}{}", error.instance_path().as_str());
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| unexpected_member(code, &place, name)).collect()
        }
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let message = format!("`{name}` is missing");
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
    let message = format!("`{name}` is not a member that the schema knows");
    Violation::new(code, pointer::join(place, name), message).found(name)
}

/// What is wrong, and what is allowed as far as the kind of error says it.
fn explain(kind: &ValidationErrorKind) -> (String, Option<String>) {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Type { kind } => allows("the value has another type", types(kind)),
        Kind::Enum { options } => allows("the value is not an allowed one", list(options)),
        Kind::Constant { expected_value } => {
            allows("the value is not the allowed one", shorten::value(expected_value))
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
            allows("the number does not fit", format!("a multiple of {multiple_of}"))
        }
        Kind::Pattern { pattern } => allows(
            "the text does not have its form",
            format!("text matching `{}`", shorten::text(pattern)),
        ),
        Kind::Format { format } => allows("the text does not have its form", format.clone()),
        Kind::ContentEncoding { content_encoding } => {
            allows("the text is not encoded as it must be", content_encoding.clone())
        }
        Kind::ContentMediaType { content_media_type } => {
            allows("the text is of another kind", content_media_type.clone())
        }
        Kind::PropertyNames { error } => {
            let (message, allowed) = explain(error.kind());
            (format!("a member name is not allowed: {message}"), allowed)
        }
        other => (explain_structure(other), None),
    }
}

/// What is wrong where the kind of error does not say what would be right.
fn explain_structure(kind: &ValidationErrorKind) -> String {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::UniqueItems => "an item stands in the list twice".to_owned(),
        Kind::Contains => "the list lacks an item that it must contain".to_owned(),
        Kind::UnevaluatedItems { .. } => "the list has items that are not described".to_owned(),
        Kind::FalseSchema => "nothing may stand here".to_owned(),
        Kind::Not { .. } => "the value is one that the schema excludes".to_owned(),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            format!("the value satisfies none of {} alternatives", context.len())
        }
        Kind::OneOfMultipleValid { .. } => {
            "the value satisfies more than one alternative, and must satisfy one".to_owned()
        }
        Kind::FromUtf8 { .. } => "the encoded text is not UTF-8".to_owned(),
        Kind::BacktrackLimitExceeded { .. } | Kind::RegexEngineFailure { .. } => {
            "the text could not be compared with the schema's pattern".to_owned()
        }
        Kind::Custom { message, .. } => message.clone(),
        Kind::Referencing(error) => error.to_string(),
        other => format!("the value does not satisfy `{}`", other.keyword()),
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
