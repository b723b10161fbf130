//! The simulation, over many seeds: nothing that must hold is ever broken, and everything occurs.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use tasuki_engine::refusal::RefusalCode;
use tasuki_packet::leaf::EventType;
use tasuki_testkit::sim::{self, Plan, Report, Sabotage};

const SEEDS: u64 = 2_000;

/// The seeds to play: all of them, or the one of `TASUKI_SEED`.
fn seeds() -> std::ops::Range<u64> {
    let asked = std::env::var_os("TASUKI_SEED").and_then(|seed| seed.into_string().ok());
    match asked.map(|seed| seed.parse::<u64>().expect("TASUKI_SEED is a number")) {
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

fn everything_occurred(seen: &Report) {
    let events: BTreeSet<_> = EventType::ALL.iter().copied().collect();
    let missing: Vec<_> = events.difference(&seen.events).collect();
    let refusals: BTreeSet<_> = RefusalCode::ALL.iter().copied().collect();
    let unrefused: Vec<_> = refusals.difference(&seen.refusals).collect();
    println!("events that never happened: {missing:?}\nnever refused: {unrefused:?}");
}

#[test]
fn the_same_seed_gives_the_same_log() {
    for seed in 0..20 {
        let first = Plan::of(seed).play().map(|report| report.log);
        let second = Plan::of(seed).play().map(|report| report.log);
        assert_eq!(first, second, "seed {seed}");
    }
}

#[test]
fn the_checks_find_what_is_made_wrong() {
    for sabotage in Sabotage::ALL {
        let found = (0..40).find_map(|seed| Plan::of(seed).with(sabotage).play().err());
        println!("{sabotage:?}: {:?}", found.as_ref().map(|failure| &failure.violation));
        assert!(found.is_some(), "{sabotage:?} went unnoticed");
    }
}
