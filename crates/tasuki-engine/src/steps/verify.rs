//! A verifier judges a return: it is done, goes back for rework, or goes to the next rung.
//!
//! The verifier is the sender, a reviewer, the party that a missed deadline put in its place, or
//! the contract's automatic check. No party verifies its own return.

use serde::Serialize;
use serde_json::json;
use tasuki_packet::id::{HandoffId, PartyId, ReturnId, VerdictId};
use tasuki_packet::leaf::{Actor, EventType};

use crate::model::{
    Change, Context, DocumentKind, Handoff, Offer, Reason, Returned, SYSTEM, Scope, Sealed, State,
};
use crate::prepare::returns::JudgedReturn;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fallback::{self, ActorContext, Cause};
use crate::rules::offer::offer;
use crate::rules::route::route;
use crate::rules::scopes::RequiredScopes;
use crate::rules::verifier::{REVIEWERS, is_put_in, judges_any, must_be_free_to_judge};
use crate::rules::{authorization, deputies, sign_offs};
use crate::steps::ReasonedStep;
use crate::steps::decision::{Attention, missing};

/// Judges a return.
#[derive(Debug, Clone, Serialize)]
pub struct Verify {
    /// The handoff.
    pub handoff: HandoffId,
    /// The return packet that the verifier saw; required.
    pub return_packet: Option<ReturnId>,
    /// `true` if the return passes.
    pub is_good: bool,
    /// The reason; required if it fails.
    pub reason: Option<String>,
    /// The attention of the verifier.
    pub attention: Attention,
}

impl ReasonedStep for Verify {
    const NAME: &'static str = "verify";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Verify]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        decide(context, self, reason)
    }
}

fn decide(context: &Context<'_>, request: &Verify, reason: &Reason) -> Result<Change, Refusal> {
    authorization::scope(context, Scope::Verify)?;
    let handoff = context.state.handoff(request.handoff)?;
    let State::Returned(returned) = &handoff.progress.state else {
        return Err(authorization::wrong_state(handoff, "verify", "returned"));
    };
    may_judge(context, handoff, returned)?;
    require_seen(handoff, returned, request.return_packet)?;
    if request.is_good {
        sign_offs::require_to_pass(returned)?;
    } else {
        reason.required("fail a return")?;
    }
    let result = if request.is_good { "pass" } else { "fail" };
    let mut document = json!({ "result": result, "return": returned.return_packet });
    request.attention.record(&mut document);
    let sealed = reason.sealed(context, document);
    let mut after = handoff.clone();
    let mut change = Change::default();
    let id: VerdictId = context.seed.id("verdict", context.now);
    let actor = deputies::actor(context, handoff);
    let judgement = Judgement { id, sealed, actor, reason: reason.text.clone() };
    if request.is_good {
        pass(&mut after, judgement, "verdict", &mut change);
    } else {
        fail(context, &mut after, judgement, &mut change);
    }
    change.answer.document = Some(id.to_string());
    change.show(after.id);
    change.put(after);
    Ok(change)
}

/// A verdict with its document.
struct Judgement {
    id: VerdictId,
    sealed: Sealed,
    actor: Actor,
    reason: Option<String>,
}

fn may_judge(context: &Context<'_>, handoff: &Handoff, returned: &Returned) -> Result<(), Refusal> {
    let directory = &context.state.directory;
    let own = context.principal.party;
    must_be_free_to_judge(context.principal, handoff, returned)?;
    if authorization::is_sender(context, handoff)
        || is_put_in(directory, own, handoff)
        || judges_any(directory, context.principal)
    {
        return Ok(());
    }
    let sender = directory.name(handoff.facts.sender);
    let message =
        format!("only `{sender}`, a reviewer or a person can verify handoff {}", handoff.id);
    Err(Refusal::new(RefusalCode::NotAllowed, message)
        .hint(format!("members of `{REVIEWERS}` can verify any return")))
}

/// Requires that the verdict names the return packet that waits for it.
fn require_seen(
    handoff: &Handoff,
    returned: &Returned,
    seen: Option<ReturnId>,
) -> Result<(), Refusal> {
    let (id, current) = (handoff.id, returned.return_packet);
    match seen {
        Some(seen) if seen == current => Ok(()),
        Some(seen) => {
            let message =
                format!("the return of handoff {id} changed: it is {current}, you saw {seen}");
            Err(Refusal::new(RefusalCode::RevisionChanged, message)
                .hint("run `tasuki show` again, then decide"))
        }
        None => Err(missing(id, "the return packet")),
    }
}

/// Applies the contract's automatic verification: the return's statements on the criteria decide.
pub fn automatic(
    context: &Context<'_>,
    handoff: &mut Handoff,
    returning: &JudgedReturn,
    change: &mut Change,
) {
    let id: VerdictId = context.seed.id("verdict", context.now);
    let result = if returning.is_good { "pass" } else { "fail" };
    let document = json!({ "result": result, "by": "contract", "verdict": returning.verdict });
    let sealed = Sealed::document(&document, context.seed.salt("verdict"));
    let judgement = Judgement { id, sealed, actor: SYSTEM, reason: None };
    if returning.is_good {
        pass(handoff, judgement, "contract", change);
    } else {
        fail(context, handoff, judgement, change);
    }
}

