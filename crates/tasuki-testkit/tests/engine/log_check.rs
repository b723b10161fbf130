//! The log check finds and names changes by a person with access to the file.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::SignedDuration;
use serde_json::json;
use tasuki_engine::audit::log_check::check;
use tasuki_engine::command::Command;
use tasuki_engine::model::{
    Accepted, ContractRecord, DocumentKind, GateRecord, Handoff, Offer, Party, PartyKind,
    Principal, Record, State,
};
use tasuki_engine::ports::LeafRow;
use tasuki_engine::query::trail::Trail;
use tasuki_engine::steps::question::ask;
use tasuki_engine::steps::system::mark_delivered;
use tasuki_engine::steps::{
    AddParty, Answer, Attention, CreateToken, Halt, PublishContract, PublishGate, RecordRestore,
    ResetClock, SeenVersion, SignOff, checkpoint, claim, release, return_packet, verify,
};
use tasuki_packet::leaf::{Authentication, Hash};
use tasuki_testkit::memory::TamperedTables;

use crate::fixture::{Exchange, claim_of, id_of, packet_of, plain, run, shown, submit_of};

/// Returns the first problem, if there is one.
fn problem(exchange: &Exchange, from: u64) -> Option<String> {
    let progress = &mut |_, _| ();
    let checked =
        run(check(&exchange.store, exchange.project, from, &Trail::default(), progress)).unwrap();
    checked.problem.map(|problem| format!("leaf {}: {}", problem.n, problem.what))
}

/// Tampers with the store and checks the finding. A problem of a handoff or a leaf is also found
/// when the check starts there.
#[track_caller]
fn finds(exchange: &Exchange, tamper: impl FnOnce(&mut TamperedTables<'_>), expected: &str) {
    assert_eq!(problem(exchange, 0), None);
    exchange.store.memory.tamper(exchange.project, tamper);
    let found = problem(exchange, 0).unwrap_or_default();
    assert!(found.contains(expected), "{expected}: {found}");
}

/// Tampers with the only handoff.
#[track_caller]
fn finds_in_handoff(exchange: &Exchange, change: fn(&mut Handoff), expected: &str) {
    finds(exchange, |tables| tables.handoffs(change), expected);
}

fn offered_state() -> State {
    State::Offered(Offer { since: "2026-11-15T10:00:00Z".parse().unwrap(), not_before: None })
}

fn claimed() -> Exchange {
    let exchange = Exchange::new();
    let id = id_of(&exchange.run("ana", plain("one")).unwrap());
    exchange.run("ben", claim_of(Some(id), None)).unwrap();
    exchange
}

/// Creates a handoff with a question, an answer, two claims, a checkpoint, a return and a verdict.
fn done() -> Exchange {
    let exchange = Exchange::new();
    let more = json!({ "return_required": ["status"] });
    let id = id_of(&exchange.run("ana", submit_of("one", &more)).unwrap());
    let text = "which shelf?".to_owned();
    let question = ask::Ask { handoff: id, field: None, text, is_blocking: true };
    exchange.run("ben", Command::Ask(question)).unwrap();
    let answer = Answer {
        handoff: id,
        question: None,
        text: Some("the left one".to_owned()),
        source: None,
        seen: SeenVersion::default(),
    };
    exchange.run("ana", Command::Answer(answer)).unwrap();
    let first = shown(&exchange.run("ben", claim_of(Some(id), None)).unwrap());
    let release = release::Release { claim: first, reason: Some("no time".to_owned()) };
    exchange.run("ben", Command::Release(release)).unwrap();
    let read_back = Some(json!("put it on the left shelf"));
    let claim = claim::Claim { handoff: Some(id), read_back, ..Default::default() };
    let shown = shown(&exchange.run("ben", Command::Claim(claim)).unwrap());
    let source = packet_of("checkpoint", "one");
    exchange
        .run(
            "ben",
            Command::Checkpoint(checkpoint::Checkpoint {
                claim: shown,
                source,
                work_tree: Some(work_tree()),
            }),
        )
        .unwrap();
    let source = packet_of("return", "one");
    exchange
        .run(
            "ben",
            Command::Return(return_packet::Return {
                claim: shown,
                source,
                work_tree: Some(work_tree()),
            }),
        )
        .unwrap();
    let (return_packet, reason) = (exchange.waiting_return(id), Some("as asked".to_owned()));
    let verdict = verify::Verify {
        handoff: id,
        return_packet,
        is_good: true,
        reason,
        attention: Attention::default(),
    };
    exchange.run("ana", Command::Verify(verdict)).unwrap();
    exchange
}

/// A work tree without uncommitted files.
fn work_tree() -> tasuki_api::WorkTree {
    let id = "0123456789abcdef".to_owned();
    tasuki_api::WorkTree { id, ..Default::default() }
}

/// Creates a handoff that is held at a gate with one signature.
fn gated() -> Exchange {
    let exchange = Exchange::new();
    let members = vec!["pia".to_owned()];
    let role = AddParty { name: "role:people".to_owned(), members, ..AddParty::default() };
    exchange.run("pia", Command::AddParty(role)).unwrap();
    let document = json!({
        "gate": "release", "version": "1.0",
        "factors": [{ "name": "safety", "roles": ["role:people"] }],
    });
    exchange.run("pia", Command::PublishGate(PublishGate(GateRecord { document }))).unwrap();
    let document = json!({
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"],
        "gates": ["release"], "fallback": [{ "to": "dead_letter" }],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] },
    });
    let contract = ContractRecord { document, schemas: BTreeMap::new() };
    exchange.run("pia", Command::PublishContract(PublishContract(contract))).unwrap();
    exchange.run("ana", submit_of("one", &json!({ "payload": [] }))).unwrap();
    exchange
}

