//! Checks a packet against its contract.
//!
//! - A handoff is checked against all parts of the contract.
//! - A return packet is checked against `returns`.
//! - A checkpoint or a decision only has to name an accepted version.
//!
//! Confidence below the limit is not a violation; it holds the handoff
//! ([`Contract::needs_person`]). An older packet is converted first (`convert_up`).

use std::collections::HashSet;

use serde_json::Value;

use super::document::Contract;
use super::profile::{is_file, variant};
use super::schema::{CompiledSchema, Schemas};
use crate::document::limits::VIOLATIONS_MAX;
use crate::document::pointer;
use crate::packet::aliases::member_for;
use crate::policy::name::{Identity, PartyName};
use crate::{Code, Kind, Packet, Variant, Violation};

/// A contract with its compiled schemas, ready to check packets.
#[derive(Debug, Clone)]
pub struct CompiledContract {
    contract: Contract,
    pub(super) payload: Option<CompiledSchema>,
    pub(super) returns: Option<CompiledSchema>,
    profile: Option<Variant>,
    /// The variant file of the profile, if it is not a built-in variant.
    pub(super) profile_document: Option<Value>,
}

impl CompiledContract {
    /// Compiles the schemas of a contract.
    ///
    /// # Errors
    ///
    /// Returns a violation for each missing schema and everything that is wrong with the others.
    pub fn new(contract: &Contract, schemas: &dyn Schemas) -> Result<Self, Vec<Violation>> {
        let payload = contract.payload_schema.as_ref();
        let payload = payload.map(|source| source.compile("/payload_schema", schemas)).transpose();
        let returns = contract.returns.schema.as_ref();
        let returns = returns.map(|source| source.compile("/returns/schema", schemas)).transpose();
        let profile_document =
            contract.profile.as_deref().filter(|name| is_file(name)).and_then(|p| schemas.get(p));
        let profile = contract.profile.as_deref();
        let profile = profile.map(|name| variant(name, profile_document.as_ref())).transpose();
        match (payload, returns, profile) {
            (Ok(payload), Ok(returns), Ok(profile)) => {
                let contract = contract.clone();
                Ok(Self { contract, payload, returns, profile, profile_document })
            }
            (payload, returns, profile) => {
                let wrong = payload.err().into_iter().chain(returns.err()).chain(profile.err());
                Err(wrong.flatten().collect())
            }
        }
    }

    /// Returns the variant that packets must satisfy besides the contract, if it names one.
    pub fn profile(&self) -> Option<&Variant> {
        self.profile.as_ref()
    }

    /// Returns the contract.
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Returns every violation of the contract in a packet.
    ///
    /// Only the exchange knows the members of a role, so this method assumes that a party on a
    /// role's side of the edge is a member. To check membership, use
    /// [`CompiledContract::check_with_members`].
    pub fn check(&self, packet: &Packet) -> Vec<Violation> {
        self.check_with_members(packet, &|_, _| true)
    }

    /// Checks a packet like [`check`](Self::check), with a function that resolves role membership.
    pub fn check_with_members(
        &self,
        packet: &Packet,
        is_member: &dyn Fn(&str, &str) -> bool,
    ) -> Vec<Violation> {
        self.check_parties(packet, Parties::of(packet), is_member)
    }

    /// Checks a packet like [`check`](Self::check), with sender and receiver supplied by the caller
    /// instead of the packet.
    pub fn check_between(
        &self,
        packet: &Packet,
        from: &str,
        to: &str,
        is_member: &dyn Fn(&str, &str) -> bool,
    ) -> Vec<Violation> {
        let parties = Parties { from: Some(from), to: Some(to), receiver_field: "to_agent" };
        self.check_parties(packet, parties, is_member)
    }

    fn check_parties(
        &self,
        packet: &Packet,
        parties: Parties<'_>,
        is_member: &dyn Fn(&str, &str) -> bool,
    ) -> Vec<Violation> {
        let mut found = Vec::new();
        found.extend(check_version(&self.contract, packet));
        match packet.kind() {
            Kind::Handoff => {
                found.extend(edge(&self.contract, parties, is_member));
                found.extend(payload(self.payload.as_ref(), packet));
                found.extend(forbidden(&self.contract, packet));
                found.extend(confidence(&self.contract, packet));
                found.extend(provenance(&self.contract, packet));
            }
            Kind::Return => {
                found.extend(required_returns(&self.contract, packet));
                found.extend(payload(self.returns.as_ref(), packet));
            }
            Kind::Checkpoint | Kind::Decision => {}
        }
        found.truncate(VIOLATIONS_MAX);
        found
    }
}

