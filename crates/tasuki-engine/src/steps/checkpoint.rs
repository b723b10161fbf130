//! A holder records progress, from which the next holder continues.
//!
//! A checkpoint renews the lease and meets the progress deadline. During a halt the former holder
//! may still record a last one, which renews nothing.

use std::sync::Arc;

use serde::Serialize;
use tasuki_api::WorkTree;
use tasuki_packet::id::{CheckpointId, HandoffId, PartyId};
use tasuki_packet::leaf::EventType;
use tasuki_packet::policy::rules::{RuleEffect, RuleMatch};
use tasuki_packet::policy::trigger::TriggerKind;

use crate::limits::AUTOMATIC_TASK_LIFE;
use crate::model::context::later;
use crate::model::handoff::push_new;
use crate::model::{
    Change, CheckpointSummary, Context, Directory, DocumentKind, Handoff, PacketSummary, Scope,
    State,
};
use crate::prepare::checkpoint::ReadCheckpoint;
use crate::prepare::input::PrepareInput;
use crate::prepare::work_tree::PreparedWorkTree;
use crate::prepare::{self, Receiver};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::{self, Edge, stake};
use crate::rules::fencing::{self, ClaimProof};
use crate::rules::scopes::RequiredScopes;
use crate::rules::{auto_register, chain};
use crate::steps::Step;
use crate::steps::claim::renewed;
use crate::steps::step::{PreparedStep, source_digest};

/// Records progress.
#[derive(Debug, Clone, Serialize)]
pub struct Checkpoint {
    /// The claim.
    pub claim: ClaimProof,
    /// The checkpoint packet in any form.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
    /// The work tree that the command was sent from. A repeated command may come from another one.
    #[serde(skip)]
    pub work_tree: Option<WorkTree>,
}

/// A checkpoint with its packet read.
#[derive(Debug)]
pub struct PreparedCheckpoint {
    claim: ClaimProof,
    progress: ReadCheckpoint,
    work_tree: Option<PreparedWorkTree>,
}

impl Step for Checkpoint {
    const NAME: &'static str = "checkpoint";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Receive]);
    type Prepared = PreparedCheckpoint;

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedCheckpoint, Refusal> {
        let progress = prepare::checkpoint::checkpoint(input, &self.source)?;
        let work_tree = prepare::work_tree::work_tree(input, self.work_tree.as_ref())?;
        Ok(PreparedCheckpoint { claim: self.claim, progress, work_tree })
    }
}

impl PreparedStep for PreparedCheckpoint {
    fn handoff(&self) -> Option<HandoffId> {
        Some(self.claim.handoff)
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, self.claim, &self.progress, self.work_tree.as_ref())
    }
}

fn decide(
    context: &Context<'_>,
    claim: ClaimProof,
    progress: &ReadCheckpoint,
    work_tree: Option<&PreparedWorkTree>,
) -> Result<Change, Refusal> {
    let (handoff, claim) = fencing::require_claim_even_if_halted(context, claim)?;
    of_this_task(handoff, progress)?;
    let is_over = claim.epoch < context.state.head.claim_epoch;
    let claim = if is_over { claim.clone() } else { renewed(context, claim, claim.lease) };
    let mut handoff = handoff.clone();
    let id: CheckpointId = context.seed.id("checkpoint", context.now);
    let mut change = Change::default();
    change
        .record_event(EventType::Checkpointed, handoff.id, context.actor())
        .with("checkpoint", id)
        .with("fence", claim.fence)
        .bringing(progress.sealed.commitment);
    if let Some(work_tree) = work_tree {
        work_tree.record(id.to_string(), &mut handoff, context.now, &mut change);
    }
    if handoff.progress.started_at.is_none() {
        handoff.progress.started_at = Some(context.now);
        change.record_event(EventType::Started, handoff.id, context.actor());
    }
    let mut mark = mark(context, &handoff, id, progress);
    mark.to = progress.to.as_ref().map(|named| named_party(context, named, &mut change));
    handoff.progress.checkpoint = Some(mark);
    handoff.progress.progress_at = context.now;
    if handoff.progress.ends_at.is_some() {
        handoff.progress.ends_at = Some(later(context.now, AUTOMATIC_TASK_LIFE));
    }
    // A claim that a halt ended stays as it is, with its approval request.
    if !is_over {
        handoff.progress.state = State::Claimed(claim);
    }
    change.put_document(
        handoff.id,
        DocumentKind::Checkpoint,
        id.to_string(),
        Arc::clone(&progress.sealed),
    );
    change.answer.document = Some(id.to_string());
    if is_over {
        change.show(handoff.id);
    } else {
        change.show_with_claim(handoff.id);
    }
    change.answer.notes.clone_from(&progress.notes);
    change.answer.notes.extend(progress.to.as_ref().and_then(|_| not_followed(&handoff)));
    change.put(handoff);
    Ok(change)
}

