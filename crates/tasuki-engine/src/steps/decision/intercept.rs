//! A person takes the work over, to finish it or send it elsewhere.
//!
//! An intercept is refused while a gate is unsigned: no access to the work bypasses a gate.

use serde::Serialize;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::reroute::movable;
use crate::limits::LEASE_PERSON;
use crate::model::{Change, Context, DocumentKind, Handoff, Reason, Scope, State};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::edge_policy::asked_for_member;
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, chain, deciders, deputies, fencing, gate, review};
use crate::steps::claim::take;
use crate::steps::decision::seen_version::{check, document};
use crate::steps::system::mark_delivered;
use crate::steps::{ReasonedStep, SeenVersion};

/// Takes a handoff over.
#[derive(Debug, Clone, Serialize)]
pub struct Intercept {
    /// The handoff.
    pub handoff: HandoffId,
    /// The version that the person saw.
    pub seen: SeenVersion,
    /// The reason; required once the handoff is claimed.
    pub reason: Option<String>,
}

impl ReasonedStep for Intercept {
    const NAME: &'static str = "intercept";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Decide]);

    fn handoff(&self) -> Option<HandoffId> {
        Some(self.handoff)
    }

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }

    fn decide(&self, context: &Context<'_>, reason: &Reason) -> Result<Change, Refusal> {
        intercept(context, self, reason)
    }
}

fn intercept(
    context: &Context<'_>,
    request: &Intercept,
    reason: &Reason,
) -> Result<Change, Refusal> {
    authorization::person(context)?;
    if context.state.head.is_halted {
        return Err(fencing::halted(context));
    }
    let handoff = context.state.handoff(request.handoff)?;
    not_own_claim(context, handoff)?;
    movable(handoff, "intercept", reason)?;
    check(context, handoff, &request.seen)?;
    past_gates(context, handoff)?;
    if let State::Held(hold) = &handoff.progress.state {
        deciders::require(context, handoff, hold)?;
    }
    let mut change = Change::default();
    let (id, sealed) = document(context, handoff, "intercept", &request.seen, reason, &[]);
    let mut after = handoff.clone();
    review::approve(&mut after, context.now);
    mark_delivered::read_by(context, &mut after, &mut change);
    let claim = take(context, &mut after, LEASE_PERSON, None, true);
    change
        .record_event(EventType::Intercepted, handoff.id, deputies::actor(context, handoff))
        .with("decision", id)
        .with("claim", claim.id)
        .with("fence", claim.fence)
        .with("until", claim.until)
        .bringing(sealed.commitment)
        .because(reason.text.as_deref());
    change.put_document(handoff.id, DocumentKind::Decision, id.to_string(), sealed);
    chain::child_claimed(context, &after, &mut change);
    change.answer.document = Some(id.to_string());
    change.show_with_claim(after.id);
    change.put(after);
    Ok(change)
}

/// Refuses the current holder, which has nothing to take over.
fn not_own_claim(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let own = handoff.claim().filter(|claim| claim.holder == context.principal.party);
    let Some(claim) = own.filter(|_| handoff.progress.child.is_none()) else { return Ok(()) };
    let message = format!("you already hold handoff {} with fence {}", handoff.id, claim.fence);
    Err(Refusal::new(RefusalCode::StateConflict, message).hint("continue with it"))
}

/// INVARIANT: an intercept never bypasses a gate, in any state.
fn past_gates(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let signed = gate::all_signed(&context.state.directory, handoff, context.now);
    signed.map_err(|refusal| match handoff.claim() {
        // Signatures may expire during the work, and only a held handoff can be signed.
        Some(_) => refusal.hint("reroute it; it is then held until it is signed again"),
        None => refusal,
    })?;
    past_own_gates(context, handoff)
}

