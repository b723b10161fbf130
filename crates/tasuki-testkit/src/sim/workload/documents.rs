//! Packets, checkpoints and returns as parties write them, sometimes invalid.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use tasuki_engine::model::Handoff;

use super::parties;
use crate::random::Random;

/// A key that the secret scanner recognizes; it is not valid.
const SECRET: &str = "AKIAQ3EXZMPLW7RT5NVB";

/// Returns a packet to submit.
pub(crate) fn packet(random: &mut Random, now: Timestamp) -> Value {
    let mut packet = json!({
        "handoff_version": "1.0",
        "to_agent": parties::receiver(random),
        "status": "in_progress",
        "goal": *random.pick(&["Ship the part", "Mend the roof", "Check the refund"]),
        "completed": ["Scaffold"],
        "remaining": [format!("Part {}", random.below(1_000))],
        "payload": [],
    });
    if random.chance(70) {
        packet["task_id"] = json!(format!("task-{}", random.below(5)));
    }
    decorate(random, &mut packet, now);
    if random.chance(6) {
        spoil(random, &mut packet);
    }
    packet
}

/// Adds members that the rules depend on.
fn decorate(random: &mut Random, packet: &mut Value, now: Timestamp) {
    let soon = now + SignedDuration::from_secs(60 + 60 * number(random, 60));
    let rungs = parties::rungs(random);
    let mut put = |percent: u64, name: &str, values: &[Value]| {
        if random.chance(percent) {
            packet[name] = random.pick(values).clone();
        }
    };
    put(60, "confidence", &[json!(0.3), json!(0.6), json!(0.9)]);
    put(10, "can_intercept", &[json!(true)]);
    let kinds = ["critical_action", "error", "completion", "session_ended", "manual"];
    put(20, "trigger", &kinds.map(|kind| json!({ "kind": kind })));
    put(15, "fallback", &[rungs, json!("escalate_to_pia_if_not_progressed_within_300s")]);
    put(10, "expires_at", &[json!(format!("{soon:.0}"))]);
    put(25, "return_required", &[json!(["status"]), json!(["status", "changed_paths"])]);
    put(15, "acceptance", &[json!(["Tests pass"])]);
    put(10, "constraints", &[json!(["Do not publish"])]);
    put(10, "authority", &[json!(["write:src/"]), json!(["deploy:staging"])]);
    put(10, "cost", &[json!({ "amount": "2.00", "currency": "EUR", "tokens": 10 })]);
    put(10, "budget", &[json!({ "amount": "3.00", "currency": "EUR" }), json!({ "tokens": 15 })]);
    put(8, "classification", &[json!("RESTRICTED")]);
    put(6, "sign_off_gates", &[json!(["release"]), json!(["release", "safety"])]);
    put(10, "from_agent", &[json!("ana"), json!("ben")]);
    put(3, "contract", &[json!("work@1.0"), json!("work@7.0"), json!("nothing@1.0")]);
}

/// Makes a packet invalid.
fn spoil(random: &mut Random, packet: &mut Value) {
    match random.below(5) {
        0 => packet["goal"] = json!(format!("Use {SECRET} for it")),
        1 => packet["confidence"] = json!(7),
        2 => drop(packet.as_object_mut().and_then(|members| members.shift_remove("to_agent"))),
        3 => packet["packet_type"] = json!("checkpoint"),
        _ => drop(packet.as_object_mut().and_then(|members| members.shift_remove("goal"))),
    }
}

/// Returns the packet with which a holder passes work on, usually with all obligations.
pub(crate) fn passed_on(random: &mut Random, parent: &Value, now: Timestamp) -> Value {
    let mut packet = parent.clone();
    packet["to_agent"] = json!(parties::receiver(random));
    packet["remaining"] = json!([format!("Part {}", random.below(1_000))]);
    if let Some(members) = packet.as_object_mut() {
        for name in ["from_agent", "contract", "supersedes", "expires_at"] {
            members.shift_remove(name);
        }
        if random.chance(10) {
            members.shift_remove("constraints");
            members.shift_remove("acceptance");
        }
    }
    if random.chance(10) {
        packet["task_id"] = json!("task-9");
    }
    if random.chance(10) {
        decorate(random, &mut packet, now);
    }
    packet
}

/// Returns the next revision of a packet.
pub(crate) fn revised(random: &mut Random, current: &Value) -> Value {
    let mut packet = current.clone();
    packet["remaining"] = json!([format!("Part {}", random.below(1_000))]);
    if random.chance(40) {
        packet["confidence"] = random.pick(&[json!(0.3), json!(0.9)]).clone();
    }
    if random.chance(10) {
        packet["confidence"] = json!("sure");
    }
    packet
}

/// Returns a checkpoint of a holder.
pub(crate) fn checkpoint(random: &mut Random) -> Value {
    let mut packet = json!({
        "packet_type": "checkpoint",
        "completed": [format!("Step {}", random.below(1_000))],
    });
    if random.chance(40) {
        packet["confidence"] = random.pick(&[json!(0.2), json!(0.9)]).clone();
    }
    if random.chance(30) {
        packet["to_agent"] = json!(parties::receiver(random));
    }
    match random.below(20) {
        0 => packet["summary"] = json!(format!("Found {SECRET}")),
        1 => packet["packet_type"] = json!("return"),
        _ => {}
    }
    packet
}

/// Returns a return packet, usually with all required members.
pub(crate) fn return_packet(random: &mut Random, handoff: &Handoff, asked: &Value) -> Value {
    let result = *random.pick(&["pass", "pass", "pass", "fail"]);
    let criteria = asked["acceptance"].as_array().map_or(0, Vec::len);
    let judged =
        |index: usize| json!({ "criterion": index, "result": result, "evidence": ["log:ci-1"] });
    let mut packet = json!({
        "handoff_version": "1.0",
        "packet_type": "return",
        "task_id": handoff.facts.task,
        "status": *random.pick(&["completed", "completed", "completed", "failed"]),
        "summary": "It is as it is",
        "changed_paths": ["src/part.rs"],
        "verification": (0..criteria).map(judged).collect::<Vec<_>>(),
    });
    if random.chance(20) {
        packet.as_object_mut().and_then(|members| members.shift_remove("changed_paths"));
        packet.as_object_mut().and_then(|members| members.shift_remove("verification"));
    }
    if random.chance(3) {
        packet["packet_type"] = json!("checkpoint");
    }
    packet
}

/// Returns a reason: sometimes none, and sometimes one that must not be stored.
pub(crate) fn reason(random: &mut Random) -> Option<String> {
    match random.below(40) {
        0..6 => None,
        6 => Some(format!("because of {SECRET}")),
        7 => Some("so ".repeat(2_000)),
        _ => Some(format!("reason {}", random.below(100))),
    }
}

fn number(random: &mut Random, bound: u64) -> i64 {
    i64::try_from(random.below(bound)).expect("a small number")
}
