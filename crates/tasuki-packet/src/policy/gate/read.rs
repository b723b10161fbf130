//! Reads a gate document and reports every violation at once, each with its pointer.
//!
//! A gate is configuration, so an unknown member is an error, not an extension. A document that
//! would make the gate ineffective is rejected here: one without signers, or one that lets authors
//! sign.

use std::collections::BTreeSet;

use serde_json::Value;

use super::conditions::{Conditions, Edge};
use super::document::{Distinct, Factor, Gate, Members, Opened};
use crate::document::limits::VIOLATIONS_MAX;
use crate::document::pointer;
use crate::policy::contract::PartyName;
use crate::policy::located_value::{Fields, LocatedValue, items, name, optional, text, version};
use crate::policy::trigger::TriggerKind;
use crate::types::duration::Duration;
use crate::{Code, Violation};

const MEMBERS: &[&str] = &[
    "gate",
    "version",
    "description",
    "factors",
    "deny",
    "distinct",
    "members",
    "ttl",
    "requires_opened",
    "applies",
];

const CONDITIONS: [&str; 4] = ["classification", "regulation", "trigger", "edge"];

/// LIMIT: factors per gate. A person reads all of them before signing.
const FACTORS_MAX: usize = 20;

/// LIMIT: people per factor, and denials per gate.
const PERSONS_MAX: u32 = 20;

impl Gate {
    /// Reads a gate from a document.
    ///
    /// # Errors
    ///
    /// Returns every violation in the document.
    pub fn read(document: &Value) -> Result<Self, Vec<Violation>> {
        let mut found = Vec::new();
        let gate = gate(&LocatedValue::root(document), &mut found);
        found.truncate(VIOLATIONS_MAX);
        match gate {
            Some(gate) if found.is_empty() => Ok(gate),
            _ => Err(found),
        }
    }
}