/// Checks that the packet names an accepted version of this contract, if it names a contract.
fn check_version(contract: &Contract, packet: &Packet) -> Option<Violation> {
    let written = packet.text("contract")?;
    let named: Option<Identity> = written.parse().ok();
    if named.is_some_and(|named| named.name == contract.name && contract.reads(named.version)) {
        return None;
    }
    Some(mismatch(contract, written))
}

/// Returns the violation that names both the packet's version and the accepted versions.
pub(super) fn mismatch(contract: &Contract, written: &str) -> Violation {
    let mut read = vec![format!("{}@{}.*", contract.name, contract.version.major)];
    let others = contract.compatible_with.iter();
    let others = others.filter(|version| version.major != contract.version.major);
    read.extend(others.map(|version| format!("{}@{version}", contract.name)));
    let converted = contract.convert_from.keys();
    read.extend(converted.map(|version| format!("{}@{version} by conversion", contract.name)));
    let message =
        format!("the packet uses contract `{written}`, expected `{}`", contract.identity());
    Violation::new(Code::ContractMismatch, "/contract", message)
        .found(written)
        .allowed(read.join(", "))
        .hint("use an accepted version, or convert the packet to one")
}

#[derive(Clone, Copy)]
struct Parties<'p> {
    from: Option<&'p str>,
    to: Option<&'p str>,
    /// The member that names the receiver.
    receiver_field: &'static str,
}

impl<'p> Parties<'p> {
    fn of(packet: &'p Packet) -> Self {
        let is_ours = packet.text("to_agent").is_some();
        Self {
            from: packet.text("from_agent"),
            to: packet.receiver(),
            receiver_field: if is_ours { "to_agent" } else { "target_agent" },
        }
    }
}

fn edge(
    contract: &Contract,
    parties: Parties<'_>,
    is_member: &dyn Fn(&str, &str) -> bool,
) -> Vec<Violation> {
    let sides = [
        ("from_agent", parties.from, "send", &contract.from),
        (parties.receiver_field, parties.to, "receive", &contract.to),
    ];
    let mut found = Vec::new();
    for (field, party, verb, allowed) in sides {
        let Some(party) = party else { continue };
        if !allowed.iter().any(|name| name.is_met_by(party, is_member)) {
            let names: Vec<&str> = allowed.iter().map(PartyName::as_str).collect();
            let message = format!(
                "`{party}` is not allowed to {verb} under contract `{}`",
                contract.identity()
            );
            let violation = Violation::new(Code::EdgeRefused, format!("/{field}"), message);
            found.push(violation.found(party).allowed(names.join(", ")));
        }
    }
    found
}

fn payload(schema: Option<&CompiledSchema>, packet: &Packet) -> Vec<Violation> {
    let Some(schema) = schema else { return Vec::new() };
    let Some(payload) = packet.get("payload") else {
        let message = "missing `payload`, which the contract requires";
        return vec![Violation::new(Code::PayloadInvalid, "/payload", message)];
    };
    schema.check(Code::PayloadInvalid, "/payload", payload)
}

fn forbidden(contract: &Contract, packet: &Packet) -> Vec<Violation> {
    let scope = contract.scope.as_ref().filter(|scope| !scope.forbid.is_empty());
    let (Some(scope), Some(payload)) = (scope, packet.get("payload")) else {
        return Vec::new();
    };
    let forbid = || scope.forbid.iter().map(String::as_str);
    let names: HashSet<&str> = forbid().filter(|name| !name.starts_with('/')).collect();
    let mut places = Vec::new();
    find_named(payload, &names, &mut "/payload".to_owned(), &mut places);
    let pointers = forbid().filter(|pointer| pointer.starts_with('/'));
    let pointers = pointers.filter(|pointer| payload.pointer(pointer).is_some());
    places.extend(pointers.map(|pointer| format!("/payload{pointer}")));
    let refuse = |place: String| {
        let message = format!("`{place}` is outside the contract's scope ({})", scope.is);
        let violation = Violation::new(Code::ScopeForbidden, place, message);
        let hint = "remove it, or use a contract whose scope includes it";
        violation.allowed(format!("no member named {}", scope.forbid.join(", "))).hint(hint)
    };
    places.into_iter().take(VIOLATIONS_MAX).map(refuse).collect()
}

