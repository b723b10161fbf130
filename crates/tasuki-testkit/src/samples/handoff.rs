//! Handoffs in every state, with a value in every stored field.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};
use tasuki_engine::model::{
    Accepted, ApprovalRequest, Budget, CheckpointSummary, Claim, Decider, Facts, GateSignature,
    Handoff, Hold, HoldReason, Judge, NotificationFailure, Offer, OpenQuestion, PacketSummary,
    PendingKind, Progress, ReleasedClaim, Returned, Reviewed, RiskWord, RoleMembers, Rung, State,
    StateWord, StepDeadlines, Terms, UndeliverableReason, WorkTreeMark,
};
use tasuki_packet::Packet;
use tasuki_packet::chain::continuation::StepKeys;
use tasuki_packet::chain::{Amount, ChainTotals};
use tasuki_packet::duration::Duration;
use tasuki_packet::id::PartyId;
use tasuki_packet::leaf::Hash;
use tasuki_packet::policy::trigger::Effect;

use super::names::{at, bytes, handoff_id, id, party};

/// Returns a handoff in this state, from `sender` to `receiver`.
pub fn handoff(word: StateWord) -> Handoff {
    handoff_numbered(1, word)
}

/// Returns one of many handoffs: each number has its own id, task and fingerprint, and a later
/// time.
pub fn handoff_numbered(number: u32, word: StateWord) -> Handoff {
    let (facts, state) = (Arc::new(facts(number)), state(number, word));
    Handoff { id: handoff_id(number), facts, progress: progress(number, state) }
}

/// Returns a handoff whose holder waits for approval of an action: held, with a claim.
pub fn held_by_its_holder(number: u32) -> Handoff {
    let approval_request = ApprovalRequest {
        claim: claim(number, party("receiver")),
        action: id("action", number),
        digest: digest("action"),
        version: 2,
        ends_task: true,
        sign_off: Some(digest("sign-off")),
        rules: vec!["deploy".to_owned()],
        risk: RiskWord::High,
    };
    let hold = Hold {
        reasons: vec![HoldReason::Action],
        since: since(number),
        not_before: None,
        approval_request: Some(Box::new(approval_request)),
        deciders: vec![Decider {
            by: "role:engineers".to_owned(),
            named_by: "rule:deploy".to_owned(),
            until: Some(at(7_200)),
        }],
        escalated_at: Some(at(3_600)),
    };
    let mut handoff = handoff_numbered(number, StateWord::Claimed);
    handoff.progress.state = State::Held(hold);
    handoff
}

/// Returns the facts of the handoff with this number.
pub fn facts(number: u32) -> Facts {
    Facts {
        task: format!("task-{number}"),
        task_label: Some("invoice 7".to_owned()),
        sender: party("sender"),
        receiver: party("receiver"),
        first_receiver: party("first-receiver"),
        routed_in: 2,
        is_begun: false,
        revision: 2,
        summary: summary(number),
        terms: terms(),
        parent: None,
        lineage: vec![party("grandparent"), party("sender")],
        sent_by: Some(party("deputy")),
        spent: cost("1.25"),
        budget: budget(),
        chain_began_at: at(0),
        contributors: vec![party("sender"), party("editor")],
        submitted_at: at(i64::from(number)),
        fingerprint: digest(&format!("fingerprint-{number}")),
    }
}

/// Returns a state, entered shortly after the handoff with this number was submitted.
pub fn state(number: u32, word: StateWord) -> State {
    let since = since(number);
    match word {
        StateWord::Held => {
            let reasons = vec![HoldReason::Asked, HoldReason::Gate(digest("gate"))];
            State::Held(Hold {
                reasons,
                since,
                approval_request: None,
                not_before: None,
                deciders: Vec::new(),
                escalated_at: None,
            })
        }
        StateWord::Offered => State::Offered(Offer { since, not_before: Some(at(3_600)) }),
        StateWord::Claimed => State::Claimed(claim(number, party("receiver"))),
        StateWord::Returned => {
            let holder = party("receiver");
            State::Returned(Returned {
                return_packet: id("return", number),
                holder,
                since,
                verify: None,
                unsigned: vec!["Legal approves the wording".to_owned()],
            })
        }
        StateWord::Done => State::Done,
        StateWord::PassedOn => State::PassedOn,
        StateWord::Rejected => State::Rejected,
        StateWord::Cancelled => State::Cancelled,
        StateWord::Discarded => State::Discarded,
        StateWord::Dead => State::Dead,
    }
}

/// Returns the claim of a holder on the handoff with this number.
pub fn claim(number: u32, holder: PartyId) -> Claim {
    let since = since(number);
    Claim {
        id: id("claim", number),
        holder,
        fence: 3,
        epoch: 0,
        since,
        until: at(i64::from(number) + 1_801),
        lease: minutes(30),
        is_intercept: true,
        key: Some("claim-key".to_owned()),
    }
}

