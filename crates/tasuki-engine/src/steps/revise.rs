//! The sender replaces the packet with a new revision. Edits and answers share this code.
//!
//! A revision voids every approval of the one before, because approvals name revision and digest.
//! Once the handoff is claimed, its packet is fixed. While a holder waits for an approval, an edit
//! changes the action instead of the packet, and approves the edited action.

use std::sync::Arc;

use serde::Serialize;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::trigger::Effect;

use crate::model::{Change, Context, DocumentKind, Facts, Handoff, Hold, LoadSet, Scope, State};
use crate::ports::Loaded;
use crate::prepare::PreparedPacket;
use crate::prepare::input::PrepareInput;
use crate::prepare::packet::{Incoming, prepare_packet};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::offer::offer;
use crate::rules::route::keep_to_edge;
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, chain, fallback, review};
use crate::steps::step::{PreparedStep, source_digest};
use crate::steps::{Reads, SeenVersion, Step, decision};

/// Replaces the current revision of a packet.
#[derive(Debug, Clone, Serialize)]
pub struct Revise {
    /// The handoff.
    pub handoff: HandoffId,
    /// The packet in any form.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
    /// The version that the caller saw.
    pub seen: SeenVersion,
}

/// A revision with its packet read.
#[derive(Debug)]
pub struct PreparedRevise {
    pub(super) request: Revise,
    pub(super) packet: Box<PreparedPacket>,
}

impl Step for Revise {
    const NAME: &'static str = "revise";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Submit]);
    type Prepared = PreparedRevise;

    fn reads(&self) -> Reads {
        Reads::Revision(self.handoff)
    }

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedRevise, Refusal> {
        let packet = Box::new(prepare_packet(input, Incoming::revision(&self.source))?);
        Ok(PreparedRevise { request: self.clone(), packet })
    }
}

impl PreparedStep for PreparedRevise {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.request.handoff)
    }

    fn load_further(&self, _caller: PartyId, loaded: &Loaded, set: &mut LoadSet) {
        set.reviewed_of_tasks.extend(loaded.task_of(self.request.handoff));
    }

    fn packet(&self) -> Option<&PreparedPacket> {
        Some(&self.packet)
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        revise(context, &self.request, &self.packet)
    }
}

fn revise(
    context: &Context<'_>,
    request: &Revise,
    prepared: &PreparedPacket,
) -> Result<Change, Refusal> {
    let handoff = context.state.handoff(request.handoff)?;
    authorization::sender(context, handoff)?;
    revisable(handoff, "revise")?;
    decision::check(context, handoff, &request.seen)?;
    let mut change = Change::default();
    let mut after = handoff.clone();
    apply_revision(context, &mut after, prepared)?;
    if after.facts.summary.digest != handoff.facts.summary.digest {
        review::mark_revision(context, &mut after);
    }
    change.record_event(EventType::Revised, handoff.id, context.actor());
    Ok(revised(context, after, prepared, change))
}

