//! The state machine as a table: every command in every state, by the right caller and by wrong
//! ones.
//!
//! Each cell starts from the same world. A cell shows the state of the handoff after the command;
//! refused commands are grouped by code. A change of any rule shows up as a changed line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use jiff::SignedDuration;
use serde_json::json;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::ActorKind;

use crate::command::Command;
use crate::model::{
    Absence, Change, Decider, Hold, PartyKind, PendingAction, PendingKind, Principal, Scope,
    Scopes, State,
};
use crate::rules::fencing::ClaimProof;
use crate::steps::question::ask;
use crate::steps::{
    Accept, Answer, ApplyDue, Attention, Begin, Discard, Edit, Intercept, MarkDelivered, Park,
    PassOn, RecordUndeliverable, Redrive, Reject, RequestApproval, Reroute, Revise, SeenVersion,
    SignOff, Withdraw, cancel,
};
use crate::testing::{
    World, checkpoint, claim, decline, halt, packet, release, return_packet, submit, verdict,
};

/// A handoff in some state, with its holder.
#[derive(Clone)]
struct Scene {
    world: World,
    handoff: HandoffId,
    /// The party that holds or held it under the newest fence.
    holder: &'static str,
}

/// The participants: the first receiver, or its successor after the first claim has expired.
#[derive(Clone, Copy)]
enum Cast {
    /// `ana` hands over to `ben`.
    First,
    /// `ana` hands over to `role:team`; the claim of `ben` has expired, and `cem` takes over.
    AfterExpiry,
}

/// The scopes of every caller except the operator.
const PARTY_SCOPES: Scopes = Scopes::none()
    .with(Scope::Submit)
    .with(Scope::Receive)
    .with(Scope::Read)
    .with(Scope::Decide)
    .with(Scope::Verify);

const STATES: [&str; 16] = [
    "held at submit",
    "held at a gate",
    "held by its holder",
    "offered",
    "offered, with a blocking question",
    "offered, parked",
    "claimed",
    "claimed, halted",
    "claimed, waiting for its child",
    "returned",
    "done",
    "passed_on",
    "rejected",
    "cancelled",
    "dead",
    "discarded",
];

const COMMANDS: [&str; 31] = [
    "submit",
    "begin",
    "revise",
    "ask",
    "answer",
    "decline",
    "mark delivered",
    "claim",
    "renew",
    "adopt",
    "checkpoint",
    "request approval",
    "withdraw",
    "park",
    "release",
    "pass on",
    "return",
    "verify: pass",
    "verify: fail",
    "accept",
    "sign off",
    "edit",
    "reject",
    "reroute",
    "intercept",
    "cancel",
    "redrive",
    "discard",
    "record undeliverable",
    "30 minutes pass",
    "its deadline passes",
];

fn scene(state: &str, cast: Cast) -> Scene {
    let mut world = World::new();
    world.add("dov", PartyKind::Agent);
    world.add("eva", PartyKind::Human);
    world.gate(json!({
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "safety", "roles": ["role:people"] }],
        "applies": { "trigger": ["manual"] },
    }));
    let mut more = json!({
        "return_required": ["status"], "expires_at": "2026-11-15T20:00:00Z",
        "can_intercept": matches!(state, "held at submit" | "rejected"),
    });
    if state == "held at a gate" {
        more["trigger"] = json!({ "kind": "manual" });
    }
    if matches!(cast, Cast::AfterExpiry) {
        more["to_agent"] = json!("role:team");
    }
    world.done("ana", submit(&more));
    let handoff = world.newest();
    let mut holder = "ben";
    if matches!(cast, Cast::AfterExpiry) {
        holder = "cem";
        if matches!(world.handoff().progress.state, State::Offered(_)) {
            world.done("ben", claim(handoff));
            world.advance(30 * 60);
            world.apply_due();
        }
    }
    advance_to(&mut world, handoff, holder, state);
    Scene { world, handoff, holder }
}