/// Checks gates that name the person, which were not evaluated for the receiver. A rule that names
/// the person needs no check: it requires a person to look, and one does.
fn past_own_gates(context: &Context<'_>, handoff: &Handoff) -> Result<(), Refusal> {
    let (directory, own) = (&context.state.directory, context.principal.party);
    let (gates, _) = asked_for_member(directory, handoff, own);
    let is_new = |digest: &&String| !gate::is_bound(directory, &handoff.facts, digest);
    let Some(digest) = gates.iter().find(is_new) else { return Ok(()) };
    let name = directory.name(own);
    Err(gate::unsigned(directory, handoff, digest)
        .hint(format!("reroute it to `{name}`; it is then held until it is signed")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::testing::{
        all_sign, checkpoint, gated, hold, intercept, people, refusal_text, seen_now,
    };
    use super::*;
    use crate::command::Command;
    use crate::model::State;
    use crate::rules::fencing::ClaimProof;
    use crate::steps::PassOn;
    use crate::testing::{World, claim, packet, submit};

    fn offered() -> World {
        let mut world = people();
        world.check("ana", submit(&json!({})), "offered to ben");
        world
    }

    #[test]
    fn a_person_intercepts_an_offer_for_eight_hours() {
        let mut world = offered();
        let from = world.leaves.len();
        let command = intercept(&world, "");
        world.check("cem", command.clone(), "refused TK-PERSON-NEEDED");
        let answer = world.run("pia", command).unwrap();
        assert_eq!(world.standing(), "claimed by pia, fence 1");
        assert_eq!(world.story(from), "handoff.intercepted by pia");
        let claim = answer.claim.unwrap();
        assert_eq!((claim.holder.as_str(), claim.fence, claim.lease.as_str()), ("pia", 1, "8h"));
        assert_eq!(claim.until, world.now + jiff::SignedDuration::from_hours(8));
        assert!(world.handoff().claim().unwrap().is_intercept);
    }

    #[test]
    fn a_held_handoff_may_be_intercepted() {
        let mut world = people();
        world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
        let command = intercept(&world, "");
        world.check("pia", command, "claimed by pia, fence 1");
    }

    #[test]
    fn intercepting_a_claim_needs_a_reason_and_ends_its_fence() {
        let mut world = offered();
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let late = checkpoint(&world, &json!({}));
        let (command, principal) = (intercept(&world, ""), world.principal("pia"));
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @r#"
        TK-REASON-MISSING: a reason is required to intercept a claimed handoff
        hint: add one with `-m "…"`
        "#);
        let command = intercept(&world, "it goes wrong");
        world.check("pia", command, "claimed by pia, fence 2");
        world.check("ben", late, "refused TK-CLAIM-STALE");
    }

    #[test]
    fn a_claim_that_waits_for_approval_may_be_intercepted() {
        let mut world = offered();
        let id = world.newest();
        world.check("ben", claim(id), "claimed by ben, fence 1");
        let command = hold(&world, json!("publish"));
        world.check("ben", command, "held for action, by ben");
        let command = intercept(&world, "");
        world.check("pia", command, "refused TK-REASON-MISSING");
        let command = intercept(&world, "I do it myself");
        world.check("pia", command, "claimed by pia, fence 2");
    }

    #[test]
    fn the_holder_cannot_intercept_its_own_claim() {
        let mut world = offered();
        let command = intercept(&world, "");
        world.check("pia", command, "claimed by pia, fence 1");
        let (command, principal) = (intercept(&world, "again"), world.principal("pia"));
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-STATE-CONFLICT: you already hold handoff hof_… with fence 1
        hint: continue with it
        ");
        let command = intercept(&world, "my turn");
        world.check("quin", command, "claimed by quin, fence 2");
    }

    #[test]
    fn a_handoff_with_a_signed_gate_may_be_intercepted() {
        let mut world = gated(&json!({}));
        let command = intercept(&world, "");
        world.check("tia", command, "refused TK-GATE-UNSIGNED");
        all_sign(&mut world, &["pia", "quin", "sam"]);
        let command = intercept(&world, "");
        world.check("tia", command, "claimed by tia, fence 1");
    }

    #[test]
    fn a_person_named_by_a_gate_cannot_intercept_past_it() {
        let mut world = people();
        world.gate(json!({
            "gate": "way", "version": "1.0", "applies": [{ "edge": [{ "to": "quin" }] }],
            "factors": [{ "name": "eyes", "roles": ["role:people"] }],
        }));
        world.check("ana", submit(&json!({})), "offered to ben");
        let (command, principal) = (intercept(&world, ""), world.principal("quin"));
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-GATE-UNSIGNED: gate `way` is not signed for hof_…@1
        hint: reroute it to `quin`; it is then held until it is signed
        ");
        let command = intercept(&world, "");
        world.check("pia", command, "claimed by pia, fence 1");
    }

    #[test]
    fn an_intercepted_child_closes_its_parent_as_passed_on() {
        let mut world = offered();
        let parent = world.newest();
        world.check("ben", claim(parent), "claimed by ben, fence 1");
        world.advance(1);
        let passed_on = Command::PassOn(PassOn::new(
            ClaimProof { handoff: parent, fence: 1 },
            packet(&json!({ "to_agent": "cem" })),
        ));
        world.check("ben", passed_on, "offered to cem");
        let of_parent = Command::Intercept(Intercept {
            handoff: parent,
            seen: SeenVersion::default(),
            reason: Some("mine".to_owned()),
        });
        let principal = world.principal("pia");
        insta::assert_snapshot!(refusal_text(&mut world, &principal, of_parent), @"
        TK-STATE-CONFLICT: handoff hof_… was passed on as hof_…
        hint: use `tasuki intercept hof_…`
        ");
        let from = world.leaves.len();
        let command = intercept(&world, "");
        world.check("pia", command, "claimed by pia, fence 1");
        insta::assert_snapshot!(world.story(from), @"
        handoff.intercepted by pia
        handoff.passed_on by pia
        ");
        let state = &world.state.handoff(parent).unwrap().progress.state;
        assert_eq!(*state, State::PassedOn);
    }

    #[test]
    fn an_intercept_is_for_the_version_that_was_shown() {
        let mut world = offered();
        let other = SeenVersion { digest: Some("sha256:00".to_owned()), ..seen_now(&world) };
        let request = Intercept { handoff: world.newest(), seen: other, reason: None };
        let principal = world.principal("pia");
        let command = Command::Intercept(request);
        insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
        TK-REVISION-CHANGED: the packet of handoff hof_… changed: it is sha256:…, you saw sha256:…
        hint: run `tasuki show` again, then decide
        ");
    }

    #[test]
    fn a_closed_handoff_or_a_halted_project_allows_no_intercept() {
        let mut world = offered();
        let halt = crate::steps::Halt { is_lift: false, reason: None };
        world.run("pia", Command::Halt(halt)).unwrap();
        let command = intercept(&world, "now");
        world.check("pia", command, "refused TK-PROJECT-HALTED");
        let mut world = offered();
        let cancel = crate::steps::Cancel {
            handoff: world.newest(),
            seen: SeenVersion::default(),
            reason: None,
        };
        world.check("ana", Command::Cancel(cancel), "cancelled");
        let command = intercept(&world, "now");
        world.check("pia", command, "refused TK-STATE-CONFLICT");
    }

    #[test]
    fn intercepted_work_whose_lease_expires_goes_to_people() {
        let mut world = people();
        world.contract(&json!({}));
        world.check("ana", submit(&json!({})), "offered to ben");
        let command = intercept(&world, "");
        world.check("pia", command, "claimed by pia, fence 1");
        world.advance(8 * 3600);
        world.apply_due();
        assert_eq!(world.standing(), "offered to role:people");
    }
}
