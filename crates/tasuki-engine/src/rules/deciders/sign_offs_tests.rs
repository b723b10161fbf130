//! Tests of sign-offs that are due before a step.

use serde_json::{Value, json};

use crate::command::Command;
use crate::steps::decision::testing::{accept, edit, hold, people, reject};
use crate::testing::{World, claim, pass_on_with, return_packet, submit, verdict};

const LEGAL: &str = "Legal approves the wording";

/// Returns a world in which `ben` holds work with a sign-off due.
fn claimed(before: &str) -> World {
    let mut world = people();
    world.check("ana", submit(&due(before)), "offered to ben");
    world.check("ben", claim(world.newest()), "claimed by ben, fence 1");
    world
}

fn due(before: &str) -> Value {
    json!({
        "return_required": ["summary"],
        "sign_offs_due": [{ "text": LEGAL, "before": before, "by": "role:safety" }],
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
