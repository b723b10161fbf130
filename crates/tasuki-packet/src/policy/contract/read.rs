//! Reads a contract document and reports every violation at once, each with its pointer.
//!
//! Contracts are configuration, so an unknown member is an error, not an extension. This module
//! checks the form; `check` checks the content (five parts, a ladder that ends).

use std::collections::BTreeMap;
use std::str::FromStr;

use serde_json::Value;

use super::document::{
    Confidence, Contract, Deadlines, Destination, FallbackReason, Lease, Park, Provenance,
    Reapproval, Returns, Rework, Rung, Scope, Verifier,
};
use super::profile::profile;
use super::return_fields::field_name;
use super::schema::SchemaSource;
use crate::document::limits::VIOLATIONS_MAX;
use crate::document::pointer;
use crate::policy::decide::decide;
use crate::policy::located_value::{Fields, LocatedValue, items, name, optional, text, version};
use crate::policy::name::{PartyName, Version};
use crate::policy::risk::Risk;
use crate::policy::trigger::{Effect, TriggerKind};
use crate::types::duration::Duration;
use crate::{Code, Violation};

const MEMBERS: &[&str] = &[
    "contract",
    "version",
    "description",
    "from",
    "to",
    "payload_schema",
    "scope",
    "confidence",
    "provenance",
    "fallback",
    "profile",
    "lease",
    "deadlines",
    "returns",
    "rework",
    "hops",
    "risk",
    "gates",
    "triggers",
    "park",
    "reapproval",
    "decide",
    "escalate_after",
    "verify",
    "compatible_with",
    "convert_from",
];

const PROVENANCE: &[(&str, &str)] = &[
    ("inputs", "inputs"),
    ("sources", "sources"),
    ("tools", "tools"),
    ("model", "model"),
    ("parents", "parents"),
];

/// LIMIT: attempts. Offering the work more often does not get it done.
const ATTEMPTS_MAX: u32 = 100;

/// LIMIT: parties per side. Each pair is an edge, and the loop check visits all of them.
const PARTIES_MAX: usize = 100;

/// LIMIT: a shorter lease is lost to one slow request; a longer one hides a dead holder.
const LEASE_MILLISECONDS: std::ops::RangeInclusive<u64> = 5_000..=43_200_000;

impl Contract {
    /// Reads a contract from a document.
    ///
    /// # Errors
    ///
    /// Returns every violation in the form of the document.
    pub fn read(document: &Value) -> Result<Self, Vec<Violation>> {
        let mut found = Vec::new();
        let contract = contract(&LocatedValue::root(document), &mut found);
        found.truncate(VIOLATIONS_MAX);
        match contract {
            Some(contract) if found.is_empty() => Ok(contract),
            _ => Err(found),
        }
    }
}

