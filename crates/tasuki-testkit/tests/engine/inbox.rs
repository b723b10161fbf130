//! Returns in the inbox, before and after the deadline for their verdict.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Value, json};
use tasuki_api as api;
use tasuki_engine::command::Command;
use tasuki_engine::model::{ContractRecord, PartyKind, Scope, StateWord};
use tasuki_engine::ports::Clock as _;
use tasuki_engine::query::inbox::{InboxOrder, InboxPage};
use tasuki_engine::steps::question::ask;
use tasuki_engine::steps::{
    AddParty, Attention, Decline, PublishContract, Redrive, Reject, SeenVersion, begin,
    return_packet, verify,
};
use tasuki_packet::id::HandoffId;

use crate::fixture::{Exchange, claim_of, code, id_of, packet_of, run, shown, submit_of};

const DEADLINE: Duration = Duration::from_mins(10);

/// Creates an exchange with the agents `cem` and `dan`, `role:judges` of `ben`, `cem` and `pia`,
/// and a deadline for verdicts on returns of `ben`.
fn with_deadline() -> Exchange {
    with_contract(&json!({ "deadlines": { "verify": "10m" } }))
}

/// Creates the exchange with these members in the contract from `ana` to `ben`.
fn with_contract(more: &Value) -> Exchange {
    let mut exchange = Exchange::new();
    exchange.add("cem", PartyKind::Agent);
    exchange.add("dan", PartyKind::Agent);
    let members = ["ben", "cem", "pia"].map(str::to_owned).to_vec();
    let role = AddParty {
        name: "role:judges".to_owned(),
        kind: Some(PartyKind::Role),
        members,
        ..AddParty::default()
    };
    exchange.run("pia", Command::AddParty(role)).unwrap();
    let mut document = json!({
        "contract": "work", "version": "1.0", "from": ["ana"], "to": ["ben"],
        "fallback": [{ "to": "dead_letter" }],
        "payload_schema": {}, "scope": { "is": "work" }, "confidence": { "required": false },
        "provenance": { "require": [] },
    });
    document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let contract = ContractRecord { document, schemas: BTreeMap::new() };
    exchange.run("pia", Command::PublishContract(PublishContract(contract))).unwrap();
    exchange
}

/// Submits a return of `ben` to `ana` that `judge` verifies after the deadline.
fn returned(exchange: &Exchange, task: &str, judge: &str, more: &Value) -> HandoffId {
    let mut packet = json!({
        "return_required": ["status"], "fallback": [{ "to": judge }], "payload": [],
    });
    packet.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let id = id_of(&exchange.run("ana", submit_of(task, &packet)).unwrap());
    let claimed = exchange.run("ben", claim_of(Some(id), None)).unwrap();
    let source = packet_of("return", task);
    let back = return_packet::Return { claim: shown(&claimed), source, work_tree: None };
    exchange.run("ben", Command::Return(back)).unwrap();
    id
}

fn read(exchange: &Exchange, name: &str, limit: u32) -> api::Inbox {
    run(exchange.engine.inbox(exchange.project, &exchange.parties[name], InboxPage::first(limit)))
        .unwrap()
}

/// Returns the whole inbox, in pages of this length.
fn in_pages(exchange: &Exchange, name: &str, limit: u32) -> Vec<String> {
    in_pages_by(exchange, name, InboxOrder::Urgent, limit)
}

fn in_pages_by(exchange: &Exchange, name: &str, order: InboxOrder, limit: u32) -> Vec<String> {
    let (mut all, mut behind) = (Vec::new(), None);
    loop {
        let principal = &exchange.parties[name];
        let page = InboxPage { order, behind, limit };
        let page = run(exchange.engine.inbox(exchange.project, principal, page)).unwrap();
        assert_eq!(page.more, page.next.is_some());
        all.extend(page.handoffs.into_iter().map(|one| one.task));
        let Some(next) = page.next else { return all };
        behind = Some(next.parse().unwrap());
    }
}