fn pass(handoff: &mut Handoff, judgement: Judgement, by: &'static str, change: &mut Change) {
    change
        .record_event(EventType::Verified, handoff.id, judgement.actor)
        .with("verdict", judgement.id)
        .bringing(judgement.sealed.commitment)
        .because(judgement.reason.as_deref());
    change.record_event(EventType::Done, handoff.id, judgement.actor).with("by", by);
    put_verdict(handoff, judgement, change);
    handoff.progress.state = State::Done;
}

fn fail(context: &Context<'_>, handoff: &mut Handoff, judgement: Judgement, change: &mut Change) {
    handoff.progress.reworks += 1;
    handoff.progress.judge = None;
    handoff.progress.given_back = None;
    // They were given to work that changes now.
    handoff.progress.signed_off.clear();
    handoff.progress.progress_at = context.now;
    let actor = judgement.actor;
    change
        .record_event(EventType::FailedVerification, handoff.id, actor)
        .with("verdict", judgement.id)
        .with("rework", handoff.progress.reworks)
        .bringing(judgement.sealed.commitment)
        .because(judgement.reason.as_deref());
    put_verdict(handoff, judgement, change);
    let holder = if let State::Returned(returned) = &handoff.progress.state {
        returned.holder
    } else {
        handoff.facts.receiver
    };
    // From here on the work moves, not the verification.
    handoff.progress.state = State::Offered(Offer { since: context.now, not_before: None });
    if handoff.progress.reworks > handoff.facts.terms.reworks {
        let mover = ActorContext { state: context.state, now: context.now, actor };
        fallback::next_rung(mover, handoff, Cause::Rejected, change);
    } else {
        back_to(context, handoff, holder, actor, change);
        offer(&context.state.directory, handoff, None, context.now, actor, change);
    }
}

/// Sends rework to the party that returned it. A person who intercepted the work is not its
/// receiver, or shares its role with agents.
fn back_to(
    context: &Context<'_>,
    handoff: &mut Handoff,
    holder: PartyId,
    actor: Actor,
    change: &mut Change,
) {
    let directory = &context.state.directory;
    let receiver = handoff.facts.receiver;
    let stays_with_people =
        handoff.progress.taken_over_by.is_none() || directory.is_people(receiver);
    if directory.is_or_is_in(holder, receiver) && stays_with_people {
        return;
    }
    let reworks = handoff.progress.reworks;
    change.record_event(EventType::Rerouted, handoff.id, actor).with("receiver", holder);
    route(directory, handoff, holder, context.now);
    handoff.progress.reworks = reworks;
}

