//! A person accepts a held handoff. One accept clears every reason except gates.

use serde::Serialize;
use tasuki_packet::id::{HandoffId, PartyId};
use tasuki_packet::leaf::EventType;

use crate::model::context::later;
use crate::model::handoff::push_new;
use crate::model::{
    Accepted, ApprovalRequest, Change, Claim, Context, DocumentKind, Handoff, Hold, HoldReason,
    Offer, Reason, Scope, State,
};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::gate::unsigned;
use crate::rules::offer::{offer, reasons, still_held};
use crate::rules::route::keep_with_people;
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, deciders, deputies, review};
use crate::steps::decision::seen_version::{document, require, require_with_receiver};
use crate::steps::{ReasonedStep, SeenVersion};

/// Accepts a held handoff, or approves the action that its holder requested.
#[derive(Debug, Clone, Serialize)]
pub struct Accept {
    /// The handoff.
    pub handoff: HandoffId,
    /// The version that the person saw; revision and digest are required.
    pub seen: SeenVersion,
    /// An optional remark.
    pub reason: Option<String>,
}

impl ReasonedStep for Accept {
    const NAME: &'static str = "accept";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Decide]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        accept(context, self, reason)
    }
}

fn accept(context: &Context<'_>, request: &Accept, reason: &Reason) -> Result<Change, Refusal> {
    authorization::person(context)?;
    let handoff = context.state.handoff(request.handoff)?;
    let State::Held(hold) = &handoff.progress.state else {
        return Err(authorization::wrong_state(handoff, "accept", "held"));
    };
    not_own(context, handoff, hold)?;
    deciders::require(context, handoff, hold)?;
    match hold.approval_request {
        // The decision goes to the holder, whichever party is the receiver.
        Some(_) => require(context, handoff, &request.seen)?,
        None => require_with_receiver(context, handoff, &request.seen)?,
    }
    if let [HoldReason::Gate(digest), ..] = hold.reasons.as_slice() {
        return Err(unsigned(&context.state.directory, handoff, digest));
    }
    let mut change = Change::default();
    let (id, sealed) = document(context, handoff, "accept", &request.seen, reason, &[]);
    change
        .record_event(EventType::Accepted, handoff.id, deputies::actor(context, handoff))
        .with("by", "person")
        .with("decision", id)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref())
        .about(hold.action());
    change.put_document(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    let mut after = handoff.clone();
    match &hold.approval_request {
        Some(asked) => {
            review::record(&mut after, context.now);
            conclude(context, &mut after, asked, Outcome::Granted, &mut change);
        }
        None => clear(context, &mut after, hold),
    }
    change.answer.document = Some(id.to_string());
    change.show(after.id);
    change.put(after);
    Ok(change)
}

/// Refuses a caller that sent the handoff, may send for its sender, or requested the action.
pub(crate) fn not_own(
    context: &Context<'_>,
    handoff: &Handoff,
    hold: &Hold,
) -> Result<(), Refusal> {
    let asking = hold.approval_request.as_ref().map(|asked| asked.claim.holder);
    let caller = [Some(context.principal.party), context.principal.on_behalf_of];
    let is_caller = |party: PartyId| caller.contains(&Some(party));
    let done = if asking.is_some_and(is_caller) {
        "requested this action on"
    } else if is_caller(handoff.facts.sender) || authorization::is_sender(context, handoff) {
        "are the sender of"
    } else {
        return Ok(());
    };
    let message = format!("you {done} handoff {} and cannot decide about it", handoff.id);
    Err(Refusal::new(RefusalCode::OwnHandoff, message).hint("ask another person to decide"))
}

/// The outcome of a request for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The holder may run the action.
    Granted,
    /// The holder must not run it.
    Refused,
}

/// Concludes a request for approval: its holder continues, or the task that was begun for it ends.
pub(crate) fn conclude(
    context: &Context<'_>,
    handoff: &mut Handoff,
    asked: &ApprovalRequest,
    outcome: Outcome,
    change: &mut Change,
) {
    if outcome == Outcome::Granted {
        push_new(&mut handoff.progress.signed_off, asked.sign_off.clone());
    }
    if !asked.ends_task {
        return give_back(context, handoff, &asked.claim, change);
    }
    handoff.progress.progress_at = context.now;
    handoff.progress.questions.clear();
    match outcome {
        Outcome::Granted => {
            change
                .record_event(EventType::Done, handoff.id, context.actor())
                .with("by", "decision");
            handoff.progress.state = State::Done;
        }
        Outcome::Refused => {
            change.record_event(EventType::Cancelled, handoff.id, context.actor());
            handoff.progress.state = State::Cancelled;
        }
    }
}

