//! The memory store as a model: the same writes, then the same queries.

use std::sync::Arc;

use tasuki_engine::model::{Handoff, IdempotencyKey, IdempotencyRecord, LoadSet, StateWord};
use tasuki_engine::ports::{Counts, Extent, Found, Order, Query, Store};
use tasuki_packet::id::HandoffId;

use super::case::{Case, on_a_fresh_store};
use super::writer::Writer;
use crate::conformance::search::search_until;
use crate::memory::MemoryStore;
use crate::samples;

const SEEDS: u64 = 10;
const BATCHES: u64 = 20;
const QUESTIONS: u64 = 6;

/// Random writes and random queries; a failure names its seed.
pub fn a_store_behaves_like_the_memory_store<S: Store, G>(make: impl Fn() -> (S, G)) {
    for seed in 0..SEEDS {
        on_a_fresh_store(&make, async |mut case| {
            compare_with_model(seed, &mut case).await;
        });
    }
}

async fn compare_with_model<S: Store>(seed: u64, case: &mut Case<S>) {
    let store = MemoryStore::new();
    let created = store.create(case.log.head.clone(), "default".to_owned()).await;
    assert_eq!(created, Ok(true));
    let mut model = Case { store: store.into(), log: case.log.clone() };
    let mut writer = Writer::new(seed);
    for batch in 0..BATCHES {
        let written = writer.batch(&mut case.log);
        model.log = case.log.clone();
        model.commit(written.clone()).await;
        case.commit(written).await;
        for _ in 0..QUESTIONS {
            compare_query(&mut writer, &model, case, &format!("seed {seed}, batch {batch}")).await;
        }
    }
    compare_all(&model, case, &format!("seed {seed}")).await;
}

/// Returns `true` for a list in the order of ids that no other index serves.
fn is_plain(query: &Query) -> bool {
    let is_in_order = matches!(query.order, Order::Newest | Order::Oldest);
    let is_special = query.awaits_sender || query.left_to_others || query.failures_for.is_some();
    let is_indexed = query.task.is_some() || query.holder.is_some() || !query.judges.is_empty();
    is_in_order && query.behind.is_none() && !is_special && !is_indexed
}

/// Sends one random query to both.
async fn compare_query<S: Store>(
    writer: &mut Writer,
    model: &Case<MemoryStore>,
    case: &Case<S>,
    when: &str,
) {
    match writer.random.below(4) {
        0 => {
            let mut query = query(writer);
            let places = 1 + u32::try_from(writer.random.index(8)).unwrap_or_default();
            let is_newest_first = query.order == Order::Newest;
            let at = model.store.handoff_at(model.project(), query.after, is_newest_first, places);
            let at = at.await.expect("the model answers");
            let found = case.store.handoff_at(case.project(), query.after, is_newest_first, places);
            assert_eq!(found.await, Ok(at), "{when}: {places} places after {:?}", query.after);
            if is_plain(&query) && writer.random.below(2) == 0 {
                query.extent = Extent::Until(at);
            }
            let expected = model.store.handoffs(model.project(), query.clone()).await;
            let found = case.store.handoffs(case.project(), query.clone()).await;
            assert_eq!(found, expected, "{when}: {query:?}");
        }
        1 => {
            let touched = touched(writer);
            let (found, expected) = (loaded(case, &touched).await, loaded(model, &touched).await);
            assert_eq!(found, expected, "{when}: {touched:?}");
        }
        2 => {
            let (now, limit) = (writer.instant(), writer.random.index(10));
            let found = due(case, now, limit).await;
            assert_eq!(found, due(model, now, limit).await, "{when}: due at {now}");
        }
        _ => {
            let words = writer.text();
            let expected = model.store.search(model.project(), words.clone(), None, 1_000).await;
            let expected = summarized(&expected.expect("the model answers"));
            let found =
                search_until(case, &words, 1_000, |found| summarized(found) == expected).await;
            assert_eq!(summarized(&found), expected, "{when}: search for {words:?}");
        }
    }
}

fn query(writer: &mut Writer) -> Query {
    let mut query = Query { limit: 500, ..Query::default() };
    if writer.random.chance(40) {
        query.states = (0..2).map(|_| *writer.random.pick(&StateWord::ALL)).collect();
    }
    if writer.random.chance(30) {
        query.receivers = (0..2).map(|_| writer.party()).collect();
    }
    if writer.random.chance(20) {
        query.senders = vec![writer.party()];
    }
    query.awaits_sender = writer.random.chance(20);
    if writer.random.chance(20) {
        query.judges = (0..2).map(|_| writer.party()).collect();
    }
    query.left_to_others = query.judges.is_empty() && writer.random.chance(10);
    if writer.random.chance(10) {
        query.failures_for = Some(writer.party());
        (query.awaits_sender, query.left_to_others) = (false, false);
        query.judges.clear();
    }
    if writer.random.chance(20) {
        query.holder = Some(writer.party());
    }
    if writer.random.chance(20) {
        query.task = Some(writer.name("task"));
    }
    if writer.random.chance(10) {
        let id = some_id(writer).to_string();
        query.ending = Some(id[id.len() - 4..].to_owned());
    }
    if writer.random.chance(40) {
        query.limit = u32::try_from(writer.random.below(5)).expect("a small number");
    }
    if writer.random.chance(40) && !writer.handoffs.is_empty() {
        query.after = Some(some_id(writer));
    }
    query.order = *writer.random.pick(&[Order::Newest, Order::Oldest, Order::Urgent]);
    query
}

