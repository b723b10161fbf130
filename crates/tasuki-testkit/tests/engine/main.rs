//! The engine on a store: keys, batches, faults, clocks and workers.
//!
//! The decisions of the rules are tested beside the rules. Here is what holds for all of them: a
//! response means durable, a fault affects only its cause, and the log has no gap.

#[cfg(test)]
mod bounded_reads;
#[cfg(test)]
mod counting_store;
#[cfg(test)]
mod fixture;
#[cfg(test)]
mod inbox;
#[cfg(test)]
mod log_check;
#[cfg(test)]
mod overview;
#[cfg(test)]
mod search;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::json;
use tasuki_api::{CommandResponse, Token};
use tasuki_engine::command::Command;
use tasuki_engine::engine::{Call, Engine};
use tasuki_engine::error::Error;
use tasuki_engine::limits::{BATCH_MAX, DUE_PER_BATCH, QUEUE_MAX};
use tasuki_engine::model::{DocumentKind, PartyKind, Scope, Scopes, Settings, StateWord};
use tasuki_engine::ports::{Store, Stored};
use tasuki_engine::steps::{
    AddParty, ApplyDue, Attention, CreateToken, Decline, Halt, PassOn, Redrive, SetSettings, begin,
    checkpoint, return_packet,
};
use tasuki_packet::leaf::{EventType, Leaf};
use tasuki_testkit::clock::{ManualClock, SeededEntropy};
use tasuki_testkit::memory::{FaultPoint, MemoryStore};

use crate::fixture::{
    Exchange, Waiting, begin_all, claim_of, code, id_of, packet_of, plain, run, shown, submit_of,
};

const DAY: Duration = Duration::from_hours(24);

#[test]
fn the_same_key_and_request_have_the_same_response_and_another_request_is_refused() {
    let exchange = Exchange::new();
    let first = exchange.keyed("ana", plain("one"), "k").unwrap();
    let again = exchange.keyed("ana", plain("one"), "k").unwrap();
    assert_eq!(again, CommandResponse { repeated: true, ..first });
    assert_eq!(code(&exchange.keyed("ana", plain("two"), "k")), "TK-KEY-REUSED");
    assert_eq!(exchange.open_of("one"), 1);
    assert_eq!(exchange.open_of("two"), 0);
    // A key belongs to one party and one command.
    assert_eq!(code(&exchange.keyed("pia", plain("two"), "k")), "done");
    assert_eq!(code(&exchange.keyed("ana", Command::ApplyDue(ApplyDue), "k")), "done");
    // Also within one batch.
    let call = || exchange.call("ana", plain("three"), Some("b"));
    let codes: Vec<_> = exchange.run_as_batch(vec![call(), call()]).iter().map(code).collect();
    assert_eq!(codes, ["done", "repeated"]);
    for key in ["", "two words", &"k".repeat(201)] {
        assert_eq!(code(&exchange.keyed("ana", plain("four"), key)), "TK-ARGUMENT-INVALID");
    }
    exchange.check_log();
}

/// Lifting a halt rewrites nothing: a stored due time is postponed when it comes up, however many
/// there are.
#[test]
fn a_due_time_postponed_by_a_halt_is_updated_when_it_comes_up() {
    const HALF: usize = DUE_PER_BATCH * 2 / 3;
    let exchange = Exchange::new();
    let ladder = json!({ "fallback": [{ "after": "1h", "to": "dead_letter" }] });
    for half in ["one", "other"] {
        let task = |number| format!("{half}-{number}");
        let submit = |number| exchange.call("ana", submit_of(&task(number), &ladder), None);
        exchange.run_as_batch((0..HALF).map(submit).collect());
        exchange.clock.advance(Duration::from_millis(1));
    }
    let halt = |is_lift| {
        let reason = Some("a drill".to_owned());
        exchange.run("pia", Command::Halt(Halt { is_lift, reason })).unwrap();
    };
    halt(false);
    exchange.clock.advance(DAY);
    let written = exchange.store.probe.handoffs_written.load(Ordering::SeqCst);
    halt(true);
    assert_eq!(exchange.store.probe.handoffs_written.load(Ordering::SeqCst), written);

    let next_due = || run(exchange.store.next_due(exchange.project)).unwrap().unwrap();
    let (leaves, noted) = (exchange.leaves().len(), next_due());
    let settle = || run(exchange.engine.apply_due(exchange.project, &exchange.parties["pia"]));
    settle().unwrap();
    assert_eq!(exchange.leaves().len(), leaves);
    assert_eq!(next_due(), noted + DAY);
    exchange.clock.advance(Duration::from_hours(1));
    settle().unwrap();
    let counts = run(exchange.store.counts(exchange.project)).unwrap();
    let dead = u64::try_from(HALF * 2).unwrap();
    assert!(counts.states.contains(&(StateWord::Dead, dead)), "{counts:?}");
    exchange.check_log();
}

