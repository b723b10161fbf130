//! The vectors of `vectors/rules/`: each value in a small packet, with the expected violations.

use serde_json::{Map, Value};
use tasuki_packet::check::validate::violations;
use tasuki_packet::document::Document;
use tasuki_packet::{Variant, Violation};

use crate::files;

/// The vectors of one field.
pub(crate) struct RuleFile {
    pub(crate) name: String,
    pub(crate) field: String,
    /// `None` for every variant that does not define its own shape of the field.
    pub(crate) variant: Option<String>,
    pub(crate) valid: Vec<Case>,
    pub(crate) invalid: Vec<Case>,
}

/// One value of a field.
pub(crate) struct Case {
    pub(crate) why: String,
    pub(crate) value: Value,
    /// The packet with this value.
    pub(crate) packet: Value,
    pub(crate) expected: Vec<Expected>,
}

/// A violation as far as a vector specifies it: code and pointer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Expected {
    pub(crate) code: String,
    pub(crate) pointer: String,
}

impl Expected {
    pub(crate) fn new(code: &str, pointer: impl Into<String>) -> Self {
        Self { code: code.to_owned(), pointer: pointer.into() }
    }
}

impl From<&Violation> for Expected {
    fn from(violation: &Violation) -> Self {
        Self::new(violation.code.as_str(), violation.pointer.clone())
    }
}

impl RuleFile {
    /// Every file of `vectors/rules/`.
    pub(crate) fn all() -> Vec<Self> {
        let bases = files::json("vectors/rules/_base.json");
        let variants = files::json("vectors/rules/_variants.json");
        let names = files::names_in("vectors/rules");
        let names = names.into_iter().filter(|name| !name.starts_with('_'));
        names.map(|name| Self::read(name, &bases, &variants)).collect()
    }

    fn read(name: String, bases: &Value, variants: &Value) -> Self {
        let file = files::json(&format!("vectors/rules/{name}"));
        let text = |member: &str| file.get(member).map(|value| value.as_str().unwrap().to_owned());
        let field = text("field").unwrap_or_else(|| panic!("{name} names no field"));
        let variant = text("variant");
        let kind = text("kind").unwrap_or_else(|| "handoff".to_owned());
        let bases = variant.as_ref().map_or(bases, |variant| &variants[variant]);
        let cases = |list: &str| {
            let cases = file[list].as_array().unwrap_or_else(|| panic!("{name} has no `{list}`"));
            cases.iter().map(|case| Case::read(case, &field, &kind, bases)).collect()
        };
        Self { valid: cases("valid"), invalid: cases("invalid"), name, field, variant }
    }

    /// Returns the variant that validates the packets.
    pub(crate) fn judge(&self) -> Variant {
        Variant::named(self.variant.as_deref().unwrap_or("baseline")).unwrap()
    }
}

impl Case {
    fn read(case: &Value, field: &str, kind: &str, bases: &Value) -> Self {
        let kind = case.get("kind").map_or(kind, |kind| kind.as_str().unwrap());
        let mut packet = bases[kind].clone();
        let value = expand(&case["value"]);
        packet[field] = value.clone();
        for (name, other) in case.get("with").and_then(Value::as_object).unwrap_or(&Map::new()) {
            packet[name] = other.clone();
        }
        let expected = case.get("violations").and_then(Value::as_array);
        let read = |each: &Value| {
            Expected::new(each["code"].as_str().unwrap(), each["pointer"].as_str().unwrap())
        };
        Self {
            why: case["why"].as_str().unwrap().to_owned(),
            value,
            packet,
            expected: expected.map_or_else(Vec::new, |list| list.iter().map(read).collect()),
        }
    }
}

/// Returns the packets of `_variants.json` with variant and kind; null where the variant lacks the
/// kind.
pub(crate) fn variant_packets() -> Vec<(String, String, Value)> {
    let variants = files::json("vectors/rules/_variants.json");
    let mut packets = Vec::new();
    for (variant, kinds) in variants.as_object().unwrap() {
        for (kind, packet) in kinds.as_object().unwrap() {
            packets.push((variant.clone(), kind.clone(), packet.clone()));
        }
    }
    packets
}

/// Returns the violations of a packet.
pub(crate) fn violations_of(packet: &Value, variant: &Variant) -> Vec<Expected> {
    let document = Document::from_value(packet).unwrap();
    violations(&document, variant).iter().map(Expected::from).collect()
}

/// Expands the short notation of large values: `{"$repeat": "x", "$times": 201}` is a text,
/// `{"$repeat_item": 1, "$times": 1001}` a list.
fn expand(value: &Value) -> Value {
    match value {
        Value::Object(members) => match (members.get("$repeat"), members.get("$repeat_item")) {
            (Some(text), _) => Value::from(text.as_str().unwrap().repeat(times(members))),
            (_, Some(item)) => Value::Array(vec![expand(item); times(members)]),
            _ => members.iter().map(|(name, member)| (name.clone(), expand(member))).collect(),
        },
        Value::Array(items) => items.iter().map(expand).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

fn times(members: &Map<String, Value>) -> usize {
    usize::try_from(members["$times"].as_u64().unwrap()).unwrap()
}
