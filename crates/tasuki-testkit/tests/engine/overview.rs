//! The last hours of a project, read within a limit.

use std::time::Duration;

use tasuki_engine::query::overview::overview;

use crate::fixture::{Exchange, plain, run};

#[test]
fn an_overview_reads_the_newest_leaves_and_says_if_there_are_more() {
    let exchange = Exchange::new();
    for number in 0..6 {
        exchange.run("ana", plain(&format!("task-{number}"))).unwrap();
        exchange.clock.advance(Duration::from_hours(1));
    }
    let read = |hours, leaves_max| {
        let now = exchange.engine.now();
        run(overview(&exchange.store, exchange.project, now, hours, leaves_max)).unwrap()
    };
    let submitted = |hours, leaves_max| -> Vec<u64> {
        read(hours, leaves_max).hours.iter().map(|hour| hour.submitted).collect()
    };
    assert_eq!(submitted(4, 1_000), [1, 1, 1, 0], "the current hour is the last one");
    assert!(read(4, 1_000).complete);
    assert_eq!(submitted(4, 2), [0, 1, 1, 0], "the oldest leaves are left out");
    assert!(!read(4, 2).complete);
    assert!(read(3, 3).complete, "the period begins after the oldest leaf that was read");
}