/// The text of a token is in one response; the idempotency record does not contain it.
#[test]
fn the_text_of_a_token_is_returned_once_and_its_id_is_replayed() {
    let exchange = Exchange::new();
    let create =
        || Command::CreateToken(CreateToken { party: "ben".to_owned(), ..CreateToken::default() });
    // Also within one batch.
    let call = || exchange.call("pia", create(), Some("k"));
    let answers = exchange.run_as_batch(vec![call(), call()]);
    let [first, second] = <[_; 2]>::try_from(answers).unwrap().map(Result::unwrap);
    let (first, again) = (first.token.unwrap(), exchange.keyed("pia", create(), "k").unwrap());
    assert!(first.text.is_some());
    for answer in [second, again] {
        assert!(answer.repeated);
        assert_eq!(answer.notes, ["the text of a token is shown once, in the first response"]);
        assert_eq!(answer.token.as_deref(), Some(&Token { text: None, ..(*first).clone() }));
    }
    // Another request is another token, and an unauthorized credential gets no replay.
    let other = exchange.keyed("pia", create(), "other").unwrap().token.unwrap();
    assert_ne!(other.id, first.id);
    let mut call = exchange.call("pia", create(), Some("k"));
    call.principal.scopes = Scopes::none().with(Scope::Read);
    assert_eq!(code(&run(exchange.engine.run(call))), "TK-SCOPE-MISSING");
    exchange.check_log();
}

#[test]
fn a_key_is_forgotten_after_seven_days_unless_it_opened_a_task_or_passed_one_on() {
    let exchange = Exchange::new();
    let begin_of = |task: &str| {
        let Command::Submit(request) = plain(task) else { unreachable!() };
        let source = request.source;
        Command::Begin(begin::Begin { source, ..Default::default() })
    };
    let party =
        |name: &str| Command::AddParty(AddParty { name: name.to_owned(), ..AddParty::default() });
    exchange.keyed("ana", plain("one"), "k").unwrap();
    let begun = exchange.keyed("ana", begin_of("two"), "k").unwrap();
    let pass_on = |task: &str| {
        let Command::Submit(request) = plain(task) else { unreachable!() };
        Command::PassOn(PassOn::new(shown(&begun), request.source))
    };
    exchange.keyed("ana", pass_on("two"), "k").unwrap();
    exchange.keyed("ana", party("eva"), "k").unwrap();
    exchange.clock.advance(7 * DAY);
    exchange.clock.step_back(Duration::from_micros(1));
    assert_eq!(code(&exchange.keyed("ana", party("fay"), "k")), "TK-KEY-REUSED");
    exchange.clock.advance(Duration::from_micros(1));
    assert_eq!(code(&exchange.keyed("ana", party("fay"), "k")), "done");
    exchange.clock.advance(1000 * DAY);
    for command in [plain("three"), begin_of("three"), pass_on("three")] {
        assert_eq!(code(&exchange.keyed("ana", command, "k")), "TK-KEY-REUSED");
    }
    for command in [plain("one"), begin_of("two"), pass_on("two")] {
        assert_eq!(code(&exchange.keyed("ana", command, "k")), "repeated");
    }
}

#[test]
fn a_replay_returns_the_first_response_even_if_the_request_would_be_refused_now() {
    let exchange = Exchange::new();
    exchange.keyed("ana", plain("one"), "k").unwrap();
    let strict = Settings { allows_edges_without_contract: false, ..Settings::default() };
    exchange.run("pia", Command::SetSettings(SetSettings(strict.members()))).unwrap();
    assert_eq!(code(&exchange.keyed("ana", plain("one"), "k")), "repeated");
    assert_eq!(code(&exchange.keyed("ana", plain("two"), "new")), "TK-EDGE-REFUSED");
    assert_eq!(code(&exchange.run("ana", plain("two"))), "TK-EDGE-REFUSED");
}

