//! A person or the sender sends a handoff to another receiver.
//!
//! The packet's bytes do not change: the receiver is a fact of the handoff. A reroute is decided
//! like a submit to the other party. The gates of that edge apply, and signatures for the old
//! receiver are void, even if the handoff comes back.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::EventType;

use crate::model::{
    Change, Context, Directory, DocumentKind, Handoff, Party, Reason, Scope, State,
};
use crate::prepare::contract::{RerouteChecks, broken_on};
use crate::prepare::input::PrepareInput;
use crate::prepare::text;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::Edge;
use crate::rules::offer::offer;
use crate::rules::route::{require_supported_by, route};
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, auto_register, chain, deciders, deputies, gate, grants, review};
use crate::steps::decision::seen_version::{check, document};
use crate::steps::step::PreparedStep;
use crate::steps::{Reads, SeenVersion, Step};

/// Sends a handoff to another receiver.
#[derive(Debug, Clone, Serialize)]
pub struct Reroute {
    /// The handoff.
    pub handoff: HandoffId,
    /// The name of the new receiver.
    pub to: String,
    /// The version that the caller saw.
    pub seen: SeenVersion,
    /// The reason; required once the handoff is claimed.
    pub reason: Option<String>,
}

/// A reroute with the result of its contract checks.
#[derive(Debug)]
pub struct PreparedReroute {
    request: Reroute,
    reason: Reason,
    onward: RerouteChecks,
}

impl Step for Reroute {
    const NAME: &'static str = "reroute";
    const SCOPES: RequiredScopes = RequiredScopes::Any(&[Scope::Submit, Scope::Decide]);
    type Prepared = PreparedReroute;

    fn reads(&self) -> Reads {
        Reads::Packet(self.handoff)
    }

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedReroute, Refusal> {
        let reason = text::reason(self.reason.as_deref(), &input.directory.settings)?;
        Ok(PreparedReroute { request: self.clone(), reason, onward: onward(input, &self.to) })
    }
}

/// Checks the packet against the contracts of the edge to its new receiver.
fn onward(input: &PrepareInput, to: &str) -> RerouteChecks {
    let directory = &input.directory;
    let (Some(handoff), Some(packet)) = (&input.handoff, input.packet()) else {
        return RerouteChecks::default();
    };
    // No contract covers the edge to an unknown party.
    let to = directory.find(to).ok();
    let edge = to.map(|party| Edge::to(directory, &handoff.facts, party.id));
    let violations = edge.map_or_else(Vec::new, |edge| broken_on(directory, packet, &edge));
    let refusal = (!violations.is_empty()).then(|| {
        text::invalid("packet", violations).hint("revise it first, or ask a person to reroute it")
    });
    RerouteChecks { revision: handoff.facts.revision, refusal }
}

impl PreparedStep for PreparedReroute {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.request.handoff)
    }

    fn redacted_count(&self) -> usize {
        self.reason.redacted_count
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        reroute(context, &self.request, &self.reason, &self.onward)
    }
}

fn reroute(
    context: &Context<'_>,
    request: &Reroute,
    reason: &Reason,
    onward: &RerouteChecks,
) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    may_reroute(context, handoff, reason)?;
    check(context, handoff, &request.seen)?;
    let mut change = Change::default();
    let to = destination(context, handoff, &request.to, &mut change)?;
    let directory = &*auto_register::directory_after(context, &change);
    authorization::may_reach(context, handoff, to)?;
    gate::on_edge_to(directory, handoff, to)?;
    must_keep_contracts(context, handoff, onward)?;
    let more = [("to", json!(directory.name(to)))];
    let (id, sealed) = document(context, handoff, "reroute", &request.seen, reason, &more);
    change
        .record_event(EventType::Rerouted, handoff.id, deputies::actor(context, handoff))
        .with("receiver", to)
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.put_document(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    // An operator who is not a decider moves the hold, and does not clear it.
    if is_person(context) && require_decider(context, handoff).is_ok() {
        review::let_pass(&mut after, context.now);
    }
    after.let_go_by(context.principal.party);
    if !directory.is_people(to) {
        after.progress.taken_over_by = None;
    }
    route(directory, &mut after, to, context.now);
    offer(directory, &mut after, None, context.now, context.actor(), &mut change);
    change.answer.document = Some(id.to_string());
    change.show(after.id);
    change.put(after);
    Ok(change)
}