#[test]
fn pages_give_the_whole_inbox_even_past_declined_offers() {
    let mut exchange = Exchange::new();
    exchange.add("cem", PartyKind::Agent);
    let members = ["ben", "cem"].map(str::to_owned).to_vec();
    let role = AddParty {
        name: "role:team".to_owned(),
        kind: Some(PartyKind::Role),
        members,
        ..AddParty::default()
    };
    exchange.run("pia", Command::AddParty(role)).unwrap();
    let mut expected = Vec::new();
    for number in 0..40 {
        let task = format!("task-{number:02}");
        exchange.clock.advance(Duration::from_secs(1));
        let to = if number < 10 || number % 3 == 0 { "role:team" } else { "ben" };
        let submitted = exchange.run("ana", submit_of(&task, &json!({ "to_agent": to }))).unwrap();
        // The declined ones come first, and fill whole pages.
        if number < 10 {
            let reason = Some("no time".to_owned());
            let decline = Decline { handoff: id_of(&submitted), reason };
            exchange.run("ben", Command::Decline(decline)).unwrap();
        } else {
            expected.push(task);
        }
    }
    for limit in [1, 3, 7, 30, 50] {
        assert_eq!(in_pages(&exchange, "ben", limit), expected, "by {limit}");
    }
    let first = read(&exchange, "ben", 2);
    exchange.run("ben", claim_of(Some(first.handoffs[1].id.parse().unwrap()), None)).unwrap();
    let behind = first.next.map(|next| next.parse().unwrap());
    let ben = &exchange.parties["ben"];
    let page = InboxPage { behind, ..InboxPage::first(2) };
    let second = run(exchange.engine.inbox(exchange.project, ben, page)).unwrap();
    assert_eq!(tasks(&second), expected[2..4], "a claim meanwhile hides nothing");
}

fn tasks(inbox: &api::Inbox) -> Vec<&str> {
    inbox.handoffs.iter().map(|one| one.task.as_str()).collect()
}

fn check(exchange: &Exchange, expected: &[(&str, &[&str])]) {
    for (name, expected) in expected {
        assert_eq!(tasks(&read(exchange, name, 50)), *expected, "the inbox of {name}");
    }
}

/// Returns the failures in an inbox, as `task kind cause by`.
fn failures(exchange: &Exchange, name: &str) -> Vec<String> {
    let read = read(exchange, name, 50);
    let line = |one: &api::InboxFailure| {
        let or_none = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
        let (cause, by) = (or_none(&one.cause), or_none(&one.by));
        format!("{} {} {cause} {by}", one.handoff.task, one.kind)
    };
    read.failures.iter().map(line).collect()
}

fn acknowledge(exchange: &Exchange, name: &str) -> u64 {
    let seen: Vec<(HandoffId, u64)> = read(exchange, name, 50)
        .failures
        .iter()
        .map(|one| (one.handoff.id.parse().unwrap(), one.n))
        .collect();
    run(exchange.engine.acknowledge(exchange.project, &exchange.parties[name], &seen)).unwrap()
}

/// Creates an exchange in which `pia` rejected one handoff of `ana`, and `ben` declined another.
fn with_failures() -> (Exchange, HandoffId, HandoffId) {
    let mut exchange = Exchange::new();
    exchange.add("cem", PartyKind::Agent);
    exchange.add("quin", PartyKind::Human);
    let held = json!({ "can_intercept": true });
    let rejected = id_of(&exchange.run("ana", submit_of("refused", &held)).unwrap());
    let reason = Some("not today".to_owned());
    let reject = Reject { handoff: rejected, reason: reason.clone(), seen: SeenVersion::default() };
    exchange.run("pia", Command::Reject(reject)).unwrap();
    exchange.clock.advance(Duration::from_secs(1));
    let dead = id_of(&exchange.run("ana", submit_of("stuck", &json!({}))).unwrap());
    exchange.run("ben", Command::Decline(Decline { handoff: dead, reason })).unwrap();
    (exchange, rejected, dead)
}

