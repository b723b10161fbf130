//! The simulation over many seeds: no invariant is violated, and everything occurs.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tasuki_engine::refusal::RefusalCode;
use tasuki_packet::leaf::EventType;
use tasuki_testkit::sim::{self, Plan, Report, Sabotage};

const SEEDS: u64 = 2_000;

/// Returns the seeds to run: all of them, or the one of `TASUKI_SEED`.
fn seeds() -> std::ops::Range<u64> {
    let chosen = std::env::var_os("TASUKI_SEED").and_then(|seed| seed.into_string().ok());
    match chosen.map(|seed| seed.parse::<u64>().expect("TASUKI_SEED is a number")) {
        Some(seed) => seed..seed + 1,
        None => 0..SEEDS,
    }
}

#[test]
fn whatever_goes_wrong_nothing_is_lost_and_nothing_happens_twice() {
    let begin = Instant::now();
    let seeds = seeds();
    let next = AtomicU64::new(seeds.start);
    let seen = Mutex::new(Report::default());
    let failures = Mutex::new(Vec::new());
    let worker = || {
        loop {
            let seed = next.fetch_add(1, Ordering::SeqCst);
            if seed >= seeds.end || failures.lock().unwrap().len() > 2 {
                return;
            }
            match sim::run(seed) {
                Ok(report) => {
                    let mut seen = seen.lock().unwrap();
                    seen.events.extend(report.events);
                    seen.refusals.extend(report.refusals);
                    seen.stopped.extend(report.stopped);
                    seen.occurrences.extend(report.occurrences);
                }
                Err(failure) => failures.lock().unwrap().push(failure.to_string()),
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(worker);
        }
    });
    let seen = seen.into_inner().unwrap();
    println!("{} seeds in {:?}", seeds.end - seeds.start, begin.elapsed());
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "\n{}", failures.join("\n\n"));
    if seeds.end - seeds.start == SEEDS {
        everything_occurred(&seen);
    }
}

/// Events that never happen, because the simulation has no tokens and no subscriptions.
const NEVER_HAPPENS: [EventType; 6] = [
    EventType::TokenCreated,
    EventType::TokenRevoked,
    EventType::SubscriptionAdded,
    EventType::SubscriptionChanged,
    EventType::SubscriptionDisabled,
    EventType::SubscriptionRemoved,
];

/// Refusals that never happen in the simulation, with the reason.
const NEVER_REFUSED: [RefusalCode; 15] = [
    // Backups are copied and restored beside the engine.
    RefusalCode::StoreTaken,
    // No store is filled from a file.
    RefusalCode::ImportInvalid,
    // Only the command line looks for the claim of a session.
    RefusalCode::ClaimNone,
    // There is only one project.
    RefusalCode::ProjectUnknown,
    // The queue is never full.
    RefusalCode::QueueFull,
    // The engine prepares again before a caller sees it.
    RefusalCode::PolicyChanged,
    // No command gives two parties one name; an imported directory may.
    RefusalCode::PartyAmbiguous,
    // No caller sends a token: the simulation sets the principal.
    RefusalCode::TokenInvalid,
    RefusalCode::TokenExpired,
    RefusalCode::TokenRevoked,
    RefusalCode::TokenNetwork,
    RefusalCode::TokenUnknown,
    RefusalCode::ReceiverRefused,
    // No party has a subscription.
    RefusalCode::SubscriptionUnknown,
    // No packet of the workload has sign-offs that are due before a later step.
    RefusalCode::SignOffDue,
];

/// Commands that were refused in a halt.
const STOPPED: [&str; 9] = [
    "begin",
    "claim",
    "intercept",
    "park",
    "pass_on",
    "release",
    "renew",
    "request_approval",
    "return",
];

/// The things that happen without an event or a refusal of their own.
const OCCURRENCES: [&str; 4] =
    ["clock refused", "clock reset", "deputy decided", "machine started"];

/// A simulator that no longer exercises something proves nothing about it.
#[track_caller]
fn everything_occurred(seen: &Report) {
    let is_expected = |event: &&EventType| !NEVER_HAPPENS.contains(event);
    let events: BTreeSet<_> = EventType::ALL.iter().filter(is_expected).copied().collect();
    let missing: Vec<_> = events.difference(&seen.events).collect();
    assert!(missing.is_empty(), "these events never happened: {missing:?}");
    let is_expected = |code: &&RefusalCode| !NEVER_REFUSED.contains(code);
    let refusals: BTreeSet<_> = RefusalCode::ALL.iter().filter(is_expected).copied().collect();
    let missing: Vec<_> = refusals.difference(&seen.refusals).collect();
    assert!(missing.is_empty(), "these refusals never happened: {missing:?}");
    let missing: Vec<_> = STOPPED.iter().filter(|word| !seen.stopped.contains(*word)).collect();
    assert!(missing.is_empty(), "these commands were never refused in a halt: {missing:?}");
    let missing: Vec<_> =
        OCCURRENCES.iter().filter(|one| !seen.occurrences.contains(*one)).collect();
    assert!(missing.is_empty(), "these never happened: {missing:?}");
}

#[test]
fn the_same_seed_gives_the_same_log() {
    for seed in 0..20 {
        let first = sim::run(seed).map(|report| report.log);
        let second = sim::run(seed).map(|report| report.log);
        assert!(first.is_ok(), "{}", first.unwrap_err());
        assert_eq!(first, second, "seed {seed}");
    }
}

/// In this seed a caller crashes whose engine has an older directory than the store.
#[test]
fn the_same_seed_gives_the_same_log_whichever_thread_is_faster() {
    let first = sim::run(126).map(|report| report.log);
    for _ in 0..20 {
        assert_eq!(first, sim::run(126).map(|report| report.log));
    }
}

#[test]
fn the_checks_find_what_is_made_wrong() {
    let check = |sabotage: Sabotage, rule: &str| {
        let is_noticed = |seed: u64| {
            let played = Plan::of(seed).with(sabotage).run();
            played.is_err_and(|failure| failure.violation.rule == rule)
        };
        assert!((0..256).any(is_noticed), "{sabotage:?} was not noticed");
    };
    check(Sabotage::FencingOff, "no stale fence is ever accepted");
    check(Sabotage::LeavesSwapped, "the log has no gap and is in order");
    check(Sabotage::LeafRewritten, "acknowledged leaves survive a crash");
    check(Sabotage::HandoffLost, "conservation");
    check(Sabotage::CommitForgotten, "a response shows the stored state");
    check(Sabotage::DueLate, "the stored due time is the computed one");
    check(Sabotage::ClockNeverComes, "no due deadline is left");
    check(Sabotage::TallyWrong, "the counters equal a recount");
    check(Sabotage::ApprovalsOutlive, "approvals never outlive a revision");
    check(Sabotage::AcceptOutlives, "approvals never outlive a revision");
    check(Sabotage::ClockForgotten, "a process with a wrong clock changes nothing");
    let deputies = "a deputy decides for a person who is away, and never at gates";
    check(Sabotage::AbsenceOutlives, deputies);
}