#[test]
fn many_callers_share_one_commit() {
    let exchange = Exchange::new();
    let before = exchange.store.probe.committed.load(Ordering::SeqCst);
    let call = |number: usize| exchange.call("ana", plain(&format!("task-{number}")), None);
    let answers = exchange.run_as_batch((0..BATCH_MAX).map(call).collect());
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(exchange.store.probe.committed.load(Ordering::SeqCst) - before, 1);
    let numbers: Vec<u64> =
        answers.iter().map(|answer| answer.as_ref().unwrap().n.unwrap()).collect();
    assert!(numbers.is_sorted() && numbers.len() == BATCH_MAX);
    exchange.check_log();
}

#[test]
fn a_command_that_panics_is_refused_alone() {
    let exchange = Exchange::new();
    let calls = ["one", "two", "three"].map(|task| {
        let id = id_of(&exchange.run("ana", plain(task)).unwrap());
        exchange.call("ben", claim_of(Some(id), None), None)
    });
    *exchange.store.probe.corrupt_task.lock().unwrap() = Some("two".to_owned());
    let answers = exchange.run_as_batch(calls.to_vec());
    let codes: Vec<_> = answers.iter().map(code).collect();
    assert_eq!(codes, ["done", "TK-INTERNAL-BUG", "done"]);
    let message = answers[1].as_ref().unwrap_err().to_string();
    assert_eq!(message, "internal error while deciding `claim`; nothing was changed");
    exchange.check_log();
}

#[test]
fn a_command_whose_write_fails_is_refused_alone() {
    let exchange = Exchange::new();
    *exchange.store.probe.unwritable_task.lock().unwrap() = Some("two".to_owned());
    let calls = ["one", "two", "three"].map(|task| exchange.call("ana", plain(task), None));
    let codes: Vec<_> = exchange.run_as_batch(calls.to_vec()).iter().map(code).collect();
    assert_eq!(codes, ["done", "TK-STORE-IO", "done"]);
    assert_eq!((exchange.open_of("one"), exchange.open_of("two")), (1, 0));
    exchange.check_log();
}

#[test]
fn an_unavailable_store_fails_every_call_and_changes_nothing() {
    let exchange = Exchange::new();
    for task in ["one", "two"] {
        exchange.store.memory.fail_next(FaultPoint::Open);
        assert_eq!(code(&exchange.run("ana", plain(task))), "TK-STORE-UNAVAILABLE");
        assert_eq!(exchange.open_of(task), 0);
        assert_eq!(code(&exchange.run("ana", plain(task))), "done");
    }
    exchange.check_log();
}

#[test]
fn an_unknown_outcome_is_reported_to_every_caller_and_resolved_by_its_key() {
    let exchange = Exchange::new();
    let calls = ["one", "two", "three"].map(|task| exchange.call("ana", plain(task), Some(task)));
    exchange.store.memory.fail_next(FaultPoint::AfterCommit);
    let codes: Vec<_> = exchange.run_as_batch(calls.to_vec()).iter().map(code).collect();
    assert_eq!(codes, ["TK-OUTCOME-UNKNOWN"; 3]);
    for call in calls {
        assert_eq!(code(&run(exchange.engine.run(call))), "repeated");
    }
    assert_eq!(exchange.open_of("one"), 1);
    exchange.check_log();
}

