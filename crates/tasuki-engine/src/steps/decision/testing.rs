//! Commands about the newest handoff of a world, for the tests of decisions.
//!
//! Every command names the revision and digest of the moment it is made.

use serde_json::{Value, json};
use tasuki_packet::id::HandoffId;

use crate::command::Command;
use crate::model::{PartyKind, Principal};
use crate::steps::{
    Accept, Attention, Edit, Intercept, Reject, Release, Reroute, Revise, SeenVersion, SignOff,
    request_approval,
};
use crate::testing::{World, packet};

/// Returns the current version of the newest handoff, with its evidence opened.
pub(crate) fn seen_now(world: &World) -> SeenVersion {
    SeenVersion {
        attention: Attention {
            seconds: Some(41),
            opened: vec!["packet".to_owned(), "evidence".to_owned()],
        },
        ..SeenVersion::at(&world.state.directory, world.handoff())
    }
}

pub(crate) fn accept(world: &World) -> Command {
    accept_of(world, world.newest())
}

pub(crate) fn accept_of(world: &World, id: HandoffId) -> Command {
    let seen = SeenVersion::at(&world.state.directory, world.state.handoff(id).unwrap());
    Command::Accept(Accept { handoff: id, seen, reason: None })
}

pub(crate) fn reject(world: &World, reason: &str) -> Command {
    let (handoff, reason) = (world.newest(), reason_text(reason));
    Command::Reject(Reject { handoff, seen: seen_now(world), reason })
}

pub(crate) fn reroute(world: &World, to: &str, reason: &str) -> Command {
    let (handoff, to) = (world.newest(), to.to_owned());
    Command::Reroute(Reroute { handoff, to, seen: seen_now(world), reason: reason_text(reason) })
}

pub(crate) fn intercept(world: &World, reason: &str) -> Command {
    let handoff = world.newest();
    Command::Intercept(Intercept { handoff, seen: seen_now(world), reason: reason_text(reason) })
}

/// Returns a signature at the only open gate, with everything opened.
pub(crate) fn signature(world: &World) -> SignOff {
    SignOff {
        handoff: world.newest(),
        gate: None,
        meaning: None,
        is_denial: false,
        seen: seen_now(world),
        reason: None,
    }
}

pub(crate) fn denial(world: &World) -> SignOff {
    SignOff { is_denial: true, reason: reason_text("the evidence is old"), ..signature(world) }
}

pub(crate) fn revise(world: &World, more: &Value) -> Command {
    let (handoff, source) = (world.newest(), packet(more));
    Command::Revise(Revise { handoff, source, seen: seen_now(world) })
}

pub(crate) fn edit(world: &World, source: Vec<u8>) -> Command {
    Command::Edit(Edit { handoff: world.newest(), source, seen: seen_now(world), reason: None })
}

pub(crate) fn hold(world: &World, action: Value) -> Command {
    Command::RequestApproval(request_approval::RequestApproval {
        claim: world.shown(),
        action,
        to: None,
        ends_task: false,
    })
}

pub(crate) fn release(world: &World) -> Command {
    Command::Release(Release { claim: world.shown(), reason: None })
}

pub(crate) fn checkpoint(world: &World, more: &Value) -> Command {
    let mut source = json!({
        "handoff_version": "1.0", "packet_type": "checkpoint", "completed": ["a part"],
    });
    for (name, value) in more.as_object().unwrap() {
        source[name] = value.clone();
    }
    let source = source.to_string().into_bytes();
    Command::Checkpoint(crate::steps::Checkpoint { claim: world.shown(), source, work_tree: None })
}

fn reason_text(reason: &str) -> Option<String> {
    (!reason.is_empty()).then(|| reason.to_owned())
}

/// Returns a world with more people: `pia` and `rex` in `role:safety`; `quin`, `rex`, `sam` and the
/// agent `cem` in `role:reviewer`.
pub(crate) fn people() -> World {
    let mut world = World::new();
    for name in ["rex", "sam", "tia"] {
        world.add(name, PartyKind::Human);
    }
    world.add("role:safety", PartyKind::Role);
    world.add("role:reviewer", PartyKind::Role);
    world.change("role:safety", |party, id| party.members = vec![id("pia"), id("rex")]);
    world.change("role:reviewer", |party, id| {
        party.members = vec![id("quin"), id("rex"), id("sam"), id("cem")];
    });
    world
}

/// Returns the document of the gate `release`: one of safety and two reviewers within three days.
pub(crate) fn release_gate(more: &Value) -> Value {
    let mut document = json!({
        "gate": "release", "version": "1.0", "ttl": "72h",
        "factors": [
            { "name": "safety", "roles": ["safety"] },
            { "name": "eyes", "roles": ["role:reviewer"], "approvals": 2 },
        ],
    });
    for (name, value) in more.as_object().unwrap() {
        document[name] = value.clone();
    }
    document
}

/// Returns the world of [`people`], with everything from `ana` to `ben` held at the gate `release`.
pub(crate) fn gated(more: &Value) -> World {
    let mut world = people();
    world.gate(release_gate(more));
    world.contract(&json!({ "gates": ["release"] }));
    world.run("ana", crate::testing::submit(&json!({}))).unwrap();
    world
}

/// Signs the newest handoff with the passwords of these people. All of them must be allowed to.
#[track_caller]
pub(crate) fn all_sign(world: &mut World, names: &[&str]) {
    for name in names {
        let signature = signature(world);
        world.run_as(&world.signed_in(name), Command::SignOff(signature)).unwrap();
    }
}

/// Runs a command for a principal and compares the resulting state.
#[track_caller]
pub(crate) fn check_as(world: &mut World, principal: &Principal, command: Command, expected: &str) {
    let outcome = match world.run_as(principal, command) {
        Ok(_) => world.standing(),
        Err(refusal) => format!("refused {}", refusal.code.as_str()),
    };
    assert_eq!(outcome, expected);
}

/// Signs or refuses with a person's password, and compares the resulting state.
#[track_caller]
pub(crate) fn check_signed(world: &mut World, name: &str, signature: SignOff, expected: &str) {
    let principal = world.signed_in(name);
    check_as(world, &principal, Command::SignOff(signature), expected);
}

/// Returns the text of a refusal, with shortened ids and digests.
pub(crate) fn refusal_text(world: &mut World, principal: &Principal, command: Command) -> String {
    let refusal = world.run_as(principal, command).unwrap_err();
    let hint = refusal.hint.unwrap_or_default();
    let text = format!("{}: {}\nhint: {hint}", refusal.code.as_str(), refusal.message);
    ["hof_", "clm_", "dec_", "sha256:"].into_iter().fold(text, |text, prefix| short(&text, prefix))
}

fn short(text: &str, prefix: &str) -> String {
    let mut parts = text.split(prefix);
    let mut short = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        short.push_str(prefix);
        short.push('…');
        short.push_str(part.trim_start_matches(|c: char| c.is_ascii_hexdigit()));
    }
    short
}
