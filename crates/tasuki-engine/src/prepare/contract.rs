//! Finds the contract that covers an edge, checks a packet against it, and derives the terms.

use std::collections::BTreeSet;
use std::sync::Arc;

use tasuki_packet::policy::contract::{Identity, Park};
use tasuki_packet::policy::rules::RuleEffect;
use tasuki_packet::policy::trigger::{Effect, TriggerKind};
use tasuki_packet::{Code, Packet, Variant, Violation};

use super::packet::{contains_violation, read};
use super::rule_variants;
use crate::model::handoff::push_new;
use crate::model::{Directory, Facts, PacketSummary, Published, RiskWord, Terms};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::{self, Edge, policy, stake};
use crate::rules::route::somebody_reads;

/// The edge of a packet, with its handoff if the packet is a revision.
#[derive(Debug)]
pub(crate) struct PacketRoute<'a> {
    /// The current edge.
    pub edge: Edge,
    /// The edge of its contract. A revision keeps that of the first edge, even after a reroute.
    pub agreed: Edge,
    /// The facts of the handoff that it revises.
    pub current: Option<&'a Facts>,
    /// `true` if sender and receiver are the caller.
    pub is_own: bool,
}

/// Returns the contract of a packet.
pub(crate) fn of(
    directory: &Directory,
    packet: &Packet,
    route: &PacketRoute<'_>,
) -> Result<Option<Arc<Published>>, Refusal> {
    let PacketRoute { edge, agreed, current, is_own } = route;
    if let Some(named) = packet.text("contract") {
        return named_contract(directory, named, edge).map(Some);
    }
    let on_edge = directory.contracts_on(&agreed.from, &agreed.to);
    let own = current.and_then(|facts| directory.contract_of(&facts.terms));
    match on_edge.as_slice() {
        [newest] => newest_supported(directory, newest, route).map(Some),
        // Later publications do not change the contract of an existing handoff.
        _ if own.is_some() => Ok(own.cloned()),
        [] if *is_own || current.is_some() => Ok(None),
        [] if directory.settings.allows_edges_without_contract => Ok(None),
        [] => {
            let message =
                format!("no contract covers the edge from `{}` to `{}`", edge.from, edge.to);
            Err(Refusal::new(RefusalCode::EdgeRefused, message)
                .hint("publish one with `tasuki contract publish FILE`"))
        }
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|published| format!("`{}`", published.compiled.contract().identity()))
                .collect();
            let message = format!(
                "several contracts cover the edge from `{}` to `{}`: {}",
                edge.from,
                edge.to,
                names.join(", ")
            );
            Err(Refusal::new(RefusalCode::ContractAmbiguous, message)
                .hint("name one in the field `contract` of the packet"))
        }
    }
}

/// Returns the newest version on the edge that the receiver supports.
fn newest_supported(
    directory: &Directory,
    newest: &Published,
    route: &PacketRoute<'_>,
) -> Result<Arc<Published>, Refusal> {
    let (edge, agreed) = (&route.edge, &route.agreed);
    let versions = directory.versions(&newest.compiled.contract().name);
    let fits = |published: &&Arc<Published>| {
        // The newest version is known to cover the edge.
        let is_newest = std::ptr::eq(published.as_ref(), newest);
        let covers = || directory.covers(published.compiled.contract(), &agreed.from, &agreed.to);
        reads(directory, published, edge) && (is_newest || covers())
    };
    let found = versions.iter().rev().find(fits).map(Arc::clone);
    found.ok_or_else(|| unsupported(directory, versions, edge))
}

/// Returns the named version, else the newest that the receiver supports and that accepts the
/// packet.
fn named_contract(
    directory: &Directory,
    named: &str,
    edge: &Edge,
) -> Result<Arc<Published>, Refusal> {
    let unknown = |hint: String| {
        Err(Refusal::new(RefusalCode::ContractUnknown, format!("unknown contract `{named}`"))
            .hint(hint))
    };
    let Ok(identity) = named.parse::<Identity>() else {
        return unknown("use the form `name@major.minor`".to_owned());
    };
    let versions = directory.versions(&identity.name);
    let accepts = |published: &&Arc<Published>| {
        let contract = published.compiled.contract();
        contract.version == identity.version
            || contract.reads(identity.version)
            || contract.convert_from.contains_key(&identity.version)
    };
    let accepting: Vec<Arc<Published>> = versions.iter().filter(accepts).map(Arc::clone).collect();
    let is_read = |published: &&Arc<Published>| reads(directory, published, edge);
    let exact = directory.contract(&identity).filter(is_read);
    if let Some(found) = exact.or_else(|| accepting.iter().rev().find(is_read)) {
        return Ok(Arc::clone(found));
    }
    match (accepting.is_empty(), versions.is_empty()) {
        (false, _) => Err(unsupported(directory, &accepting, edge)),
        (true, true) => unknown("publish one with `tasuki contract publish FILE`".to_owned()),
        (true, false) => unknown(format!("published versions: {}", listed(versions))),
    }
}