#[test]
fn time_never_runs_backwards_and_a_step_back_is_recorded_once() {
    let exchange = Exchange::new();
    let steps = || exchange.events().iter().filter(|name| **name == "clock.stepped").count();
    let hour = Duration::from_hours(1);
    exchange.run("ana", plain("one")).unwrap();
    exchange.clock.step_back(Duration::from_millis(900));
    exchange.run("ana", plain("two")).unwrap();
    assert_eq!(steps(), 0);
    exchange.clock.step_back(hour);
    exchange.store.memory.fail_next(FaultPoint::Commit);
    assert_eq!(code(&exchange.run("ana", plain("three"))), "TK-STORE-FULL");
    for task in ["three", "four"] {
        exchange.run("ana", plain(task)).unwrap();
    }
    assert_eq!(steps(), 1);
    // Another process on the same store does not record it again.
    let (store, clock) = (Arc::new(exchange.store.clone()), Arc::new(exchange.clock.clone()));
    let other = Engine::start(store, clock, Arc::new(SeededEntropy::new(8)));
    run(other.run(exchange.call("ana", plain("five"), None))).unwrap();
    assert_eq!(steps(), 1);
    // A second step is recorded again.
    exchange.clock.advance(2 * hour);
    exchange.run("ana", plain("six")).unwrap();
    exchange.clock.step_back(hour);
    exchange.run("ana", plain("seven")).unwrap();
    assert_eq!(steps(), 2);
    exchange.check_log();
}

#[test]
fn every_document_belongs_to_the_leaf_that_commits_to_it() {
    let exchange = Exchange::new();
    let more = json!({ "return_required": ["status"] });
    let id = id_of(&exchange.run("ana", submit_of("one", &more)).unwrap());
    let claimed = exchange.run("ben", claim_of(Some(id), None)).unwrap();
    let claim = shown(&claimed);
    let source = packet_of("checkpoint", "one");
    let progress = checkpoint::Checkpoint { claim, source, work_tree: None };
    exchange.run("ben", Command::Checkpoint(progress)).unwrap();
    let source = packet_of("return", "one");
    let back = return_packet::Return { claim, source, work_tree: None };
    exchange.run("ben", Command::Return(back)).unwrap();
    let stored = run(exchange.store.documents(exchange.project, id, None)).unwrap();
    assert_eq!(stored.len(), 3);
    let leaves = exchange.leaves();
    for Stored { n, document } in stored {
        let row = leaves.iter().find(|row| row.n == n).unwrap();
        let leaf = Leaf::read(row.leaf.as_bytes()).unwrap();
        let (commitment, expected) = match document.kind {
            DocumentKind::Packet => (leaf.subject.map(|s| s.packet), EventType::Submitted),
            DocumentKind::Checkpoint => (leaf.document, EventType::Checkpointed),
            _ => (leaf.document, EventType::Returned),
        };
        assert_eq!((commitment, row.kind), (Some(document.sealed.commitment), expected));
    }
    exchange.check_log();
}

#[test]
fn an_action_of_a_person_does_not_change_the_taint_of_an_agents_packet() {
    let exchange = Exchange::new();
    let id = id_of(&exchange.run("ana", submit_of("one", &json!({ "to_agent": "pia" }))).unwrap());
    exchange.run("pia", claim_of(Some(id), None)).unwrap();
    exchange.clock.advance(DAY);
    exchange.run("pia", Command::ApplyDue(ApplyDue)).unwrap();
    let leaves = run(exchange.store.leaves_of(exchange.project, id)).unwrap();
    let taints = leaves.iter().map(|row| Leaf::read(row.leaf.as_bytes()).unwrap().taint);
    assert_eq!(taints.collect::<Vec<_>>(), [Some("agent"); 4]);
    let of_person = id_of(&exchange.run("pia", plain("two")).unwrap());
    let leaves = run(exchange.store.leaves_of(exchange.project, of_person)).unwrap();
    assert_eq!(Leaf::read(leaves[0].leaf.as_bytes()).unwrap().taint, Some("human"));
}

#[test]
fn a_dead_letter_is_not_redriven_beside_a_live_handoff_of_its_task() {
    let exchange = Exchange::new();
    let handoff = id_of(&exchange.run("ana", plain("one")).unwrap());
    let reason = Some("no time".to_owned());
    exchange.run("ben", Command::Decline(Decline { handoff, reason: reason.clone() })).unwrap();
    let other = submit_of("one", &json!({ "goal": "Ship it again" }));
    exchange.run("ana", other).unwrap();
    let redrive = Command::Redrive(Redrive { handoff, reason, attention: Attention::default() });
    assert_eq!(code(&exchange.run("pia", redrive)), "TK-TASK-LIVE");
}