/// Returns the pointers of members, or of labelled entries, with one of these names at any depth.
fn find_named(value: &Value, names: &HashSet<&str>, place: &mut String, places: &mut Vec<String>) {
    let length = place.len();
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                pointer::push(place, name);
                let label = member.as_str().filter(|_| name == "label");
                if names.contains(name.as_str()) || label.is_some_and(|label| names.contains(label))
                {
                    places.push(place.clone());
                }
                find_named(member, names, place, places);
                place.truncate(length);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointer::push(place, &index.to_string());
                find_named(item, names, place, places);
                place.truncate(length);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn confidence(contract: &Contract, packet: &Packet) -> Option<Violation> {
    let is_required = contract.confidence.is_some_and(|confidence| confidence.required);
    if !is_required || packet.number("confidence").is_some() {
        return None;
    }
    let message =
        format!("missing `confidence`, which contract `{}` requires", contract.identity());
    let violation = Violation::new(Code::ConfidenceMissing, "/confidence", message);
    Some(violation.allowed("a number from 0 to 1"))
}

fn provenance(contract: &Contract, packet: &Packet) -> Vec<Violation> {
    let Some(provenance) = &contract.provenance else { return Vec::new() };
    let shown = |name: &str| packet.object("provenance")?.get(name);
    let is_missing = |name: &&String| !shown(name).is_some_and(has_content);
    let refuse = |name: &String| {
        let message = format!(
            "missing `provenance.{name}`, which contract `{}` requires",
            contract.identity()
        );
        Violation::new(Code::ProvenanceMissing, format!("/provenance/{name}"), message)
            .hint("list them so that the receiver can check where the statements come from")
    };
    provenance.require.iter().filter(is_missing).map(refuse).collect()
}

fn has_content(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(_) | Value::Number(_) => true,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => items.iter().any(has_content),
        Value::Object(members) => members.get("text").map_or(!members.is_empty(), has_content),
    }
}