fn sign(exchange: &Exchange) {
    let mut handoff = None;
    exchange.store.memory.tamper(exchange.project, |tables| {
        tables.handoffs(|one| handoff = Some(one.clone()));
    });
    let handoff = handoff.unwrap();
    let signature = SignOff {
        handoff: handoff.id,
        gate: None,
        meaning: None,
        is_denial: false,
        seen: SeenVersion {
            revision: Some(handoff.facts.revision),
            digest: Some(handoff.facts.summary.digest.clone()),
            ..SeenVersion::default()
        },
        reason: None,
    };
    let mut call = exchange.call("pia", Command::SignOff(signature), None);
    call.principal.authentication = Authentication::Password;
    run(exchange.engine.run(call)).unwrap();
}

#[test]
fn a_change_that_no_command_made_is_found() {
    let check = |exchange: fn() -> Exchange, change: fn(&mut Handoff), expected: &str| {
        finds_in_handoff(&exchange(), change, expected);
    };
    let stored = "but `offered` is stored";
    check(done, |one| one.progress.state = offered_state(), stored);
    check(claimed, |one| one.progress.state = offered_state(), stored);
    check(gated, |one| one.progress.state = offered_state(), stored);
    check(done, |one| one.progress.fence = 1, "fence is 2 by the log, but 1 is stored");
    let holder = |one: &mut Handoff| {
        let sender = one.facts.sender;
        let State::Claimed(claim) = &mut one.progress.state else { unreachable!() };
        claim.holder = sender;
    };
    check(claimed, holder, "the stored claim differs from the log");
    let accepted = |one: &mut Handoff| {
        let receiver = one.facts.receiver;
        one.progress.accepted = Some(Accepted { revision: 1, receiver, checkpoints: 0 });
    };
    check(claimed, accepted, "the stored acceptance is not in the log");
}

#[test]
fn a_removed_gate_is_found() {
    let off = |one: &mut Handoff| one.facts_mut().terms.gates.clear();
    finds_in_handoff(
        &gated(),
        off,
        "leaf 8: the terms of the handoff do not match its policy hash",
    );
    let both = |one: &mut Handoff| {
        let terms = &mut one.facts_mut().terms;
        terms.gates.clear();
        terms.policy = None;
    };
    finds_in_handoff(
        &gated(),
        both,
        "leaf 8: the current policy differs from the last leaf of the handoff",
    );
    let signed = |one: &mut Handoff| {
        let receiver = one.facts.receiver;
        for approval in &mut one.progress.signatures {
            approval.person = receiver;
        }
    };
    let exchange = gated();
    sign(&exchange);
    finds_in_handoff(&exchange, signed, "a stored signature is not in the log");
}