/// Gives a handoff back to the holder that waited for an approval: same claim, same fence, full
/// lease. Its deadlines start again, because the wait does not count against it. A claim that a
/// halt has ended is not restored: the work is offered again.
pub(crate) fn give_back(
    context: &Context<'_>,
    handoff: &mut Handoff,
    claim: &Claim,
    change: &mut Change,
) {
    let now = context.now;
    handoff.progress.progress_at = now;
    handoff.progress.given_back = None;
    // Questions about the action end with its decision.
    handoff.progress.questions.clear();
    if claim.epoch < context.state.head.claim_epoch {
        let (directory, actor) = (&context.state.directory, context.actor());
        change.record_event(EventType::Released, handoff.id, actor).with("fence", claim.fence);
        keep_with_people(directory, handoff, claim, now);
        offer(directory, handoff, None, now, actor, change);
        return;
    }
    let until = later(now, claim.lease);
    handoff.progress.state = State::Claimed(Claim { since: now, until, ..claim.clone() });
}

/// Clears every reason except gates, for this revision and receiver.
fn clear(context: &Context<'_>, handoff: &mut Handoff, hold: &Hold) {
    handoff.progress.accepted = Some(Accepted {
        revision: handoff.facts.revision,
        receiver: handoff.facts.receiver,
        checkpoints: handoff.progress.checkpoint.as_ref().map_or(0, |mark| mark.count),
    });
    review::approve(handoff, context.now);
    handoff.progress.questions.retain(|open| open.by != context.principal.party);
    let left = reasons(&context.state.directory, handoff, context.now);
    handoff.progress.state = if left.is_empty() {
        State::Offered(Offer { since: context.now, not_before: hold.not_before })
    } else {
        still_held(hold, left, context.now)
    };
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{
        accept, accept_of, all_sign, check_as, checkpoint, edit, gated, hold, intercept, people,
        refusal_text, reject, release, release_gate, reroute, revise, seen_now,
    };
    use super::*;
    use crate::command::Command;
    use crate::model::{Principal, Scope, Scopes, StateWord};
    use crate::rules::fencing;
    use crate::steps::{Attention, Discard, PassOn};
    use crate::testing::{World, claim, packet, submit, verdict};

    fn held() -> World {
        let mut world = people();
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        world
    }

    #[test]
    fn a_person_accepts_a_held_handoff() {
        let mut world = held();
        let from = world.leaves.len();
        for agent in ["ana", "ben", "cem"] {
            let command = accept(&world);
            world.check(agent, command, "refused TK-PERSON-NEEDED");
        }
        let command = accept(&world);
        world.check("pia", command, "offered to ben");
        assert_eq!(world.story(from), "handoff.accepted by pia");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
    }

    /// Returns a world whose handoff `id` is in this state.
    fn in_state(word: StateWord) -> (World, HandoffId) {
        let mut world = people();
        let ask = word == StateWord::Held || word == StateWord::Rejected;
        let return_required = json!(["status"]);
        world
            .run(
                "ana",
                submit(&json!({ "can_intercept": ask, "return_required": return_required })),
            )
            .unwrap();
        let id = world.newest();
        let commands: Vec<(&str, Command)> = match word {
            StateWord::Held | StateWord::Offered => vec![],
            StateWord::Claimed => vec![("ben", claim(id))],
            StateWord::Returned | StateWord::Done => {
                vec![("ben", claim(id)), ("ben", returned(id))]
            }
            StateWord::PassedOn => vec![("ben", claim(id)), ("ben", passed_on(id))],
            StateWord::Rejected => vec![("pia", reject(&world, "no"))],
            StateWord::Cancelled => vec![("ana", cancelled(id))],
            StateWord::Dead => vec![("ben", declined(id))],
            StateWord::Discarded => vec![("ben", declined(id)), ("pia", discarded(id))],
        };
        for (name, command) in commands {
            world.advance(1);
            world.run(name, command).unwrap();
        }
        if word == StateWord::Done {
            world.run("ana", verdict(&world, id, true)).unwrap();
        }
        if word == StateWord::PassedOn {
            let child = world.newest();
            world.run("cem", claim(child)).unwrap();
        }
        assert_eq!(world.state.handoff(id).unwrap().progress.state.word(), word);
        (world, id)
    }

    fn returned(handoff: HandoffId) -> Command {
        let source = json!({
            "handoff_version": "1.0", "packet_type": "return", "task_id": "task-1",
            "status": "completed", "summary": "done",
        });
        let shown = fencing::ClaimProof { handoff, fence: 1 };
        let source = source.to_string().into_bytes();
        Command::Return(crate::steps::Return { claim: shown, source, work_tree: None })
    }

    fn passed_on(handoff: HandoffId) -> Command {
        Command::PassOn(PassOn::new(
            fencing::ClaimProof { handoff, fence: 1 },
            packet(&json!({ "to_agent": "cem", "return_required": ["status"] })),
        ))
    }

    fn cancelled(handoff: HandoffId) -> Command {
        Command::Cancel(crate::steps::Cancel {
            handoff,
            seen: SeenVersion::default(),
            reason: None,
        })
    }

    fn declined(handoff: HandoffId) -> Command {
        let reason = Some("not mine".to_owned());
        Command::Decline(crate::steps::Decline { handoff, reason })
    }

    fn discarded(handoff: HandoffId) -> Command {
        let reason = Some("not needed".to_owned());
        Command::Discard(Discard { handoff, reason, attention: Attention::default() })
    }

    #[test]
    fn only_a_held_handoff_can_be_accepted() {
        for word in StateWord::ALL.into_iter().filter(|word| *word != StateWord::Held) {
            let (mut world, id) = in_state(word);
            world.check("ben", accept_of(&world, id), "refused TK-PERSON-NEEDED");
            world.check("pia", accept_of(&world, id), "refused TK-STATE-CONFLICT");
        }
    }

    #[test]
    fn a_credential_without_the_scope_does_not_decide() {
        let mut world = held();
        let scopes = Scopes::none().with(Scope::Read).with(Scope::Submit);
        let principal = Principal { scopes, ..world.principal("pia") };
        let command = accept(&world);
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-SCOPE-MISSING: this credential lacks the scope `decide`
        hint: an operator creates a token with `tasuki token create --as NAME --scope submit,read,decide`
        ");
    }

    #[test]
    fn a_sender_cannot_accept_its_own_handoff() {
        let mut world = people();
        let command = submit(&json!({ "can_intercept": true }));
        world.check("pia", command, "held for asked");
        let command = accept(&world);
        world.check("pia", command.clone(), "refused TK-OWN-HANDOFF");
        let principal = world.principal("pia");
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-OWN-HANDOFF: you are the sender of handoff hof_… and cannot decide about it
        hint: ask another person to decide
        ");
        let command = reject(&world, "no");
        world.check("pia", command, "refused TK-OWN-HANDOFF");
        let command = accept(&world);
        world.check("quin", command, "offered to ben");
    }

    #[test]
    fn a_person_that_may_send_for_the_sender_cannot_accept_either() {
        let mut world = held();
        world.change("pia", |party, id| party.sends_for = vec![id("ana")]);
        let command = accept(&world);
        world.check("pia", command, "refused TK-OWN-HANDOFF");
        let sender = world.id("ana");
        let principal = Principal { on_behalf_of: Some(sender), ..world.principal("quin") };
        let command = accept(&world);
        check_as(&mut world, &principal, command, "refused TK-OWN-HANDOFF");
        let command = accept(&world);
        world.check("quin", command, "offered to ben");
    }

    #[test]
    fn a_holder_cannot_approve_its_own_action() {
        let mut world = people();
        let command = submit(&json!({ "to_agent": "role:people" }));
        world.check("ana", command, "offered to role:people");
        let id = world.newest();
        world.check("pia", claim(id), "claimed by pia, fence 1");
        let command = hold(&world, json!({ "run": "rm -r build" }));
        world.check("pia", command, "held for action, by pia");
        let command = accept(&world);
        world.check("pia", command.clone(), "refused TK-OWN-HANDOFF");
        let principal = world.principal("pia");
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-OWN-HANDOFF: you requested this action on handoff hof_… and cannot decide about it
        hint: ask another person to decide
        ");
        let command = accept(&world);
        world.check("quin", command, "claimed by pia, fence 1");
    }

    #[test]
    fn a_person_may_accept_their_own_edit_of_a_plain_hold() {
        let mut world = held();
        let source = packet(&json!({ "can_intercept": true, "goal": "Ship the small part" }));
        let command = edit(&world, source);
        world.check("pia", command, "held for asked");
        let command = accept(&world);
        world.check("pia", command, "offered to ben");
        assert_eq!(world.handoff().facts.revision, 2);
    }

    #[test]
    fn one_accept_clears_every_reason_except_gates() {
        let mut world = people();
        world.gate(release_gate(&json!({})));
        let confidence = json!({ "hold_below": 0.7 });
        world.contract(&json!({ "gates": ["release"], "confidence": confidence }));
        let trigger = json!({ "kind": "critical_action", "detail": "drops a table" });
        let command = submit(&json!({
            "can_intercept": true, "confidence": 0.5, "trigger": trigger,
        }));
        world.check("ana", command, "held for asked, confidence, trigger, gate:release");
        let command = accept(&world);
        world.check("pia", command, "held for gate:release");
        let command = accept(&world);
        world.check("pia", command.clone(), "refused TK-GATE-UNSIGNED");
        let principal = world.principal("pia");
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-GATE-UNSIGNED: gate `release` is not signed for hof_…@1
        hint: its signers run `tasuki sign-off hof_… --gate release`
        ");
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "offered to ben");
    }

    #[test]
    fn a_signed_gate_leaves_the_plain_reasons() {
        let mut world = people();
        world.gate(release_gate(&json!({})));
        world.contract(&json!({ "gates": ["release"] }));
        let command = submit(&json!({ "can_intercept": true }));
        world.check("ana", command, "held for asked, gate:release");
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "held for asked");
        let command = accept(&world);
        world.check("tia", command, "offered to ben");
    }

    #[test]
    fn an_accept_is_for_the_version_that_was_shown() {
        let mut world = held();
        let seen = seen_now(&world);
        let command = revise(&world, &json!({ "can_intercept": true, "goal": "Another" }));
        world.check("ana", command, "held for asked, changed");
        let handoff = world.newest();
        let old_digest = SeenVersion { revision: None, ..seen.clone() };
        for seen in [seen, old_digest] {
            let command = Command::Accept(Accept { handoff, seen, reason: None });
            world.check("pia", command, "refused TK-REVISION-CHANGED");
        }
        let seen = seen_now(&world);
        let command = Command::Accept(Accept { handoff, seen, reason: None });
        world.check("pia", command, "offered to ben");
    }

    #[test]
    fn an_accept_names_the_revision_and_the_digest_that_were_seen() {
        let mut world = held();
        let (handoff, seen) = (world.newest(), seen_now(&world));
        let accept = |seen| Command::Accept(Accept { handoff, seen, reason: None });
        for seen in [
            SeenVersion::default(),
            SeenVersion { revision: None, ..seen.clone() },
            SeenVersion { digest: None, ..seen.clone() },
        ] {
            world.check("pia", accept(seen), "refused TK-REVISION-MISSING");
        }
        insta::assert_snapshot!(world.refusal("pia", accept(SeenVersion::default())), @"
        TK-REVISION-MISSING: the decision does not name the revision and the digest that you saw
        hint: run `tasuki show hof_1` and pass the reference that it prints
        ");
        world.check("pia", accept(seen), "offered to ben");
    }

    #[test]
    fn an_approval_of_an_action_names_the_action() {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        let handoff = world.newest();
        world.check("ben", claim(handoff), "claimed by ben, fence 1");
        let of_packet = seen_now(&world);
        let command = hold(&world, json!({ "run": "deploy" }));
        world.check("ben", command, "held for action, by ben");
        let accept = |seen| Command::Accept(Accept { handoff, seen, reason: None });
        let nothing = SeenVersion { digest: None, ..of_packet.clone() };
        for seen in [SeenVersion::default(), nothing, of_packet.clone()] {
            world.check("pia", accept(seen), "refused TK-REVISION-MISSING");
        }
        // A rejection needs no reference, and one of the packet is not stale.
        let reason = Some("not today".to_owned());
        let reject = Command::Reject(crate::steps::Reject { handoff, seen: of_packet, reason });
        world.clone().check("pia", reject, "claimed by ben, fence 1");
        let seen = seen_now(&world);
        world.check("pia", accept(seen), "claimed by ben, fence 1");
    }

    #[test]
    fn an_accept_is_for_the_receiver_that_was_shown() {
        let mut world = held();
        let (handoff, seen) = (world.newest(), seen_now(&world));
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "held for asked");
        let accept = |seen| Command::Accept(Accept { handoff, seen, reason: None });
        let pia = world.principal("pia");
        insta::assert_snapshot!(refusal_text(&mut world, &pia, accept(seen.clone())), @"
        TK-REVISION-CHANGED: the receiver of handoff hof_… changed: it is `cem`, you saw `ben`
        hint: run `tasuki show` again, then decide
        ");
        // A caller that names no receiver may have looked before the reroute.
        let only_revision = SeenVersion { receiver: None, ..seen };
        insta::assert_snapshot!(refusal_text(&mut world, &pia, accept(only_revision.clone())), @"
        TK-REVISION-CHANGED: handoff hof_… was rerouted to `cem` after revision 1
        hint: run `tasuki show` again and pass the reference that it prints; over HTTP name the receiver too
        ");
        let command = revise(&world, &json!({ "can_intercept": true, "goal": "Another" }));
        world.check("ana", command, "held for asked, changed");
        let only_revision = SeenVersion { receiver: None, ..seen_now(&world) };
        world.check("pia", accept(only_revision), "offered to cem");
    }

    #[test]
    fn an_approval_of_an_action_is_for_its_holder_whichever_party_receives() {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "offered to cem");
        let handoff = world.newest();
        world.check("cem", claim(handoff), "claimed by cem, fence 1");
        let command = hold(&world, json!({ "run": "deploy" }));
        world.check("cem", command, "held for action, by cem");
        let seen = SeenVersion { receiver: None, ..seen_now(&world) };
        let command = Command::Accept(Accept { handoff, seen, reason: None });
        world.check("pia", command, "claimed by cem, fence 1");
    }

    #[test]
    fn an_accept_counts_for_one_revision_and_one_receiver() {
        let mut world = held();
        let command = accept(&world);
        world.check("pia", command, "offered to ben");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let command = release(&world);
        world.check("ben", command, "offered to ben");
        let command = reroute(&world, "cem", "");
        world.check("ana", command, "held for asked");
        let command = accept(&world);
        world.check("pia", command, "offered to cem");
        let command = revise(&world, &json!({ "can_intercept": true, "goal": "Another" }));
        world.check("ana", command, "held for asked, changed");
    }

    #[test]
    fn less_certain_progress_is_held_again() {
        let mut world = people();
        world.contract(&json!({ "confidence": { "hold_below": 0.7 } }));
        world.check("ana", submit(&json!({ "confidence": 0.5 })), "held for confidence");
        let command = accept(&world);
        world.check("pia", command, "offered to ben");
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let command = checkpoint(&world, &json!({ "confidence": 0.4 }));
        world.check("ben", command, "claimed by ben, fence 1");
        let command = release(&world);
        world.check("ben", command, "held for confidence");
    }

    #[test]
    fn a_halt_ends_a_claim_that_waits_for_approval() {
        {
            let mut world = people();
            world.check("ana", submit(&json!({})), "offered to ben");
            let id = world.newest();
            world.check("ben", claim(id), "claimed by ben, fence 1");
            let command = hold(&world, json!({ "run": "make publish" }));
            world.check("ben", command, "held for action, by ben");
            let halt = |is_lift: bool| {
                let reason = Some("drill".to_owned());
                Command::Halt(crate::steps::Halt { is_lift, reason })
            };
            world.run("pia", halt(false)).unwrap();
            let command = accept(&world);
            world.check("pia", command, "offered to ben");
            assert_eq!(world.handoff().progress.lapses, 0);
            world.run("pia", halt(true)).unwrap();
            world.check("ben", claim(id), "claimed by ben, fence 2");
        }
    }

    #[test]
    fn an_intercepted_handoff_needs_no_accept() {
        let mut world = held();
        let command = intercept(&world, "");
        world.check("pia", command, "claimed by pia, fence 1");
        let command = accept(&world);
        world.check("quin", command, "refused TK-STATE-CONFLICT");
    }

    #[test]
    fn a_handoff_that_waits_only_at_a_gate_cannot_be_accepted() {
        let mut world = gated(&json!({}));
        for name in ["pia", "quin", "rex", "sam", "tia"] {
            let command = accept(&world);
            world.check(name, command, "refused TK-GATE-UNSIGNED");
        }
    }

    #[test]
    fn signatures_that_expire_before_the_accept_must_be_given_again() {
        let mut world = people();
        world.gate(release_gate(&json!({ "ttl": "1h" })));
        world.contract(&json!({ "gates": ["release"] }));
        world.check(
            "ana",
            submit(&json!({ "can_intercept": true })),
            "held for asked, gate:release",
        );
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "held for asked");
        world.advance(2 * 60 * 60);
        let command = accept(&world);
        world.check("tia", command, "held for gate:release");
        world.advance(59 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "held for gate:release");
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "offered to ben");
    }
}
