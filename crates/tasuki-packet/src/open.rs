//! From bytes to a judged packet: form, dialect, variant, violations, in one call.
//!
//! This is what a tool or a door does with anything it is given. The parts are public too, for
//! callers that know more: `read`, `variant`, `validate`.

use std::borrow::Cow;

use serde_json::Value;

use crate::packet::Packet;
use crate::read::{Form, Source, wire};
use crate::tree::Document;
use crate::variant::Variant;
use crate::violation::{Code, Violation};
use crate::{field, validate};

/// A packet that was read, and what is wrong with it.
#[derive(Debug, Clone)]
pub struct Opened {
    /// How it was written.
    pub form: Form,
    /// The variant it was judged by.
    pub variant: String,
    /// The packet, whether valid or not.
    pub packet: Packet,
    /// What is wrong with it; nothing if it is valid.
    pub violations: Vec<Violation>,
}

/// Reads a packet in any form and judges it by `variant`, or by the one it shows itself to be.
///
/// # Errors
///
/// The one violation that keeps it from being read at all.
pub fn open(source: &Source<'_>, variant: Option<&Variant>) -> Result<Opened, Violation> {
    let document = source.read_packet()?;
    let Value::Object(members) = document.to_value() else {
        return Err(not_an_object(source, &document));
    };
    let members = if wire::is_wire(&members) {
        wire::unfold(members).map_err(|violation| located(source, &document, violation))?
    } else {
        members
    };
    if !members.keys().any(|name| field::index_of(name).is_some()) {
        return Err(located(source, &document, no_field()));
    }
    let variant = match variant {
        Some(variant) => Cow::Borrowed(variant),
        None => Cow::Owned(
            Variant::named(Variant::detect(&members)).expect("detection names built-in variants"),
        ),
    };
    let value = Value::Object(members);
    let violations = judge(source, &document, &value, &variant)?;
    let Value::Object(members) = value else { return Err(no_field()) };
    Ok(Opened {
        form: source.form(),
        variant: variant.name().to_owned(),
        packet: Packet::new(members),
        violations,
    })
}

/// What is wrong with the packet, each with its place in the document it came from.
fn judge(
    source: &Source<'_>,
    document: &Document<'_>,
    value: &Value,
    variant: &Variant,
) -> Result<Vec<Violation>, Violation> {
    let unfolded = Document::from_value(value)?;
    if validate::is_valid(&unfolded, variant) {
        return Ok(Vec::new());
    }
    let mut violations = validate::violations(&unfolded, variant);
    source.locate(document, &mut violations);
    Ok(violations)
}

fn located(source: &Source<'_>, document: &Document<'_>, violation: Violation) -> Violation {
    let mut violations = [violation];
    source.locate(document, &mut violations);
    let [violation] = violations;
    violation
}

fn not_an_object(source: &Source<'_>, document: &Document<'_>) -> Violation {
    let root = document.root();
    // YAML reads prose as one long text.
    let violation = if root.as_text().is_some() {
        Violation::new(Code::PacketFreeText, "", "this is prose, and a handoff is a packet")
    } else {
        Violation::new(Code::PacketNotObject, "", "a packet is an object with named fields")
            .found(format!("a {}", root.type_name()))
    };
    let violation = violation.hint("`tasuki init --packet` writes a packet to start from");
    located(source, document, violation)
}

fn no_field() -> Violation {
    Violation::new(Code::PacketFreeText, "", "this has none of a packet's fields")
        .allowed("a document with fields such as `handoff_version`, `task_id` and `goal`")
        .hint("`tasuki init --packet` writes a packet to start from")
}
