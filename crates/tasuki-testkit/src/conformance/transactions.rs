//! Projects, and the one open transaction of each.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use tasuki_engine::model::{Head, StateWord};
use tasuki_engine::ports::{Query, Store};
use tasuki_packet::id::ProjectId;

use super::case::{Case, TIMEOUT, block_on, on_a_fresh_store};
use crate::samples::{self, Log};

/// An id and a name can each be used once.
pub fn a_project_is_created_once<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let create = async |id: ProjectId, name: &str| {
            let head = Head { claim_epoch: 9, ..samples::head(id) };
            case.store.create(head, name.to_owned()).await
        };
        assert_eq!(create(case.project(), "default").await, Ok(false));
        assert_eq!(create(case.project(), "other").await, Ok(false));
        assert_eq!(create(samples::project("other"), "default").await, Ok(false));

        let head = case.store.head(case.project()).await;
        assert_eq!(head, Ok(Some(case.log.head.clone())), "the existing project is unchanged");
        assert_eq!(case.store.head(samples::project("other")).await, Ok(None));
    });
}

/// The list is ordered by name, not by id.
pub fn projects_are_listed_by_name<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        for name in ["zeta", "alpha", "midway"] {
            let head = samples::head(samples::project(name));
            assert_eq!(case.store.create(head, name.to_owned()).await, Ok(true));
        }
        let listed = case.store.projects().await.expect("projects are listed");
        let expected = ["alpha", "default", "midway", "zeta"];
        assert_eq!(listed, expected.map(|name| (name.to_owned(), samples::project(name))));
    });
}

/// Opening does not create a project.
pub fn an_unknown_project_does_not_open<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let other = samples::project("other");
        assert!(case.store.open(other).await.is_err());
        assert_eq!(case.store.head(other).await, Ok(None));
    });
}

/// Every field, for readers and for the next transaction.
pub fn the_committed_head_is_returned<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        case.submit([samples::handoff(StateWord::Offered)]).await;
        case.log.head.directory_version = 7;
        case.log.head.claim_epoch = 3;
        case.log.head.is_halted = true;
        case.log.head.fence_floor = 9;
        case.log.head.fingerprint_key = [0xa5; 32];
        case.commit([]).await;

        let head = case.store.head(case.project()).await;
        assert_eq!(head, Ok(Some(case.log.head.clone())));
        let transaction = case.store.open(case.project()).await.expect("it opens");
        assert_eq!(transaction.head(), &case.log.head);
    });
}

/// Readers see the old state during a transaction, and the whole new state afterwards.
pub fn nothing_is_visible_before_the_commit_and_everything_after<S: Store, G>(
    make: impl Fn() -> (S, G),
) {
    on_a_fresh_store(make, async |mut case| {
        let handoff = samples::handoff(StateWord::Offered);
        let mut transaction = case.store.open(case.project()).await.expect("it opens");
        transaction.write(case.log.submitted(handoff.clone()));
        assert_eq!(seen(&case).await, (0, 0, 0));

        transaction.commit(case.log.head.clone()).await.expect("it commits");
        assert_eq!(seen(&case).await, (1, 1, 1));
    });
}

/// Neither writes nor the lock remain.
pub fn a_dropped_transaction_leaves_no_trace<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let before = case.log.clone();
        let mut transaction = case.store.open(case.project()).await.expect("it opens");
        transaction.write(case.log.submitted(samples::handoff(StateWord::Offered)));
        drop(transaction);
        assert_eq!(seen(&case).await, (0, 0, 0));

        case.log = before;
        case.submit([samples::handoff_numbered(2, StateWord::Held)]).await;
        assert_eq!(seen(&case).await, (1, 1, 1));
    });
}

/// Returns the leaves that the head counts, the stored leaves, and the stored handoffs.
async fn seen<S: Store>(case: &Case<S>) -> (u64, usize, usize) {
    let project = case.project();
    let head = case.store.head(project).await.expect("the head is read");
    let leaves = case.store.leaves(project, 0, 10).await.expect("leaves are read");
    let query = Query { limit: 10, ..Query::default() };
    (head.map_or(0, |head| head.leaves), leaves.len(), case.list(query).await.len())
}

/// The second transaction waits, then sees the commit of the first.
pub fn two_transactions_on_one_project_exclude_each_other<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let mut first = case.store.open(case.project()).await.expect("it opens");
        let (asks, asked) = mpsc::channel();
        let (store, project) = (Arc::clone(&case.store), case.project());
        let second = std::thread::spawn(move || {
            block_on(async {
                asks.send(()).expect("the first listens");
                let second = store.open(project).await.expect("it opens after the first");
                second.head().leaves
            })
        });
        asked.recv_timeout(TIMEOUT).expect("the second asks");
        // A store that does not wait would open the second now, with an empty log.
        std::thread::sleep(Duration::from_millis(50));

        first.write(case.log.submitted(samples::handoff(StateWord::Offered)));
        first.commit(case.log.head.clone()).await.expect("it commits");
        assert_eq!(second.join().expect("the second ends"), 1);
    });
}

/// Projects are independent: an open transaction delays no other project.
pub fn two_transactions_on_two_projects_do_not_wait_for_each_other<S: Store, G>(
    make: impl Fn() -> (S, G),
) {
    on_a_fresh_store(make, async |case| {
        let mut other = Log::new(samples::project("other"));
        let created = case.store.create(other.head.clone(), "other".to_owned()).await;
        assert_eq!(created, Ok(true));
        let first = case.store.open(case.project()).await.expect("it opens");

        let store = Arc::clone(&case.store);
        let (ends, ended) = mpsc::channel();
        let second = std::thread::spawn(move || {
            block_on(async {
                let written = other.submitted(samples::handoff(StateWord::Offered));
                let mut second = store.open(other.head.project).await.expect("it opens");
                second.write(written);
                second.commit(other.head).await.expect("it commits");
            });
            ends.send(()).expect("the first listens");
        });
        ended.recv_timeout(TIMEOUT).expect("the second ends while the first is open");
        second.join().expect("the second ends");
        drop(first);
    });
}

/// The same id in two projects is two handoffs.
pub fn projects_share_nothing<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        case.submit([samples::handoff(StateWord::Offered)]).await;
        let log = Log::new(samples::project("other"));
        assert_eq!(case.store.create(log.head.clone(), "other".to_owned()).await, Ok(true));
        let mut other = Case { store: Arc::clone(&case.store), log };
        assert_eq!(seen(&other).await, (0, 0, 0));

        let handoff = samples::handoff(StateWord::Held);
        other.submit([handoff.clone()]).await;
        let word = async |project| {
            let found = case.store.handoff(project, handoff.id).await.expect("it is read");
            found.map(|found| found.progress.state.word())
        };
        assert_eq!(word(case.project()).await, Some(StateWord::Offered));
        assert_eq!(word(other.project()).await, Some(StateWord::Held));
    });
}