/// A gate is removed, the handoff claimed, and the gate restored.
#[test]
fn a_claim_past_a_gate_is_found_afterwards() {
    let exchange = gated();
    let (mut before, mut since) = (None, None);
    let keep = |one: &mut Handoff| {
        before = Some((one.facts.terms.gates.clone(), one.id));
        since = Some(one.progress.state.clone());
        one.facts_mut().terms.gates.clear();
        one.progress.state = offered_state();
    };
    exchange.store.memory.tamper(exchange.project, |tables| tables.handoffs(keep));
    let (gates, id) = before.unwrap();
    exchange.run("ben", claim_of(Some(id), None)).unwrap();
    let restore = |one: &mut Handoff| one.facts_mut().terms.gates.clone_from(&gates);
    exchange.store.memory.tamper(exchange.project, |tables| tables.handoffs(restore));
    // The detail of the event shows that it was held before the claim.
    let lie = |row: &mut LeafRow| row.detail = row.detail.replace("offered", "held");
    exchange.store.memory.tamper(exchange.project, |tables| tables.leaves().for_each(lie));
    let found = problem(&exchange, 0).unwrap();
    assert_eq!(found, "leaf 10: claimed before gate `release` was signed");

    let exchange = gated();
    sign(&exchange);
    let id = id_of(&exchange.run("ben", claim_of(None, None)).unwrap());
    exchange.run("ben", claim_of(Some(id), None)).unwrap_err();
    assert_eq!(problem(&exchange, 0), None);
}

#[test]
fn the_head_of_a_log_matches_its_leaves() {
    let halt = |exchange: &Exchange, is_lift| {
        let reason = Some("a drill".to_owned());
        exchange.run("pia", Command::Halt(Halt { is_lift, reason })).unwrap();
    };
    let halted = || {
        let exchange = claimed();
        halt(&exchange, false);
        exchange
    };
    let restored = || {
        let exchange = claimed();
        let hash = Hash::ZERO;
        let mut call =
            exchange.call("pia", Command::RecordRestore(RecordRestore { last: 1, hash }), None);
        call.principal = Principal::system();
        run(exchange.engine.run(call)).unwrap();
        exchange
    };
    let check = |exchange: Exchange, change: fn(&mut TamperedTables<'_>), expected: &str| {
        finds(&exchange, change, expected);
    };
    let says = "leaf 7: the project is halted by its leaves, but not halted in the head of the log";
    check(halted(), |tables| tables.head().is_halted = false, says);
    let says = "the project is not halted by its leaves, but halted in the head of the log";
    check(claimed(), |tables| tables.head().is_halted = true, says);
    let says = "the claim epoch differs from the head of the log";
    check(halted(), |tables| tables.head().claim_epoch = 1, says);
    check(claimed(), |tables| tables.head().claim_epoch = 2, says);
    let says = "the fence floor differs from the head of the log";
    check(restored(), |tables| tables.head().fence_floor = 0, says);
    check(claimed(), |tables| tables.head().fence_floor = 7, says);
    let lifted = halted();
    halt(&lifted, true);
    assert_eq!(problem(&lifted, 0), None);
}

#[test]
fn a_leaf_after_the_end_is_found() {
    let exchange = claimed();
    let before = |tables: &mut TamperedTables<'_>| {
        let head = tables.head();
        (head.leaves, head.last_hash, head.last_at)
    };
    let mut kept = None;
    exchange.store.memory.tamper(exchange.project, |tables| kept = Some(before(tables)));
    let party = AddParty { name: "eva".to_owned(), ..AddParty::default() };
    exchange.run("pia", Command::AddParty(party)).unwrap();
    let (leaves, last_hash, last_at) = kept.unwrap();
    let cut = |tables: &mut TamperedTables<'_>| {
        let head = tables.head();
        (head.leaves, head.last_hash, head.last_at) = (leaves, last_hash, last_at);
    };
    finds(&exchange, cut, "leaf 7: the leaf is beyond the end in the head of the log");
}