fn progress(number: u32, state: State) -> Progress {
    let since = since(number);
    Progress {
        ends_at: None,
        state,
        fence: 3,
        lapses: 1,
        reworks: 1,
        rung: 1,
        judging_rung: 1,
        taken_over_by: Some(party("person")),
        delivered_at: Some(since),
        started_at: Some(since),
        progress_at: since,
        given_back: Some(ReleasedClaim {
            by: party("receiver"),
            at: since,
            quiet_since: since,
            held: minutes(10),
        }),
        checkpoint: Some(CheckpointSummary {
            id: id("checkpoint", number),
            count: 4,
            to: Some(party("successor")),
            confidence: Some(0.82),
            stated_in: 3,
            triggers: vec!["critical_action".to_owned()],
            holds_in: 2,
            found: vec!["money".to_owned()],
            demanded_in: 4,
            cost: cost("0.30"),
            steps: steps(&json!({ "completed": ["Code"] })),
        }),
        accepted: Some(Accepted { revision: 2, receiver: party("receiver"), checkpoints: 1 }),
        reviewed: Some(Reviewed {
            handoff: handoff_id(number),
            at: since,
            digest: Some(digest(&format!("packet-{number}"))),
        }),
        changed: Some(handoff_id(90)),
        signatures: vec![approval(number)],
        signed_off: vec![digest("sign-off")],
        signing_roles: vec![RoleMembers {
            role: party("role:people"),
            members: vec![party("signer")],
        }],
        questions: vec![OpenQuestion {
            id: id("question", number),
            by: party("receiver"),
            is_blocking: true,
        }],
        declined_by: vec![party("member")],
        child: None,
        judge: Some(party("judge")),
        has_expired: true,
        work_tree: Some(WorkTreeMark {
            id: "0123456789abcdef".to_owned(),
            branch: Some("main".to_owned()),
            at: since,
        }),
        notification_failure: Some(notification_failure_of(number)),
        last_n: 0,
    }
}

fn approval(number: u32) -> GateSignature {
    GateSignature {
        gate: digest("gate"),
        factor: "clinical".to_owned(),
        person: party("officer"),
        revision: 2,
        digest: digest(&format!("packet-{number}")),
        receiver: party("receiver"),
        at: since(number),
        joined_after_submit: true,
        is_denial: true,
        reason: Some("not tested".to_owned()),
    }
}

fn notification_failure_of(number: u32) -> NotificationFailure {
    NotificationFailure {
        event: 7,
        wait: PendingKind::Offer,
        party: Some(party("receiver")),
        because: UndeliverableReason::NoChannel,
        at: since(number),
    }
}

fn steps(packet: &Value) -> Option<StepKeys> {
    StepKeys::of(&Packet::from_value(packet.clone()).ok()?)
}

fn summary(number: u32) -> PacketSummary {
    PacketSummary {
        digest: digest(&format!("packet-{number}")),
        commitment: Hash::from_bytes(bytes(&format!("commitment-{number}"))),
        title: format!("Ship part {number} “for good”"),
        confidence: Some(0.62),
        trigger: Some("session_ended".to_owned()),
        can_intercept: true,
        classification: Some("OFFICIAL-SENSITIVE".to_owned()),
        regulations: vec![("UK-DCB0129".to_owned(), "4.2".to_owned())],
        expires_at: Some(at(86_400)),
        fallback: vec![step()],
        asks_return: true,
        authority: Some(vec!["write:src/".to_owned()]),
        cost: cost("0.45"),
        budget: budget(),
        demands: vec!["clinical words".to_owned()],
        found: vec!["clinical words".to_owned(), "money".to_owned()],
        gates: vec!["clinical-release".to_owned()],
        steps: steps(&json!({ "goal": "Ship it", "remaining": ["Code", "Tests"] })),
        bytes: 2_048,
        trace: Some("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned()),
    }
}

fn terms() -> Terms {
    Terms {
        contract: Some("correlation-to-investigation@1.2".to_owned()),
        policy: Some(Hash::from_bytes(bytes("policy"))),
        hold_below: Some(0.7),
        auto_progress_at: Some(0.8),
        is_hold_asked: true,
        keeps_approval: true,
        allows_return: true,
        hops: 4,
        also_returns: vec!["finding@2.0".to_owned()],
        effect: Effect::Continue,
        lease: Some(minutes(2)),
        attempts: 3,
        reworks: 2,
        deadlines: StepDeadlines { claim: Some(minutes(1)), ..StepDeadlines::default() },
        ladder: vec![step()],
        asks_return: true,
        verify: Judge::Person,
        parks_with_same: true,
        gates: vec![digest("gate")],
        risk: RiskWord::Medium,
    }
}

fn step() -> Rung {
    Rung {
        after: Some(minutes(5)),
        on: Some("no_progress".to_owned()),
        to: "role:oncall".to_owned(),
    }
}

fn dollars(amount: &str) -> BTreeMap<String, Amount> {
    let amount = Amount::parse(amount).expect("a sample is a decimal number");
    [("USD".to_owned(), amount)].into()
}

fn budget() -> Budget {
    Budget { amounts: dollars("5.00"), tokens: Some(90_000), seconds: None }
}

fn cost(amount: &str) -> ChainTotals {
    let mut totals = ChainTotals::default();
    totals.amounts = dollars(amount);
    totals.tokens = 41_200;
    totals.seconds = 310;
    totals
}

fn since(number: u32) -> jiff::Timestamp {
    at(i64::from(number) + 1)
}

fn digest(name: &str) -> String {
    tasuki_packet::canonical::digest_of_bytes(&bytes(name))
}

fn minutes(count: u64) -> Duration {
    Duration::from_milliseconds(count * 60_000).expect("a sample is shorter than ten years")
}