/// Moves a held or offered handoff into the state.
fn advance_to(world: &mut World, handoff: HandoffId, holder: &str, state: &str) {
    match state {
        "offered, with a blocking question" => {
            world.done(holder, question(handoff));
        }
        "rejected" => {
            world.done("pia", command(world, "reject", handoff, claim_proof(world, handoff)));
        }
        "cancelled" => {
            world.done("ana", command(world, "cancel", handoff, claim_proof(world, handoff)));
        }
        "dead" | "discarded" => {
            world.done(holder, decline(handoff));
            if world.handoff().is_open() {
                world.done("ben", decline(handoff));
            }
        }
        "held at submit" | "held at a gate" | "offered" => {}
        _ => drop(world.done(holder, claim(handoff))),
    }
    let next: &[(&str, &str)] = match state {
        "held by its holder" => &[("holder", "request approval")],
        "offered, parked" => &[("holder", "park")],
        "claimed, halted" => &[("pia", "halt")],
        "claimed, waiting for its child" | "passed_on" => &[("holder", "pass on")],
        "returned" => &[("holder", "return")],
        "done" => &[("holder", "return"), ("ana", "verify: pass")],
        "discarded" => &[("pia", "discard")],
        _ => &[],
    };
    for (name, word) in next {
        let name = if *name == "holder" { holder } else { name };
        let command = command(world, word, handoff, claim_proof(world, handoff));
        world.done(name, command);
    }
    if state == "passed_on" {
        let child = world.newest();
        world.done("dov", claim(child));
    }
}

fn claim_proof(world: &World, handoff: HandoffId) -> ClaimProof {
    ClaimProof { handoff, fence: world.state.handoff(handoff).unwrap().progress.fence }
}

fn question(handoff: HandoffId) -> Command {
    let text = "which tenant?".to_owned();
    Command::Ask(ask::Ask { handoff, field: None, text, is_blocking: true })
}

fn seen_now(world: &World, handoff: HandoffId) -> SeenVersion {
    SeenVersion::at(&world.state.directory, world.state.handoff(handoff).unwrap())
}

/// Returns the command that reports the failure of every channel for the current wait.
fn undeliverable_of(world: &World, handoff: HandoffId) -> Command {
    let progress = &world.state.handoff(handoff).unwrap().progress;
    let question = progress.questions.first().map(|question| question.id);
    let (kind, at) = match &progress.state {
        State::Held(hold) => (PendingKind::Hold, hold.since),
        State::Offered(_) if question.is_some() => (PendingKind::Question, world.now),
        State::Offered(offer) => (PendingKind::Offer, offer.since),
        _ => (PendingKind::Escalation, world.now),
    };
    let wait = PendingAction { handoff, n: progress.last_n, at, kind, question };
    let because = crate::model::UndeliverableReason::Failed;
    Command::RecordUndeliverable(RecordUndeliverable { wait, because, by_mail: true })
}

/// Returns another revision of the packet. It asks for a person if the previous one did.
fn revised(world: &World, handoff: HandoffId, goal: &str) -> Vec<u8> {
    let can_intercept = world.state.handoff(handoff).unwrap().facts.summary.can_intercept;
    packet(&json!({
        "goal": goal, "return_required": ["status"], "can_intercept": can_intercept,
    }))
}

fn revise(world: &World, handoff: HandoffId, seen: SeenVersion) -> Command {
    let source = revised(world, handoff, "Ship it soon");
    Command::Revise(Revise { handoff, source, seen })
}