/// Returns `true` if the receiver or a member supports a version. A party without a list supports
/// all.
fn reads(directory: &Directory, published: &Published, edge: &Edge) -> bool {
    let Ok(receiver) = directory.find(&edge.to) else { return true };
    somebody_reads(directory, &published.identity, receiver.id)
}

/// Returns the refusal that lists both the supported and the published versions.
fn unsupported(directory: &Directory, versions: &[Arc<Published>], edge: &Edge) -> Refusal {
    let receiver = directory.find(&edge.to).ok();
    let members = receiver.into_iter().flat_map(|party| &party.members);
    let members = members.filter_map(|member| directory.party(*member));
    let reads: BTreeSet<&str> = receiver
        .into_iter()
        .chain(members)
        .flat_map(|one| &one.reads)
        .map(String::as_str)
        .collect();
    let reads = reads.into_iter().collect::<Vec<_>>().join("`, `");
    let message = format!(
        "`{}` supports `{reads}`, but the published versions are {}",
        edge.to,
        listed(versions)
    );
    Refusal::new(RefusalCode::ContractUnsupported, message)
        .hint("publish a version that it supports and that converts from this one")
}

fn listed(versions: &[Arc<Published>]) -> String {
    let names: Vec<String> = versions
        .iter()
        .map(|published| format!("`{}`", published.compiled.contract().identity()))
        .collect();
    names.join(", ")
}

/// Returns the return fields that the contract of the work requires and the next hop omits.
pub(crate) fn owed_returns(
    input: &PrepareInput,
    packet: &Packet,
    contract: Option<&Published>,
) -> Vec<Violation> {
    let Some(work) = &input.work else { return Vec::new() };
    let work = return_contracts(&input.directory, &work.terms);
    let still = contract.map_or(&[][..], |own| &own.compiled.contract().returns.require);
    let is_carried = |field: &str| still.iter().any(|one| one == field) || asks_for(packet, field);
    let dropped = |field: &String| {
        let message =
            format!("`return_required` omits `{field}`, which the contract of the work requires");
        Violation::new(Code::OwedDropped, "/return_required", message)
            .allowed(field.clone())
            .hint("add the field to `return_required`")
    };
    let mut owed = Vec::new();
    for published in work {
        push_new(&mut owed, published.compiled.contract().returns.require.iter().cloned());
    }
    owed.iter().filter(|field| !is_carried(field)).map(dropped).collect()
}

/// Returns the contracts that a return must satisfy: the handoff's own, then those of later edges.
pub(crate) fn return_contracts<'d>(
    directory: &'d Directory,
    terms: &Terms,
) -> impl Iterator<Item = &'d Arc<Published>> {
    let later = terms.also_returns.iter().filter_map(|name| name.parse::<Identity>().ok());
    let later: Vec<_> = later.filter_map(|identity| directory.contract(&identity)).collect();
    directory.contract_of(terms).into_iter().chain(later)
}

/// Returns the violations of every contract on the edge to another receiver, and of the variants
/// that rules choose there.
pub(crate) fn broken_on(directory: &Directory, packet: &Packet, edge: &Edge) -> Vec<Violation> {
    let on_edge = directory.contracts_on(&edge.from, &edge.to);
    let mut violations: Vec<Violation> = Vec::new();
    for published in on_edge {
        let profile = published.compiled.profile();
        violations.extend(profile.into_iter().flat_map(|profile| new_violations(packet, profile)));
        violations.extend(check(directory, published, packet, edge));
    }
    for (_, variant) in rule_variants::chosen(directory, packet, None, edge, &[]) {
        let new = new_violations(packet, &variant).into_iter();
        violations
            .extend(new.filter(|one| !contains_violation(&violations, one)).collect::<Vec<_>>());
    }
    // The packet stays under its own contract; these come in addition.
    violations.retain(|violation| violation.code != Code::ContractMismatch);
    violations
}

