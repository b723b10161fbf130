//! Reads look at a bounded number of rows, and what they leave out follows with the next request.

use tasuki_engine::error::Error;
use tasuki_engine::model::{Handoff, StateWord};
use tasuki_engine::ports::{Extent, Order, Query, Store as _, cost};
use tasuki_engine::query::events::{Bounds, between, last};
use tasuki_engine::query::stats::{Totals, stats};
use tasuki_engine::query::{listing, resolve};
use tasuki_packet::id::HandoffId;

use crate::fixture::{Exchange, claim_of, id_of, plain, run};

/// Returns an exchange with handoffs, of which some are claimed.
fn exchange(count: usize) -> (Exchange, Vec<HandoffId>) {
    let exchange = Exchange::new();
    let submit = |number| id_of(&exchange.run("ana", plain(&format!("task-{number}"))).unwrap());
    let ids: Vec<HandoffId> = (0..count).map(submit).collect();
    for id in ids.iter().step_by(10) {
        exchange.run("ben", claim_of(Some(*id), None)).unwrap();
    }
    (exchange, ids)
}

/// Returns all pages of a list, each of which looks at so many rows.
fn pages(exchange: &Exchange, query: &Query, rows: u32) -> Vec<Vec<HandoffId>> {
    let mut query = query.clone();
    let mut pages = Vec::new();
    loop {
        let page = listing::page_within(&exchange.store, exchange.project, query.clone(), rows);
        let page = run(page).unwrap();
        pages.push(page.found.iter().map(|handoff| handoff.id).collect());
        match page.next {
            Some(next) => query.after = Some(next),
            None => return pages,
        }
    }
}

#[test]
fn a_long_list_comes_in_windows_and_loses_nothing() {
    let (exchange, ids) = exchange(30);
    for order in [Order::Newest, Order::Oldest] {
        for states in [vec![], vec![StateWord::Claimed], vec![StateWord::Offered]] {
            for limit in [2, 100] {
                let query = Query { order, limit, states: states.clone(), ..Query::default() };
                let whole = pages(&exchange, &query, 1_000).concat();
                let windows = pages(&exchange, &query, 7);
                assert_eq!(windows.concat(), whole, "{query:?}");
            }
        }
    }
    let claimed = Query { states: vec![StateWord::Offered], limit: 100, ..Query::default() };
    let windows = pages(&exchange, &claimed, 7);
    assert!(windows.iter().all(|page| page.len() <= 7), "{windows:?}");
    assert_eq!(windows.concat().len(), ids.len() - 3);
}

#[test]
fn the_end_of_an_id_is_looked_for_in_a_window_only() {
    let (exchange, ids) = exchange(3);
    let name = ids[0].to_string();
    let ending = &name[name.len() - 8..];
    let found = resolve::handoff(&exchange.store, exchange.project, ending, |_: &Handoff| true);
    assert_eq!(run(found).unwrap().id, ids[0]);
    let queries = exchange.store.probe.queries.lock().unwrap();
    let by_ending = queries.iter().find(|query| query.ending.is_some()).unwrap();
    assert!(matches!(by_ending.extent, Extent::Until(_)), "{by_ending:?}");
    drop(queries);
    let unknown = resolve::handoff(&exchange.store, exchange.project, "ffffffff", |_| true);
    assert!(matches!(run(unknown), Err(Error::Refused(_))));
}

#[test]
fn totals_continue_where_they_ended_and_agree_with_the_whole() {
    let (exchange, _) = exchange(20);
    let mut totals = Totals::default();
    let mut requests = 0;
    while !run(totals.advance(&exchange.store, exchange.project, 1)).unwrap() {
        requests += 1;
        assert!(requests < 1_000, "every request gets further");
        if requests == 2 {
            // Tokens are counted in steps of some rows.
            while !run(totals.advance(&exchange.store, exchange.project, 100)).unwrap() {}
        }
    }
    let whole = run(stats(&exchange.store, exchange.project)).unwrap();
    assert_eq!(totals.stats(), whole);
    exchange.run("ana", plain("one-more")).unwrap();
    while !run(totals.advance(&exchange.store, exchange.project, 1_000)).unwrap() {}
    assert_eq!(totals.stats(), run(stats(&exchange.store, exchange.project)).unwrap());
}

#[test]
fn a_page_of_events_examines_no_more_rows_than_its_bound() {
    let (exchange, _) = exchange(10);
    let head = run(exchange.store.head(exchange.project)).unwrap().unwrap();
    let filter = serde_json::from_value(serde_json::json!({ "reason": "zz" })).unwrap();
    let bounds = Bounds { events: 50, rows: 5 };
    let forward = between(&exchange.store, exchange.project, 0..u64::MAX, &filter, bounds);
    let (page, _) = cost::measured(|| run(forward).unwrap());
    assert_eq!((page.next, page.is_cut, page.events.len()), (5, true, 0));
    let backward = run(last(&exchange.store, exchange.project, None, &filter, bounds)).unwrap();
    assert_eq!((backward.next, backward.earlier), (head.leaves, Some(head.leaves - 5)));
    let rest = head.leaves - 5..u64::MAX;
    let end = run(between(&exchange.store, exchange.project, rest, &filter, bounds)).unwrap();
    assert_eq!((end.next, end.is_cut), (head.leaves, false));
}
