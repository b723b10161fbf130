//! Reading a gate document: every violation at once, each with its pointer.
//!
//! A gate is configuration: an unknown member is a mistake, not an extension. What would make a
//! gate no gate (nobody must sign, authors may sign) is refused here, before anything relies on it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::circumstances::{Conditions, Edge};
use super::document::{Distinct, Factor, Gate, Opened};
use crate::contract::PartyName;
use crate::contract::place::{Fields, Place, items, name, optional, text, version};
use crate::duration::Duration;
use crate::limits::VIOLATIONS_MAX;
use crate::trigger::TriggerKind;
use crate::{Code, Violation};

const MEMBERS: &[&str] = &[
    "gate",
    "version",
    "description",
    "factors",
    "deny",
    "distinct",
    "ttl",
    "requires_opened",
    "applies",
];

/// The members of conditions.
const CONDITIONS: [&str; 4] = ["classification", "regulation", "trigger", "edge"];

/// LIMIT: factors of one gate. A person reads all of them before signing.
const FACTORS_MAX: usize = 20;

/// LIMIT: persons of one factor, and denials of a gate.
const PERSONS_MAX: u32 = 20;

impl Gate {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn read(document: &Value) -> Result<Self, Vec<Violation>> {
        let mut found = Vec::new();
        let gate = gate(&Place::root(document), &mut found);
        found.truncate(VIOLATIONS_MAX);
        match gate {
            Some(gate) if found.is_empty() => Ok(gate),
            _ => Err(found),
        }
    }
}

fn gate(document: &Place<'_>, found: &mut Vec<Violation>) -> Option<Gate> {
    let fields = document.fields(MEMBERS, found)?;
    let gate_name = fields.require("gate", found).and_then(|place| name(&place, found));
    let version = fields.require("version", found).and_then(|place| version(&place, found));
    let description = optional(&fields, "description", text, found);
    let factors = factors(&fields, found);
    let deny = optional(&fields, "deny", persons, found);
    let distinct = optional(&fields, "distinct", distinct, found);
    let ttl = optional(&fields, "ttl", ttl, found);
    let opened = |place: &Place<'_>, found: &mut Vec<Violation>| place.word(Opened::WORDS, found);
    let requires_opened = items(&fields, "requires_opened", opened, found);
    let applies = fields.get("applies").map_or_else(Vec::new, |place| applies(&place, found));
    Some(Gate {
        name: gate_name?,
        version: version?,
        description,
        factors,
        deny: deny.unwrap_or(1),
        distinct: distinct.unwrap_or_default(),
        ttl,
        requires_opened,
        applies,
        document: document.value.clone(),
    })
}

fn factors(fields: &Fields<'_>, found: &mut Vec<Violation>) -> Vec<Factor> {
    let Some(place) = fields.require("factors", found) else { return Vec::new() };
    if !is_filled(&place, FACTORS_MAX, "factors", found) {
        return Vec::new();
    }
    let factors = items(fields, "factors", factor, found);
    let mut known = BTreeSet::new();
    for (index, factor) in factors.iter().enumerate() {
        if !known.insert(&factor.name) {
            found.push(duplicate(&format!("/factors/{index}/name"), "factor", &factor.name));
        }
    }
    factors
}