/// Returns the violations of a profile that the packet did not have before.
fn new_violations(packet: &Packet, profile: &Variant) -> Vec<Violation> {
    let text = packet.to_value().to_string();
    let judged = |variant: Option<&Variant>| {
        read(text.as_bytes(), variant).map_or_else(|_| Vec::new(), |opened| opened.violations)
    };
    let known = judged(None);
    let is_known = |violation: &Violation| {
        contains_violation(&known, violation)
            || violation.code == Code::FieldMissing
                && ["/from_agent", "/task_id", "/to_agent"].contains(&violation.pointer.as_str())
    };
    let mut new = judged(Some(profile));
    new.retain(|violation| !is_known(violation));
    for violation in &mut new {
        // Positions refer to a serialized copy that the caller does not have.
        violation.position = None;
    }
    new
}

fn asks_for(packet: &Packet, field: &str) -> bool {
    packet.items("return_required").any(|item| item.text == field)
}

/// Returns the violations of a contract, with parties resolved to their own names.
pub(crate) fn check(
    directory: &Directory,
    published: &Published,
    packet: &Packet,
    edge: &Edge,
) -> Vec<Violation> {
    let is_member = |party: &str, role: &str| directory.is_member(party, role);
    published.compiled.check_between(packet, &edge.from, &edge.to, &is_member)
}

/// Returns the terms of a packet on its edge, and records in the summary which rules require a
/// person.
pub(crate) fn terms(
    directory: &Directory,
    contract: Option<&Published>,
    summary: &mut PacketSummary,
    edge: &Edge,
    kept: &[String],
) -> Result<Terms, Refusal> {
    let settings = &directory.settings;
    let stated = contract.map(|published| published.compiled.contract());
    let mut terms = match stated {
        Some(contract) => Terms::of_contract(contract, settings),
        None => Terms::without_contract(settings),
    };
    if let Some(contract) = stated {
        terms.parks_with_same = contract.park == Park::Same;
        terms.verify = contract.verify.into();
    }
    let trigger = summary.trigger_kind();
    terms.effect =
        trigger.map_or(Effect::Offer, |kind| edge_policy::effect(directory, stated, kind));
    terms.asks_return |= terms.effect == Effect::Verify;
    let by_contract = stated.map_or(&[][..], |contract| &contract.gates);
    let mut gates = gates(directory, by_contract, summary, edge)?;
    push_new(&mut gates, kept.iter().cloned());
    let demands = edge_policy::demands(directory, summary, edge, stake(summary, &gates, stated));
    if demands.iter().any(|demand| demand.effect == RuleEffect::SensitiveTopic) {
        // Treated as if the sender had stated this trigger: its gates apply, and its risk counts.
        summary.trigger = Some(TriggerKind::SensitiveTopic.as_str().to_owned());
        push_new(&mut gates, edge_policy::gates(directory, summary, edge));
    }
    summary.demands = demands.into_iter().map(|demand| demand.rule).collect();
    terms.risk = RiskWord::from(stake(summary, &gates, stated));
    terms.policy = policy(contract, &gates);
    terms.gates = gates;
    Ok(terms)
}

/// Returns the digests of the gates to sign: named by contract or packet, or matching the packet.
pub(super) fn gates(
    directory: &Directory,
    by_contract: &[String],
    summary: &PacketSummary,
    edge: &Edge,
) -> Result<Vec<String>, Refusal> {
    let mut digests = Vec::new();
    for name in by_contract.iter().chain(&summary.gates) {
        let Some((digest, _)) = directory.newest_gate(name) else {
            return Err(Refusal::new(RefusalCode::GateUnknown, format!("unknown gate `{name}`"))
                .hint("publish it with `tasuki gate publish FILE`"));
        };
        push_new(&mut digests, [digest.to_owned()]);
    }
    push_new(&mut digests, edge_policy::gates(directory, summary, edge));
    Ok(digests)
}

/// The result of checking a packet against the contracts of the edge to a new receiver.
#[derive(Debug, Clone, Default)]
pub struct RerouteChecks {
    /// The revision that was checked.
    pub revision: u32,
    /// The violations, if any.
    pub refusal: Option<Refusal>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use crate::model::{ContractRecord, Record, Settings};
    use crate::testing::{World, submit};