/// Requires the sender or a person, and a handoff that may be moved. A hold with deciders is moved
/// by them, by the sender or by an operator.
pub(crate) fn may_reroute(
    context: &Context<'_>,
    handoff: &Handoff,
    reason: &Reason,
) -> Result<(), Refusal> {
    if !is_person(context) {
        authorization::sender(context, handoff)?;
    } else if !is_operator(context) && !authorization::is_sender(context, handoff) {
        require_decider(context, handoff)?;
    }
    movable(handoff, "reroute", reason)
}

fn is_operator(context: &Context<'_>) -> bool {
    context.principal.scopes.has(Scope::Admin)
}

/// Requires that the caller is one of the deciders of a hold.
fn require_decider(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let State::Held(hold) = &handoff.progress.state else { return Ok(()) };
    deciders::require(context, handoff, hold)
}

fn is_person(context: &Context<'_>) -> bool {
    context.principal.is_human() && context.principal.scopes.has(Scope::Decide)
}

/// Refuses a sender whose packet breaks a contract of the new edge. A person may override this.
fn must_keep_contracts(
    context: &Context<'_>,
    handoff: &Handoff,
    onward: &RerouteChecks,
) -> Result<(), Refusal> {
    if is_person(context) {
        return Ok(());
    }
    if onward.revision != handoff.facts.revision {
        let message = "the handoff changed while the reroute was prepared";
        return Err(Refusal::new(RefusalCode::PolicyChanged, message).hint("try again"));
    }
    onward.refusal.clone().map_or(Ok(()), Err)
}

/// Requires an open, not passed-on handoff, and a reason if it is claimed.
pub(super) fn movable(handoff: &Handoff, verb: &str, reason: &Reason) -> Result<(), Refusal> {
    if !matches!(handoff.progress.state, State::Held(_) | State::Offered(_) | State::Claimed(_)) {
        return Err(authorization::wrong_state(handoff, verb, "held, offered or claimed"));
    }
    if let Some(child) = handoff.progress.child {
        let message = format!("handoff {} was passed on as {child}", handoff.id);
        return Err(Refusal::new(RefusalCode::StateConflict, message)
            .hint(format!("use `tasuki {verb} {child}`"))
            .naming(child));
    }
    if handoff.claim().is_some() {
        reason.required(&format!("{verb} a claimed handoff"))?;
    }
    Ok(())
}

/// Returns the new receiver, which is registered on first use if the project allows it.
fn destination(
    context: &Context<'_>,
    handoff: &Handoff,
    to: &str,
    change: &mut Change,
) -> Result<PartyId, Refusal> {
    let by = context.principal.authentication;
    if auto_register::can_be_added(&context.state.directory, by, to) {
        auto_register::on_first_use(context, to, change);
    }
    let directory = auto_register::directory_after(context, change);
    let party = directory.find(to)?;
    let name = &party.name;
    if party.id == handoff.facts.receiver {
        let message = format!("handoff {} is already for `{name}`", handoff.id);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("choose another party; to take it from its holder, use `tasuki intercept`"));
    }
    if !directory.has_eligible_receiver(party.id) {
        return Err(Refusal::new(RefusalCode::RoleEmpty, format!("`{name}` has no members"))
            .hint(format!("add one with `tasuki party add {name} --member NAME`")));
    }
    chain::refuse_loop(context, &handoff.facts, party.id)?;
    require_supported_by(&directory, handoff, party.id)?;
    within_authority(&directory, handoff, party)?;
    let sender = directory.name(handoff.facts.sender);
    let is_covered = !directory.contracts_on(&sender, name).is_empty();
    if !is_covered && !directory.settings.allows_edges_without_contract {
        let message = format!("no contract covers the edge from `{sender}` to `{name}`");
        return Err(Refusal::new(RefusalCode::EdgeRefused, message)
            .hint("publish one with `tasuki contract publish`"));
    }
    Ok(party.id)
}