fn factor(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<Factor> {
    let fields = place.fields(&["name", "roles", "approvals", "meaning"], found)?;
    let factor_name = fields.require("name", found).and_then(|place| name(&place, found));
    let roles = fields.require("roles", found).map(|place| roles(&place, found));
    let approvals = optional(&fields, "approvals", persons, found).unwrap_or(1);
    let meaning = items(&fields, "meaning", name, found);
    Some(Factor { name: factor_name?, roles: roles?, approvals, meaning })
}

fn roles(place: &Place<'_>, found: &mut Vec<Violation>) -> Vec<PartyName> {
    let places = place.list(found);
    if places.is_empty() && place.value.is_array() {
        let violation = place.violation(Code::ListEmpty, format!("{place} names no role"));
        found.push(violation.allowed("at least one role"));
    }
    places.iter().filter_map(|place| role(place, found)).collect()
}

/// A role, which needs no `role:` here: nothing else can stand in its place.
fn role(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<PartyName> {
    let written = place.text(found)?;
    let plain = written.strip_prefix("role:").unwrap_or(written);
    let role = format!("role:{plain}").parse().ok();
    if role.is_none() {
        let violation = place.violation(Code::FieldFormat, format!("{place} is not a role"));
        found.push(violation.allowed("a name as in `reviewer` or `role:reviewer`"));
    }
    role
}

fn persons(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<u32> {
    place.integer(1, PERSONS_MAX, found)
}

fn distinct(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<Distinct> {
    let names = ["from_author", "from_contributors", "from_on_behalf_of", "across_factors"];
    let fields = place.fields(&names, found)?;
    for name in ["from_author", "from_contributors"] {
        if let Some(place) = fields.get(name).filter(|place| *place.value == Value::Bool(false)) {
            let message = format!("`{name}` cannot be false: nobody signs off their own work");
            let violation = place.violation(Code::GateSeparation, message).allowed("true");
            found.push(violation.hint("leave it out, and name a role that did not do the work"));
        }
    }
    let [from_author, from_contributors, from_on_behalf_of, across_factors] =
        names.map(|name| optional(&fields, name, Place::boolean, found).unwrap_or(true));
    Some(Distinct { from_author, from_contributors, from_on_behalf_of, across_factors })
}

fn ttl(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<Duration> {
    let duration: Duration = place.parsed(found)?;
    if duration.milliseconds() == 0 {
        let violation = place.violation(Code::FieldRange, format!("{place} can never be met"));
        found.push(violation.allowed("1ms to 3650d"));
    }
    Some(duration)
}

/// Conditions, or a list of them of which one must hold.
fn applies(place: &Place<'_>, found: &mut Vec<Violation>) -> Vec<Conditions> {
    let alternatives = match place.value {
        Value::Array(_) => place.list(found),
        _ => vec![place.clone()],
    };
    let mut read = Vec::new();
    for place in &alternatives {
        let Some(fields) = place.fields(&CONDITIONS, found) else { continue };
        let before = found.len();
        let conditions = conditions(&fields, found);
        // What was refused already is not also empty.
        if conditions.is_empty() && found.len() == before {
            let message = format!("{place} has no condition, so that the gate would apply nowhere");
            let violation = place.violation(Code::FieldTogether, message);
            found.push(violation.allowed(format!("at least one of {}", CONDITIONS.join(", "))));
        }
        read.push(conditions);
    }
    read
}

/// The conditions among the members of an object.
pub(crate) fn conditions(fields: &Fields<'_>, found: &mut Vec<Violation>) -> Conditions {
    for name in CONDITIONS {
        if let Some(place) = fields.get(name) {
            is_filled(&place, usize::MAX, "entries", found);
        }
    }
    let kind =
        |place: &Place<'_>, found: &mut Vec<Violation>| place.word(TriggerKind::WORDS, found);
    Conditions {
        classification: items(fields, "classification", text, found),
        regulation: items(fields, "regulation", text, found),
        trigger: items(fields, "trigger", kind, found),
        edge: items(fields, "edge", edge, found),
    }
}

fn edge(place: &Place<'_>, found: &mut Vec<Violation>) -> Option<Edge> {
    let fields = place.fields(&["from", "to"], found)?;
    if fields.get("from").is_none() && fields.get("to").is_none() {
        let message = format!("{place} names neither a sender nor a receiver");
        found.push(place.violation(Code::FieldTogether, message).allowed("`from`, `to` or both"));
    }
    let [from, to] = ["from", "to"].map(|side| optional(&fields, side, Place::parsed, found));
    Some(Edge { from, to })
}

/// Whether a list has items, and not too many; what is no list is named by whoever reads it.
fn is_filled(place: &Place<'_>, most: usize, what: &str, found: &mut Vec<Violation>) -> bool {
    let count = place.value.as_array().map_or(1, Vec::len);
    if count == 0 {
        let violation = place.violation(Code::ListEmpty, format!("{place} is empty"));
        found.push(violation.hint("leave it out, or say what is meant"));
    } else if count > most {
        let message = format!("{place} has {count} {what}, the limit is {most}");
        found.push(place.violation(Code::ListLength, message));
    }
    (1..=most).contains(&count)
}

/// A violation: something of this name is there already.
pub(crate) fn duplicate(pointer: &str, what: &str, name: &str) -> Violation {
    let message = format!("there is another {what} `{name}`");
    Violation::new(Code::NameDuplicate, pointer, message)
        .found(name)
        .hint("give each a name of its own: events and refusals speak of them by name")
}