/// Returns the command with this name about a handoff, with everything that it needs.
fn command(world: &World, word: &str, handoff: HandoffId, claim_proof: ClaimProof) -> Command {
    let reason = Some("because".to_owned());
    let seen = SeenVersion::default();
    match word {
        "submit" => submit(&json!({ "goal": "Ship the other part" })),
        "begin" => {
            let source = packet(&json!({ "goal": "Ship it alone" }));
            Command::Begin(Begin { source, ..Default::default() })
        }
        "revise" => revise(world, handoff, seen),
        "ask" => question(handoff),
        "answer" => {
            let (question, text) = (None, Some("the first".to_owned()));
            Command::Answer(Answer { handoff, question, text, source: None, seen })
        }
        "decline" => decline(handoff),
        "mark delivered" => Command::MarkDelivered(MarkDelivered { handoff, is_delivery: false }),
        "claim" => claim(handoff),
        "renew" => Command::Renew(crate::steps::Renew { claim: claim_proof, lease: None }),
        "adopt" => Command::Adopt(crate::steps::Adopt { claim: claim_proof }),
        "checkpoint" => checkpoint(claim_proof, &json!({})),
        "request approval" => approval_request(claim_proof),
        "withdraw" => Command::Withdraw(Withdraw { claim: claim_proof, reason }),
        "park" => {
            let not_before = world.now + SignedDuration::from_secs(3600);
            Command::Park(Park { claim: claim_proof, not_before, reason })
        }
        "release" => release(claim_proof),
        "pass on" => Command::PassOn(PassOn::new(
            claim_proof,
            packet(&json!({ "to_agent": "dov", "return_required": ["status"] })),
        )),
        "return" => return_packet(claim_proof, &json!({})),
        "verify: pass" => verdict(world, handoff, true),
        "verify: fail" => verdict(world, handoff, false),
        "accept" => {
            Command::Accept(Accept { handoff, seen: seen_now(world, handoff), reason: None })
        }
        "sign off" => Command::SignOff(SignOff {
            handoff,
            gate: None,
            meaning: None,
            is_denial: false,
            seen: seen_now(world, handoff),
            reason: None,
        }),
        "edit" => {
            let source = match &world.state.handoff(handoff).unwrap().progress.state {
                State::Held(Hold { approval_request: Some(_), .. }) => {
                    br#"{ "run": "make check" }"#.to_vec()
                }
                _ => revised(world, handoff, "Ship half"),
            };
            let seen = seen_now(world, handoff);
            Command::Edit(Edit { handoff, source, seen, reason: None })
        }
        "reject" => Command::Reject(Reject { handoff, seen, reason }),
        "reroute" => {
            let to = "dov".to_owned();
            Command::Reroute(Reroute { handoff, to, seen, reason })
        }
        "intercept" => Command::Intercept(Intercept { handoff, seen, reason }),
        "cancel" => Command::Cancel(cancel::Cancel { handoff, seen, reason }),
        "redrive" => Command::Redrive(Redrive { handoff, reason, attention: Attention::default() }),
        "discard" => Command::Discard(Discard { handoff, reason, attention: Attention::default() }),
        "halt" => halt(false),
        "record undeliverable" => undeliverable_of(world, handoff),
        _ => Command::ApplyDue(ApplyDue),
    }
}

fn approval_request(claim: ClaimProof) -> Command {
    let action = json!({ "run": "make" });
    Command::RequestApproval(RequestApproval { claim, action, to: None, ends_task: false })
}