/// Refuses a receiver whose limits the packet's authority exceeds.
fn within_authority(
    directory: &Directory,
    handoff: &Handoff,
    party: &Party,
) -> Result<(), Refusal> {
    let Some(stated) = &handoff.facts.summary.authority else { return Ok(()) };
    let surplus = grants::excess_grants(directory, stated, [party.id]);
    let entries: BTreeSet<String> =
        surplus.into_iter().map(|(entry, _)| format!("`{entry}`")).collect();
    if entries.is_empty() {
        return Ok(());
    }
    let entries: Vec<String> = entries.into_iter().collect();
    let message =
        format!("`authority` exceeds the limits of `{}`: {}", party.name, entries.join(", "));
    Err(Refusal::new(RefusalCode::AuthorityWidened, message)
        .hint("revise `authority` first, or choose another party"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{
        checkpoint, hold, intercept, people, refusal_text, release, reroute, seen_now,
    };
    use super::*;
    use crate::command::Command;
    use crate::model::{Principal, Record, Scopes, Settings};
    use crate::rules::fencing::ClaimProof;
    use crate::steps::PassOn;
    use crate::testing::{World, claim, packet, submit};

    fn offered() -> World {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        world
    }

    fn claimed() -> World {
        let mut world = offered();
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        world
    }

    fn refused_reroute(world: &mut World, name: &str, to: &str) -> String {
        let (principal, command) = (world.principal(name), reroute(world, to, "another way"));
        refusal_text(world, &principal, command)
    }

    #[test]
    fn sender_and_people_reroute() {
        for (name, expected) in [
            ("ana", "offered to cem"),
            ("pia", "offered to cem"),
            ("ben", "refused TK-NOT-ALLOWED"),
            ("cem", "refused TK-NOT-ALLOWED"),
        ] {
            let mut world = offered();
            let command = reroute(&world, "cem", "");
            world.check(name, command, expected);
        }
        let mut world = offered();
        insta::assert_snapshot!(refused_reroute(&mut world, "ben", "cem"), @"
        TK-NOT-ALLOWED: the sender of handoff hof_… is `ana`, not `ben`
        hint: `tasuki show` shows whose turn it is
        ");
    }

    #[test]
    fn a_reroute_does_not_change_the_packet() {
        let mut world = offered();
        let (digest, documents) = (world.handoff().facts.summary.digest.clone(), 1);
        let packets = |world: &World| {
            let is_packet = |one: &&crate::model::Document| one.kind == DocumentKind::Packet;
            world.documents.iter().filter(is_packet).count()
        };
        let command = reroute(&world, "cem", "");
        world.check("pia", command, "offered to cem");
        assert_eq!(world.handoff().facts.summary.digest, digest);
        assert_eq!((world.handoff().facts.revision, packets(&world)), (1, documents));
        assert_eq!(world.handoff().facts.first_receiver, world.id("ben"));
    }

    #[test]
    fn a_held_handoff_is_held_again() {
        let mut world = people();
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "held for asked");
        assert_eq!(world.handoff().facts.receiver, world.id("cem"));
    }

    #[test]
    fn rerouting_a_claim_needs_a_reason_and_ends_its_fence() {
        let mut world = claimed();
        let shown = world.shown();
        let (command, principal) = (reroute(&world, "cem", ""), world.principal("pia"));
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @r#"
        TK-REASON-MISSING: a reason is required to reroute a claimed handoff
        hint: add one with `-m "…"`
        "#);
        let command = reroute(&world, "cem", "ben is on leave");
        world.check("pia", command, "offered to cem");
        let late = checkpoint(&world, &json!({}));
        world.check("ben", late, "refused TK-CLAIM-STALE");
        let id = world.newest();
        world.check("cem", claim(id), "claimed by cem, fence 2");
        let renew = Command::Renew(crate::steps::Renew { claim: shown, lease: None });
        world.check("ben", renew, "refused TK-CLAIM-STALE");
    }

    #[test]
    fn a_claim_that_waits_for_approval_may_be_rerouted() {
        let mut world = claimed();
        let command = hold(&world, json!("publish"));
        world.check("ben", command, "held for action, by ben");
        let command = reroute(&world, "cem", "");
        world.check("pia", command, "refused TK-REASON-MISSING");
        let command = reroute(&world, "cem", "cem knows how");
        world.check("pia", command, "offered to cem");
    }

    #[test]
    fn only_an_open_handoff_can_be_rerouted() {
        let mut world = offered();
        let handoff = world.newest();
        let cancel = crate::steps::Cancel { handoff, seen: SeenVersion::default(), reason: None };
        world.check("ana", Command::Cancel(cancel), "cancelled");
        insta::assert_snapshot!(refused_reroute(&mut world, "pia", "cem"), @"
        TK-STATE-CONFLICT: cannot reroute handoff hof_…: it is cancelled, but must be held, offered or claimed
        hint: `tasuki show` lists the commands that are possible now
        ");
    }

    #[test]
    fn a_destination_is_another_party_with_members() {
        let mut world = offered();
        insta::assert_snapshot!(refused_reroute(&mut world, "pia", "ben"), @"
        TK-ARGUMENT-INVALID: handoff hof_… is already for `ben`
        hint: choose another party; to take it from its holder, use `tasuki intercept`
        ");
        insta::assert_snapshot!(refused_reroute(&mut world, "pia", "role:nobody"), @"
        TK-ROLE-EMPTY: `role:nobody` has no members
        hint: add one with `tasuki party add role:nobody --member NAME`
        ");
        insta::assert_snapshot!(refused_reroute(&mut world, "pia", "cam"), @"
        TK-PARTY-UNKNOWN: unknown party `cam`
        hint: did you mean `cem`? `tasuki party list` lists all
        ");
        insta::assert_snapshot!(refused_reroute(&mut world, "pia", "ana"), @"
        TK-CHAIN-LOOP: `ana` cannot hand work over to itself
        hint: to work on it yourself, open the task with `tasuki begin`
        ");
        world.change("cem", |party, _| party.authority = Some(vec!["read:src/".to_owned()]));
        world.advance(1);
        let more = json!({ "task_id": "task-2", "authority": ["read:src/", "deploy:staging"] });
        world.check("ana", submit(&more), "offered to ben");
        insta::assert_snapshot!(refused_reroute(&mut world, "pia", "cem"), @"
        TK-AUTHORITY-EXCEEDED: `authority` exceeds the limits of `cem`: `deploy:staging`
        hint: revise `authority` first, or choose another party
        ");
    }

    #[test]
    fn an_unknown_destination_is_registered_as_at_submit() {
        let mut world = offered();
        let command = reroute(&world, "newbie", "");
        world.check("ana", command, "refused TK-PARTY-UNKNOWN");
        let settings = Settings { registers_on_first_use: true, ..Settings::default() };
        world.put(&Record::Settings(settings));
        let over_a_network = world.with_token("ana");
        let refused = world.run_as(&over_a_network, reroute(&world, "newbie", "")).unwrap_err();
        assert_eq!(refused.code, RefusalCode::PartyUnknown);
        let from = world.leaves.len();
        let answer = world.done("ana", reroute(&world, "newbie", ""));
        assert_eq!(answer.registered, ["newbie"]);
        assert_eq!(world.standing(), "offered to newbie");
        insta::assert_snapshot!(world.story(from), @"
        party.added by ana
        handoff.rerouted by ana
        ");
    }

    #[test]
    fn an_edge_needs_a_contract_where_the_project_wants_one() {
        let mut world = offered();
        let settings = Settings { allows_edges_without_contract: false, ..Settings::default() };
        world.put(&Record::Settings(settings));
        insta::assert_snapshot!(refused_reroute(&mut world, "pia", "cem"), @"
        TK-EDGE-REFUSED: no contract covers the edge from `ana` to `cem`
        hint: publish one with `tasuki contract publish`
        ");
        world.contract(&json!({ "to": ["cem"] }));
        let command = reroute(&world, "cem", "");
        world.check("pia", command, "offered to cem");
    }

    #[test]
    fn an_unpublished_gate_is_named() {
        let mut world = offered();
        world.contract(&json!({ "to": ["cem"], "gates": ["launch"] }));
        insta::assert_snapshot!(refused_reroute(&mut world, "pia", "cem"), @"
        TK-GATE-UNKNOWN: unknown gate `launch`
        hint: publish it with `tasuki gate publish FILE`
        ");
    }

    #[test]
    fn passed_on_work_is_rerouted_through_its_child() {
        let mut world = claimed();
        let parent = world.newest();
        world.advance(1);
        let passed_on = Command::PassOn(PassOn::new(
            ClaimProof { handoff: parent, fence: 1 },
            packet(&json!({ "to_agent": "cem" })),
        ));
        world.check("ben", passed_on, "offered to cem");
        let child = world.newest();
        let request = |handoff: HandoffId, to: &str| {
            let reason = Some("another way".to_owned());
            let (to, seen) = (to.to_owned(), SeenVersion::default());
            Command::Reroute(Reroute { handoff, to, seen, reason })
        };
        let principal = world.principal("pia");
        let refusal = world.run_as(&principal, request(parent, "cem")).unwrap_err();
        assert_eq!(refusal.handoff, Some(child));
        insta::assert_snapshot!(refusal_text(&mut world, &principal, request(parent, "cem")), @"
        TK-STATE-CONFLICT: handoff hof_… was passed on as hof_…
        hint: use `tasuki reroute hof_…`
        ");
        world.check("pia", request(child, "quin"), "offered to quin");
        world.check("pia", request(child, "ana"), "refused TK-CHAIN-LOOP");
        let command = intercept(&world, "");
        world.check("quin", command, "claimed by quin, fence 1");
        let state = &world.state.handoff(parent).unwrap().progress.state;
        assert_eq!(*state, State::PassedOn);
    }

    #[test]
    fn a_contract_limits_reroutes_by_the_sender_but_not_by_a_person() {
        let mut world = people();
        world.contract(&json!({ "to": ["ben"] }));
        world.contract(&json!({
            "contract": "strict", "to": ["cem"], "profile": "researcher",
            "confidence": { "required": true }, "provenance": { "require": ["sources"] },
        }));
        world.check("ana", submit(&json!({ "contract": "work@1.0" })), "offered to ben");
        let command = reroute(&world, "cem", "");
        insta::assert_snapshot!(world.refusal("ana", command.clone()), @"
        TK-PACKET-INVALID: the packet has 6 violations
        hint: revise it first, or ask a person to reroute it
        /question TK-FIELD-MISSING: missing required field `question` (variant `researcher`); allowed: text
        /expected_outputs TK-FIELD-MISSING: missing required field `expected_outputs` (variant `researcher`); allowed: a list in which each item is text or an object with `name`
        /source_rules TK-FIELD-MISSING: missing required field `source_rules` (variant `researcher`); allowed: a list in which each item is text or an object with `text`
        /uncertainty TK-FIELD-MISSING: missing required field `uncertainty` (variant `researcher`); allowed: text, or a list in which each item is text or an object with `text`
        /confidence TK-CONFIDENCE-MISSING: missing `confidence`, which contract `strict@1.0` requires; allowed: a number from 0 to 1
        /provenance/sources TK-PROVENANCE-MISSING: missing `provenance.sources`, which contract `strict@1.0` requires
        ");
        world.check("pia", command, "offered to cem");
    }

    #[test]
    fn a_reroute_is_for_the_version_that_was_shown() {
        let mut world = offered();
        let seen = seen_now(&world);
        let command = reroute(&world, "cem", "");
        world.check("pia", command, "offered to cem");
        let (handoff, to) = (world.newest(), "quin".to_owned());
        let command = Command::Reroute(Reroute { handoff, to, seen, reason: None });
        let principal = world.principal("pia");
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-REVISION-CHANGED: the receiver of handoff hof_… changed: it is `cem`, you saw `ben`
        hint: run `tasuki show` again, then decide
        ");
    }

    #[test]
    fn a_person_without_the_scope_has_no_special_rights() {
        let mut world = offered();
        let scopes = Scopes::none().with(Scope::Submit);
        let principal = Principal { scopes, ..world.principal("pia") };
        let command = reroute(&world, "cem", "");
        let refusal = world.run_as(&principal, command).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::NotAllowed);
    }

    #[test]
    fn an_agent_cannot_reroute_intercepted_work_to_an_agent() {
        let mut world = claimed();
        let command = intercept(&world, "it matters");
        world.check("pia", command, "claimed by pia, fence 2");
        insta::assert_snapshot!(refused_reroute(&mut world, "ana", "cem"), @"
        TK-PERSON-NEEDED: `pia` took over handoff hof_…; only a person can give it back
        hint: ask `pia` or another person to release or reroute it
        ");
        let superseding = |to: &str| {
            let source = packet(&json!({ "to_agent": to, "goal": "another" }));
            let supersedes = Some(world.newest());
            Command::Submit(crate::steps::Submit { source, supersedes, ..Default::default() })
        };
        let (to_agent, to_people) = (superseding("cem"), superseding("role:people"));
        world.check("ana", to_agent, "refused TK-PERSON-NEEDED");
        let command = reroute(&world, "role:people", "quin knows how");
        world.check("ana", command, "offered to role:people");
        world.advance(1);
        world.check("ana", to_people, "held for changed");
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "refused TK-PERSON-NEEDED");
        // A person can.
        let command = reroute(&world, "cem", "");
        world.check("quin", command, "held for changed");
        let command = reroute(&world, "ben", "");
        world.check("ana", command, "held for changed");
    }

    #[test]
    fn a_new_receiver_starts_afresh() {
        let mut world = claimed();
        world.advance(30 * 60);
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 2");
        assert_eq!(world.handoff().progress.lapses, 1);
        let command = release(&world);
        world.check("ben", command, "offered to ben");
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "offered to cem");
        assert_eq!(world.handoff().progress.lapses, 0);
        assert_eq!(world.handoff().progress.delivered_at, None);
    }
}