#[test]
fn failures_are_in_the_inbox_of_the_sender_and_of_operators_until_each_acknowledges_them() {
    let (exchange, rejected, _) = with_failures();
    let both = ["refused rejected - pia", "stuck dead declined ben"];
    for name in ["ana", "quin"] {
        assert_eq!(failures(&exchange, name), both, "the inbox of {name}");
    }
    assert_eq!(failures(&exchange, "pia"), both[1..], "she knows what she rejected");
    for name in ["ben", "cem"] {
        assert_eq!(failures(&exchange, name), [""; 0], "the inbox of {name}");
    }
    let read_by_ana = read(&exchange, "ana", 50);
    let first = &read_by_ana.failures[0];
    assert_eq!(first.reason.as_deref(), Some("not today"));
    assert_eq!(first.handoff.id, rejected.to_string());
    assert!(first.since < read_by_ana.failures[1].since);

    let leaves = run(exchange.engine.head(exchange.project)).unwrap().leaves;
    assert_eq!(acknowledge(&exchange, "ana"), 2);
    assert_eq!(acknowledge(&exchange, "ana"), 0);
    assert_eq!(failures(&exchange, "ana"), [""; 0]);
    assert_eq!(failures(&exchange, "quin"), both);
    assert_eq!(run(exchange.engine.head(exchange.project)).unwrap().leaves, leaves);
}

#[test]
fn a_person_without_the_scope_admin_sees_only_the_failures_of_what_they_sent() {
    let (mut exchange, rejected, _) = with_failures();
    let quin = exchange.parties.get_mut("quin").unwrap();
    quin.scopes = [Scope::Read, Scope::Decide].into_iter().collect();
    assert_eq!(failures(&exchange, "quin"), [""; 0]);
    let quin = &exchange.parties["quin"];
    let refused = run(exchange.engine.acknowledge(exchange.project, quin, &[(rejected, 9)]));
    assert_eq!(
        refused.unwrap_err().to_string(),
        format!("handoff {rejected} is not in your inbox")
    );
}

#[test]
fn an_acknowledgement_covers_no_later_failure() {
    let (exchange, _, dead) = with_failures();
    let before = read(&exchange, "pia", 50);
    assert_eq!(acknowledge(&exchange, "pia"), 1);
    let redrive = Redrive {
        handoff: dead,
        reason: Some("again".to_owned()),
        attention: Attention::default(),
    };
    exchange.run("pia", Command::Redrive(redrive)).unwrap();
    assert_eq!(failures(&exchange, "ana"), ["refused rejected - pia"], "it is redriven");
    let decline = Decline { handoff: dead, reason: Some("no".to_owned()) };
    exchange.run("ben", Command::Decline(decline)).unwrap();
    assert_eq!(failures(&exchange, "pia"), ["stuck dead declined ben"]);
    let old = vec![(dead, before.failures[0].n)];
    let pia = &exchange.parties["pia"];
    assert_eq!(run(exchange.engine.acknowledge(exchange.project, pia, &old)).unwrap(), 0);
    assert_eq!(failures(&exchange, "pia"), ["stuck dead declined ben"]);
}

fn verdict(exchange: &Exchange, handoff: HandoffId) -> Command {
    let return_packet = exchange.waiting_return(handoff);
    Command::Verify(verify::Verify {
        handoff,
        return_packet,
        is_good: true,
        reason: None,
        attention: Attention::default(),
    })
}