    fn under(world: &World) -> Option<String> {
        world.handoff().facts.terms.contract.clone()
    }

    #[test]
    fn the_only_contract_on_an_edge_covers_it_unnamed() {
        let mut world = World::new();
        world.check("ana", submit(&json!({"task_id": "a"})), "offered to ben");
        assert_eq!(under(&world), None);
        world.contract(&json!({}));
        world.contract(&json!({"version": "1.1"}));
        world.advance(1);
        let answer = world.run("ana", submit(&json!({"task_id": "b"}))).unwrap();
        assert_eq!(under(&world).as_deref(), Some("work@1.1"));
        assert_eq!(answer.published.as_deref(), Some("work@1.1"));
        assert!(world.handoff().facts.terms.policy.is_some());
        world.advance(1);
        world.run("ana", submit(&json!({"task_id": "c", "contract": "work@1.0"}))).unwrap();
        assert_eq!(under(&world).as_deref(), Some("work@1.0"));
        world.advance(1);
        world.run("cem", submit(&json!({"task_id": "d"}))).unwrap();
        assert_eq!(under(&world), None);
    }

    #[test]
    fn with_several_contracts_on_an_edge_the_packet_must_name_one() {
        let mut world = World::new();
        world.contract(&json!({}));
        world.contract(&json!({"contract": "other", "to": ["role:team"]}));
        insta::assert_snapshot!(world.refusal("ana", submit(&json!({}))), @"
        TK-CONTRACT-AMBIGUOUS: several contracts cover the edge from `ana` to `ben`: `other@1.0`, `work@1.0`
        hint: name one in the field `contract` of the packet
        ");
        world.run("ana", submit(&json!({"contract": "other@1.0"}))).unwrap();
        assert_eq!(under(&world).as_deref(), Some("other@1.0"));
    }

    #[test]
    fn a_named_contract_must_exist_and_cover_the_edge() {
        let mut world = World::new();
        insta::assert_snapshot!(world.refusal("ana", submit(&json!({"contract": "work@1.0"}))), @"
        TK-CONTRACT-UNKNOWN: unknown contract `work@1.0`
        hint: publish one with `tasuki contract publish FILE`
        ");
        world.contract(&json!({}));
        insta::assert_snapshot!(world.refusal("ana", submit(&json!({"contract": "work@2.0"}))), @"
        TK-CONTRACT-UNKNOWN: unknown contract `work@2.0`
        hint: published versions: `work@1.0`
        ");
        let unnamed = submit(&json!({"contract": "work"}));
        assert!(world.refusal("ana", unnamed).starts_with("TK-"));
        let other_edge = submit(&json!({"contract": "work@1.0", "to_agent": "pia"}));
        insta::assert_snapshot!(world.refusal("cem", other_edge), @"
        TK-PACKET-INVALID: the packet has 2 violations
        hint: fix every violation and send the packet again
        /from_agent TK-EDGE-REFUSED: `cem` is not allowed to send under contract `work@1.0`; allowed: ana
        /to_agent TK-EDGE-REFUSED: `pia` is not allowed to receive under contract `work@1.0`; allowed: ben, role:team
        ");
    }

    #[test]
    fn a_version_of_the_same_major_is_read_as_it_is() {
        let mut world = World::new();
        world.contract(&json!({"version": "1.2"}));
        world.run("ana", submit(&json!({"contract": "work@1.0"}))).unwrap();
        assert_eq!(under(&world).as_deref(), Some("work@1.2"));
        assert!(world.documents[0].sealed.body.contains("work@1.0"), "the bytes stay as sent");
    }

    const CONVERTING: &str = r#"{
        "version": "2.0",
        "convert_from": {"1.0": [{"op": "move", "from": "/hypothesis", "path": "/cause"}]},
        "payload_schema": {"type": "object", "required": ["cause"]}
    }"#;

    #[test]
    fn an_older_packet_is_converted_upwards_and_the_original_is_kept_byte_for_byte() {
        let mut world = World::new();
        let converting: Value = serde_json::from_str(CONVERTING).unwrap();
        world.contract(&converting);
        let more = json!({"contract": "work@1.0", "payload": {"hypothesis": "deploy"}});
        let answer = world.run("ana", submit(&more)).unwrap();
        assert_eq!(answer.notes, ["converted to `work@2.0`"]);
        let document = &world.documents[0].sealed;
        let body: Value = serde_json::from_str(&document.body).unwrap();
        assert_eq!(
            (&body["payload"], &body["contract"]),
            (&json!({"cause": "deploy"}), &json!("work@2.0"))
        );
        assert_eq!(document.source.as_deref(), Some(crate::testing::packet(&more).as_slice()));
        assert!(world.run("ana", submit(&more)).unwrap().repeated, "told by what it became");

        let lacking = json!({"task_id": "b", "contract": "work@1.0", "payload": {"other": 1}});
        insta::assert_snapshot!(world.refusal("ana", submit(&lacking)), @"
        TK-PACKET-INVALID: the packet has 1 violation
        hint: fix the violation and send the packet again
        /payload/hypothesis TK-PATCH-PATH: cannot convert `work@1.0` to `work@2.0`: `/hypothesis` does not exist in the document
        ");
    }

    #[test]
    fn a_receiver_gets_a_version_it_supports_or_the_refusal_lists_both() {
        let reads = |versions: &[&str]| {
            let mut world = World::new();
            world.contract(&json!({"payload_schema": {"type": "object"}}));
            let converting: Value = serde_json::from_str(CONVERTING).unwrap();
            world.contract(&converting);
            let versions: Vec<String> = versions.iter().map(|one| (*one).to_owned()).collect();
            world.change("ben", |party, _| party.reads = versions);
            world
        };
        let old = submit(&json!({"contract": "work@1.0", "payload": {"hypothesis": "deploy"}}));
        let check = |versions: &[&str], expected: &str| {
            let mut world = reads(versions);
            world.run("ana", old.clone()).unwrap();
            assert_eq!(under(&world).as_deref(), Some(expected), "{versions:?}");
        };
        check(&[], "work@1.0");
        check(&["work@1.7"], "work@1.0");
        check(&["work@2.0"], "work@2.0");
        insta::assert_snapshot!(reads(&["work@3.0", "x@1.0"]).refusal("ana", old.clone()), @"
        TK-CONTRACT-UNSUPPORTED: `ben` supports `work@3.0`, `x@1.0`, but the published versions are `work@1.0`, `work@2.0`
        hint: publish a version that it supports and that converts from this one
        ");
        // Without a named version, the newest supported one is used.
        let mut world = reads(&["work@1.0"]);
        world.run("ana", submit(&json!({"payload": {}}))).unwrap();
        assert_eq!(under(&world).as_deref(), Some("work@1.0"));
        insta::assert_snapshot!(reads(&["work@3.0"]).refusal("ana", submit(&json!({}))), @"
        TK-CONTRACT-UNSUPPORTED: `ben` supports `work@3.0`, but the published versions are `work@1.0`, `work@2.0`
        hint: publish a version that it supports and that converts from this one
        ");
    }

    #[test]
    fn an_edge_without_a_contract_is_refused_if_the_project_requires_one() {
        let settings = Settings { allows_edges_without_contract: false, ..Settings::default() };
        let mut world = World::with(settings);
        insta::assert_snapshot!(world.refusal("ana", submit(&json!({}))), @"
        TK-EDGE-REFUSED: no contract covers the edge from `ana` to `ben`
        hint: publish one with `tasuki contract publish FILE`
        ");
        world.contract(&json!({}));
        world.check("ana", submit(&json!({})), "offered to ben");
    }

    #[test]
    fn everything_that_breaks_the_contract_is_named_at_once() {
        let mut world = World::new();
        let document = json!({
            "contract": "incident", "version": "1.0", "from": ["ana"], "to": ["ben"],
            "payload_schema": {"$ref": "incident.json"},
            "scope": {"is": "a cause", "is_not": ["a plan"], "forbid": ["plan"]},
            "confidence": {"required": true}, "provenance": {"require": ["inputs"]},
            "fallback": [{"to": "dead_letter"}],
        });
        let schema = json!({"type": "object", "required": ["cause"],
            "properties": {"severity": {"enum": ["low", "high"]}}});
        let schemas = BTreeMap::from([("incident.json".to_owned(), schema)]);
        world.put(&Record::Contract(ContractRecord { document, schemas }));
        let bad =
            submit(&json!({"status": "somehow", "payload": {"severity": "huge", "plan": []}}));
        insta::assert_snapshot!(world.refusal("ana", bad), @r#"
        TK-PACKET-INVALID: the packet has 6 violations
        hint: fix every violation and send the packet again
        /status 1:71: TK-FIELD-VALUE: `status` must be one of `in_progress`, `blocked`, `failed`, `completed`; allowed: in_progress, blocked, failed, completed
        /payload/cause TK-PAYLOAD-INVALID: missing required member `cause`
        /payload/severity TK-PAYLOAD-INVALID: the value is not one of the allowed values; allowed: "low", "high"
        /payload/plan TK-SCOPE-FORBIDDEN: `/payload/plan` is outside the contract's scope (a cause); allowed: no member named plan
        /confidence TK-CONFIDENCE-MISSING: missing `confidence`, which contract `incident@1.0` requires; allowed: a number from 0 to 1
        /provenance/inputs TK-PROVENANCE-MISSING: missing `provenance.inputs`, which contract `incident@1.0` requires
        "#);
        let good = submit(&json!({"confidence": 0.9, "provenance": {"inputs": ["a log"]},
            "payload": {"severity": "low", "cause": "deploy"}}));
        world.check("ana", good, "offered to ben");
    }

    #[test]
    fn the_profile_of_a_contract_applies_besides_the_packets_own_variant() {
        let mut world = World::new();
        world.contract(&json!({"profile": "strict"}));
        let refusal = world.refusal("ana", submit(&json!({"status": "somehow"})));
        assert!(refusal.contains("/summary") && refusal.contains("variant `strict`"), "{refusal}");
        assert!(refusal.contains("TK-FIELD-VALUE: `status`"), "{refusal}");
        assert_eq!(refusal.matches("/status ").count(), 1, "{refusal}");
        assert!(!refusal.contains("/from_agent"), "{refusal}");
    }

    #[test]
    fn the_profile_of_a_contract_may_be_a_variant_file() {
        let mut world = World::new();
        let team = json!({"variant": "team", "require": ["ticket"]});
        let files = BTreeMap::from([("team.yaml".to_owned(), team)]);
        world.contract_with(&json!({"profile": "team.yaml"}), files);
        let refusal = world.refusal("ana", submit(&json!({"profile": "team"})));
        assert!(refusal.contains("/ticket") && refusal.contains("variant `team`"), "{refusal}");
        assert!(!refusal.contains("/profile"), "the contract supplies the variant: {refusal}");
        let refusal = world.refusal("ana", submit(&json!({"profile": "tea", "ticket": 7})));
        assert!(refusal.contains("unknown variant `tea`"), "{refusal}");
        world.run("ana", submit(&json!({"profile": "team", "ticket": 7}))).unwrap();
    }

    #[test]
    fn a_schema_that_the_exchange_does_not_have_is_refused_at_once() {
        let mut world = World::new();
        let outputs = json!([{"name": "report", "schema": {"$ref": "report.json"}}]);
        let refusal = world.refusal("ana", submit(&json!({"expected_outputs": outputs})));
        assert!(refusal.contains("TK-SCHEMA-MISSING"), "{refusal}");
        let outputs = json!([{"name": "report", "schema": {"type": 7}}]);
        let refusal = world.refusal("ana", submit(&json!({"expected_outputs": outputs})));
        assert!(refusal.contains("TK-SCHEMA-INVALID"), "{refusal}");
    }

    #[test]
    fn aliases_are_parties_of_a_contract_too() {
        let mut world = World::new();
        world.change("ben", |party, _| party.aliases = vec!["Web Scraper".to_owned()]);
        world.contract(&json!({"to": ["ben"]}));
        world
            .run("ana", submit(&json!({"to_agent": "Web Scraper", "contract": "work@1.0"})))
            .unwrap();
        assert_eq!(under(&world).as_deref(), Some("work@1.0"));
        assert!(world.documents[0].sealed.body.contains("Web Scraper"));
    }

    #[test]
    fn a_later_gate_does_not_affect_an_existing_handoff() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        world.gate(json!({
            "gate": "all", "version": "1.0", "applies": [{"edge": [{"from": "ana"}]}],
            "factors": [{"name": "eyes", "roles": ["people"], "approvals": 1}],
        }));
        world.check("ben", crate::testing::claim(world.newest()), "claimed by ben, fence 1");
    }
}
