//! Tests of sign-offs that are due before a step.

use serde_json::{Value, json};

use crate::command::Command;
use crate::model::PartyKind;
use crate::steps::decision::testing::{accept, edit, hold, people, reject, revise};
use crate::testing::{World, claim, packet, pass_on_with, return_packet, submit, verdict};

const LEGAL: &str = "Legal approves the wording";

/// Returns a world in which `ben` holds work with a sign-off due.
fn claimed(before: &str) -> World {
    let mut world = people();
    world.check("ana", submit(&due(before)), "offered to ben");
    world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
    world
}

fn due(before: &str) -> Value {
    due_by(before, "role:safety")
}

fn due_by(before: &str, by: &str) -> Value {
    json!({
        "return_required": ["summary"],
        "sign_offs_due": [{ "text": LEGAL, "before": before, "by": by }],
    })
}

fn ask(world: &mut World) {
    let command = hold(world, json!({ "sign_off": LEGAL }));
    world.check("ben", command, "held for action, by ben");
}

fn returned(world: &World) -> Command {
    return_packet(world.shown(), &json!({}))
}

#[test]
fn work_is_not_returned_before_its_sign_off() {
    for before in ["return", "verify", "Done"] {
        let mut world = claimed(before);
        let command = returned(&world);
        let refusal = world.refusal("ben", command);
        let message = format!("the sign-off `{LEGAL}` by `role:safety` is due before `{before}`");
        assert!(refusal.starts_with(&format!("TK-SIGN-OFF-DUE: {message}")), "{refusal}");
        ask(&mut world);
        let command = accept(&world);
        world.check("rex", command, "claimed by ben, fence 1");
        let command = returned(&world);
        world.check("ben", command, "returned");
    }
}

#[test]
fn only_the_named_people_sign_off() {
    let mut world = claimed("return");
    ask(&mut world);
    let command = accept(&world);
    let refusal = world.refusal("sam", command);
    assert!(refusal.starts_with("TK-NOT-ALLOWED"), "{refusal}");
    let command = edit(&world, json!({ "sign_off": "all is well" }).to_string().into_bytes());
    let refusal = world.refusal("rex", command);
    assert!(refusal.contains("a sign-off cannot be edited"), "{refusal}");
    let command = reject(&world, "the wording is wrong");
    world.check("rex", command, "claimed by ben, fence 1");
    let command = returned(&world);
    assert!(world.refusal("ben", command).starts_with("TK-SIGN-OFF-DUE"));
    // Work that was denied a sign-off is not stuck.
    let blocked = return_packet(world.shown(), &json!({ "status": "blocked" }));
    world.check("ben", blocked, "returned");
}

#[test]
fn another_action_is_not_a_sign_off() {
    let mut world = claimed("return");
    let command = hold(&world, json!({ "run": LEGAL }));
    world.check("ben", command, "held for action, by ben");
    let command = accept(&world);
    world.check("rex", command, "claimed by ben, fence 1");
    let command = returned(&world);
    assert!(world.refusal("ben", command).starts_with("TK-SIGN-OFF-DUE"));
    let command = hold(&world, json!({ "sign_off": "Legal aproves" }));
    let refusal = world.refusal("ben", command);
    assert!(refusal.contains(&format!("hint: due are: `{LEGAL}`")), "{refusal}");
}

#[test]
fn a_step_outside_the_exchange_holds_nothing_back() {
    let mut world = claimed("deployment to production");
    let command = returned(&world);
    world.check("ben", command, "returned");
}

#[test]
fn work_is_not_passed_on_before_its_sign_off_and_takes_it_along() {
    let mut world = claimed("pass-on");
    let next = |before: &str| {
        let mut packet = due(before);
        packet["to_agent"] = json!("cem");
        packet["from_agent"] = json!("ben");
        packet
    };
    let command = pass_on_with(&world, &next("pass-on"));
    let refusal = world.refusal("ben", command);
    assert!(refusal.starts_with("TK-SIGN-OFF-DUE"), "{refusal}");
    ask(&mut world);
    let command = accept(&world);
    world.check("rex", command, "claimed by ben, fence 1");
    let command = pass_on_with(&world, &next("deployment"));
    let refusal = world.refusal("ben", command);
    assert!(refusal.contains("TK-OWED-DROPPED"), "the step cannot be changed: {refusal}");
    let command = pass_on_with(&world, &next("pass-on"));
    // A person decided about the task before, and did not see this packet.
    world.check("ben", command, "held for changed");
    assert_eq!(world.handoff().progress.signed_off.len(), 1);
}

#[test]
fn a_failed_verification_ends_the_sign_off() {
    let mut world = claimed("return");
    ask(&mut world);
    let command = accept(&world);
    world.check("rex", command, "claimed by ben, fence 1");
    let command = returned(&world);
    world.check("ben", command, "returned");
    let id = world.newest();
    world.check("ana", verdict(&world, id, false), "offered to ben");
    world.check("ben", claim(id), "claimed by ben, fence 2");
    let command = returned(&world);
    assert!(world.refusal("ben", command).starts_with("TK-SIGN-OFF-DUE"));
}