fn touched(writer: &mut Writer) -> LoadSet {
    let mut touched = LoadSet::default();
    for _ in 0..writer.random.below(3) {
        touched.handoffs.insert(some_id(writer));
        touched.tasks.insert(writer.name("task"));
        touched.open_of_tasks.insert(writer.name("task"));
        touched.fingerprints.insert(writer.name("fingerprint"));
        touched.keys.insert(writer.key());
    }
    for _ in 0..writer.random.below(3) {
        let parties = (0..=writer.random.below(2)).map(|_| writer.party()).collect();
        touched.offers.insert(parties, writer.random.index(4));
    }
    if writer.random.chance(30) {
        touched.offers_of.insert(writer.party());
    }
    if writer.random.chance(30) {
        touched.claims_before_epoch = Some(writer.random.below(4));
    }
    touched
}

/// Returns an existing id, or the first unused one.
fn some_id(writer: &mut Writer) -> HandoffId {
    let place = writer.random.index(writer.handoffs.len() + 1);
    let missing = u32::try_from(place).expect("a short run") + 1;
    writer.handoffs.get(place).map_or_else(|| samples::handoff_id(missing), |handoff| handoff.id)
}

/// Returns the loaded handoffs sorted, because a store may return them in any order.
async fn loaded<S: Store>(
    case: &Case<S>,
    touched: &LoadSet,
) -> (Vec<Arc<Handoff>>, Vec<(IdempotencyKey, IdempotencyRecord)>) {
    let mut loaded = case.load(touched).await;
    loaded.handoffs.sort_by_key(|handoff| handoff.id);
    loaded.remembered.sort_by(|(one, _), (other, _)| one.cmp(other));
    (loaded.handoffs, loaded.remembered)
}

async fn due<S: Store>(case: &Case<S>, now: jiff::Timestamp, limit: usize) -> Vec<HandoffId> {
    let mut transaction = case.store.open(case.project()).await.expect("it opens");
    transaction.due(now, limit).await.expect("what is due is read")
}

/// Returns search results without the excerpt; the results of one leaf may come in any order.
fn summarized(found: &[Found]) -> Vec<(std::cmp::Reverse<u64>, String, Option<HandoffId>)> {
    assert!(found.is_sorted_by_key(|found| std::cmp::Reverse(found.n)), "newest first");
    let one = |found: &Found| (std::cmp::Reverse(found.n), found.kind.clone(), found.handoff);
    let mut summarized: Vec<_> = found.iter().map(one).collect();
    summarized.sort_unstable();
    summarized
}

/// Compares everything that is stored.
async fn compare_all<S: Store>(model: &Case<MemoryStore>, case: &Case<S>, when: &str) {
    let (ours, theirs, project) = (&model.store, &case.store, case.project());
    assert_eq!(theirs.head(project).await, ours.head(project).await, "{when}");
    assert_eq!(theirs.directory(project).await, ours.directory(project).await, "{when}");
    assert_eq!(theirs.next_due(project).await, ours.next_due(project).await, "{when}");
    let leaves = ours.leaves(project, 0, 10_000).await;
    assert_eq!(theirs.leaves(project, 0, 10_000).await, leaves, "{when}");
    assert_eq!(counts(case).await, counts(model).await, "{when}");

    let query = Query { limit: 10_000, ..Query::default() };
    for id in model.list(query).await {
        let (found, expected) =
            (theirs.handoff(project, id).await, ours.handoff(project, id).await);
        assert_eq!(found, expected, "{when}");
        let documents = ours.documents(project, id, None).await;
        assert_eq!(theirs.documents(project, id, None).await, documents, "{when}");
        let leaves = ours.leaves_of(project, id).await;
        assert_eq!(theirs.leaves_of(project, id).await, leaves, "{when}");
    }
}

async fn counts<S: Store>(case: &Case<S>) -> Counts {
    let mut counts = case.store.counts(case.project()).await.expect("it counts");
    counts.states.retain(|(_, count)| *count > 0);
    counts.states.sort_unstable();
    counts
}