#[test]
fn the_next_handoff_is_claimed_once_with_the_same_claim_key() {
    let exchange = Exchange::new();
    for task in ["one", "two"] {
        exchange.run("ana", plain(task)).unwrap();
    }
    let first = exchange.run("ben", claim_of(None, Some("s"))).unwrap();
    let again = exchange.run("ben", claim_of(None, Some("s"))).unwrap();
    assert_eq!((again.claim, again.repeated), (first.claim.clone(), true));
    // After that claim has expired, the key stands for a new one.
    exchange.clock.advance(Duration::from_mins(30));
    let later = exchange.run("ben", claim_of(None, Some("s"))).unwrap();
    assert!(!later.repeated);
    let other = exchange.run("ben", claim_of(None, Some("t"))).unwrap();
    assert_ne!(id_of(&other), id_of(&later));
    exchange.check_log();
}

#[test]
fn a_project_without_its_first_leaf_gets_it_the_next_time() {
    let store = MemoryStore::new();
    let clock = ManualClock::at("2026-11-15T10:00:00Z".parse().unwrap());
    let entropy = SeededEntropy::new(7);
    let engine = Engine::start(Arc::new(store.clone()), Arc::new(clock), Arc::new(entropy));
    store.fail_next(FaultPoint::Commit);
    assert!(run(engine.create_project("default", Settings::default())).is_err());
    let project = run(engine.create_project("default", Settings::default())).unwrap();
    assert_eq!(run(engine.create_project("default", Settings::default())).unwrap(), project);
    let leaves = run(store.leaves(project, 0, 10)).unwrap();
    assert_eq!(leaves.len(), 1);
    assert_eq!(leaves[0].kind, EventType::ProjectCreated);
}

#[test]
fn due_deadlines_are_applied_before_a_list_is_read() {
    let exchange = Exchange::new();
    let more = json!({ "expires_at": "2026-11-15T11:00:00Z" });
    let call =
        |number: usize| exchange.call("ana", submit_of(&format!("task-{number}"), &more), None);
    let count = BATCH_MAX + 44;
    exchange.run_as_batch((0..count).map(call).collect());
    exchange.clock.advance(Duration::from_hours(1));
    run(exchange.engine.apply_due(exchange.project, &exchange.parties["pia"])).unwrap();
    let counts = run(exchange.store.counts(exchange.project)).unwrap();
    assert!(counts.states.contains(&(StateWord::Dead, count as u64)));
}

#[test]
fn a_list_is_read_although_the_disk_has_no_space_for_what_is_due() {
    let exchange = Exchange::new();
    let more = json!({ "expires_at": "2026-11-15T11:00:00Z" });
    exchange.run("ana", submit_of("one", &more)).unwrap();
    exchange.clock.advance(Duration::from_hours(2));
    let apply = || exchange.engine.apply_due(exchange.project, &exchange.parties["pia"]);
    let read = || exchange.engine.apply_due_before_read(exchange.project, &exchange.parties["pia"]);
    exchange.store.memory.fail_next(FaultPoint::Commit);
    assert!(matches!(run(apply()), Err(Error::Failed(fault)) if fault.code() == "TK-STORE-FULL"));
    exchange.store.memory.fail_next(FaultPoint::Commit);
    run(read()).unwrap();
    let dead = || {
        let counts = run(exchange.store.counts(exchange.project)).unwrap();
        counts.states.contains(&(StateWord::Dead, 1))
    };
    assert!(!dead());
    exchange.store.memory.fail_next(FaultPoint::Open);
    assert!(run(read()).is_err(), "other faults are not hidden");
    run(read()).unwrap();
    assert!(dead());
}

#[test]
fn an_idle_worker_ends_and_starts_again() {
    let exchange = Exchange::with_idle(Duration::ZERO);
    for number in 0..20 {
        exchange.run("ana", plain(&format!("task-{number}"))).unwrap();
        while number % 2 == 0 && exchange.engine.running_workers() > 0 {
            std::thread::yield_now();
        }
    }
    exchange.check_log();
}

#[test]
fn a_worker_whose_thread_failed_starts_again() {
    let exchange = Exchange::new();
    exchange.store.probe.panics_when_opened.store(true, Ordering::SeqCst);
    assert_eq!(code(&exchange.run("ana", plain("one"))), "TK-OUTCOME-UNKNOWN");
    assert_eq!(code(&exchange.run("ana", plain("one"))), "done");
}