/// Returns the named party, which is registered on first use if the project allows it.
fn named_party(context: &Context<'_>, named: &Receiver, change: &mut Change) -> PartyId {
    match named {
        Receiver::Cache(party) => *party,
        Receiver::New(name) => auto_register::on_first_use(context, name, change),
    }
}

/// Returns a note that only the checkpoints of a begun task choose the next holder.
fn not_followed(handoff: &Handoff) -> Option<String> {
    let note = "the named party is recorded but not followed: this work goes back to its receiver and \
                along its ladder; use `tasuki pass-on --to` to hand it on";
    (!handoff.facts.is_begun).then(|| note.to_owned())
}

/// Refuses a checkpoint of another task, because the next holder would continue from it.
fn of_this_task(handoff: &Handoff, progress: &ReadCheckpoint) -> Result<(), Refusal> {
    let own = &handoff.facts.task;
    let other = progress.task.as_ref().filter(|task| !handoff.facts.is_task(task));
    let Some(task) = other else { return Ok(()) };
    let message =
        format!("the checkpoint is for task `{task}`, but the handoff is for task `{own}`");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint(format!("remove `task_id`, or set it to `{own}`")))
}

/// Summarizes a checkpoint for the rules. A missing confidence keeps the earlier one, and reasons
/// for a hold are never dropped.
fn mark(
    context: &Context<'_>,
    handoff: &Handoff,
    id: CheckpointId,
    progress: &ReadCheckpoint,
) -> CheckpointSummary {
    let before = handoff.progress.checkpoint.as_ref();
    let count = before.map_or(0, |mark| mark.count) + 1;
    let stated = progress.confidence.map(|confidence| (confidence, count));
    let kept = || before.and_then(|mark| Some((mark.confidence?, mark.stated_in)));
    let (confidence, stated_in) = stated.or_else(kept).unzip();
    let directory = &context.state.directory;
    let trigger = progress.trigger;
    let demands = demanded(directory, handoff, progress);
    let is_sensitive = demands.iter().any(|demand| demand.effect == RuleEffect::SensitiveTopic);
    let topic = is_sensitive.then_some(TriggerKind::SensitiveTopic);
    let mut triggers = before.map_or_else(Vec::new, |mark| mark.triggers.clone());
    push_new(&mut triggers, trigger.into_iter().chain(topic).map(|kind| kind.as_str().to_owned()));
    let mut found = before.map_or_else(Vec::new, |mark| mark.found.clone());
    push_new(&mut found, progress.found.iter().cloned());
    let holds = trigger.is_some_and(|kind| edge_policy::holds(directory, &handoff.facts, kind));
    let newest = |is_now: bool, before: u32| if is_now { count } else { before };
    CheckpointSummary {
        id,
        count,
        to: None,
        confidence,
        stated_in: stated_in.unwrap_or_default(),
        triggers,
        holds_in: newest(holds, before.map_or(0, |mark| mark.holds_in)),
        found,
        demanded_in: newest(!demands.is_empty(), before.map_or(0, |mark| mark.demanded_in)),
        cost: before.map_or_else(
            || progress.cost.clone(),
            |mark| chain::at_least(&mark.cost, &progress.cost),
        ),
        steps: match (before.map(|mark| &mark.steps), &progress.steps) {
            (None, steps) => steps.clone(),
            (Some(Some(before)), Some(steps)) => before.then(steps),
            (Some(_), _) => None,
        },
    }
}