#[test]
fn a_document_is_stored_under_its_id_and_only_a_packet_has_a_source() {
    let kinds = [
        DocumentKind::Question,
        DocumentKind::Answer,
        DocumentKind::Claim,
        DocumentKind::Checkpoint,
        DocumentKind::Return,
        DocumentKind::Verdict,
        DocumentKind::WorkTree,
    ];
    for kind in kinds {
        let renamed = |tables: &mut TamperedTables<'_>| {
            let own = tables.documents().filter(|stored| stored.document.kind == kind);
            own.for_each(|stored| stored.document.id = "another".to_owned());
        };
        finds(&done(), renamed, "another has another id in the leaf");
        let sourced = |tables: &mut TamperedTables<'_>| {
            let own = tables.documents().filter(|stored| stored.document.kind == kind);
            own.for_each(|stored| {
                let sealed = std::sync::Arc::make_mut(&mut stored.document.sealed);
                sealed.source = Some(b"another".to_vec());
            });
        };
        finds(&done(), sourced, "has a source although only packets have one");
    }
}

#[test]
fn a_changed_event_detail_is_found() {
    let exchange = done();
    let leaves = exchange.leaves();
    assert_eq!(problem(&exchange, 0), None);
    for row in leaves.iter().filter(|row| row.handoff.is_some()) {
        let said: serde_json::Map<_, _> = serde_json::from_str(&row.detail).unwrap();
        let is_last = row.n == leaves.len() as u64 - 1;
        for member in ["actor", "task", "from", "to", "after", "risk", "before", "reason"] {
            // The earlier receiver and risk are not stored.
            if !is_last && matches!(member, "to" | "risk") {
                continue;
            }
            let mut other = said.clone();
            other.insert(member.to_owned(), "never".into());
            if row.previous.is_none() && member == "before" {
                continue;
            }
            let exchange = done();
            let change = |tables: &mut TamperedTables<'_>| {
                let detail = json!(other).to_string();
                tables.leaves().filter(|one| one.n == row.n).for_each(|one| {
                    one.detail.clone_from(&detail);
                });
            };
            // The state must differ from the one that the next event starts from.
            let is_after = member == "after" && !is_last;
            let expected = if is_after { "the state" } else { &format!("leaf {}", row.n) };
            finds(&exchange, change, expected);
        }
    }
    let exchange = done();
    let quinn = |row: &mut LeafRow| {
        if row.n == leaves.len() as u64 - 1 {
            row.detail = json!({ "actor": "quinn", "reason": "never" }).to_string();
        }
    };
    finds(&exchange, |tables| tables.leaves().for_each(quinn), "the reason of its event");
}

fn party(record: &mut Record, name: &str, change: fn(&mut Party)) {
    if let Record::Party(party) = record
        && party.name == name
    {
        change(party);
    }
}

#[test]
fn a_changed_party_or_token_is_found() {
    let exchange = || {
        let exchange = gated();
        let create = CreateToken { party: "ben".to_owned(), ..CreateToken::default() };
        exchange.run("pia", Command::CreateToken(create)).unwrap();
        exchange
    };
    let check = |change: fn(&mut Record), expected: &str| {
        finds(&exchange(), |tables| tables.records().for_each(change), expected);
    };
    let other = "differs from the one recorded here";
    check(|record| party(record, "ben", |ben| ben.kind = PartyKind::Human), other);
    check(|record| party(record, "ben", |ben| ben.aliases.push("pia".to_owned())), other);
    check(|record| party(record, "ben", |ben| ben.authority = Some(Vec::new())), other);
    check(|record| party(record, "ben", |ben| ben.skills.push("python".to_owned())), other);
    check(|record| party(record, "role:people", |role| role.members.clear()), other);
    let another = |record: &mut Record| {
        if let Record::Token(token) = record {
            token.hash = Hash::ZERO;
        }
    };
    check(another, "differs from the one recorded here");
}