#[test]
fn a_full_queue_refuses_and_loses_no_command() {
    let exchange = Exchange::new();
    let call = |_| exchange.call("pia", Command::ApplyDue(ApplyDue), None);
    let answers = exchange.run_as_batch((0..QUEUE_MAX + 10).map(call).collect());
    let codes: Vec<_> = answers.iter().map(code).collect();
    assert_eq!(codes.iter().filter(|code| **code == "done").count(), QUEUE_MAX);
    assert_eq!(codes.iter().filter(|code| **code == "TK-QUEUE-FULL").count(), 10);
    let refused = answers.iter().find_map(|answer| answer.as_ref().err()).unwrap();
    assert_eq!(refused.to_string(), "too many commands are queued for this project (limit 8192)");
}

#[test]
fn dropping_the_last_handle_decides_queued_commands_and_ends_the_thread() {
    let Exchange { store, clock, engine, project, parties } = Exchange::new();
    let watched = Arc::new(store.clone());
    drop(engine);
    let engine = Engine::start(
        Arc::clone(&watched) as Arc<dyn Store>,
        Arc::new(clock),
        Arc::new(SeededEntropy::new(9)),
    );
    let principal = parties["ana"].clone();
    let call = |task: &str| Call {
        project,
        principal: principal.clone(),
        command: plain(task),
        key: None,
    };
    run(async {
        let gate = store.memory.open(project).await.unwrap();
        let mut waiting: Vec<_> = ["one", "two"]
            .map(|task| {
                let (engine, call) = (engine.clone(), call(task));
                Waiting::Running(Box::pin(async move { engine.run(call).await }))
            })
            .into();
        begin_all(&mut waiting).await;
        drop((waiting, engine, gate));
    });
    // The thread holds the only other handle on the store.
    while Arc::strong_count(&watched) > 1 {
        std::thread::yield_now();
    }
    let counts = run(store.counts(project)).unwrap();
    assert_eq!(counts.submitted, 2);
}

/// Starts an engine of another process on the same store.
fn other_process(exchange: &Exchange) -> Engine {
    let store = Arc::new(exchange.store.clone());
    Engine::start(store, Arc::new(exchange.clock.clone()), Arc::new(SeededEntropy::new(8)))
}

#[test]
fn changes_of_another_process_are_never_missed() {
    let mut exchange = Exchange::new();
    let mine = exchange.engine.clone();
    exchange.run("ana", plain("one")).unwrap();
    exchange.engine = other_process(&exchange);
    exchange.add("cem", PartyKind::Agent);

    // The first engine has no `cem` in its cache, and still finds it.
    exchange.engine = mine.clone();
    let to_cem = submit_of("two", &json!({ "to_agent": "cem" }));
    let answer = exchange.run("ana", to_cem).unwrap();
    assert_eq!(answer.handoff.unwrap().to, "cem");

    // A command prepared with outdated rules is prepared again.
    let strict = Settings { allows_edges_without_contract: false, ..Settings::default() };
    exchange.engine = other_process(&exchange);
    exchange.run("pia", Command::SetSettings(SetSettings(strict.members()))).unwrap();
    exchange.engine = mine;
    assert_eq!(code(&exchange.run("ana", plain("three"))), "TK-EDGE-REFUSED");
    exchange.check_log();
}

#[test]
fn a_closed_worker_releases_the_store_and_can_be_reopened() {
    let exchange = Exchange::new();
    exchange.run("ana", plain("one")).unwrap();
    exchange.engine.close();
    assert_eq!(exchange.engine.running_workers(), 0);
    exchange.run("ana", plain("two")).unwrap();
    assert_eq!(exchange.engine.running_workers(), 1);
}

#[test]
fn the_newest_briefs_of_each_edge_are_counted_in_tokens() {
    let exchange = Exchange::new();
    for batch in 0..5 {
        let task = |number: usize| format!("task-{batch}-{number}");
        let call = |number| exchange.call("ana", plain(&task(number)), None);
        exchange.run_as_batch((0..50).map(call).collect());
    }
    let stats = run(tasuki_engine::query::stats::stats(&exchange.store, exchange.project)).unwrap();
    assert_eq!((stats[0].handoffs, stats[0].tokens.unwrap().count), (250, 200));
}
