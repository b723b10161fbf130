//! Tests of signatures: what voids them, and that no command bypasses a gate.

use serde_json::{Value, json};

use super::testing::{
    accept, all_sign, check_signed, checkpoint, edit, gated, intercept, people, refusal_text,
    release, release_gate, reroute, revise, signature,
};
use crate::command::Command;
use crate::model::GateRecord;
use crate::rules::fencing::ClaimProof;
use crate::rules::gate::AtGate;
use crate::steps::{Attention, PublishGate, Redrive};
use crate::testing::{World, claim, packet, submit};

#[test]
fn every_new_revision_voids_all_signatures() {
    type Change = fn(&World) -> (&'static str, Command);
    let revised: Change = |world| ("ana", revise(world, &json!({ "goal": "Other" })));
    let edited: Change = |world| ("tia", edit(world, packet(&json!({ "goal": "Other" }))));
    let same: Change = |world| ("ana", revise(world, &json!({})));
    let (plain, changed) = ("held for gate:release", "held for changed, gate:release");
    for (change, expected) in [(revised, changed), (edited, plain), (same, plain)] {
        let mut world = gated(&json!({}));
        all_sign(&mut world, &["pia", "quin", "sam"]);
        assert_eq!(world.standing(), "offered to ben");
        let (name, command) = change(&world);
        world.check(name, command, expected);
        all_sign(&mut world, &["pia", "quin"]);
        assert_eq!(world.standing(), "held for gate:release");
    }
}

#[test]
fn an_answer_voids_all_signatures() {
    let mut world = gated(&json!({}));
    all_sign(&mut world, &["pia", "quin", "sam"]);
    let handoff = world.newest();
    let text = "which shelf?".to_owned();
    let ask = crate::steps::Ask { handoff, field: None, text, is_blocking: true };
    world.check("ben", Command::Ask(ask), "offered to ben");
    let text = Some("the left one".to_owned());
    let answer = crate::steps::Answer {
        handoff,
        question: None,
        text,
        source: None,
        seen: crate::steps::SeenVersion::default(),
    };
    world.check("ana", Command::Answer(answer), "held for gate:release");
}

#[test]
fn another_receiver_voids_all_signatures_permanently() {
    let mut world = gated(&json!({}));
    all_sign(&mut world, &["pia", "quin", "sam"]);
    let command = reroute(&world, "cem", "");
    world.check("ana", command, "held for gate:release");
    let command = reroute(&world, "ben", "");
    world.check("ana", command, "held for gate:release");
    all_sign(&mut world, &["pia", "quin", "sam"]);
    let handoff = world.newest();
    let reason = Some("no time".to_owned());
    let decline = crate::steps::Decline { handoff, reason };
    world.check("ben", Command::Decline(decline), "held for gate:release");
    assert_eq!(world.handoff().facts.receiver, world.id("role:people"));
}

#[test]
fn a_signed_gate_stays_signed_when_the_work_is_offered_again() {
    let mut world = gated(&json!({}));
    all_sign(&mut world, &["pia", "quin", "sam"]);
    let id = world.newest();
    world.check("ben", claim(id), "claimed by ben, fence 1");
    let command = release(&world);
    world.check("ben", command, "offered to ben");
    world.check("ben", claim(id), "claimed by ben, fence 2");
    world.advance(30 * 60);
    world.check("ben", claim(id), "claimed by ben, fence 3");
    let command = checkpoint(&world, &json!({}));
    world.check("ben", command, "claimed by ben, fence 3");
    let not_before = world.now + jiff::SignedDuration::from_mins(5);
    let (shown, reason) = (world.shown(), None);
    let park = crate::steps::Park { claim: shown, not_before, reason };
    world.check("ben", Command::Park(park), "offered to ben");
    world.advance(300);
    world.check("ben", claim(id), "claimed by ben, fence 4");
}

#[test]
fn a_gate_that_is_not_signed_in_time_leads_to_the_next_rung() {
    let mut world = gated(&json!({}));
    all_sign(&mut world, &["pia"]);
    world.advance(72 * 3600 - 1);
    let command = signature(&world);
    check_signed(&mut world, "quin", command, "held for gate:release");
    world.advance(1);
    let command = signature(&world);
    check_signed(&mut world, "sam", command, "refused TK-REVISION-CHANGED");
    assert_eq!(world.handoff().facts.receiver, world.id("role:people"));
    world.advance(72 * 3600);
    world.apply_due();
    assert_eq!(world.standing(), "dead");
}

#[test]
fn expired_signatures_prevent_a_claim() {
    let mut world = gated(&json!({}));
    all_sign(&mut world, &["pia", "quin"]);
    world.advance(3600);
    all_sign(&mut world, &["sam"]);
    assert_eq!(world.standing(), "offered to ben");
    let (handoff, directory) = (world.handoff().clone(), &world.state.directory);
    let at = AtGate::new(directory, &handoff, &handoff.facts.terms.gates[0], world.now).unwrap();
    let first = world.now + jiff::SignedDuration::from_hours(71);
    assert_eq!(at.signed_until(), Some(first));
    world.advance(71 * 3600 - 1);
    let id = world.newest();
    world.check("ben", claim(id), "claimed by ben, fence 1");
    let command = release(&world);
    world.check("ben", command, "offered to ben");
    world.advance(1);
    let outcome = world.outcome("ben", claim(id));
    assert!(outcome.starts_with("refused"), "{outcome}");
}

#[test]
fn expired_signatures_do_not_cover_the_next_offer() {
    let mut world = gated(&json!({}));
    all_sign(&mut world, &["pia", "quin", "sam"]);
    let id = world.newest();
    let lease = "5d".parse().ok();
    let long = crate::steps::Claim { handoff: Some(id), lease, ..Default::default() };
    world.check("ben", Command::Claim(long), "claimed by ben, fence 1");
    world.advance(72 * 3600);
    let command = checkpoint(&world, &json!({}));
    world.check("ben", command, "claimed by ben, fence 1");
    let command = intercept(&world, "it takes too long");
    let principal = world.principal("pia");
    insta::assert_snapshot!(refusal_text(&mut world, &principal, command), @"
    TK-GATE-UNSIGNED: gate `release` is not signed for hof_…@1
    hint: reroute it; it is then held until it is signed again
    ");
    let command = release(&world);
    world.check("ben", command, "held for gate:release");
}

#[test]
fn no_command_bypasses_a_gate() {
    let mut world = gated(&json!({}));
    all_sign(&mut world, &["pia", "quin"]);
    let id = world.newest();
    world.check("ben", claim(id), "refused TK-STATE-CONFLICT");
    let next = Command::Claim(crate::steps::Claim::default());
    world.check("ben", next.clone(), "refused TK-NOTHING-OFFERED");
    let command = accept(&world);
    world.check("tia", command, "refused TK-GATE-UNSIGNED");
    let command = intercept(&world, "now");
    world.check("tia", command, "refused TK-GATE-UNSIGNED");
    let command = reroute(&world, "role:people", "");
    world.check("tia", command, "held for gate:release");
    world.check("pia", claim(id), "refused TK-STATE-CONFLICT");
    world.check("pia", next, "refused TK-NOTHING-OFFERED");
    let forged = Command::Release(crate::steps::Release {
        claim: ClaimProof { handoff: id, fence: 0 },
        reason: None,
    });
    world.check("ben", forged, "refused TK-CLAIM-STALE");
    world.advance(1);
    let more = json!({ "supersedes": id.to_string(), "goal": "Another" });
    world.check("ana", submit(&more), "held for changed, gate:release");
}

#[test]
fn rungs_and_redrives_wait_at_the_gate_again() {
    let mut world = gated(&json!({}));
    for expected in ["held for gate:release", "dead"] {
        world.advance(72 * 3600);
        world.apply_due();
        assert_eq!(world.standing(), expected);
    }
    let redrive =
        Redrive { handoff: world.newest(), reason: None, attention: Attention::default() };
    world.check("pia", Command::Redrive(redrive), "held for gate:release");
    assert_eq!(world.handoff().facts.receiver, world.id("ben"));
}

#[test]
fn the_gates_of_the_new_edge_apply() {
    let mut world = people();
    world.gate(release_gate(&json!({})));
    world.contract(&json!({}));
    let to_cem = json!({
        "contract": "care", "to": ["cem"], "gates": ["release"],
        "confidence": { "hold_below": 0.7 },
    });
    world.contract(&to_cem);
    world.check("ana", submit(&json!({ "confidence": 0.6 })), "offered to ben");
    let command = reroute(&world, "cem", "");
    world.check("ana", command, "held for confidence, gate:release");
}

/// Publishes another version of the gate `release`.
fn publish(world: &mut World, more: &Value) {
    let document = release_gate(more);
    world.run("tia", Command::PublishGate(PublishGate(GateRecord { document }))).unwrap();
}

#[test]
fn a_weaker_gate_does_not_apply_to_earlier_submits() {
    let mut world = gated(&json!({}));
    let weak = json!([{ "name": "any", "roles": ["people"] }]);
    publish(&mut world, &json!({ "version": "2.0", "factors": weak }));
    all_sign(&mut world, &["pia"]);
    assert_eq!(world.standing(), "held for gate:release");
    all_sign(&mut world, &["quin", "sam"]);
    assert_eq!(world.standing(), "offered to ben");
    let command = reroute(&world, "cem", "");
    world.check("ana", command, "held for gate:release");
    all_sign(&mut world, &["pia"]);
    assert_eq!(world.standing(), "held for gate:release");
    let id = world.newest();
    let more = json!({ "supersedes": id.to_string(), "goal": "Another" });
    world.advance(1);
    world.check("ana", submit(&more), "held for changed, gate:release");
    all_sign(&mut world, &["pia"]);
    assert_eq!(world.standing(), "offered to ben");
}

#[test]
fn a_weaker_gate_does_not_replace_the_old_one_in_a_revision() {
    let mut world = gated(&json!({}));
    let weak = json!([{ "name": "any", "roles": ["people"] }]);
    publish(&mut world, &json!({ "version": "2.0", "factors": weak }));
    let command = revise(&world, &json!({ "goal": "Another" }));
    world.run("ana", command).unwrap();
    let at_weak = |world: &World| crate::steps::SignOff {
        gate: Some("release@2.0".to_owned()),
        ..signature(world)
    };
    // The older version stays, even if the revision also waits at the newer one.
    let command = at_weak(&world);
    let _either = world.run_as(&world.signed_in("pia"), Command::SignOff(command));
    let id = world.newest();
    world.check("ben", claim(id), "refused TK-STATE-CONFLICT");
    let at_bound = |world: &World| crate::steps::SignOff {
        gate: Some("release@1.0".to_owned()),
        ..signature(world)
    };
    for name in ["pia", "quin"] {
        let command = at_bound(&world);
        check_signed(&mut world, name, command, "held for gate:release");
    }
    let command = at_bound(&world);
    check_signed(&mut world, "sam", command, "offered to ben");
}

/// Signs with a person's password and returns the leaf.
fn sign(world: &mut World, name: &str) -> Value {
    all_sign(world, &[name]);
    serde_json::from_str(&world.leaves.last().unwrap().leaf).unwrap()
}

/// Returns the digest of a role in the leaf of a signature.
fn role_digest(world: &World, role: &str) -> Value {
    let digest = world.state.directory.find(role).unwrap().role_members().digest();
    serde_json::to_value(digest).unwrap()
}

#[test]
fn the_leaf_of_a_signature_has_the_digest_of_the_role_at_that_time() {
    let mut world = gated(&json!({}));
    let before = role_digest(&world, "role:reviewer");
    let leaf = sign(&mut world, "quin");
    assert!(leaf.to_string().contains(before.as_str().unwrap()), "{leaf}");
    world.change("role:reviewer", |role, id| role.members.push(id("tia")));
    let after = role_digest(&world, "role:reviewer");
    assert_ne!(before, after);
    let leaf = sign(&mut world, "sam");
    assert!(leaf.to_string().contains(after.as_str().unwrap()), "{leaf}");
}

#[test]
fn a_signer_who_joined_after_the_submit_is_marked() {
    let mut world = gated(&json!({}));
    world.change("role:reviewer", |role, id| role.members.push(id("tia")));
    all_sign(&mut world, &["quin", "tia"]);
    let signed = &gates_shown(&world)[0].factors[1].signed;
    let marks: Vec<bool> = signed.iter().map(|one| one.joined_after_submit).collect();
    assert_eq!(marks, [false, true]);
    let document = world.document(crate::model::DocumentKind::Decision).unwrap();
    assert_eq!(document["joined_after_submit"], true);
}

fn gates_shown(world: &World) -> Vec<tasuki_api::Gate> {
    let principal = world.principal("pia");
    let viewer = crate::view::Viewer {
        directory: &world.state.directory,
        principal: &principal,
        now: world.now,
    };
    viewer.handoff(world.handoff()).gates
}

#[test]
fn a_signer_who_leaves_the_role_before_the_release_no_longer_counts() {
    let mut world = gated(&json!({}));
    all_sign(&mut world, &["quin", "pia"]);
    world.change("role:reviewer", |role, id| role.members.retain(|one| *one != id("quin")));
    assert_eq!(gates_shown(&world)[0].factors[1].left[0].by, "quin");
    assert!(gates_shown(&world)[0].factors[1].signed.is_empty());
    all_sign(&mut world, &["sam"]);
    assert_eq!(world.standing(), "held for gate:release", "one reviewer is missing");
    all_sign(&mut world, &["rex"]);
    assert_eq!(world.standing(), "offered to ben");
    // What is released stays so.
    world.change("role:reviewer", |role, _| role.members.clear());
    assert!(gates_shown(&world)[0].factors[1].left.is_empty());
    world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
}

#[test]
fn a_signer_who_leaves_while_another_reason_holds_the_handoff_no_longer_counts() {
    let mut world = people();
    world.gate(release_gate(&json!({})));
    world.contract(&json!({ "gates": ["release"] }));
    world.run("ana", submit(&json!({ "can_intercept": true }))).unwrap();
    all_sign(&mut world, &["pia", "quin", "sam"]);
    assert_eq!(world.standing(), "held for asked");
    world.change("role:reviewer", |role, id| role.members.retain(|one| *one != id("quin")));
    let command = accept(&world);
    world.check("tia", command, "held for gate:release");
}

#[test]
fn members_at_submit_are_frozen() {
    let mut world = gated(&json!({ "members": "at_submit" }));
    let before = role_digest(&world, "role:reviewer");
    world.change("role:reviewer", |role, id| role.members = vec![id("tia")]);
    let signed = signature(&world);
    check_signed(&mut world, "tia", signed, "refused TK-GATE-FORBIDDEN");
    let leaf = sign(&mut world, "quin");
    assert!(leaf.to_string().contains(before.as_str().unwrap()), "{leaf}");
    assert!(gates_shown(&world)[0].factors[1].left.is_empty());
    all_sign(&mut world, &["sam", "pia"]);
    assert_eq!(world.standing(), "offered to ben");
}