#[test]
fn a_sign_off_that_no_person_can_give_is_refused_when_the_packet_is_sent() {
    let mut world = people();
    world.add("role:bots", PartyKind::Role);
    world.change("role:bots", |role, id| role.members = vec![id("cem")]);
    let refusals: Vec<String> = ["cem", "role:bots", "role:nobody", "nobody"]
        .iter()
        .map(|by| world.refusal("ana", submit(&due_by("return", by))))
        .collect();
    insta::assert_snapshot!(refusals.join("\n"), @"
    TK-ROLE-EMPTY: `/sign_offs_due/0/by`: no person is in `cem`
    hint: name a person, or a role with people in it
    TK-ROLE-EMPTY: `/sign_offs_due/0/by`: no person is in `role:bots`
    hint: name a person, or a role with people in it
    TK-ROLE-EMPTY: `/sign_offs_due/0/by`: no person is in `role:nobody`
    hint: name a person, or a role with people in it
    TK-PARTY-UNKNOWN: `/sign_offs_due/0/by`: unknown party `nobody`
    hint: add it with `tasuki party add nobody`; a signer is a person (`--human`), or a role with people in it
    ");
    // Neither the sender nor the receiver decides about the work.
    let mut from_pia = due_by("pass_on", "pia");
    from_pia["from_agent"] = json!("pia");
    let mut to_pia = due_by("return", "pia");
    to_pia["to_agent"] = json!("pia");
    let own = [world.refusal("pia", submit(&from_pia)), world.refusal("ana", submit(&to_pia))];
    insta::assert_snapshot!(own.join("\n"), @"
    TK-OWN-HANDOFF: `/sign_offs_due/0/by`: `pia` sends or receives the handoff, and so cannot sign off on it
    hint: name another person, or a role with other people in it
    TK-OWN-HANDOFF: `/sign_offs_due/0/by`: `pia` sends or receives the handoff, and so cannot sign off on it
    hint: name another person, or a role with other people in it
    ");
    // The exchange does not wait for a sign-off outside of it.
    world.check("ana", submit(&due_by("deployment", "nobody")), "offered to ben");
}

#[test]
fn no_revision_edit_or_pass_on_brings_a_sign_off_that_no_person_can_give() {
    let mut world = people();
    world.check("ana", submit(&json!({ "can_intercept": true })), "held for asked");
    let bad = due_by("return", "cem");
    world.check("ana", revise(&world, &bad), "refused TK-ROLE-EMPTY");
    world.check("pia", edit(&world, packet(&bad)), "refused TK-ROLE-EMPTY");
    world.check("pia", accept(&world), "offered to ben");
    world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
    let mut onward = bad;
    onward["to_agent"] = json!("cem");
    onward["from_agent"] = json!("ben");
    world.check("ben", pass_on_with(&world, &onward), "refused TK-ROLE-EMPTY");
}

#[test]
fn work_goes_to_the_person_who_signed_it_off() {
    let mut world = people();
    world.check("ana", submit(&due_by("pass_on", "rex")), "offered to ben");
    world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
    let mut onward = due_by("pass_on", "rex");
    onward["to_agent"] = json!("rex");
    onward["from_agent"] = json!("ben");
    world.check("ben", pass_on_with(&world, &onward), "refused TK-OWN-HANDOFF");
    ask(&mut world);
    world.check("rex", accept(&world), "claimed by ben, fence 1");
    world.advance(1);
    world.check("ben", pass_on_with(&world, &onward), "held for changed");
}

#[test]
fn a_return_without_its_sign_off_does_not_pass() {
    let mut world = claimed("return");
    let failed = return_packet(world.shown(), &json!({ "status": "failed" }));
    world.check("ben", failed, "returned");
    let id = world.newest();
    for verifier in ["ana", "pia"] {
        insta::allow_duplicates! {
            insta::assert_snapshot!(world.refusal(verifier, verdict(&world, id, true)), @"
            TK-SIGN-OFF-DUE: the return cannot pass: the sign-off `Legal approves the wording` was not given
            hint: fail the return: the holder then asks for it with `tasuki request-approval --sign-off TEXT`
            ");
        }
    }
    world.check("ana", verdict(&world, id, false), "offered to ben");
    world.check("ben", claim(id), "claimed by ben, fence 2");
    ask(&mut world);
    world.check("rex", accept(&world), "claimed by ben, fence 2");
    // The sign-off was given, so the verifier may accept that the rest failed.
    let failed = return_packet(world.shown(), &json!({ "status": "failed" }));
    world.check("ben", failed, "returned");
    world.check("ana", verdict(&world, id, true), "done");
}
