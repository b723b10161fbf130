//! Cursors of subscriptions and delivery attempts.

use tasuki_engine::limits::DELIVERIES_MAX;
use tasuki_engine::model::StateWord;
use tasuki_engine::ports::deliveries::{page, shortened};
use tasuki_engine::ports::{Attempt, Cursor, Deliveries, Delivery, Store};
use tasuki_packet::id::SubscriptionId;

use super::case::{Case, on_a_fresh_store};
use crate::samples::{self, at, subscription_id};

fn attempt(name: &str, n: u64) -> Delivery {
    Delivery {
        subscription: subscription_id(name),
        n,
        at: at(i64::try_from(n).expect("samples are small")),
        attempt: 2,
        status: n.is_multiple_of(2).then_some(204),
        millis: 17,
        response: shortened(&format!("\0{}", "ö".repeat(128))),
    }
}

async fn add<S: Deliveries + Store>(case: &Case<S>, delivery: Delivery) {
    assert_eq!(case.store.add_delivery(case.project(), delivery).await, Ok(()));
}

async fn numbers<S: Deliveries + Store>(
    case: &Case<S>,
    id: SubscriptionId,
    limit: u32,
) -> Vec<u64> {
    let found = case.store.deliveries(case.project(), id, None, limit).await;
    found.expect("attempts are listed").iter().map(|one| one.delivery.n).collect()
}

/// Each subscription has its own cursor, and the last write wins.
pub fn a_cursor_is_returned_as_written<S: Store + Deliveries, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let (one, other) = (subscription_id("one"), subscription_id("other"));
        let cursor = async |id| case.store.cursor(case.project(), id).await;
        assert_eq!(cursor(one).await, Ok(None));
        let failing = Cursor {
            failing_since: Some(at(1)),
            next_try_at: Some(at(2)),
            attempts: 3,
            ..Cursor::at(one, 7)
        };
        for put in [failing, Cursor::at(other, 1), Cursor::at(one, 8), failing] {
            assert_eq!(case.store.put_cursor(case.project(), put).await, Ok(()));
        }
        assert_eq!(cursor(one).await, Ok(Some(failing)));
        assert_eq!(cursor(other).await, Ok(Some(Cursor::at(other, 1))));

        let elsewhere = samples::project("elsewhere");
        assert!(case.store.cursor(elsewhere, one).await.is_err());
        assert!(case.store.put_cursor(elsewhere, failing).await.is_err());
    });
}

/// The cursor and its attempts are visible together.
pub fn a_cursor_is_written_with_its_attempts<S: Store + Deliveries, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let one = subscription_id("one");
        let attempts = vec![attempt("one", 4), attempt("one", 5)];
        let put = case.store.put_deliveries(case.project(), Cursor::at(one, 6), attempts).await;
        assert_eq!(put, Ok(()));
        assert_eq!(case.store.cursor(case.project(), one).await, Ok(Some(Cursor::at(one, 6))));
        assert_eq!(numbers(&case, one, 10).await, [5, 4]);
        let elsewhere = samples::project("elsewhere");
        let put = case.store.put_deliveries(elsewhere, Cursor::at(one, 6), Vec::new()).await;
        assert!(put.is_err());
    });
}

/// Attempts are listed per subscription, newest first.
pub fn attempts_are_listed_newest_first_and_deleted_with_their_subscription<
    S: Store + Deliveries,
    G,
>(
    make: impl Fn() -> (S, G),
) {
    on_a_fresh_store(make, async |case| {
        let (one, other) = (subscription_id("one"), subscription_id("other"));
        for n in 1..=3 {
            add(&case, attempt("one", n)).await;
        }
        add(&case, attempt("other", 9)).await;
        let kept = |number| Attempt { number, delivery: attempt("one", number) };
        let found =
            async |before, limit| case.store.deliveries(case.project(), one, before, limit).await;
        assert_eq!(found(None, 2).await, Ok(vec![kept(3), kept(2)]));
        assert_eq!(found(Some(2), 2).await, Ok(vec![kept(1)]));
        assert_eq!(found(Some(u64::MAX), 1).await, Ok(vec![kept(3)]));
        // New attempts do not move the start of a page.
        add(&case, attempt("one", 4)).await;
        assert_eq!(found(Some(2), 2).await, Ok(vec![kept(1)]));
        assert_eq!(found(Some(1), 2).await, Ok(vec![]));

        assert_eq!(case.store.put_cursor(case.project(), Cursor::at(one, 4)).await, Ok(()));
        assert_eq!(case.store.forget_deliveries(case.project(), one).await, Ok(()));
        assert_eq!(case.store.cursor(case.project(), one).await, Ok(None));
        assert_eq!(numbers(&case, one, 10).await, [0_u64; 0]);
        assert_eq!(numbers(&case, other, 10).await, [9]);
    });
}

/// Pages of every length give the whole list, even if attempts are added meanwhile.
pub fn pages_of_attempts_give_the_whole_list<S: Store + Deliveries, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let (one, store) = (subscription_id("one"), &*case.store);
        for n in 0..9 {
            add(&case, attempt("one", n)).await;
        }
        for limit in [1, 2, 4, 50] {
            let (mut seen, mut behind) = (Vec::new(), None);
            loop {
                let read = page(store, case.project(), one, behind, limit).await;
                let (attempts, next) = read.expect("they are read");
                seen.extend(attempts.iter().map(|one| one.n));
                behind = next;
                if behind.is_none() {
                    break;
                }
            }
            assert_eq!(seen, [8, 7, 6, 5, 4, 3, 2, 1, 0], "by {limit}");
        }
        let (_, next) = page(store, case.project(), one, None, 3).await.expect("they are read");
        add(&case, attempt("one", 9)).await;
        let (attempts, _) = page(store, case.project(), one, next, 3).await.expect("they too");
        assert_eq!(attempts.iter().map(|one| one.n).collect::<Vec<_>>(), [5, 4, 3]);
    });
}

/// The oldest attempts are dropped.
pub fn only_the_newest_attempts_are_kept<S: Store + Deliveries, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let one = subscription_id("one");
        add(&case, attempt("other", 1)).await;
        let short = |n: u64| Delivery { response: String::new(), ..attempt("one", n) };
        let all: Vec<Delivery> = (0..u64::from(DELIVERIES_MAX) + 4).map(short).collect();
        for some in all.chunks(1_000) {
            let cursor = Cursor::at(one, 0);
            let put = case.store.put_deliveries(case.project(), cursor, some.to_vec()).await;
            assert_eq!(put, Ok(()));
        }
        add(&case, short(u64::from(DELIVERIES_MAX) + 4)).await;
        let kept = numbers(&case, one, u32::MAX).await;
        assert_eq!(kept.len(), DELIVERIES_MAX as usize);
        assert_eq!((kept.first(), kept.last()), (Some(&u64::from(DELIVERIES_MAX + 4)), Some(&5)));
        assert_eq!(numbers(&case, subscription_id("other"), 10).await, [1]);
    });
}

/// The writer continues meanwhile.
pub fn deliveries_do_not_block_the_writer<S: Store + Deliveries, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        case.submit([samples::handoff(StateWord::Offered)]).await;
        add(&case, attempt("one", 0)).await;
        case.submit([samples::handoff_numbered(2, StateWord::Held)]).await;
        let head = case.store.head(case.project()).await;
        assert_eq!(head, Ok(Some(case.log.head.clone())));
        assert_eq!(numbers(&case, subscription_id("one"), 1).await, [0]);
    });
}