fn contract(document: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Contract> {
    let fields = document.fields(MEMBERS, found)?;
    let name = fields.require("contract", found).and_then(|place| name(&place, found));
    let version = fields.require("version", found).and_then(|place| version(&place, found));
    let from = parties(&fields, "from", found);
    let to = parties(&fields, "to", found);
    let payload_schema = optional(&fields, "payload_schema", schema, found);
    let scope = optional(&fields, "scope", scope, found);
    let confidence = optional(&fields, "confidence", confidence, found);
    let provenance = optional(&fields, "provenance", provenance, found);
    let fallback = fields.get("fallback").map(|_| items(&fields, "fallback", rung, found));
    let contract = |name, version| Contract {
        name,
        version,
        description: optional(&fields, "description", text, found),
        from,
        to,
        payload_schema,
        scope,
        confidence,
        provenance,
        fallback,
        profile: optional(&fields, "profile", profile, found),
        lease: optional(&fields, "lease", lease, found).unwrap_or_default(),
        deadlines: optional(&fields, "deadlines", deadlines, found).unwrap_or_default(),
        returns: optional(&fields, "returns", returns, found).unwrap_or_default(),
        rework: optional(&fields, "rework", rework, found).unwrap_or_default(),
        hops: optional(&fields, "hops", count, found),
        risk: optional(&fields, "risk", |place, found| place.word(Risk::NAMES, found), found),
        gates: items(&fields, "gates", self::name, found),
        triggers: optional(&fields, "triggers", triggers, found).unwrap_or_default(),
        park: optional(&fields, "park", |place, found| place.word(Park::NAMES, found), found)
            .unwrap_or_default(),
        reapproval: optional(
            &fields,
            "reapproval",
            |place, found| place.word(Reapproval::NAMES, found),
            found,
        )
        .unwrap_or_default(),
        decide: decide(&fields, found),
        verify: optional(
            &fields,
            "verify",
            |place, found| place.word(Verifier::NAMES, found),
            found,
        )
        .unwrap_or_default(),
        compatible_with: items(&fields, "compatible_with", self::version, found),
        convert_from: fields
            .get("convert_from")
            .map(|place| conversions(&place, found))
            .unwrap_or_default(),
    };
    // A contract without a name is invalid, but its other members are read for their violations.
    let is_named = name.is_some() && version.is_some();
    let contract =
        contract(name.unwrap_or_default(), version.unwrap_or(Version { major: 0, minor: 0 }));
    is_named.then_some(contract)
}

fn scope(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Scope> {
    let fields = place.fields(&["is", "is_not", "forbid"], found)?;
    let is = fields.require("is", found).and_then(|place| text(&place, found));
    let is_not = items(&fields, "is_not", text, found);
    let forbid = items(&fields, "forbid", forbidden, found);
    Some(Scope { is: is?, is_not, forbid })
}

/// Reads a member name of the payload, or a pointer into it.
fn forbidden(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let written = place.text(found)?;
    if written.starts_with('/') {
        return pointer_text(place, found);
    }
    Some(written.to_owned())
}

fn confidence(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Confidence> {
    let fields = place.fields(&["required", "auto_progress_at", "hold_below"], found)?;
    let confidence = Confidence {
        required: flag(&fields, "required", found),
        auto_progress_at: optional(&fields, "auto_progress_at", LocatedValue::fraction, found),
        hold_below: optional(&fields, "hold_below", LocatedValue::fraction, found),
    };
    if let (Some(hold), Some(progress)) = (confidence.hold_below, confidence.auto_progress_at)
        && hold > progress
    {
        let message = format!(
            "`hold_below` {hold} is above `auto_progress_at` {progress}: \
             a packet between them would be both held and released"
        );
        let pointer = pointer::join(&place.pointer, "hold_below");
        let violation = Violation::new(Code::FieldRange, pointer, message);
        found.push(violation.found(hold.to_string()).allowed(format!("at most {progress}")));
    }
    Some(confidence)
}

fn provenance(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Provenance> {
    let fields = place.fields(&["require"], found)?;
    fields.require("require", found)?;
    let word = |place: &LocatedValue<'_>, found: &mut Vec<Violation>| place.word(PROVENANCE, found);
    let require = items(&fields, "require", word, found);
    Some(Provenance { require: require.into_iter().map(str::to_owned).collect() })
}

fn rung(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Rung> {
    let fields = place.fields(&["after", "on", "to"], found)?;
    let after = optional(&fields, "after", LocatedValue::parsed, found);
    let on =
        optional(&fields, "on", |place, found| place.word(&FallbackReason::NAMES, found), found);
    let to = fields.require("to", found).and_then(|place| destination(&place, found));
    Some(Rung { after, on, to: to? })
}

fn destination(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Destination> {
    match place.value.as_str() {
        Some("dead_letter") => Some(Destination::DeadLetter),
        _ => place.parsed(found).map(Destination::Party),
    }
}

fn lease(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Lease> {
    let fields = place.fields(&["for", "attempts"], found)?;
    let duration = optional(&fields, "for", lease_duration, found);
    Some(Lease { duration, attempts: optional(&fields, "attempts", count, found) })
}

fn lease_duration(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Duration> {
    let duration: Duration = place.parsed(found)?;
    if !LEASE_MILLISECONDS.contains(&duration.milliseconds()) {
        let message = format!("lease {duration} is out of range");
        found.push(place.violation(Code::FieldRange, message).allowed("5s to 12h"));
    }
    Some(duration)
}

fn deadlines(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Deadlines> {
    let steps = ["deliver", "claim", "start", "progress", "return", "verify"];
    let fields = place.fields(&steps, found)?;
    let [deliver, claim, start, progress, return_packet, verify] =
        steps.map(|step| optional(&fields, step, deadline, found));
    Some(Deadlines { deliver, claim, start, progress, return_packet, verify })
}

fn deadline(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Duration> {
    let duration: Duration = place.parsed(found)?;
    if duration.milliseconds() == 0 {
        let violation = place.violation(Code::FieldRange, format!("{place} is out of range"));
        found.push(violation.allowed("1ms to 3650d"));
    }
    Some(duration)
}

fn returns(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Returns> {
    let fields = place.fields(&["allowed", "require", "schema"], found)?;
    Some(Returns {
        allowed: flag(&fields, "allowed", found),
        require: items(&fields, "require", field_name, found),
        schema: optional(&fields, "schema", schema, found),
    })
}

fn rework(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Rework> {
    let fields = place.fields(&["attempts"], found)?;
    let attempts = |place: &LocatedValue<'_>, found: &mut Vec<Violation>| {
        // Zero is allowed: the first failed return then moves to the next rung.
        place.integer(0, ATTEMPTS_MAX, found)
    };
    Some(Rework { attempts: optional(&fields, "attempts", attempts, found) })
}

fn schema(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<SchemaSource> {
    let Some(members) = place.value.as_object() else {
        found.push(place.wrong_type("a JSON Schema object or `{ $ref: path }`"));
        return None;
    };
    match members.get("$ref").and_then(Value::as_str) {
        Some(path) if !path.starts_with('#') => reference(place, path, members.len(), found),
        _ => Some(SchemaSource::Inline(place.value.clone())),
    }
}

fn reference(
    place: &LocatedValue<'_>,
    path: &str,
    member_count: usize,
    found: &mut Vec<Violation>,
) -> Option<SchemaSource> {
    let pointer = pointer::join(&place.pointer, "$ref");
    if member_count > 1 {
        let message = "`$ref` to a schema file must be the only member";
        let hint = "move the other members into the file";
        found.push(Violation::new(Code::FieldTogether, pointer, message).hint(hint));
        return None;
    }
    // A contract must not cause other files to be read or URLs to be fetched.
    let leads_out = path.split('/').any(|step| step.is_empty() || step == ".." || step == ".");
    if leads_out || path.contains(['\\', ':', '#']) || path.chars().any(char::is_control) {
        let message = "the schema path must be below the contract's folder";
        let violation = Violation::new(Code::FieldFormat, pointer, message);
        found.push(violation.found(path).allowed("a path like `schemas/incident.schema.json`"));
        return None;
    }
    Some(SchemaSource::Reference(path.to_owned()))
}

/// Reads effects by trigger kind, as stated in contracts and project rules.
pub(crate) fn triggers(
    place: &LocatedValue<'_>,
    found: &mut Vec<Violation>,
) -> Option<BTreeMap<TriggerKind, Effect>> {
    let kinds: Vec<&str> = TriggerKind::ALL.iter().map(|kind| kind.as_str()).collect();
    let fields = place.fields(&kinds, found)?;
    let effect = |kind: &TriggerKind| {
        let place = fields.get(kind.as_str())?;
        Some((*kind, place.word(Effect::NAMES, found)?))
    };
    Some(TriggerKind::ALL.iter().filter_map(effect).collect())
}

fn conversions(
    place: &LocatedValue<'_>,
    found: &mut Vec<Violation>,
) -> BTreeMap<Version, Vec<Value>> {
    let mut conversions = BTreeMap::new();
    for (name, entry) in place.entries(found) {
        let Ok(version) = Version::from_str(name) else {
            let message = format!("`{name}` is not a valid version");
            let violation = Violation::new(Code::FieldFormat, entry.pointer, message);
            found.push(violation.found(name).allowed("two integers, as in `1.2`"));
            continue;
        };
        let operations = entry.list(found);
        let read = operations.iter().filter_map(|place| operation(place, found)).collect();
        conversions.insert(version, read);
    }
    conversions
}

/// Reads one RFC 6902 operation. It is validated now, so a conversion can only fail on a payload.
fn operation(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<Value> {
    const NAMES: &[(&str, &str)] = &[
        ("add", "value"),
        ("remove", ""),
        ("replace", "value"),
        ("move", "from"),
        ("copy", "from"),
        ("test", "value"),
    ];
    let fields = place.fields(&["op", "path", "from", "value"], found)?;
    let needed = fields.require("op", found).and_then(|place| place.word(NAMES, found));
    let path = fields.require("path", found).and_then(|place| pointer_text(&place, found));
    match needed? {
        "from" => {
            let from = fields.require("from", found)?;
            pointer_text(&from, found)?;
        }
        "value" => {
            fields.require("value", found)?;
        }
        _ => {}
    }
    path.map(|_| place.value.clone())
}

fn pointer_text(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<String> {
    let written = place.value.as_str().filter(|text| pointer::tokens(text).is_some());
    if written.is_none() {
        let violation =
            place.violation(Code::FieldFormat, format!("{place} is not a valid pointer"));
        found.push(violation.allowed("an RFC 6901 pointer into the payload, as in `/services/0`"));
    }
    written.map(str::to_owned)
}

fn parties(fields: &Fields<'_>, name: &str, found: &mut Vec<Violation>) -> Vec<PartyName> {
    let Some(place) = fields.require(name, found) else { return Vec::new() };
    let count = place.value.as_array().map(Vec::len);
    if count == Some(0) {
        let message = format!("`{name}` has no parties");
        found.push(place.violation(Code::ListEmpty, message).allowed("at least one party or role"));
    }
    if let Some(count) = count.filter(|count| *count > PARTIES_MAX) {
        let message = format!("`{name}` has {count} parties; the limit is {PARTIES_MAX}");
        let violation = place.violation(Code::ListLength, message);
        found.push(violation.hint("use a role instead of its members"));
        return Vec::new();
    }
    items(fields, name, LocatedValue::parsed, found)
}

fn count(place: &LocatedValue<'_>, found: &mut Vec<Violation>) -> Option<u32> {
    place.integer(1, ATTEMPTS_MAX, found)
}

fn flag(fields: &Fields<'_>, name: &str, found: &mut Vec<Violation>) -> bool {
    optional(fields, name, LocatedValue::boolean, found).unwrap_or(false)
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;

    /// The example contract of design section 5.
    pub(in crate::policy::contract) fn incident_contract() -> Value {
        json!({
            "contract": "correlation-to-investigation",
            "version": "1.2",
            "from": ["correlator"],
            "to": ["role:investigator"],
            "scope": {
                "is": "a proposed root cause with evidence",
                "is_not": ["a remediation plan"],
                "forbid": ["remediation", "/time_window/end"],
            },
            "payload_schema": {"$ref": "schemas/incident.schema.json"},
            "confidence": {"required": true, "auto_progress_at": 0.8, "hold_below": 0.7},
            "provenance": {"require": ["inputs", "sources", "tools"]},
            "profile": "strict",
            "lease": {"for": "120s", "attempts": 3},
            "deadlines": {
                "claim": "60s", "start": "120s", "progress": "300s", "return": "2h", "verify": "1d"
            },
            "fallback": [
                {"to": "role:oncall"},
                {"to": "role:human-queue", "after": "15m", "on": "no_progress"},
                {"to": "dead_letter"},
            ],
            "returns": {
                "allowed": true,
                "require": ["status", "verification"],
                "schema": {"$ref": "schemas/finding.schema.json"},
            },
            "gates": ["clinical-release"],
            "triggers": {},
            "park": "same",
            "verify": "sender",
            "compatible_with": ["1.0", "1.1"],
            "convert_from": {
                "1.0": [{"op": "move", "from": "/hypothesis", "path": "/primary_hypothesis"}]
            },
        })
    }

    #[test]
    fn the_whole_contract_is_read() {
        let contract = Contract::read(&incident_contract()).unwrap();
        assert_eq!(contract.identity().to_string(), "correlation-to-investigation@1.2");
        assert_eq!(contract.from[0].as_str(), "correlator");
        assert!(contract.to[0].is_role());
        assert_eq!(contract.scope.unwrap().forbid, ["remediation", "/time_window/end"]);
        assert_eq!(
            contract.payload_schema,
            Some(SchemaSource::Reference("schemas/incident.schema.json".to_owned()))
        );
        assert_eq!(contract.confidence.unwrap().hold_below, Some(0.7));
        assert_eq!(contract.provenance.unwrap().require, ["inputs", "sources", "tools"]);
        assert_eq!(contract.lease.duration.unwrap().to_string(), "2m");
        assert_eq!(contract.lease.attempts, Some(3));
        assert_eq!(contract.deadlines.return_packet.unwrap().to_string(), "2h");
        assert_eq!(contract.deadlines.deliver, None);
        let ladder = contract.fallback.unwrap();
        assert_eq!(ladder[1].on, Some(FallbackReason::NoProgress));
        assert_eq!(ladder[2].to, Destination::DeadLetter);
        assert!(contract.returns.allowed);
        assert_eq!(contract.gates, ["clinical-release"]);
        assert_eq!((contract.park, contract.verify), (Park::Same, Verifier::Sender));
        assert_eq!(contract.compatible_with.len(), 2);
        assert_eq!(contract.convert_from.len(), 1);
    }

    #[test]
    fn a_contract_needs_only_name_version_and_edge() {
        let document = json!({"contract": "a", "version": "1.0", "from": ["x"], "to": ["y"]});
        let contract = Contract::read(&document).unwrap();
        assert_eq!(contract.fallback, None);
        assert!(!contract.returns.allowed);
        assert_eq!((contract.park, contract.verify), (Park::Same, Verifier::Sender));
        assert_eq!(contract.effect_of(TriggerKind::Stuck), Effect::Hold);
        assert_eq!(contract.reapproval, Reapproval::Changed);
    }

    #[test]
    fn a_contract_changes_the_effect_of_a_trigger() {
        let mut document = incident_contract();
        document["triggers"] = json!({"stuck": "offer", "manual": "hold"});
        document["park"] = json!("other");
        document["reapproval"] = json!("none");
        document["decide"] = json!("role:leads");
        document["verify"] = json!("person");
        let contract = Contract::read(&document).unwrap();
        assert_eq!(contract.effect_of(TriggerKind::Stuck), Effect::Offer);
        assert_eq!(contract.effect_of(TriggerKind::Manual), Effect::Hold);
        assert_eq!(contract.effect_of(TriggerKind::Completion), Effect::Verify);
        assert_eq!(contract.triggers.len(), 2);
        assert_eq!((contract.park, contract.verify), (Park::Other, Verifier::Person));
        assert_eq!(contract.reapproval, Reapproval::None);
        assert_eq!(contract.decide.unwrap().by.as_str(), "role:leads");
    }

    /// Puts `value` at `place`, reads, and compares the codes and pointers of the violations.
    #[track_caller]
    fn check(place: &str, value: Value, expected: &str) {
        let mut document = incident_contract();
        let (parent, name) = place.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[name] = value;
        let found = Contract::read(&document).unwrap_err();
        let found: Vec<_> = found.iter().map(|v| format!("{} {}", v.code, v.pointer)).collect();
        assert_eq!(found.join("\n"), expected);
    }

    #[test]
    fn each_member_is_checked() {
        check("/contract", json!("No Name"), "TK-FIELD-FORMAT /contract");
        check("/version", json!(1.2), "TK-FIELD-TYPE /version");
        check("/version", json!("1"), "TK-FIELD-FORMAT /version");
        check("/from", json!([]), "TK-LIST-EMPTY /from");
        check("/from", json!("correlator"), "TK-FIELD-TYPE /from");
        check("/to", json!(["ok", "Not Ok"]), "TK-FIELD-FORMAT /to/1");
        check("/scope/is", json!(" "), "TK-FIELD-BLANK /scope/is");
        check("/scope/forbid", json!(["/a~2"]), "TK-FIELD-FORMAT /scope/forbid/0");
        check("/payload_schema", json!(true), "TK-FIELD-TYPE /payload_schema");
        check("/confidence/hold_below", json!(70), "TK-FIELD-RANGE /confidence/hold_below");
        check("/provenance/require", json!(["input"]), "TK-FIELD-VALUE /provenance/require/0");
        check("/provenance", json!({}), "TK-FIELD-MISSING /provenance/require");
        check("/lease/for", json!("1s"), "TK-FIELD-RANGE /lease/for");
        check("/lease/for", json!(120), "TK-FIELD-TYPE /lease/for");
        check("/lease/attempts", json!(0), "TK-FIELD-RANGE /lease/attempts");
        check("/lease/attempts", json!("3"), "TK-FIELD-TYPE /lease/attempts");
        check("/deadlines/claim", json!("soon"), "TK-FIELD-FORMAT /deadlines/claim");
        check("/deadlines/claim", json!("0s"), "TK-FIELD-RANGE /deadlines/claim");
        check("/fallback", json!([{"after": "5m"}]), "TK-FIELD-MISSING /fallback/0/to");
        check("/fallback", json!([{"to": "x", "on": "bad"}]), "TK-FIELD-VALUE /fallback/0/on");
        check("/returns/allowed", json!("yes"), "TK-FIELD-TYPE /returns/allowed");
        check("/risk", json!("extreme"), "TK-FIELD-VALUE /risk");
        check("/triggers", json!({"stuk": "hold"}), "TK-FIELD-UNKNOWN /triggers/stuk");
        check("/triggers", json!({"stuck": "wait"}), "TK-FIELD-VALUE /triggers/stuck");
        check("/triggers", json!([]), "TK-FIELD-TYPE /triggers");
        check("/park", json!("elsewhere"), "TK-FIELD-VALUE /park");
        check("/reapproval", json!("never"), "TK-FIELD-VALUE /reapproval");
        check("/escalate_after", json!("1h"), "TK-FIELD-MISSING /escalate_after");
        check("/verify", json!(true), "TK-FIELD-TYPE /verify");
        check("/gates", json!(null), "TK-FIELD-TYPE /gates");
        check("/compatible_with", json!(["1.x"]), "TK-FIELD-FORMAT /compatible_with/0");
        check("/convert_from", json!({"one": []}), "TK-FIELD-FORMAT /convert_from/one");
    }

    #[test]
    fn operations_are_checked_when_the_contract_is_read() {
        let check = |operation: Value, expected: &str| {
            check("/convert_from", json!({"1.0": [operation]}), expected);
        };
        check(json!({"op": "mv", "path": "/a"}), "TK-FIELD-VALUE /convert_from/1.0/0/op");
        check(json!({"op": "move", "path": "/a"}), "TK-FIELD-MISSING /convert_from/1.0/0/from");
        check(json!({"op": "add", "path": "/a"}), "TK-FIELD-MISSING /convert_from/1.0/0/value");
        check(json!({"op": "remove", "path": "a"}), "TK-FIELD-FORMAT /convert_from/1.0/0/path");
    }

    #[test]
    fn a_schema_file_is_below_the_contracts_folder() {
        for path in ["/etc/passwd", "../x.json", "a/../../x.json", "https://x/y.json", "C:\\x", ""]
        {
            let expected = "TK-FIELD-FORMAT /payload_schema/$ref";
            check("/payload_schema", json!({"$ref": path}), expected);
        }
        let both = json!({"$ref": "a.json", "type": "object"});
        check("/payload_schema", both, "TK-FIELD-TOGETHER /payload_schema/$ref");
    }

    #[test]
    fn a_hold_above_the_automatic_progress_is_refused() {
        check("/confidence/hold_below", json!(0.9), "TK-FIELD-RANGE /confidence/hold_below");
    }

    #[test]
    fn all_violations_are_reported_at_once_with_suggestions() {
        let document = json!({"contrct": "a", "version": "1.0", "from": [1], "lease": {"fro": 1}});
        let found = Contract::read(&document).unwrap_err();
        let lines: Vec<_> = found
            .iter()
            .map(|v| format!("{v}{}", v.hint.as_ref().map_or(String::new(), |h| format!("; {h}"))))
            .collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        TK-FIELD-UNKNOWN: unknown field `contrct`; did you mean `contract`?
        TK-FIELD-MISSING: missing required field `contract`
        TK-FIELD-TYPE: `/from/0` must be text, not a number
        TK-FIELD-MISSING: missing required field `to`
        TK-FIELD-UNKNOWN: unknown field `fro`
        ");
    }
}