/// Returns the caller who may run the command.
fn right_caller(word: &str, holder: &'static str) -> &'static str {
    match word {
        "submit" | "revise" | "answer" | "verify: pass" | "verify: fail" | "cancel" => "ana",
        "accept" | "sign off" | "edit" | "reject" | "reroute" | "intercept" | "redrive"
        | "discard" => "pia",
        "record undeliverable" => "the exchange",
        _ => holder,
    }
}

/// Runs one cell and returns the state of the handoff, or the code of the refusal.
fn outcome(
    scene: &mut Scene,
    word: &str,
    name: &str,
    fence: Option<u64>,
) -> Result<String, String> {
    let (world, handoff) = (&mut scene.world, scene.handoff);
    match word {
        "30 minutes pass" => world.advance(30 * 60),
        "its deadline passes" => world.advance(12 * 3600),
        _ => {}
    }
    let mut claim_proof = claim_proof(world, handoff);
    claim_proof.fence = fence.unwrap_or(claim_proof.fence);
    let command = command(world, word, handoff, claim_proof);
    let mut principal = match word {
        "record undeliverable" if name == "the exchange" => Principal::system(),
        "sign off" => world.signed_in(name),
        _ => world.principal(name),
    };
    let is_operator = matches!(word, "redrive" | "discard") && name == "pia";
    if !is_operator && principal.kind != ActorKind::System {
        principal.scopes = PARTY_SCOPES;
    }
    match world.run_as(&principal, command) {
        Ok(answer) if answer.repeated => Ok(format!("{}, as before", world.standing_of(handoff))),
        Ok(answer) if answer.handoff.as_ref().is_some_and(|h| h.id != handoff.to_string()) => {
            let other = world.standing_of(world.newest());
            Ok(format!("{}; another one is {other}", world.standing_of(handoff)))
        }
        Ok(_) => Ok(world.standing_of(handoff)),
        Err(refusal) => Err(refusal.code.as_str().to_owned()),
    }
}

/// Appends one block: the outcome of each command in a state, refusals last.
fn block(
    table: &mut String,
    words: &[&'static str],
    mut cell: impl FnMut(&str) -> Result<String, String>,
) {
    let mut refused: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for word in words {
        match cell(word) {
            Ok(state) => writeln!(table, "  {word}: {state}").unwrap(),
            Err(code) => refused.entry(code).or_default().push(word),
        }
    }
    for (code, words) in refused {
        writeln!(table, "  {code}: {}", words.join(", ")).unwrap();
    }
}

#[test]
fn every_command_in_every_state_by_the_right_caller() {
    let mut table = String::new();
    for state in STATES {
        let start = scene(state, Cast::First);
        writeln!(table, "{state} ({})", start.world.standing_of(start.handoff)).unwrap();
        block(&mut table, &COMMANDS, |word| {
            let caller = right_caller(word, start.holder);
            outcome(&mut start.clone(), word, caller, None)
        });
    }
    insta::assert_snapshot!(table);
}

#[test]
fn every_command_in_every_state_by_a_wrong_caller() {
    // Deadlines have no caller.
    let words = &COMMANDS[..COMMANDS.len() - 2];
    let mut table = String::new();
    for (who, name) in
        [("a stranger agent", "dov"), ("a stranger person", "eva"), ("the sender", "ana")]
    {
        for state in STATES {
            let start = scene(state, Cast::First);
            writeln!(table, "{who}, {state}").unwrap();
            block(&mut table, words, |word| outcome(&mut start.clone(), word, name, None));
        }
    }
    insta::assert_snapshot!(table);
}

/// Leaves the decision about a held handoff to a party.
fn leave_to(scene: &mut Scene, by: &str) {
    let mut handoff = scene.world.state.handoff(scene.handoff).unwrap().clone();
    let State::Held(hold) = &mut handoff.progress.state else { return };
    hold.deciders =
        vec![Decider { by: by.to_owned(), named_by: "rule:deploy".to_owned(), until: None }];
    scene.world.state.apply(&Change::keeping(handoff));
}

#[test]
fn a_deputy_gains_the_decisions_that_are_left_to_the_person_and_nothing_else() {
    let words = &COMMANDS[..COMMANDS.len() - 2];
    let mut table = String::new();
    for state in STATES {
        let mut start = scene(state, Cast::First);
        leave_to(&mut start, "pia");
        let mut with_deputy = start.clone();
        let from = start.world.now;
        let until = from + SignedDuration::from_secs(86_400);
        with_deputy.world.change("pia", |pia, id| {
            pia.absence = Some(Absence { deputy: id("eva"), from, until });
        });
        for word in words {
            let before = outcome(&mut start.clone(), word, "eva", None);
            let after = outcome(&mut with_deputy.clone(), word, "eva", None);
            if before != after {
                let words = |cell: Result<String, String>| cell.unwrap_or_else(|code| code);
                writeln!(table, "{state}, {word}: {} -> {}", words(before), words(after)).unwrap();
            }
        }
    }
    insta::assert_snapshot!(table, @"
    held at submit, ask: TK-NOT-ALLOWED -> held for asked
    held at submit, accept: TK-NOT-ALLOWED -> offered to ben
    held at submit, reject: TK-NOT-ALLOWED -> rejected
    held at submit, reroute: TK-NOT-ALLOWED -> held for asked
    held at submit, intercept: TK-NOT-ALLOWED -> claimed by eva, fence 1
    held by its holder, ask: TK-NOT-ALLOWED -> held for action, by ben
    held by its holder, accept: TK-NOT-ALLOWED -> claimed by ben, fence 1
    held by its holder, edit: TK-NOT-ALLOWED -> claimed by ben, fence 1
    held by its holder, reject: TK-NOT-ALLOWED -> claimed by ben, fence 1
    held by its holder, reroute: TK-NOT-ALLOWED -> offered to dov
    held by its holder, intercept: TK-NOT-ALLOWED -> claimed by eva, fence 2
    ");
}

#[test]
fn a_former_holder_writes_nothing_in_any_state() {
    let words = [
        "renew",
        "adopt",
        "checkpoint",
        "request approval",
        "park",
        "release",
        "pass on",
        "return",
    ];
    let mut table = String::new();
    for (who, name, fence) in [
        ("the former holder with its old fence", "ben", 1),
        ("the former holder with the new fence", "ben", 2),
        ("the holder with the old fence", "cem", 1),
    ] {
        for state in STATES {
            if state.starts_with("held at") || state == "rejected" {
                continue;
            }
            let start = scene(state, Cast::AfterExpiry);
            writeln!(table, "{who}, {state}").unwrap();
            block(&mut table, &words, |word| outcome(&mut start.clone(), word, name, Some(fence)));
        }
    }
    insta::assert_snapshot!(table);
}