#[test]
fn a_return_of_its_own_sender_is_in_the_inbox_of_all_verifiers() {
    let mut exchange = with_deadline();
    exchange.add("quin", PartyKind::Human);
    let members = vec!["ana".to_owned(), "dan".to_owned()];
    let reviewers = AddParty {
        name: "role:reviewer".to_owned(),
        kind: Some(PartyKind::Role),
        members,
        ..AddParty::default()
    };
    exchange.run("pia", Command::AddParty(reviewers)).unwrap();
    for (who, task) in [("ana", "a"), ("pia", "p")] {
        let source = json!({
            "handoff_version": "1.0", "task_id": task, "status": "in_progress", "goal": "Ship it",
            "completed": [], "remaining": [], "return_required": ["status"],
        });
        let source = source.to_string().into_bytes();
        let begin = begin::Begin { source, ..begin::Begin::default() };
        let begun = exchange.run(who, Command::Begin(begin)).unwrap();
        let source = packet_of("return", task);
        let back = return_packet::Return { claim: shown(&begun), source, work_tree: None };
        let returned = exchange.run(who, Command::Return(back)).unwrap();
        assert_eq!(returned.handoff.unwrap().state, "returned");
    }
    check(
        &exchange,
        &[
            ("ana", &["p"]),
            ("pia", &["a"]),
            ("quin", &["a", "p"]),
            ("dan", &["a", "p"]),
            ("cem", &[]),
        ],
    );
    let first = read(&exchange, "dan", 1).handoffs[0].id.parse().unwrap();
    exchange.run("dan", verdict(&exchange, first)).unwrap();
    check(&exchange, &[("pia", &[]), ("quin", &["p"])]);
}

#[test]
fn a_return_that_only_people_may_verify_is_in_the_inbox_of_people() {
    let mut exchange = with_contract(&json!({ "verify": "person" }));
    exchange.add("quin", PartyKind::Human);
    let id = returned(&exchange, "one", "dead_letter", &json!({}));
    check(
        &exchange,
        &[("ana", &[]), ("ben", &[]), ("cem", &[]), ("pia", &["one"]), ("quin", &["one"])],
    );
    assert_eq!(code(&exchange.run("ana", verdict(&exchange, id))), "TK-PERSON-NEEDED");
    assert_eq!(code(&exchange.run("quin", verdict(&exchange, id))), "done");
    check(&exchange, &[("pia", &[]), ("quin", &[])]);
}

#[test]
fn an_overdue_return_is_in_the_inbox_of_its_verifier() {
    let exchange = with_deadline();
    let ids = [("agent", "cem"), ("role", "role:judges"), ("person", "pia")]
        .map(|(task, judge)| (judge, returned(&exchange, task, judge, &json!({}))));
    let all = ["agent", "role", "person"];
    check(&exchange, &[("ana", &all), ("ben", &[]), ("cem", &[]), ("dan", &[]), ("pia", &[])]);

    exchange.clock.advance(DEADLINE);
    // It stays in the inbox of its sender, and no one sees their own return.
    check(
        &exchange,
        &[
            ("ana", &all),
            ("ben", &[]),
            ("cem", &["agent", "role"]),
            ("dan", &[]),
            ("pia", &["role", "person"]),
        ],
    );

    // A party that finds it there may verify it, and then it is in no inbox.
    for (judge, id) in ids {
        let judge = if judge == "pia" { "pia" } else { "cem" };
        assert_eq!(code(&exchange.run("dan", verdict(&exchange, id))), "TK-NOT-ALLOWED");
        assert_eq!(code(&exchange.run(judge, verdict(&exchange, id))), "done");
    }
    check(&exchange, &[("ana", &[]), ("ben", &[]), ("cem", &[]), ("pia", &[])]);
}

#[test]
fn a_sender_who_verifies_finds_the_return_once() {
    let exchange = with_deadline();
    returned(&exchange, "one", "ana", &json!({}));
    exchange.clock.advance(DEADLINE);
    check(&exchange, &[("ana", &["one"])]);
}