/// Checks the required fields of a return. An empty list counts as present; null does not.
fn required_returns(contract: &Contract, packet: &Packet) -> Vec<Violation> {
    let is_missing = |name: &&String| member_for(name, packet).is_none();
    let refuse = |name: &String| {
        let message = format!(
            "missing `{name}`, which contract `{}` requires in a return",
            contract.identity()
        );
        Violation::new(Code::ReturnMissing, pointer::join("", name), message)
    };
    contract.returns.require.iter().filter(is_missing).map(refuse).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::policy::contract::read::tests::incident_contract;
    use crate::policy::contract::shipped::shipped_schemas;

    fn incident_payload() -> Value {
        json!({
            "incident_id": "inc-2026-04-17-0042",
            "signal_types": ["metric", "log", "trace"],
            "services": ["checkout-api", "payment-client"],
            "time_window": {"start": "2026-04-17T23:03:00Z", "duration_seconds": 240},
            "alert_count": 84,
            "primary_hypothesis": "recent_deploy",
            "evidence_refs": ["deploy:prod-2026-04-17-2247", "trace:abc123..."],
            "confidence": 0.74,
            "fallback": "escalate_to_oncall_if_not_progressed_within_300s"
        })
    }

    fn incident_packet() -> Value {
        json!({
            "handoff_version": "1.0",
            "task_id": "inc-2026-04-17-0042",
            "from_agent": "correlator",
            "to_agent": "role:investigator",
            "contract": "correlation-to-investigation@1.2",
            "confidence": 0.74,
            "provenance": {
                "inputs": ["84 alerts"], "sources": ["prometheus"], "tools": ["correlate 2.1"]
            },
            "payload": incident_payload(),
        })
    }

    fn compiled(document: &Value) -> CompiledContract {
        CompiledContract::new(&Contract::read(document).unwrap(), &shipped_schemas()).unwrap()
    }

    fn listed(found: &[Violation]) -> String {
        let lines: Vec<_> = found.iter().map(|v| format!("{} {}", v.code, v.pointer)).collect();
        lines.join("\n")
    }

    /// Puts `value` at `place` of a valid packet and compares the violations.
    #[track_caller]
    fn check(place: &str, value: Value, expected: &str) {
        let mut packet = incident_packet();
        let (parent, name) = place.rsplit_once('/').unwrap();
        packet.pointer_mut(parent).unwrap()[name] = value;
        let packet = Packet::from_value(packet).unwrap();
        assert_eq!(listed(&compiled(&incident_contract()).check(&packet)), expected);
    }

    #[test]
    fn an_incident_satisfies_its_contract() {
        check("/goal", json!("find the cause"), "");
    }

    #[test]
    fn the_edge_is_an_allow_list() {
        check("/from_agent", json!("stranger"), "TK-EDGE-REFUSED /from_agent");
        check("/to_agent", json!("role:reviewer"), "TK-EDGE-REFUSED /to_agent");
        check("/to_agent", json!("ana"), "");
        check("/from_agent", json!(null), "");
    }

    #[test]
    fn a_caller_can_supply_the_names_of_the_parties() {
        let contract = compiled(&incident_contract());
        let is_member = |_: &str, _: &str| false;
        let between = |packet: Value, from: &str, to: &str| {
            let packet = Packet::from_value(packet).unwrap();
            let found = contract.check_between(&packet, from, to, &is_member);
            let mut renamed = packet.into_members();
            renamed.insert("from_agent".to_owned(), json!(from));
            renamed.insert("to_agent".to_owned(), json!(to));
            assert_eq!(found, contract.check_with_members(&Packet::new(renamed), &is_member));
            listed(&found)
        };
        let mut packet = incident_packet();
        assert_eq!(between(packet.clone(), "correlator", "role:investigator"), "");
        packet["from_agent"] = json!("an alias");
        packet["to_agent"] = json!(null);
        packet["target_agent"] = json!("another");
        assert_eq!(between(packet.clone(), "correlator", "role:investigator"), "");
        let both = "TK-EDGE-REFUSED /from_agent\nTK-EDGE-REFUSED /to_agent";
        assert_eq!(between(packet, "stranger", "ana"), both);
    }

    #[test]
    fn members_of_a_role_are_known_to_the_caller() {
        let mut packet = incident_packet();
        packet["to_agent"] = json!("ana");
        let packet = Packet::from_value(packet).unwrap();
        let contract = compiled(&incident_contract());
        let is_member = |party: &str, role: &str| (party, role) == ("ana", "role:investigator");
        assert_eq!(contract.check_with_members(&packet, &is_member), []);
        let found = contract.check_with_members(&packet, &|_, _| false);
        assert_eq!(listed(&found), "TK-EDGE-REFUSED /to_agent");
    }

    #[test]
    fn the_named_version_must_be_an_accepted_one() {
        let name = |version: &str| json!(format!("correlation-to-investigation@{version}"));
        check("/contract", name("1.0"), "");
        check("/contract", name("1.9"), "");
        check("/contract", name("2.0"), "TK-CONTRACT-MISMATCH /contract");
        check("/contract", json!("another@1.2"), "TK-CONTRACT-MISMATCH /contract");
        check("/contract", json!("no version"), "TK-CONTRACT-MISMATCH /contract");

        let mut document = incident_contract();
        document["compatible_with"] = json!(["1.0", "0.9"]);
        let contract = compiled(&document);
        let mut packet = incident_packet();
        packet["contract"] = name("0.9");
        let found = contract.check(&Packet::from_value(packet.clone()).unwrap());
        assert_eq!(listed(&found), "");
        packet["contract"] = name("0.8");
        let found = contract.check(&Packet::from_value(packet).unwrap());
        insta::assert_snapshot!(found[0].message, @"the packet uses contract `correlation-to-investigation@0.8`, expected `correlation-to-investigation@1.2`");
        insta::assert_snapshot!(found[0].allowed.as_ref().unwrap(), @"correlation-to-investigation@1.*, correlation-to-investigation@0.9, correlation-to-investigation@1.0 by conversion");
    }

    #[test]
    fn the_payload_satisfies_the_schema() {
        check("/payload/alert_count", json!("many"), "TK-PAYLOAD-INVALID /payload/alert_count");
        check("/payload/guess", json!(1), "TK-PAYLOAD-INVALID /payload/guess");
        check("/payload/services", json!([]), "TK-PAYLOAD-INVALID /payload/services");
        check(
            "/payload/time_window",
            json!({"start": "noon", "duration_seconds": 1}),
            "TK-PAYLOAD-INVALID /payload/time_window/start",
        );
        check("/payload", json!([{"label": "a", "value": "b"}]), "TK-PAYLOAD-INVALID /payload");
        check("/payload", json!("free text"), "TK-PAYLOAD-INVALID /payload");
    }

    #[test]
    fn a_missing_payload_is_invalid() {
        let mut packet = incident_packet();
        packet.as_object_mut().unwrap().shift_remove("payload");
        let packet = Packet::from_value(packet).unwrap();
        let found = compiled(&incident_contract()).check(&packet);
        assert_eq!(listed(&found), "TK-PAYLOAD-INVALID /payload");
    }

    #[test]
    fn forbidden_members_are_found_at_any_depth() {
        let mut document = incident_contract();
        document["payload_schema"] = json!({});
        let contract = compiled(&document);
        let check = |payload: Value, expected: &str| {
            let mut packet = incident_packet();
            packet["payload"] = payload;
            let packet = Packet::from_value(packet).unwrap();
            assert_eq!(listed(&contract.check(&packet)), expected);
        };
        check(json!({"time_window": {"start": 1}, "note": "remediation"}), "");
        check(json!({"a": [{"remediation": 1}]}), "TK-SCOPE-FORBIDDEN /payload/a/0/remediation");
        check(json!({"time_window": {"end": 1}}), "TK-SCOPE-FORBIDDEN /payload/time_window/end");
        check(
            json!([{"label": "remediation", "value": "restart"}]),
            "TK-SCOPE-FORBIDDEN /payload/0/label",
        );
    }

    #[test]
    fn forbidden_members_are_reported_once_in_order_and_pointers_last() {
        let mut document = incident_contract();
        document["payload_schema"] = json!({});
        document["scope"]["forbid"] = json!(["/a/0", "label", "fix", "cause", "fix"]);
        let mut packet = incident_packet();
        packet["payload"] = json!({
            "a": [{"cause": {"fix": 1}}, {"label": "fix", "value": 1}], "fix": 2, "b": "cause",
        });
        let packet = Packet::from_value(packet).unwrap();
        let found = compiled(&document).check(&packet);
        let pointers: Vec<_> = found.iter().map(|found| found.pointer.as_str()).collect();
        assert_eq!(
            pointers,
            [
                "/payload/a/0/cause",
                "/payload/a/0/cause/fix",
                "/payload/a/1/label",
                "/payload/fix",
                "/payload/a/0",
            ]
        );
    }

    #[test]
    fn confidence_must_be_stated_and_may_be_low() {
        check("/confidence", json!(null), "TK-CONFIDENCE-MISSING /confidence");
        check("/confidence", json!("high"), "TK-CONFIDENCE-MISSING /confidence");
        check("/confidence", json!(0.1), "");
    }

    #[test]
    fn provenance_must_be_present_and_not_blank() {
        check("/provenance/tools", json!([]), "TK-PROVENANCE-MISSING /provenance/tools");
        check(
            "/provenance/tools",
            json!([{"text": " "}]),
            "TK-PROVENANCE-MISSING /provenance/tools",
        );
        check("/provenance/tools", json!([{"text": "grep"}]), "");
        check(
            "/provenance",
            json!({"sources": "prometheus"}),
            "TK-PROVENANCE-MISSING /provenance/inputs\nTK-PROVENANCE-MISSING /provenance/tools",
        );
    }

    #[test]
    fn a_return_is_checked_against_the_returns_of_the_contract() {
        let contract = compiled(&incident_contract());
        let check = |packet: Value, expected: &str| {
            let packet = Packet::from_value(packet).unwrap();
            assert_eq!(listed(&contract.check(&packet)), expected);
        };
        let payload = json!({
            "incident_id": "inc-1", "root_cause": "a deploy", "verdict": "confirmed",
            "evidence_refs": ["deploy:1"],
        });
        check(
            json!({"packet_type": "return", "status": "completed", "verification": [], "payload": payload}),
            "",
        );
        check(
            json!({"packet_type": "return", "status": "completed", "payload": {"incident_id": 1}}),
            "TK-RETURN-MISSING /verification\n\
             TK-PAYLOAD-INVALID /payload/root_cause\n\
             TK-PAYLOAD-INVALID /payload/verdict\n\
             TK-PAYLOAD-INVALID /payload/evidence_refs\n\
             TK-PAYLOAD-INVALID /payload/incident_id",
        );
    }

    #[test]
    fn a_checkpoint_is_checked_by_its_version_only() {
        let packet = json!({"packet_type": "checkpoint", "completed": ["looked at the deploy"]});
        let packet = Packet::from_value(packet).unwrap();
        assert_eq!(compiled(&incident_contract()).check(&packet), []);
    }

    #[test]
    fn every_unusable_schema_is_reported() {
        let contract = Contract::read(&incident_contract()).unwrap();
        let found = CompiledContract::new(&contract, &()).unwrap_err();
        assert_eq!(
            listed(&found),
            "TK-SCHEMA-MISSING /payload_schema/$ref\nTK-SCHEMA-MISSING /returns/schema/$ref"
        );
    }
}