#[test]
fn a_changed_reason_of_a_halt_is_found() {
    let exchange = claimed();
    let request = Halt { is_lift: false, reason: Some("a drill".to_owned()) };
    exchange.run("pia", Command::Halt(request)).unwrap();
    let lie = |row: &mut LeafRow| row.detail = row.detail.replace("a drill", "an attack");
    let expected = "leaf 7: the reason of its event differs from the commitment";
    finds(&exchange, |tables| tables.leaves().for_each(lie), expected);
}

/// A forged goal on a held handoff once passed every check, and people decide by it.
#[test]
fn what_lists_show_is_computed_from_the_documents_and_leaves() {
    type Forgery = fn(&mut Handoff);
    let later = |at: &mut jiff::Timestamp| *at += std::time::Duration::from_secs(1);
    let forged: [(Forgery, &str); 12] = [
        (|one| one.facts_mut().summary.title = "Pay Eve".to_owned(), "stored title"),
        (|one| one.facts_mut().summary.bytes += 1, "stored size"),
        (|one| one.facts_mut().summary.confidence = Some(1.0), "stored confidence"),
        (|one| one.facts_mut().summary.trigger = Some("label".to_owned()), "stored trigger"),
        (|one| one.facts_mut().summary.classification = Some("pii".to_owned()), "classification"),
        (|one| one.facts_mut().summary.asks_return = false, "stored `return_required`"),
        (|one| one.facts_mut().summary.expires_at = Some(one.facts.submitted_at), "deadline"),
        (|one| one.facts_mut().summary.gates.push("release".to_owned()), "stored gates"),
        (|one| one.facts_mut().task.push('x'), "task"),
        (|one| one.progress.checkpoint = None, "stored checkpoint"),
        (|one| one.facts_mut().summary.steps = None, "stored steps"),
        (|one| one.progress.checkpoint.as_mut().unwrap().steps = None, "stored progress"),
    ];
    for (forge, expected) in forged {
        finds_in_handoff(&done(), forge, expected);
    }
    finds(
        &done(),
        |tables| tables.handoffs(|one| later(&mut one.facts_mut().submitted_at)),
        "the stored time of `submitted` is that of no leaf",
    );
    finds(
        &claimed(),
        |tables| {
            tables.handoffs(|one| {
                if let State::Claimed(claim) = &mut one.progress.state {
                    later(&mut claim.since);
                }
            });
        },
        "the stored time of `since` is that of no leaf",
    );
}

#[test]
fn an_offer_and_a_claim_of_the_future_begin_when_the_clock_is_set_back() {
    let exchange = Exchange::new();
    let days = Duration::from_hours(40 * 24);
    exchange.clock.advance(days);
    exchange.run("ana", plain("offered")).unwrap();
    let claimed = id_of(&exchange.run("ana", plain("claimed")).unwrap());
    exchange.run("ben", claim_of(Some(claimed), None)).unwrap();
    exchange.clock.step_back(days);
    exchange.run("pia", Command::ResetClock(ResetClock)).unwrap();
    assert_eq!(problem(&exchange, 0), None);
    // A leaf of a handoff after the step, and a check that begins after it.
    let leaves = exchange.leaves().len() as u64;
    let delivered = mark_delivered::MarkDelivered { handoff: claimed, is_delivery: true };
    drop(exchange.run("ben", Command::MarkDelivered(delivered)));
    exchange.run("ana", plain("later")).unwrap();
    for from in [0, 1, leaves] {
        assert_eq!(problem(&exchange, from), None, "from {from}");
    }
    let forge = |tables: &mut TamperedTables<'_>| {
        tables.handoffs(|one| {
            if let State::Claimed(claim) = &mut one.progress.state {
                claim.since += SignedDuration::from_secs(1);
            }
        });
    };
    finds(&exchange, forge, "the stored time of `since` is that of no leaf");
}