#[test]
fn returns_to_verify_are_ordered_by_risk_and_time() {
    let exchange = with_deadline();
    exchange.run("ana", submit_of("first", &json!({ "to_agent": "cem" }))).unwrap();
    returned(&exchange, "second", "cem", &json!({}));
    returned(&exchange, "urgent", "role:judges", &json!({ "confidence": 0.1 }));
    exchange.clock.advance(DEADLINE);
    run(exchange.engine.apply_due(exchange.project, &exchange.parties["pia"])).unwrap();
    // The verifiers have the same deadline.
    exchange.clock.advance(DEADLINE / 2);
    exchange.run("ana", submit_of("third", &json!({ "to_agent": "cem" }))).unwrap();

    let expected = ["urgent", "first", "second", "third"];
    for limit in 1..=4 {
        let inbox = read(&exchange, "cem", limit);
        assert_eq!(tasks(&inbox), expected[..limit as usize]);
        assert_eq!(inbox.more, limit < 4, "{limit}");
    }
}

#[test]
fn an_inbox_by_deadline_gives_every_handoff_once_whoever_it_waits_for() {
    let exchange = Exchange::new();
    let start = exchange.clock.now();
    // Offers to ben, questions to ben and claims of ben come from different lists.
    for (number, minutes) in (0..).zip([50, 20, 40, 10, 30, 60]) {
        let expires_at = start + Duration::from_secs(minutes * 60);
        let (from, to) = if number % 2 == 0 { ("ana", "ben") } else { ("ben", "ana") };
        let packet =
            json!({ "from_agent": from, "to_agent": to, "expires_at": expires_at.to_string() });
        let id = id_of(&exchange.run(from, submit_of(&format!("in-{minutes}"), &packet)).unwrap());
        if from == "ben" {
            let text = "which one?".to_owned();
            let ask = ask::Ask { handoff: id, field: None, text, is_blocking: false };
            exchange.run("ana", Command::Ask(ask)).unwrap();
        } else if number == 4 {
            exchange.run("ben", claim_of(Some(id), None)).unwrap();
        }
    }
    exchange.run("ana", submit_of("never", &json!({ "to_agent": "ben" }))).unwrap();
    let all = in_pages_by(&exchange, "ben", InboxOrder::Deadline, 50);
    assert_eq!(all.len(), 7, "{all:?}");
    assert_eq!(all[6], "never");
    let inbox = read(&exchange, "ben", 50);
    let due = |task: &String| inbox.handoffs.iter().find(|one| one.task == *task).unwrap().due_at;
    assert!(all[..6].is_sorted_by_key(due), "{all:?}");
    for limit in 1..=7 {
        assert_eq!(in_pages_by(&exchange, "ben", InboxOrder::Deadline, limit), all, "by {limit}");
    }
    // The party that answers reads the question in its row, and no one else does.
    let question = |name: &str| {
        let inbox = read(&exchange, name, 50);
        inbox.handoffs.into_iter().find(|one| one.task == "in-20").unwrap().question
    };
    assert_eq!(question("ben").as_deref(), Some("which one?"));
    assert_eq!(question("ana"), None);
}

/// A project may have many returns: an inbox queries only those of its party and the few without a
/// named verifier.
#[test]
fn an_inbox_never_scans_all_returns() {
    let exchange = with_deadline();
    returned(&exchange, "one", "cem", &json!({}));
    exchange.clock.advance(DEADLINE);
    for name in ["ana", "cem", "pia"] {
        exchange.store.probe.queries.lock().unwrap().clear();
        read(&exchange, name, 50);
        let asked = exchange.store.probe.queries.lock().unwrap();
        assert!(!asked.is_empty());
        for query in asked.iter() {
            let is_of_party = !query.senders.is_empty() || !query.judges.is_empty();
            let is_of_few = is_of_party || query.left_to_others || query.failures_for.is_some();
            let may_bring_returns =
                query.states.is_empty() || query.states.contains(&StateWord::Returned);
            assert!(is_of_few || !may_bring_returns, "{name}: {query:?}");
        }
    }
}