fn put_verdict(handoff: &Handoff, judgement: Judgement, change: &mut Change) {
    let id = judgement.id.to_string();
    change.put_document(handoff.id, DocumentKind::Verdict, id, judgement.sealed);
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::command::Command;
    use crate::model::PartyKind;
    use crate::steps::{Intercept, SeenVersion};
    use crate::testing::{World, claim, return_packet, submit, verdict};

    #[test]
    fn a_verdict_names_the_return_that_was_seen() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "return_required": ["status"] })));
        let id = world.newest();
        let give_back = |world: &mut World| {
            world.done("ben", claim(id));
            world.done("ben", return_packet(world.shown(), &json!({})));
        };
        give_back(&mut world);
        let Command::Verify(first) = verdict(&world, id, true) else { unreachable!() };
        let unnamed = Verify { return_packet: None, ..first.clone() };
        insta::assert_snapshot!(world.refused("ana", Command::Verify(unnamed)), @"
        TK-REVISION-MISSING: the decision does not name the return packet that you saw
          run `tasuki show hof_…` and pass the reference that it prints
        ");
        // Another verifier sends it back, and the next return waits.
        world.check("pia", verdict(&world, id, false), "offered to ben");
        give_back(&mut world);
        insta::assert_snapshot!(world.refused("ana", Command::Verify(first)), @"
        TK-REVISION-CHANGED: the return of handoff hof_… changed: it is ret_…, you saw ret_…
          run `tasuki show` again, then decide
        ");
        world.check("ana", verdict(&world, id, true), "done");
    }

    #[test]
    fn rework_of_intercepted_work_stays_with_the_person_even_in_a_mixed_role() {
        for (is_taken_over, expected) in [(true, "offered to pia"), (false, "offered to role:team")]
        {
            let mut world = World::new();
            world.change("role:team", |role, id| role.members = vec![id("pia"), id("ben")]);
            world.contract(&json!({}));
            let more = json!({ "to_agent": "role:team", "return_required": ["status"] });
            world.done("ana", submit(&more));
            let (handoff, seen) = (world.newest(), SeenVersion::default());
            let intercept = Command::Intercept(Intercept { handoff, seen, reason: None });
            world.done("pia", if is_taken_over { intercept } else { claim(handoff) });
            let shown = world.shown();
            world.done("pia", return_packet(shown, &json!({})));
            world.check("ana", verdict(&world, handoff, false), expected);
        }
    }

    /// Returns a world where `ben` has returned the work. `cem` is a reviewer, `dov` a stranger.
    fn returned(contract: &Value) -> World {
        let mut world = World::new();
        world.add(REVIEWERS, PartyKind::Role);
        world.change(REVIEWERS, |role, id| role.members = vec![id("cem"), id("ben")]);
        world.add("dov", PartyKind::Agent);
        world.contract(contract);
        world.done("ana", submit(&json!({ "return_required": ["status"] })));
        again(&mut world, "ben");
        world
    }

    fn again(world: &mut World, name: &str) {
        world.done(name, claim(world.newest()));
        let shown = world.shown();
        world.done(name, return_packet(shown, &json!({})));
    }

    #[test]
    fn the_sender_a_reviewer_and_a_person_verify_but_never_their_own_return() {
        for (name, expected) in [
            ("ana", "done"),
            ("cem", "done"),
            ("pia", "done"),
            ("ben", "refused TK-OWN-HANDOFF"),
            ("dov", "refused TK-NOT-ALLOWED"),
        ] {
            let mut world = returned(&json!({}));
            world.check(name, verdict(&world, world.newest(), true), expected);
        }
    }

    #[test]
    fn a_refused_verdict_names_the_verifiers() {
        let mut world = returned(&json!({ "verify": "person" }));
        let id = world.newest();
        let mut refusals = vec![
            world.refused("ben", verdict(&world, id, true)),
            world.refused("ana", verdict(&world, id, true)),
        ];
        let Command::Verify(named) = verdict(&world, id, false) else { unreachable!() };
        let silent = Verify { reason: None, ..named };
        refusals.push(world.refused("pia", Command::Verify(silent)));
        world.check("pia", verdict(&world, id, true), "done");
        refusals.push(world.refused("pia", verdict(&world, id, true)));
        let mut world = returned(&json!({}));
        refusals.push(world.refused("dov", verdict(&world, world.newest(), true)));
        insta::assert_snapshot!(refusals.join("\n"), @r#"
        TK-OWN-HANDOFF: you returned handoff hof_… and cannot verify it yourself
          its sender, a reviewer or a person can verify it
        TK-PERSON-NEEDED: the contract of handoff hof_… requires a person's verdict
          ask a person to verify it, in the console or with the command line under their own name
        TK-REASON-MISSING: a reason is required to fail a return
          add one with `-m "…"`
        TK-STATE-CONFLICT: cannot verify handoff hof_…: it is done, but must be returned
          `tasuki show` lists the commands that are possible now
        TK-NOT-ALLOWED: only `ana`, a reviewer or a person can verify handoff hof_…
          members of `role:reviewer` can verify any return
        "#);
    }

    #[test]
    fn failed_work_goes_back_twice_and_then_to_the_next_rung() {
        let mut world = returned(&json!({}));
        let id = world.newest();
        for _ in 0..2 {
            world.check("ana", verdict(&world, id, false), "offered to ben");
            again(&mut world, "ben");
        }
        world.check("ana", verdict(&world, id, false), "offered to role:people");
        // The next receiver has as many attempts as the first.
        for _ in 0..2 {
            again(&mut world, "pia");
            world.check("ana", verdict(&world, id, false), "offered to role:people");
        }
        again(&mut world, "pia");
        world.check("ana", verdict(&world, id, false), "dead");
    }

    #[test]
    fn a_contract_limits_the_number_of_reworks() {
        let mut world = returned(&json!({ "rework": { "attempts": 0 } }));
        world.check("ana", verdict(&world, world.newest(), false), "offered to role:people");
    }

    #[test]
    fn failed_intercepted_work_goes_back_to_the_person() {
        let mut world = World::new();
        world.done("ana", submit(&json!({ "return_required": ["status"] })));
        let handoff = world.newest();
        let seen = SeenVersion::default();
        world.done("pia", Command::Intercept(Intercept { handoff, seen, reason: None }));
        let shown = world.shown();
        world.done("pia", return_packet(shown, &json!({})));
        world.check("ana", verdict(&world, handoff, false), "offered to pia");
    }

    #[test]
    fn a_verdict_is_stored_with_its_reason() {
        let mut world = returned(&json!({}));
        let answer = world.done("ana", verdict(&world, world.newest(), false));
        let kept = world.documents.last().unwrap();
        assert_eq!(answer.document.as_deref(), Some(kept.id.as_str()));
        let document = world.document(DocumentKind::Verdict).unwrap();
        assert_eq!(document["reason"], "the tests fail");
        insta::assert_snapshot!(world.story(4), @"handoff.failed_verification by ana");
    }
}
