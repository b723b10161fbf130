//! The vectors of `vectors/rules/` as packets: each value put into a small packet, with what the
//! validator must say of it.

use serde_json::{Map, Value};
use tasuki_packet::check::validate::violations;
use tasuki_packet::document::Document;
use tasuki_packet::{Variant, Violation};

use crate::files;

/// The vectors of one field.
pub(crate) struct RuleFile {
    pub(crate) name: String,
    pub(crate) field: String,
    /// None: the field as it is in every variant without a shape of its own.
    pub(crate) variant: Option<String>,
    pub(crate) valid: Vec<Case>,
    pub(crate) invalid: Vec<Case>,
}

/// One value of a field.
pub(crate) struct Case {
    pub(crate) why: String,
    pub(crate) value: Value,
    /// The packet with the value in it.
    pub(crate) packet: Value,
    pub(crate) expected: Vec<Said>,
}

/// What the validator says, as far as a vector tells: code and pointer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Said {
    pub(crate) code: String,
    pub(crate) pointer: String,
}

impl Said {
    pub(crate) fn new(code: &str, pointer: impl Into<String>) -> Self {
        Self { code: code.to_owned(), pointer: pointer.into() }
    }
}

impl From<&Violation> for Said {
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

    /// The variant that judges the packets.
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
        let said = |each: &Value| {
            Said::new(each["code"].as_str().unwrap(), each["pointer"].as_str().unwrap())
        };
        Self {
            why: case["why"].as_str().unwrap().to_owned(),
            value,
            packet,
            expected: expected.map_or_else(Vec::new, |list| list.iter().map(said).collect()),
        }
    }
}

/// The packets of `_variants.json`: variant, kind, packet; null where the variant has no such kind.
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

/// What the validator says of a packet.
pub(crate) fn said(packet: &Value, variant: &Variant) -> Vec<Said> {
    let document = Document::from_value(packet).unwrap();
    violations(&document, variant).iter().map(Said::from).collect()
}

/// Large values are written short: `{"$repeat": "x", "$times": 201}` is a text, and
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
