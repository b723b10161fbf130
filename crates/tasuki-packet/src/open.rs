//! From bytes to a judged packet: form, dialect, variant, violations, in one call.
//!
//! This is what a tool or a door does with anything it is given. The parts are public too, for
//! callers that know more: `read`, `variant`, `validate`.

use serde_json::Value;

use crate::packet::Packet;
use crate::read::{Form, Source};
use crate::validate;
use crate::variant::Variant;
use crate::violation::Violation;

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
    let packet = match document.to_value() {
        Value::Object(members) => Packet::new(members),
        _ => Packet::new(crate::Members::new()),
    };
    let detected;
    let variant = match variant {
        Some(variant) => variant,
        None => {
            let name = Variant::detect(packet.members());
            detected = Variant::named(name).expect("detection names built-in variants");
            &detected
        }
    };
    let mut violations = Vec::new();
    if !validate::is_valid(&document, variant) {
        violations = validate::violations(&document, variant);
        source.locate(&document, &mut violations);
    }
    Ok(Opened { form: source.form(), variant: variant.name().to_owned(), packet, violations })
}