/// Checks that the packet may still change.
pub fn revisable(handoff: &Handoff, verb: &str) -> Result<(), Refusal> {
    match &handoff.progress.state {
        State::Held(Hold { approval_request: None, .. }) | State::Offered(_) => Ok(()),
        State::Held(_)
        | State::Claimed(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => Err(authorization::wrong_state(handoff, verb, "open and unclaimed")),
    }
}

/// Applies the next revision to a handoff. Its terms never have fewer gates than before.
///
/// The fingerprint stays that of the first packet: a sender that lost the response submits that one
/// again, whatever was changed meanwhile.
pub fn apply_revision(
    context: &Context<'_>,
    handoff: &mut Handoff,
    prepared: &PreparedPacket,
) -> Result<(), Refusal> {
    if prepared.base != Some((handoff.facts.revision, handoff.facts.receiver)) {
        let message = "the handoff changed while its revision was prepared";
        return Err(Refusal::new(RefusalCode::PolicyChanged, message).hint("try again"));
    }
    let parent = handoff.facts.parent.and_then(|id| context.state.known(id));
    let on_behalf_of = context.principal.on_behalf_of;
    let stated = handoff.progress.checkpoint.as_ref().and_then(|mark| mark.confidence);
    let ladder = fallback::ladder(handoff).to_vec();
    let facts = handoff.facts_mut();
    facts.revision += 1;
    let gates = std::mem::take(&mut facts.terms.gates);
    let also_returns = std::mem::take(&mut facts.terms.also_returns);
    let is_hold_asked = facts.terms.is_hold_asked || drops_a_reason(facts, prepared, stated);
    facts.spent = chain::spent(parent, &prepared.summary);
    facts.budget = chain::budget(parent, &prepared.summary);
    facts.summary = prepared.summary.clone();
    facts.terms = prepared.terms.clone();
    facts.terms.asks_return |= !also_returns.is_empty();
    facts.terms.also_returns = also_returns;
    facts.terms.hops = chain::hops_of_chain(parent, facts);
    facts.terms.is_hold_asked |= is_hold_asked;
    for digest in gates {
        if !facts.terms.gates.contains(&digest) {
            facts.terms.gates.push(digest);
        }
    }
    for contributor in std::iter::once(context.principal.party).chain(on_behalf_of) {
        if !facts.contributors.contains(&contributor) {
            facts.contributors.push(contributor);
        }
    }
    facts.summary.authority = chain::authority(&context.state.directory, parent, facts);
    chain::check_revision(context, facts, &prepared.summary)?;
    if facts.receiver != facts.first_receiver {
        keep_to_edge(&context.state.directory, handoff);
    }
    if fallback::ladder(handoff) != ladder {
        fallback::require_known_rungs(&context.state.directory, handoff)?;
    }
    handoff.progress.progress_at = context.now;
    Ok(())
}

/// Returns `true` if a revision drops a reason for which a person had to look at the one before.
/// The person has not seen the new revision, so it is held as well. The `stated` confidence of a
/// checkpoint stays, but another contract may have another limit.
fn drops_a_reason(facts: &Facts, prepared: &PreparedPacket, stated: Option<f64>) -> bool {
    let (before, after) = (&facts.summary, &prepared.summary);
    let has_hold = |effect: Effect| effect == Effect::Hold;
    let is_uncertain = |limit: Option<f64>, confidence: Option<f64>| {
        limit.is_some_and(|limit| confidence.is_none_or(|confidence| confidence < limit))
    };
    let is_sure_now = |was: Option<f64>, is: Option<f64>| {
        is_uncertain(facts.terms.hold_below, was) && !is_uncertain(prepared.terms.hold_below, is)
    };
    before.can_intercept && !after.can_intercept
        || has_hold(facts.terms.effect) && !has_hold(prepared.terms.effect)
        || !before.demands.is_empty() && after.demands.is_empty()
        || is_sure_now(before.confidence, after.confidence)
        || stated.is_some() && is_sure_now(stated, stated)
}

/// Stores the revision and decides again whether to hold it.
pub fn revised(
    context: &Context<'_>,
    mut handoff: Handoff,
    prepared: &PreparedPacket,
    mut change: Change,
) -> Change {
    let revision = handoff.facts.revision.to_string();
    change.put_document(handoff.id, DocumentKind::Packet, revision, Arc::clone(&prepared.sealed));
    let directory = &context.state.directory;
    let not_before = match &handoff.progress.state {
        State::Offered(offer) => offer.not_before,
        State::Held(hold) => hold.not_before,
        State::Claimed(_)
        | State::Returned(_)
        | State::Done
        | State::PassedOn
        | State::Rejected
        | State::Cancelled
        | State::Discarded
        | State::Dead => None,
    };
    offer(directory, &mut handoff, not_before, context.now, context.actor(), &mut change);
    change.show(handoff.id);
    change.answer.notes.clone_from(&prepared.notes);
    change.put(handoff);
    change
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::command::Command;
    use crate::model::context::later;
    use crate::steps::Edit;
    use crate::steps::decision::testing::{accept, checkpoint, release, reroute};
    use crate::testing::{World, claim, packet, submit};

    fn revise(world: &World, more: &Value) -> Command {
        let seen = SeenVersion::default();
        Command::Revise(Revise { handoff: world.newest(), source: packet(more), seen })
    }

    #[test]
    fn a_revision_names_no_unknown_fallback() {
        let to = |to: &str| json!({ "fallback": [{ "to": to }] });
        let mut world = World::new();
        world.done("ana", submit(&to("cem")));
        world.check("ana", revise(&world, &to("bem")), "refused TK-PARTY-UNKNOWN");
        world.check("ana", revise(&world, &to("role:nobody")), "refused TK-ROLE-EMPTY");
        world.check("ana", revise(&world, &to("pia")), "offered to ben");
    }

    fn edit(world: &World, more: &Value) -> Command {
        Command::Edit(Edit {
            handoff: world.newest(),
            source: packet(more),
            seen: SeenVersion::default(),
            reason: Some("clearer".to_owned()),
        })
    }

    fn sent(more: &Value) -> World {
        let mut world = World::new();
        world.run("ana", submit(more)).unwrap();
        world
    }

    #[test]
    fn the_sender_revises_until_the_claim_and_every_revision_stays_readable() {
        let mut world = sent(&json!({}));
        world.check("ana", revise(&world, &json!({"goal": "second"})), "offered to ben");
        world.check(
            "ana",
            revise(&world, &json!({"goal": "third", "can_intercept": true})),
            "held for asked",
        );
        world.check("ana", revise(&world, &json!({"goal": "fourth"})), "held for asked, changed");
        let goals: Vec<Value> = world
            .documents
            .iter()
            .map(|one| serde_json::from_str::<Value>(&one.sealed.body).unwrap()["goal"].clone())
            .collect();
        assert_eq!(goals, ["Ship the part", "second", "third", "fourth"]);
        assert_eq!(world.handoff().facts.revision, 4);
        insta::assert_snapshot!(world.story(0), @"
        handoff.submitted by ana
        handoff.revised by ana
        handoff.revised by ana
        handoff.held by ana
        handoff.revised by ana
        handoff.held by ana
        ");
    }

    #[test]
    fn only_the_sender_revises_and_only_a_person_edits() {
        let mut world = sent(&json!({}));
        insta::assert_snapshot!(world.refusal("ben", revise(&world, &json!({"goal": "x"}))), @"
        TK-NOT-ALLOWED: the sender of handoff hof_1 is `ana`, not `ben`
        hint: `tasuki show` shows whose turn it is
        ");
        world.check("pia", revise(&world, &json!({"goal": "x"})), "refused TK-NOT-ALLOWED");
        insta::assert_snapshot!(world.refusal("ana", edit(&world, &json!({"goal": "x"}))), @"
        TK-PERSON-NEEDED: only a person can decide; you are an agent
        hint: ask a person to decide, in the console or with the command line under their own name
        ");
        world.check("pia", edit(&world, &json!({"goal": "x"})), "offered to ben");
        assert!(world.handoff().facts.contributors.contains(&world.id("pia")));
        let decision: Value = serde_json::from_str(&world.documents[1].sealed.body).unwrap();
        assert_eq!(
            (decision["decision"].clone(), decision["reason"].clone()),
            (json!("edit"), json!("clearer"))
        );
    }

    #[test]
    fn the_packet_of_a_claimed_or_closed_handoff_is_fixed() {
        let mut world = sent(&json!({}));
        world.run("ben", claim(world.newest())).unwrap();
        insta::assert_snapshot!(world.refusal("ana", revise(&world, &json!({"goal": "x"}))), @"
        TK-STATE-CONFLICT: cannot revise handoff hof_1: it is claimed, but must be open and unclaimed
        hint: `tasuki show` lists the commands that are possible now
        ");
        world.check("pia", edit(&world, &json!({"goal": "x"})), "refused TK-STATE-CONFLICT");
        let cancel = crate::steps::Cancel {
            handoff: world.newest(),
            seen: SeenVersion::default(),
            reason: Some("no".to_owned()),
        };
        world.run("ana", Command::Cancel(cancel)).unwrap();
        world.check("ana", revise(&world, &json!({"goal": "x"})), "refused TK-STATE-CONFLICT");
        let unknown = HandoffId::new(9, [9; 10]);
        let nowhere =
            Revise { handoff: unknown, source: packet(&json!({})), seen: SeenVersion::default() };
        world.check("ana", Command::Revise(nowhere), "refused TK-HANDOFF-UNKNOWN");
    }

    #[test]
    fn a_returned_or_dead_handoff_cannot_be_revised() {
        let mut world = sent(&json!({"return_required": ["status"]}));
        world.run("ben", claim(world.newest())).unwrap();
        let source = json!({"handoff_version": "1.0", "packet_type": "return", "task_id": "task-1", "status": "completed", "summary": "s"});
        let source = source.to_string().into_bytes();
        let returned = crate::steps::Return { claim: world.shown(), source, work_tree: None };
        world.check("ben", Command::Return(returned), "returned");
        world.check("ana", revise(&world, &json!({"goal": "x"})), "refused TK-STATE-CONFLICT");

        let mut world = sent(&json!({"expires_at": "2026-11-15T10:00:05Z"}));
        world.advance(6);
        world.apply_due();
        assert_eq!(world.standing(), "dead");
        world.check("ana", revise(&world, &json!({"goal": "x"})), "refused TK-STATE-CONFLICT");
    }

    #[test]
    fn a_caller_that_saw_an_older_revision_is_refused() {
        let mut world = sent(&json!({}));
        let seen = SeenVersion { revision: Some(1), ..SeenVersion::default() };
        let command = |goal: &str, world: &World| {
            let source = packet(&json!({ "goal": goal }));
            Command::Revise(Revise { handoff: world.newest(), source, seen: seen.clone() })
        };
        world.check("ana", command("second", &world), "offered to ben");
        let refusal = world.refusal("ana", command("third", &world));
        assert!(refusal.starts_with("TK-REVISION-CHANGED"), "{refusal}");
    }

    #[test]
    fn a_revision_voids_the_acceptance_and_keeps_the_requested_hold() {
        let mut world = World::new();
        let source = packet(&json!({}));
        let held = crate::steps::Submit { source, hold: true, ..Default::default() };
        world.run("ana", Command::Submit(held)).unwrap();
        let accept = crate::steps::Accept {
            handoff: world.newest(),
            seen: SeenVersion::at(&world.state.directory, world.handoff()),
            reason: None,
        };
        world.check("pia", Command::Accept(accept), "offered to ben");
        world.check("ana", revise(&world, &json!({"goal": "x"})), "held for asked, changed");
    }

    #[test]
    fn a_revision_keeps_gates_risk_and_policy() {
        let mut world = World::new();
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{"name": "eyes", "roles": ["people"], "approvals": 1}],
        }));
        world
            .run(
                "ana",
                submit(&json!({
                    "classification": "PUBLIC", "regulation_refs": ["none"], "retention": "P1Y",
                    "sign_off_gates": ["release"],
                })),
            )
            .unwrap();
        let before = world.handoff().facts.terms.clone();
        world.check("ana", revise(&world, &json!({"goal": "x"})), "held for changed, gate:release");
        let after = &world.handoff().facts.terms;
        assert_eq!((after.risk, after.policy), (before.risk, before.policy));
    }

    #[test]
    fn a_revision_changes_neither_sender_nor_task_nor_receiver() {
        let mut world = sent(&json!({}));
        insta::assert_snapshot!(world.refusal("ana", revise(&world, &json!({"from_agent": "cem"}))), @"
        TK-SENDER-MISMATCH: `from_agent` is `cem`, but the handoff is from `ana`
        hint: a revision cannot change the sender
        ");
        insta::assert_snapshot!(world.refusal("ana", revise(&world, &json!({"task_id": "task-2"}))), @"
        TK-ARGUMENT-INVALID: `task_id` is `task-2`, but the handoff is of task `task-1`
        hint: a revision cannot change the task
        ");
        insta::assert_snapshot!(world.refusal("ana", revise(&world, &json!({"to_agent": "cem"}))), @"
        TK-ARGUMENT-INVALID: the packet is for `cem`, but the handoff is for `ben`
        hint: use `tasuki reroute` to change the receiver
        ");
        // After a reroute the packet still names its first receiver.
        let reroute = crate::steps::Reroute {
            handoff: world.newest(),
            to: "cem".to_owned(),
            seen: SeenVersion::default(),
            reason: None,
        };
        world.check("ana", Command::Reroute(reroute), "offered to cem");
        world.check("ana", revise(&world, &json!({"goal": "x"})), "offered to cem");
        world.check(
            "ana",
            revise(&world, &json!({"goal": "y", "to_agent": "cem"})),
            "offered to cem",
        );
    }

    #[test]
    fn a_revision_counts_for_cost_and_authority() {
        let mut world = sent(&json!({"budget": {"tokens": 10}, "cost": {"tokens": 9}}));
        let dear = json!({"budget": {"tokens": 10}, "cost": {"tokens": 11}});
        world.check("ana", revise(&world, &dear), "refused TK-CHAIN-BUDGET");
        let fine = json!({"budget": {"tokens": 10}, "cost": {"tokens": 10}});
        world.check("ana", revise(&world, &fine), "offered to ben");
        assert_eq!(world.handoff().facts.spent.tokens, 10);
        world.change("ben", |party, _| party.authority = Some(vec!["read:*".to_owned()]));
        let wide = json!({"authority": ["write:x"]});
        world.check("ana", revise(&world, &wide), "refused TK-AUTHORITY-EXCEEDED");
    }

    #[test]
    fn a_revision_that_was_prepared_for_an_older_one_is_prepared_again() {
        let mut world = sent(&json!({}));
        let prepare = |world: &World| {
            let principal = world.principal("ana");
            let seed = crate::model::CommandSeed::new([9; 32]);
            world.prepared(&principal, revise(world, &json!({"goal": "late"})), seed)
        };
        let late = prepare(&world);
        world.run("ana", revise(&world, &json!({"goal": "first"}))).unwrap();
        let principal = world.principal("ana");
        let seed = crate::model::CommandSeed::new([9; 32]);
        let context =
            Context { state: &world.state, principal: &principal, now: world.now, seed: &seed };
        let refusal = crate::worker::decide::decide(&context, &*late).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::PolicyChanged);
    }

    fn awaiting_approval() -> World {
        let mut world = sent(&json!({}));
        world.run("ben", claim(world.newest())).unwrap();
        let action = json!({"run": "rm -rf build"});
        let hold = crate::steps::RequestApproval {
            claim: world.shown(),
            action,
            to: None,
            ends_task: false,
        };
        world.run("ben", Command::RequestApproval(hold)).unwrap();
        world
    }

    fn edit_action(world: &World, action: &str) -> Command {
        Command::Edit(Edit {
            handoff: world.newest(),
            source: action.as_bytes().to_vec(),
            seen: SeenVersion::at(&world.state.directory, world.handoff()),
            reason: None,
        })
    }

    #[test]
    fn an_edited_action_is_approved_exactly_as_edited() {
        let mut world = awaiting_approval();
        let documents = world.documents.len();
        world.advance(3 * 60 * 60);
        world.check(
            "pia",
            edit_action(&world, r#"{"run": "rm -rf build/tmp"}"#),
            "claimed by ben, fence 1",
        );
        assert_eq!(world.handoff().facts.revision, 1);
        let bodies: Vec<&str> =
            world.documents[documents..].iter().map(|one| one.sealed.body.as_str()).collect();
        assert_eq!(bodies[1], r#"{"run":"rm -rf build/tmp"}"#);
        let decision: Value = serde_json::from_str(bodies[0]).unwrap();
        assert_eq!(decision["action"], json!(world.documents[documents + 1].sealed.digest));
        assert_eq!(
            world.handoff().claim().unwrap().until,
            later(world.now, crate::limits::LEASE_DEFAULT)
        );
    }

    #[test]
    fn a_holder_cannot_approve_its_own_action_and_the_edit_is_not_of_the_packet() {
        let mut world = awaiting_approval();
        world.check("ana", edit_action(&world, "{}"), "refused TK-PERSON-NEEDED");
        insta::assert_snapshot!(world.refusal("pia", edit_action(&world, "not json")), @"
        TK-DOCUMENT-INVALID: the action cannot be parsed
        hint: the holder asks for approval of an action: edit the action, as JSON
         1:1: TK-JSON-SYNTAX: expected a value
        ");
        let stale = Command::Edit(Edit {
            handoff: world.newest(),
            source: b"{}".to_vec(),
            seen: SeenVersion {
                digest: Some(world.handoff().facts.summary.digest.clone()),
                ..SeenVersion::default()
            },
            reason: None,
        });
        world.check("pia", stale, "refused TK-REVISION-MISSING");

        let mut world = World::new();
        world.run("pia", submit(&json!({}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        let hold = crate::steps::RequestApproval {
            claim: world.shown(),
            action: json!({"run": "x"}),
            to: None,
            ends_task: false,
        };
        world.run("ben", Command::RequestApproval(hold)).unwrap();
        insta::assert_snapshot!(world.refusal("pia", edit_action(&world, "{}")), @"
        TK-OWN-HANDOFF: you are the sender of handoff hof_1 and cannot decide about it
        hint: ask another person to decide
        ");
        world.check("quin", edit_action(&world, "{}"), "claimed by ben, fence 1");
    }

    #[test]
    fn a_hold_is_not_lifted_by_removing_its_cause() {
        let trigger = json!({"kind": "critical_action", "detail": "drops a table"});
        let mut world = sent(&json!({ "trigger": trigger }));
        assert_eq!(world.standing(), "held for trigger");
        world.check(
            "ana",
            revise(&world, &json!({"goal": "plain"})),
            "held for asked, trigger, changed",
        );
        world.check("ana", reroute(&world, "cem", ""), "held for asked, trigger, changed");
        world.check("pia", edit(&world, &json!({"goal": "b"})), "held for asked, trigger, changed");
        world.check("pia", accept(&world), "offered to cem");
        // The acceptance was for the previous revision.
        let mut world = sent(&json!({ "trigger": trigger }));
        world.check("pia", accept(&world), "offered to ben");
        world.check("ana", revise(&world, &json!({"goal": "plain"})), "held for asked, changed");
        // Routing through a person who never looked does not lift it either.
        let mut world = sent(&json!({ "trigger": trigger }));
        world.check("ana", reroute(&world, "pia", ""), "offered to pia");
        world.check("ana", revise(&world, &json!({"goal": "plain"})), "held for asked, changed");
        world.check("ana", reroute(&world, "cem", ""), "held for asked, changed");
        // A reroute to a person is possible without a hold.
        let mut world = sent(&json!({ "trigger": trigger }));
        world.check("ana", reroute(&world, "pia", ""), "offered to pia");

        let mut world = World::new();
        world.contract(&json!({"to": ["ben", "pia", "cem"], "confidence": {"hold_below": 0.7}}));
        world.check("ana", submit(&json!({"confidence": 0.4})), "held for confidence");
        world.check("ana", reroute(&world, "pia", ""), "offered to pia");
        world.check("ana", revise(&world, &json!({"confidence": 0.9})), "held for asked, changed");

        // A sudden high confidence does not lift it either.
        let mut world = World::new();
        world.contract(&json!({"confidence": {"hold_below": 0.5, "auto_progress_at": 0.9}}));
        let asked = json!({"can_intercept": true, "confidence": 0.6});
        world.check("ana", submit(&asked), "held for asked");
        let certain = json!({"can_intercept": true, "confidence": 0.95});
        world.check("ana", revise(&world, &certain), "held for asked, changed");
    }

    #[test]
    fn a_revision_of_parked_work_leaves_it_parked() {
        let mut world = World::new();
        world.contract(&json!({"confidence": {"hold_below": 0.7}}));
        world.run("ana", submit(&json!({"confidence": 0.9}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        world.run("ben", checkpoint(&world, &json!({"confidence": 0.3}))).unwrap();
        let not_before = world.now + jiff::SignedDuration::from_hours(1);
        let reason = Some("a window".to_owned());
        let park = crate::steps::Park { claim: world.shown(), not_before, reason };
        world.check("ben", Command::Park(park), "held for confidence");
        let again = json!({"goal": "second", "confidence": 0.9});
        world.check("ana", revise(&world, &again), "held for confidence, changed");
        world.check("pia", accept(&world), "offered to ben");
        world.check("ben", claim(world.newest()), "refused TK-CLAIM-EARLY");
    }

    #[test]
    fn only_a_person_who_may_accept_an_action_may_edit_it() {
        let mut world = awaiting_approval();
        world.change("pia", |party, id| party.sends_for = vec![id("ana")]);
        world.check("pia", edit_action(&world, "{}"), "refused TK-OWN-HANDOFF");
        let principal = crate::model::Principal {
            on_behalf_of: Some(world.id("ana")),
            ..world.principal("quin")
        };
        let refusal = world.run_as(&principal, edit_action(&world, "{}")).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::OwnHandoff);
        world.check("quin", edit_action(&world, "{}"), "claimed by ben, fence 1");
    }

    #[test]
    fn deadlines_are_paused_while_an_action_waits_and_a_halt_ends_the_claim() {
        let asking = || {
            let mut world = World::new();
            world.contract(&json!({"deadlines": {"return": "10m"}}));
            world.run("ana", submit(&json!({}))).unwrap();
            world.run("ben", claim(world.newest())).unwrap();
            let hold = crate::steps::RequestApproval {
                claim: world.shown(),
                action: json!({"run": "x"}),
                to: None,
                ends_task: false,
            };
            world.run("ben", Command::RequestApproval(hold)).unwrap();
            world
        };
        let mut world = asking();
        world.advance(60 * 60);
        world.check("pia", edit_action(&world, "{}"), "claimed by ben, fence 1");
        world.advance(9 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "claimed by ben, fence 1");

        let mut world = asking();
        world.run("pia", crate::testing::halt(false)).unwrap();
        world.check("pia", edit_action(&world, "{}"), "offered to ben");
    }

    /// Returns a world where a handoff from `ana` to `ben` has moved on to `cem`, under the
    /// contract that the packet names.
    fn moved_on(allows_edges_without_contract: bool, more: &Value) -> World {
        let settings = crate::model::Settings {
            allows_edges_without_contract,
            ..crate::model::Settings::default()
        };
        let mut world = World::with(settings);
        world.contract(&json!({"to": ["ben"], "fallback": [{"to": "cem"}]}));
        world.run("ana", submit(more)).unwrap();
        world.check("ben", crate::testing::decline(world.newest()), "offered to cem");
        world
    }

    #[test]
    fn a_revision_stays_under_the_first_contract_wherever_the_work_is() {
        for allows in [true, false] {
            for named in [json!({"contract": "work@1.0"}), json!({})] {
                let mut world = moved_on(allows, &named);
                let ask = crate::steps::Ask {
                    handoff: world.newest(),
                    field: None,
                    text: "which one?".to_owned(),
                    is_blocking: true,
                };
                world.check("cem", Command::Ask(ask), "offered to cem");
                let answer = crate::steps::Answer {
                    handoff: world.newest(),
                    question: None,
                    text: Some("the second".to_owned()),
                    source: None,
                    seen: SeenVersion::default(),
                };
                world.check("ana", Command::Answer(answer), "offered to cem");
                let mut better = named;
                better["goal"] = json!("better");
                world.check("ana", revise(&world, &better), "offered to cem");
                better["goal"] = json!("best");
                world.check("pia", edit(&world, &better), "offered to cem");
                assert_eq!(world.handoff().facts.terms.contract.as_deref(), Some("work@1.0"));
                world.check("cem", claim(world.newest()), "claimed by cem, fence 1");
            }
        }
    }

    #[test]
    fn a_revision_keeps_the_requirements_of_the_current_edge() {
        let mut world = moved_on(true, &json!({"confidence": 0.9}));
        world.contract(&json!({
            "contract": "guarded", "to": ["cem"], "confidence": {"hold_below": 0.8},
        }));
        world.check("ana", revise(&world, &json!({"confidence": 0.75})), "held for confidence");
        assert_eq!(world.handoff().facts.terms.contract.as_deref(), Some("work@1.0"));
    }

    #[test]
    fn a_contract_published_later_does_not_block_a_revision() {
        let mut world = World::new();
        world.contract(&json!({}));
        world.run("ana", submit(&json!({}))).unwrap();
        world.contract(&json!({"contract": "other"}));
        world.check("ana", revise(&world, &json!({"goal": "better"})), "offered to ben");
        assert_eq!(world.handoff().facts.terms.contract.as_deref(), Some("work@1.0"));
    }

    #[test]
    fn a_revision_under_another_contract_keeps_the_confidence_of_a_checkpoint() {
        let mut world = World::new();
        world.contract(&json!({"confidence": {"hold_below": 0.7}}));
        world.check("ana", submit(&json!({"confidence": 0.9})), "offered to ben");
        world.run("ben", claim(world.newest())).unwrap();
        world.run("ben", checkpoint(&world, &json!({"confidence": 0.2}))).unwrap();
        world.check("ben", release(&world), "held for confidence");
        world.check("pia", accept(&world), "offered to ben");
        world.contract(&json!({"version": "1.1"}));
        let revision = revise(&world, &json!({"confidence": 0.9, "goal": "another"}));
        world.check("ana", revision, "held for asked, changed");
    }
}