fn gate(document: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Gate> {
    let fields = document.fields(MEMBERS, found)?;
    let gate_name = fields.require("gate", found).and_then(|place| name(&place, found));
    let version = fields.require("version", found).and_then(|place| version(&place, found));
    let description = optional(&fields, "description", text, found);
    let factors = factors(&fields, found);
    let deny = optional(&fields, "deny", persons, found);
    let distinct = optional(&fields, "distinct", distinct, found);
    let members =
        |place: &LocatedValue<'_>, found: &mut Vec<Violation>| place.word(Members::NAMES, found);
    let members = optional(&fields, "members", members, found);
    let ttl = optional(&fields, "ttl", ttl, found);
    let opened =
        |place: &LocatedValue<'_>, found: &mut Vec<Violation>| place.word(Opened::NAMES, found);
    let requires_opened = items(&fields, "requires_opened", opened, found);
    let applies = fields.get("applies").map_or_else(Vec::new, |place| applies(&place, found));
    Some(Gate {
        name: gate_name?,
        version: version?,
        description,
        factors,
        deny: deny.unwrap_or(1),
        distinct: distinct.unwrap_or_default(),
        members: members.unwrap_or(Members::AtSigning),
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

fn factor(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Factor> {
    let fields = place.fields(&["name", "roles", "approvals", "meaning"], found)?;
    let factor_name = fields.require("name", found).and_then(|place| name(&place, found));
    let roles = fields.require("roles", found).map(|place| roles(&place, found));
    let approvals = optional(&fields, "approvals", persons, found).unwrap_or(1);
    let meaning = items(&fields, "meaning", name, found);
    Some(Factor { name: factor_name?, roles: roles?, approvals, meaning })
}

fn roles(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Vec<PartyName> {
    let places = place.list(found);
    if places.is_empty() && place.value.is_array() {
        let violation = place.violation(Code::ListEmpty, format!("{place} has no roles"));
        found.push(violation.allowed("at least one role"));
    }
    places.iter().filter_map(|place| role(place, found)).collect()
}

/// Reads a role. The `role:` prefix is optional, because only roles are allowed here.
fn role(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<PartyName> {
    let written = place.text(found)?;
    let plain = written.strip_prefix("role:").unwrap_or(written);
    let role = format!("role:{plain}").parse().ok();
    if role.is_none() {
        let violation = place.violation(Code::FieldFormat, format!("{place} is not a valid role"));
        found.push(violation.allowed("a role such as `reviewer` or `role:reviewer`"));
    }
    role
}

fn persons(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<u32> {
    place.integer(1, PERSONS_MAX, found)
}

fn distinct(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Distinct> {
    let names = ["from_author", "from_contributors", "from_on_behalf_of", "across_factors"];
    let fields = place.fields(&names, found)?;
    let [author, contributors, from_on_behalf_of, across_factors] =
        names.map(|name| optional(&fields, name, LocatedValue::boolean, found).unwrap_or(true));
    for (name, is_kept_out) in [("from_author", author), ("from_contributors", contributors)] {
        if !is_kept_out {
            let pointer = pointer::join(&place.pointer, name);
            let message = format!(
                "`{name}` must be true: authors and contributors cannot sign off their own work"
            );
            let violation = Violation::new(Code::GateSeparation, pointer, message);
            let violation = violation.found("false").allowed("true");
            found.push(violation.hint("remove it, and name a role that did not do the work"));
        }
    }
    Some(Distinct { from_on_behalf_of, across_factors })
}

fn ttl(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Duration> {
    let duration: Duration = place.parsed(found)?;
    if duration.milliseconds() == 0 {
        let violation = place.violation(Code::FieldRange, format!("{place} is out of range"));
        found.push(violation.allowed("1ms to 3650d"));
    }
    Some(duration)
}

/// Reads conditions: one object, or a list of which one must hold.
fn applies(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Vec<Conditions> {
    let alternatives = match place.value {
        Value::Array(_) if is_filled(place, usize::MAX, "entries", found) => place.list(found),
        Value::Array(_) => Vec::new(),
        _ => vec![place.clone()],
    };
    let mut read = Vec::new();
    for place in &alternatives {
        let before = found.len();
        let Some(fields) = place.fields(&CONDITIONS, found) else { continue };
        let conditions = conditions(&fields, found);
        // A condition that was rejected is not reported as empty as well.
        if conditions.is_empty() && found.len() == before {
            let message = format!("{place} has no conditions, so the gate would never apply");
            let violation = place.violation(Code::FieldMissing, message);
            found.push(violation.allowed(format!("at least one of {}", CONDITIONS.join(", "))));
        }
        read.push(conditions);
    }
    read
}

/// Reads the conditions among the members of an object.
pub(crate) fn conditions(fields: &Fields<'_>, found: &mut Vec<Violation>) -> Conditions {
    check_filled(fields, &CONDITIONS, found);
    let kind = |place: &LocatedValue<'_>, found: &mut Vec<Violation>| {
        place.word(TriggerKind::NAMES, found)
    };
    Conditions {
        classification: items(fields, "classification", text, found),
        regulation: items(fields, "regulation", text, found),
        trigger: items(fields, "trigger", kind, found),
        edge: items(fields, "edge", edge, found),
    }
}

fn edge(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Edge> {
    let fields = place.fields(&["from", "to"], found)?;
    if fields.get("from").is_none() && fields.get("to").is_none() {
        let message = format!("{place} has neither a sender nor a receiver");
        found.push(place.violation(Code::FieldMissing, message).allowed("`from`, `to` or both"));
    }
    let [from, to] =
        ["from", "to"].map(|side| optional(&fields, side, LocatedValue::parsed, found));
    Some(Edge { from, to })
}

/// Reports lists that are present but empty, because an empty list could mean all or none.
pub(crate) fn check_filled(fields: &Fields<'_>, lists: &[&str], found: &mut Vec<Violation>) {
    for place in lists.iter().filter_map(|name| fields.get(name)) {
        is_filled(&place, usize::MAX, "entries", found);
    }
}

/// Returns `true` if a list is neither empty nor too long. Values that are not lists are reported
/// by their reader.
fn is_filled(
    place: &LocatedValue<'_>,
    most: usize,
    what: &str,
    found: &mut Vec<Violation>,
) -> bool {
    let count = place.value.as_array().map_or(1, Vec::len);
    if count == 0 {
        let violation = place.violation(Code::ListEmpty, format!("{place} is empty"));
        found.push(violation.hint("remove it, or add an entry"));
    } else if count > most {
        let message = format!("{place} has {count} {what}; the limit is {most}");
        found.push(place.violation(Code::ListLength, message));
    }
    (1..=most).contains(&count)
}

/// Returns the violation for a name that is already in use.
pub(crate) fn duplicate(pointer: &str, what: &str, name: &str) -> Violation {
    let message = format!("duplicate {what} `{name}`");
    Violation::new(Code::NameDuplicate, pointer, message)
        .found(name)
        .hint("use a unique name; events and error messages refer to it")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::gate::GateContext;

    fn clinical_release() -> Value {
        json!({
            "gate": "clinical-release",
            "version": "1.0",
            "description": "released for clinical use",
            "factors": [
                {"name": "cso", "roles": ["clinical_safety_officer"], "approvals": 1,
                 "meaning": ["approved_for_clinical_use"]},
                {"name": "four_eyes", "roles": ["reviewer", "role:compliance_officer"],
                 "approvals": 2, "meaning": ["reviewed", "approved"]},
            ],
            "deny": 2,
            "distinct": {"from_author": true, "across_factors": false},
            "ttl": "72h",
            "requires_opened": ["packet", "evidence"],
            "members": "at_submit",
            "applies": [
                {"classification": ["OFFICIAL-SENSITIVE"], "edge": [{"to": "role:ward"}]},
                {"regulation": ["UK-DCB0129"]},
            ],
        })
    }

    #[test]
    fn the_whole_gate_is_read() {
        let gate = Gate::read(&clinical_release()).unwrap();
        assert_eq!(gate.identity().to_string(), "clinical-release@1.0");
        assert_eq!(gate.description.as_deref(), Some("released for clinical use"));
        let roles: Vec<&str> = gate.factors[1].roles.iter().map(PartyName::as_str).collect();
        assert_eq!(roles, ["role:reviewer", "role:compliance_officer"]);
        assert_eq!(gate.factors[1].approvals, 2);
        assert_eq!(gate.factors[1].meaning, ["reviewed", "approved"]);
        assert_eq!(gate.deny, 2);
        assert_eq!(gate.distinct, Distinct { across_factors: false, ..Distinct::default() });
        assert_eq!(gate.ttl.unwrap().to_string(), "3d");
        assert_eq!(gate.requires_opened, [Opened::Packet, Opened::Evidence]);
        assert_eq!(gate.members, Members::AtSubmit);
        assert_eq!(gate.applies.len(), 2);
    }

    #[test]
    fn a_gate_needs_only_name_version_and_a_factor() {
        let document = json!({
            "gate": "release", "version": "1.0",
            "factors": [{"name": "lead", "roles": ["lead"]}],
        });
        let gate = Gate::read(&document).unwrap();
        assert_eq!((gate.deny, gate.approvals()), (1, 1));
        assert_eq!(gate.distinct, Distinct::default());
        assert!(gate.distinct.from_on_behalf_of && gate.distinct.across_factors);
        assert_eq!((gate.ttl, gate.requires_opened, gate.applies), (None, vec![], vec![]));
    }

    #[test]
    fn a_single_condition_needs_no_list() {
        let mut document = clinical_release();
        document["applies"] = json!({"trigger": ["critical_action"]});
        let gate = Gate::read(&document).unwrap();
        assert_eq!(gate.applies.len(), 1);
        assert_eq!(gate.applies[0].trigger, [TriggerKind::CriticalAction]);
    }

    /// Puts `value` at `place`, reads, and compares the codes and pointers of the violations.
    #[track_caller]
    fn check(place: &str, value: Value, expected: &str) {
        let mut document = clinical_release();
        let (parent, name) = place.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[name] = value;
        let found = Gate::read(&document).unwrap_err();
        let found: Vec<_> = found.iter().map(|v| format!("{} {}", v.code, v.pointer)).collect();
        assert_eq!(found.join("\n"), expected);
    }

    #[test]
    fn each_member_is_checked() {
        check("/gate", json!("Clinical Release"), "TK-FIELD-FORMAT /gate");
        check("/version", json!(1.0), "TK-FIELD-TYPE /version");
        check("/description", json!(""), "TK-FIELD-BLANK /description");
        check("/deny", json!(0), "TK-FIELD-RANGE /deny");
        check("/deny", json!(21), "TK-FIELD-RANGE /deny");
        check("/ttl", json!("0s"), "TK-FIELD-RANGE /ttl");
        check("/ttl", json!(72), "TK-FIELD-TYPE /ttl");
        check("/requires_opened", json!(["packets"]), "TK-FIELD-VALUE /requires_opened/0");
        check("/members", json!("now"), "TK-FIELD-VALUE /members");
        check(
            "/distinct",
            json!({"from_authors": true}),
            "TK-FIELD-UNKNOWN /distinct/from_authors",
        );
        check("/distinct", json!({"from_author": 1}), "TK-FIELD-TYPE /distinct/from_author");
    }

    #[test]
    fn members_of_later_versions_are_unknown() {
        for name in ["when", "reauth", "break_glass"] {
            check(&format!("/{name}"), json!({}), &format!("TK-FIELD-UNKNOWN /{name}"));
        }
    }

    #[test]
    fn each_factor_is_checked() {
        check("/factors", json!([]), "TK-LIST-EMPTY /factors");
        check("/factors", json!({}), "TK-FIELD-TYPE /factors");
        let factor = json!({"name": "a", "roles": ["b"]});
        check("/factors", json!(vec![factor.clone(); 21]), "TK-LIST-LENGTH /factors");
        check("/factors", json!([factor, factor]), "TK-NAME-DUPLICATE /factors/1/name");
        check("/factors/0/roles", json!([]), "TK-LIST-EMPTY /factors/0/roles");
        check("/factors/0/roles", json!("x"), "TK-FIELD-TYPE /factors/0/roles");
        check("/factors/0/roles", json!(["role:role:x"]), "TK-FIELD-FORMAT /factors/0/roles/0");
        check("/factors/0/approvals", json!(0), "TK-FIELD-RANGE /factors/0/approvals");
        check("/factors/0/meaning", json!(["It is OK"]), "TK-FIELD-FORMAT /factors/0/meaning/0");
        check("/factors/0/extra", json!(1), "TK-FIELD-UNKNOWN /factors/0/extra");
    }

    #[test]
    fn authors_and_contributors_can_never_be_admitted() {
        for name in ["from_author", "from_contributors"] {
            let place = format!("/distinct/{name}");
            check(&place, json!(false), &format!("TK-GATE-SEPARATION {place}"));
        }
    }

    #[test]
    fn each_condition_is_checked() {
        check("/applies", json!({}), "TK-FIELD-MISSING /applies");
        check("/applies", json!([{}]), "TK-FIELD-MISSING /applies/0");
        check("/applies", json!("always"), "TK-FIELD-TYPE /applies");
        check("/applies", json!({"trigger": []}), "TK-LIST-EMPTY /applies/trigger");
        check("/applies", json!({"trigger": ["stuk"]}), "TK-FIELD-VALUE /applies/trigger/0");
        check("/applies", json!({"class": ["A"]}), "TK-FIELD-UNKNOWN /applies/class");
        check("/applies", json!({"classification": "A"}), "TK-FIELD-TYPE /applies/classification");
        check("/applies", json!({"edge": [{}]}), "TK-FIELD-MISSING /applies/edge/0");
        check("/applies", json!({"edge": [{"to": "A"}]}), "TK-FIELD-FORMAT /applies/edge/0/to");
    }

    #[test]
    fn an_empty_list_of_conditions_is_refused() {
        check("/applies", json!([]), "TK-LIST-EMPTY /applies");
    }

    #[test]
    fn all_violations_are_reported_at_once_with_suggestions() {
        let document = json!({
            "gat": "a", "version": "1.0", "distinct": {"from_author": false},
            "factors": [{"name": "b", "role": ["c"]}], "applies": {"trigger": ["eror"]},
        });
        let lines: Vec<_> = Gate::read(&document)
            .unwrap_err()
            .iter()
            .map(|v| format!("{v}{}", v.hint.as_ref().map_or(String::new(), |h| format!("; {h}"))))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        TK-FIELD-UNKNOWN: unknown field `gat`; did you mean `gate`?
        TK-FIELD-MISSING: missing required field `gate`
        TK-FIELD-UNKNOWN: unknown field `role`; did you mean `roles`?
        TK-FIELD-MISSING: missing required field `roles`
        TK-GATE-SEPARATION: `from_author` must be true: authors and contributors cannot sign off their own work; remove it, and name a role that did not do the work
        TK-FIELD-VALUE: `/applies/trigger/0` must be one of `confidence_below`, `critical_action`, `error`, `completion`, `sensitive_topic`, `required_step`, `session_ended`, `context_limit`, `stuck`, `misrouted`, `no_progress`, `manual`; did you mean `error`?
        ");
    }

    #[test]
    fn the_digest_does_not_depend_on_the_order_of_members() {
        let gate = Gate::read(&clinical_release()).unwrap();
        assert_eq!(gate.to_value(), clinical_release());
        assert_eq!(gate.digest(), crate::canonical::digest(&clinical_release()));
        let mut other = clinical_release();
        let description = other.as_object_mut().unwrap().shift_remove("description").unwrap();
        assert_ne!(Gate::read(&other).unwrap().digest(), gate.digest());
        other["description"] = description;
        assert_eq!(Gate::read(&other).unwrap().digest(), gate.digest());
    }

    #[test]
    fn a_gate_applies_where_one_of_its_conditions_holds() {
        let gate = Gate::read(&clinical_release()).unwrap();
        let nothing = GateContext {
            classification: None,
            regulations: &[],
            trigger: None,
            from: "coder",
            to: "ana",
        };
        let check = |context: GateContext<'_>, expected| {
            let is_member = |party: &str, role: &str| (party, role) == ("ana", "role:ward");
            assert_eq!(gate.applies_to(&context, &is_member), expected, "{context:?}");
        };
        check(nothing, false);
        let sensitive = GateContext { classification: Some("OFFICIAL-SENSITIVE"), ..nothing };
        check(sensitive, true);
        check(GateContext { to: "ben", ..sensitive }, false);
        check(GateContext { regulations: &[("UK-DCB0129", "4.2")], ..nothing }, true);
    }

    #[test]
    fn a_gate_without_conditions_applies_only_where_it_is_named() {
        let mut document = clinical_release();
        document.as_object_mut().unwrap().shift_remove("applies");
        let gate = Gate::read(&document).unwrap();
        let everything = GateContext {
            classification: Some("OFFICIAL-SENSITIVE"),
            regulations: &[("UK-DCB0129", "4.2")],
            trigger: Some("critical_action"),
            from: "coder",
            to: "role:ward",
        };
        assert!(!gate.applies_to(&everything, &|_, _| true));
    }

    #[test]
    fn a_factor_admits_members_of_its_roles_with_a_meaning_it_knows() {
        let gate = Gate::read(&clinical_release()).unwrap();
        let four_eyes = &gate.factors[1];
        let is_member = |party: &str, role: &str| (party, role) == ("ana", "role:reviewer");
        assert!(four_eyes.admits("ana", &is_member));
        assert!(!four_eyes.admits("ben", &is_member));
        assert!(!four_eyes.admits("role:reviewer", &is_member));
        assert!(four_eyes.allows_meaning(Some("approved")));
        assert!(!four_eyes.allows_meaning(Some("read")));
        assert!(!four_eyes.allows_meaning(None));
    }

    #[test]
    fn approvals_are_added_up_where_each_person_counts_once() {
        let mut document = clinical_release();
        assert_eq!(Gate::read(&document).unwrap().approvals(), 2);
        document["distinct"] = json!({});
        assert_eq!(Gate::read(&document).unwrap().approvals(), 3);
    }
}