/// Returns the rule matches that this checkpoint adds.
fn demanded(directory: &Directory, handoff: &Handoff, progress: &ReadCheckpoint) -> Vec<RuleMatch> {
    let known = handoff.said().into_iter().next().filter(|_| directory.rules.is_some());
    let Some(known) = known else { return Vec::new() };
    let (mut with, mut without) = (known.clone(), known);
    if let Some(kind) = progress.trigger {
        with.trigger = Some(kind.as_str().to_owned());
        without.trigger = None;
    }
    if progress.confidence.is_some() {
        with.confidence = progress.confidence;
        without.confidence = None;
    }
    push_new(&mut with.found, progress.found.iter().cloned());
    without.found.retain(|rule| !progress.found.contains(rule));
    let edge = Edge::to(directory, &handoff.facts, handoff.facts.receiver);
    let terms = &handoff.facts.terms;
    let demands = |summary: &PacketSummary| {
        let at_stake = stake(summary, &terms.gates, None).max(terms.risk.into());
        edge_policy::demands(directory, summary, &edge, at_stake)
    };
    let anyway = demands(&without);
    demands(&with).into_iter().filter(|demand| !anyway.contains(demand)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tasuki_packet::leaf::Leaf;

    use super::*;
    use crate::command::Command;
    use crate::model::Settings;
    use crate::steps::{Accept, SeenVersion};
    use crate::testing::{World, checkpoint, claim, halt, release, submit};

    fn claimed(contract: &serde_json::Value) -> World {
        let mut world = World::new();
        world.contract(contract);
        world.done("ana", submit(&json!({ "confidence": 0.9 })));
        world.done("ben", claim(world.newest()));
        world
    }

    #[test]
    fn a_checkpoint_renews_the_lease_and_answers_the_deadline() {
        let mut world = claimed(&json!({ "deadlines": { "progress": "40m" } }));
        for count in 1..=3 {
            world.advance(29 * 60);
            let shown = world.shown();
            world.check("ben", checkpoint(shown, &json!({})), "claimed by ben, fence 1");
            assert_eq!(world.handoff().progress.checkpoint.as_ref().unwrap().count, count);
            let until = world.handoff().claim().unwrap().until;
            assert_eq!(until, world.now + jiff::SignedDuration::from_mins(30));
        }
    }

    #[test]
    fn work_has_started_with_the_first_checkpoint_of_a_claim_and_only_then() {
        let mut world = claimed(&json!({}));
        for _ in 0..2 {
            world.advance(1);
            let shown = world.shown();
            world.done("ben", checkpoint(shown, &json!({})));
        }
        insta::assert_snapshot!(world.story(1), @"
        handoff.delivered by ben
        handoff.claimed by ben
        handoff.checkpointed by ben
        handoff.started by ben
        handoff.checkpointed by ben
        ");
    }

    #[test]
    fn the_start_deadline_holds_for_every_claim_and_any_checkpoint_of_it_meets_it() {
        let mut world = claimed(&json!({ "deadlines": { "start": "10m" } }));
        let id = world.newest();
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({})));
        world.advance(30 * 60);
        world.check("ben", claim(id), "claimed by ben, fence 2");
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({})));
        world.advance(10 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "claimed by ben, fence 2");
        world.advance(20 * 60);
        world.check("ben", claim(id), "claimed by ben, fence 3");
        world.advance(10 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
    }

    #[test]
    fn the_named_party_is_registered_on_first_use_where_the_project_allows_it() {
        let begun = |settings| {
            let mut world = World::with(settings);
            let source = crate::testing::packet(&json!({}));
            let begin = crate::steps::Begin { source, ..Default::default() };
            world.done("ben", Command::Begin(begin));
            world
        };
        let named = json!({ "to_agent": "Night Shift" });
        let registers = Settings { registers_on_first_use: true, ..Settings::default() };
        let mut world = begun(registers);
        let shown = world.shown();
        let answer = world.done("ben", checkpoint(shown, &named));
        assert_eq!(answer.registered, ["night-shift"]);
        world.check("ben", release(shown), "offered to night-shift");
        // Elsewhere the progress is kept, and the holder gets a note about the name.
        let mut world = begun(Settings::default());
        let shown = world.shown();
        let answer = world.done("ben", checkpoint(shown, &named));
        assert!(answer.registered.is_empty());
        insta::assert_snapshot!(answer.notes.join("\n"), @"ignored the receiver in the checkpoint: unknown party `Night Shift`");
    }

    #[test]
    fn the_party_named_by_a_checkpoint_of_handed_over_work_is_not_followed() {
        let mut world = claimed(&json!({}));
        let shown = world.shown();
        let answer = world.done("ben", checkpoint(shown, &json!({ "to_agent": "cem" })));
        insta::assert_snapshot!(answer.notes.join("\n"), @"the named party is recorded but not followed: this work goes back to its receiver and along its ladder; use `tasuki pass-on --to` to hand it on");
        world.check("ben", release(shown), "offered to ben");
    }

    #[test]
    fn the_former_holder_records_a_last_checkpoint_during_a_halt() {
        let mut world = claimed(&json!({}));
        let until = world.handoff().claim().unwrap().until;
        world.done("pia", halt(false));
        world.advance(3600);
        let shown = world.shown();
        let answer = world.done("ben", checkpoint(shown, &json!({})));
        assert_eq!((answer.claim, answer.handoff.unwrap().checkpoints), (None, 1));
        assert_eq!(world.standing(), "claimed by ben, fence 1");
        assert_eq!(world.handoff().claim().unwrap().until, until);
        world.check("cem", checkpoint(shown, &json!({})), "refused TK-CLAIM-STALE");
        world.done("pia", halt(true));
        world.check("ben", checkpoint(shown, &json!({})), "refused TK-CLAIM-STALE");
    }

    #[test]
    fn a_checkpoint_without_confidence_keeps_the_earlier_one() {
        let mut world = claimed(&json!({ "confidence": { "hold_below": 0.7 } }));
        let id = world.newest();
        for more in [json!({ "confidence": 0.5 }), json!({})] {
            let shown = world.shown();
            world.done("ben", checkpoint(shown, &more));
        }
        let shown = world.shown();
        world.check("ben", release(shown), "held for confidence");
        // A person has accepted that confidence; the next checkpoint states none.
        let seen = SeenVersion::at(&world.state.directory, world.handoff());
        let accept = Accept { handoff: id, seen, reason: None };
        world.check("pia", Command::Accept(accept), "offered to ben");
        world.done("ben", claim(id));
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({})));
        world.check("ben", release(shown), "offered to ben");
        world.done("ben", claim(id));
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &json!({ "confidence": 0.6 })));
        world.check("ben", release(shown), "held for confidence");
    }

    #[test]
    fn its_leaf_commits_to_it_and_names_the_fence() {
        let mut world = claimed(&json!({}));
        let shown = world.shown();
        let answer = world.done("ben", checkpoint(shown, &json!({ "completed": ["Tests"] })));
        let kept = world.documents.last().unwrap();
        assert_eq!(answer.document.as_deref(), Some(kept.id.as_str()));
        let leaves = world.leaves.iter().map(|row| Leaf::read(row.leaf.as_bytes()).unwrap());
        let leaf = leaves.into_iter().find(|leaf| leaf.event == EventType::Checkpointed).unwrap();
        assert_eq!(leaf.document, Some(kept.sealed.commitment));
    }

    #[test]
    fn a_holder_that_waits_for_approval_records_a_last_checkpoint_too() {
        let mut world = claimed(&json!({}));
        let shown = world.shown();
        let hold = crate::steps::RequestApproval {
            claim: shown,
            action: json!({ "run": "deploy" }),
            to: None,
            ends_task: false,
        };
        world.done("ben", Command::RequestApproval(hold));
        world.check("ben", checkpoint(shown, &json!({})), "refused TK-STATE-CONFLICT");
        world.done("pia", halt(false));
        world.check("ben", checkpoint(shown, &json!({})), "held for action, by ben");
        assert_eq!(world.handoff().progress.checkpoint.as_ref().unwrap().count, 1);
        world.check("ben", release(shown), "refused TK-PROJECT-HALTED");
    }

    #[test]
    fn a_checkpoint_of_another_task_is_refused() {
        let mut world = claimed(&json!({}));
        let shown = world.shown();
        insta::assert_snapshot!(world.refused("ben", checkpoint(shown, &json!({ "task_id": "task-9" }))), @"
        TK-ARGUMENT-INVALID: the checkpoint is for task `task-9`, but the handoff is for task `task-1`
          remove `task_id`, or set it to `task-1`
        ");
    }

    /// Records a checkpoint as `ben`, releases the work and checks the resulting state.
    #[track_caller]
    fn check_release(world: &mut World, more: &serde_json::Value, expected: &str) {
        let shown = world.shown();
        world.done("ben", checkpoint(shown, more));
        world.check("ben", release(shown), expected);
    }

    fn accept(world: &mut World, expected: &str) {
        let (handoff, seen) =
            (world.newest(), SeenVersion::at(&world.state.directory, world.handoff()));
        let accept = Accept { handoff, seen, reason: None };
        world.check("pia", Command::Accept(accept), expected);
    }

    #[test]
    fn a_trigger_of_a_checkpoint_applies_to_the_continuation() {
        let stated = |kind: &str| json!({ "trigger": { "kind": kind } });
        let mut world = claimed(&json!({}));
        check_release(&mut world, &stated("session_ended"), "offered to ben");
        let mut world = claimed(&json!({ "triggers": { "critical_action": "offer" } }));
        check_release(&mut world, &stated("critical_action"), "offered to ben");

        let mut world = claimed(&json!({}));
        let shown = world.shown();
        world.done("ben", checkpoint(shown, &stated("critical_action")));
        // A later checkpoint takes nothing back, and an expired lease makes a normal offer.
        world.done("ben", checkpoint(shown, &stated("session_ended")));
        world.advance(30 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "held for trigger");
        assert_eq!(world.handoff().facts.terms.risk.as_str(), "high");
        accept(&mut world, "offered to ben");
        world.done("ben", claim(world.newest()));
        check_release(&mut world, &json!({}), "offered to ben");
        world.done("ben", claim(world.newest()));
        check_release(&mut world, &stated("stuck"), "held for trigger");
    }

    #[test]
    fn a_gate_applies_to_the_statements_of_a_checkpoint() {
        let mut world = claimed(&json!({}));
        world.gate(json!({
            "gate": "release", "version": "1.0", "applies": [{ "trigger": ["critical_action"] }],
            "factors": [{ "name": "safety", "roles": ["role:people"] }],
        }));
        let before = world.handoff().facts.terms.policy;
        let critical = json!({ "trigger": { "kind": "critical_action" } });
        check_release(&mut world, &critical, "held for trigger, gate:release");
        assert_ne!(world.handoff().facts.terms.policy, before);
        accept(&mut world, "held for gate:release");
        let reroute = crate::steps::decision::testing::reroute(&world, "pia", "");
        world.check("quin", reroute, "held for gate:release");
    }

    #[test]
    fn rules_are_evaluated_for_checkpoints() {
        let rules = json!({ "rules": [
            { "name": "money", "when": { "words": ["refund"] }, "then": "hold" },
            { "name": "dear", "when": { "risk": "high" }, "then": "hold" },
            { "name": "odd", "when": { "trigger": ["manual"] }, "then": "hold" },
            { "name": "health", "when": { "words": ["dose"] }, "then": "sensitive_topic" },
            { "name": "there", "when": { "words": ["invoice"], "edge": [{ "to": "cem" }] },
              "then": "hold" },
        ]});
        let world = || {
            let mut world = claimed(&json!({}));
            world.rules(rules.clone());
            world.gate(json!({
                "gate": "topics", "version": "1.0", "applies": [{ "trigger": ["sensitive_topic"] }],
                "factors": [{ "name": "safety", "roles": ["role:people"] }],
            }));
            world
        };
        check_release(&mut world(), &json!({}), "offered to ben");
        let refund = json!({ "remaining": ["refund everybody"] });
        check_release(&mut world(), &refund, "held for label");
        check_release(&mut world(), &json!({ "confidence": 0.2 }), "held for label");
        check_release(&mut world(), &json!({ "trigger": { "kind": "manual" } }), "held for label");
        let dose = json!({ "completed": ["halved the dose"] });
        check_release(&mut world(), &dose, "held for label, gate:topics");

        let mut accepted = world();
        check_release(&mut accepted, &refund, "held for label");
        accept(&mut accepted, "offered to ben");
        accepted.done("ben", claim(accepted.newest()));
        check_release(&mut accepted, &json!({ "confidence": 0.8 }), "offered to ben");
        accepted.done("ben", claim(accepted.newest()));
        check_release(&mut accepted, &refund, "held for label");

        let mut elsewhere = world();
        check_release(&mut elsewhere, &json!({ "remaining": ["the invoice"] }), "offered to ben");
        let reroute = crate::steps::decision::testing::reroute(&elsewhere, "cem", "");
        elsewhere.check("ana", reroute, "held for label");
    }

    #[test]
    fn the_checkpoint_of_a_begun_task_is_evaluated_before_it_moves() {
        let mut world = World::new();
        let when = json!({ "words": ["refund"] });
        world.rules(json!({ "rules": [{ "name": "money", "when": when, "then": "hold" }] }));
        let source = crate::testing::packet(&json!({ "to_agent": "ana" }));
        let begin = crate::steps::Begin { source, ..Default::default() };
        world.done("ana", Command::Begin(begin));
        let shown = world.shown();
        let refund = json!({ "to_agent": "ben", "remaining": ["refund everybody"] });
        world.done("ana", checkpoint(shown, &refund));
        world.check("ana", release(shown), "held for label");
        assert_eq!(world.handoff().facts.receiver, world.id("ben"));
    }
}
