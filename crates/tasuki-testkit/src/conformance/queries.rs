//! Lists and counts.

use tasuki_engine::model::{Handoff, RiskWord, State, StateWord, Urgency};
use tasuki_engine::ports::{Counts, Order, Query, Store};
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::case::{Case, numbered, on_a_fresh_store};
use super::writer::Writer;
use crate::random::Random;
use crate::samples::{self, at, party};

fn oldest() -> Query {
    Query { order: Order::Oldest, limit: 500, ..Query::default() }
}

fn between(number: u32, word: StateWord, sender: &str, receiver: &str) -> Handoff {
    let mut handoff = samples::handoff_numbered(number, word);
    let facts = handoff.facts_mut();
    facts.sender = party(sender);
    facts.receiver = party(receiver);
    handoff
}

fn claimed_by(number: u32, holder: &str) -> Handoff {
    let mut handoff = between(number, StateWord::Claimed, "ana", "role");
    handoff.progress.state = State::Claimed(samples::claim(number, party(holder)));
    handoff
}

/// An empty field matches all; several values match any of them.
pub fn each_field_of_a_query_narrows_the_list<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let mut same_task = between(6, StateWord::Cancelled, "cia", "cia");
        "task-1".clone_into(&mut same_task.facts_mut().task);
        case.submit([
            between(1, StateWord::Held, "ana", "ben"),
            between(2, StateWord::Offered, "ben", "ana"),
            claimed_by(3, "dan"),
            claimed_by(4, "eva"),
            between(5, StateWord::Done, "ana", "cia"),
            same_task,
            samples::held_by_its_holder(7),
        ])
        .await;

        let check = async |query: Query, expected: Vec<HandoffId>| {
            assert_eq!(case.list(query.clone()).await, expected, "{query:?}");
        };
        check(oldest(), numbered([1, 2, 3, 4, 5, 6, 7])).await;
        let states = vec![StateWord::Held, StateWord::Done];
        check(Query { states, ..oldest() }, numbered([1, 5, 7])).await;
        let receivers = vec![party("ben"), party("cia")];
        check(Query { receivers, ..oldest() }, numbered([1, 5, 6])).await;
        let senders = vec![party("ana")];
        check(Query { senders, ..oldest() }, numbered([1, 3, 4, 5])).await;
        check(Query { holder: Some(party("dan")), ..oldest() }, numbered([3])).await;
        // A holder that waits for approval still holds it.
        check(Query { holder: Some(party("receiver")), ..oldest() }, numbered([7])).await;
        let task = Some("task-1".to_owned());
        check(Query { task, ..oldest() }, numbered([1, 6])).await;
        check(Query { after: Some(samples::handoff_id(5)), ..oldest() }, numbered([6, 7])).await;
        check(Query { limit: 2, ..oldest() }, numbered([1, 2])).await;
        check(Query { limit: 0, ..oldest() }, Vec::new()).await;
        let id = samples::handoff_id(4).to_string();
        for digits in [4, 8, 32] {
            let ending = Some(id[id.len() - digits..].to_owned());
            check(Query { ending, ..oldest() }, numbered([4])).await;
        }
        // A store that matches by pattern must escape it.
        for ending in ["%", "_", "%%%%", "____", "zzzz"] {
            check(Query { ending: Some(ending.to_owned()), ..oldest() }, Vec::new()).await;
        }
    });
}

/// All fields must match.
pub fn all_fields_of_a_query_must_match<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        case.submit([
            between(1, StateWord::Offered, "ana", "ben"),
            between(2, StateWord::Offered, "ana", "cia"),
            between(3, StateWord::Held, "ana", "ben"),
            between(4, StateWord::Offered, "dan", "ben"),
            between(5, StateWord::Offered, "ana", "ben"),
        ])
        .await;
        let query = Query {
            states: vec![StateWord::Offered],
            receivers: vec![party("ben")],
            senders: vec![party("ana")],
            order: Order::Newest,
            limit: 9,
            ..Query::default()
        };
        assert_eq!(case.list(query.clone()).await, numbered([5, 1]));
        let after = Some(samples::handoff_id(5));
        assert_eq!(case.list(Query { after, ..query }).await, numbered([1]));
    });
}

fn judged_by(number: u32, word: StateWord, judge: Option<&str>) -> Handoff {
    let mut handoff = between(number, word, "ana", "ben");
    handoff.progress.judge = judge.map(party);
    handoff
}

fn judged<const N: usize>(order: Order, judges: [&str; N]) -> Query {
    Query { judges: judges.map(party).to_vec(), order, limit: 9, ..Query::default() }
}

/// In every order, combined with all other fields.
pub fn a_return_is_found_by_its_substitute_verifier<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let mut urgent = judged_by(4, StateWord::Returned, Some("cia"));
        urgent.facts_mut().terms.risk = RiskWord::High;
        case.submit([
            judged_by(1, StateWord::Returned, Some("cia")),
            judged_by(2, StateWord::Returned, Some("role")),
            judged_by(3, StateWord::Returned, None),
            urgent,
            judged_by(5, StateWord::Offered, Some("cia")),
            judged_by(6, StateWord::Done, Some("cia")),
        ])
        .await;

        let check = async |query: Query, expected: Vec<HandoffId>| {
            assert_eq!(case.list(query.clone()).await, expected, "{query:?}");
        };
        let either = ["cia", "role", "cia"];
        check(judged(Order::Oldest, ["cia"]), numbered([1, 4])).await;
        check(judged(Order::Newest, either), numbered([4, 2, 1])).await;
        check(judged(Order::Urgent, either), numbered([4, 1, 2])).await;
        check(judged(Order::Urgent, ["ana"]), Vec::new()).await;
        let narrow = Query {
            states: vec![StateWord::Returned, StateWord::Offered],
            senders: vec![party("ana")],
            awaits_sender: true,
            after: Some(samples::handoff_id(4)),
            ..judged(Order::Urgent, either)
        };
        check(narrow.clone(), numbered([1, 2])).await;
        check(Query { limit: 1, ..narrow.clone() }, numbered([1])).await;
        check(Query { states: vec![StateWord::Offered], ..narrow.clone() }, Vec::new()).await;
        check(Query { senders: vec![party("ben")], ..narrow }, Vec::new()).await;
    });
}

/// In every order, combined with all other fields.
pub fn a_return_that_its_sender_may_not_verify_is_found<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let mut urgent = judged_by(4, StateWord::Returned, Some("ana"));
        urgent.facts_mut().terms.risk = RiskWord::High;
        case.submit([
            judged_by(1, StateWord::Returned, Some("ana")),
            judged_by(2, StateWord::Returned, Some("ben")),
            judged_by(3, StateWord::Returned, None),
            urgent,
            judged_by(5, StateWord::Offered, Some("ana")),
        ])
        .await;
        let own = |order| Query { left_to_others: true, order, limit: 9, ..Query::default() };
        assert_eq!(case.list(own(Order::Urgent)).await, numbered([4, 1]));
        assert_eq!(case.list(own(Order::Newest)).await, numbered([4, 1]));
        assert_eq!(case.list(own(Order::Oldest)).await, numbered([1, 4]));
        let first = Query { limit: 1, ..own(Order::Urgent) };
        assert_eq!(case.list(first.clone()).await, numbered([4]));
        let after = Some(samples::handoff_id(4));
        assert_eq!(case.list(Query { after, ..first.clone() }).await, numbered([1]));
        let senders = vec![party("ben")];
        assert_eq!(case.list(Query { senders, ..first }).await, Vec::new());
    });
}

/// Before the return and after its verdict, no one has to verify it.
pub fn a_return_is_found_by_its_verifier_only_while_returned<S: Store, G>(
    make: impl Fn() -> (S, G),
) {
    on_a_fresh_store(make, async |mut case| {
        case.submit([judged_by(1, StateWord::Returned, None)]).await;
        for (judge, word, found) in [
            (Some("cia"), StateWord::Returned, ["cia"].as_slice()),
            (Some("role"), StateWord::Returned, &["role"]),
            (Some("role"), StateWord::Done, &[]),
            (Some("role"), StateWord::Offered, &[]),
        ] {
            let written = case.log.changed(judged_by(1, word, judge), EventType::MovedOn);
            case.commit([written]).await;
            for asking in ["cia", "role"] {
                let listed = case.list(judged(Order::Urgent, [asking])).await;
                assert_eq!(!listed.is_empty(), found.contains(&asking), "{judge:?} in {word:?}");
            }
        }
    });
}

/// Each party acknowledges for itself, and a later failure is found again.
pub fn a_failure_is_found_until_its_party_acknowledges_it<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let sent = |number, word, sender| {
            let mut handoff = between(number, word, sender, "ben");
            handoff.progress.notification_failure = None;
            handoff
        };
        case.submit([
            sent(1, StateWord::Rejected, "ana"),
            sent(2, StateWord::Dead, "cia"),
            sent(3, StateWord::Done, "ana"),
            sent(4, StateWord::Offered, "ana"),
        ])
        .await;
        let all = |name: &str, order| Query {
            failures_for: Some(party(name)),
            order,
            limit: 9,
            ..Query::default()
        };
        let own = |name: &str| Query { senders: vec![party(name)], ..all(name, Order::Urgent) };
        for order in [Order::Urgent, Order::Oldest] {
            assert_eq!(case.list(all("pia", order)).await, numbered([1, 2]));
        }
        assert_eq!(case.list(all("pia", Order::Newest)).await, numbered([2, 1]));
        assert_eq!(case.list(own("ana")).await, numbered([1]));
        assert_eq!(case.list(own("ben")).await, Vec::new());

        let listed = case.store.handoffs(case.project(), all("pia", Order::Oldest)).await;
        let last_n = |handoff: &Handoff| (handoff.id, handoff.progress.last_n);
        let failures: Vec<(HandoffId, u64)> =
            listed.expect("failures are listed").iter().map(last_n).collect();
        for (name, seen) in [("pia", &failures[..1]), ("cia", &failures[1..])] {
            let done = case.store.acknowledge(case.project(), party(name), seen.to_vec()).await;
            assert_eq!(done, Ok(()));
        }
        let older = vec![(failures[1].0, 0)];
        let done = case.store.acknowledge(case.project(), party("cia"), older).await;
        assert_eq!(done, Ok(()));
        assert_eq!(case.list(all("pia", Order::Urgent)).await, numbered([2]));
        assert_eq!(case.list(own("ana")).await, numbered([1]));
        assert_eq!(case.list(own("cia")).await, Vec::new());

        let again = case.log.changed(sent(1, StateWord::Rejected, "ana"), EventType::Rejected);
        case.commit([again]).await;
        assert_eq!(case.list(all("pia", Order::Oldest)).await, numbered([1, 2]));
    });
}

/// Returns 24 handoffs in all states and risks, often with equal times.
fn mixed() -> Vec<Handoff> {
    let mut random = Random::new(24);
    let risks = [RiskWord::Low, RiskWord::Medium, RiskWord::High];
    let mut one = |number| {
        let mut handoff = samples::handoff_numbered(number, *random.pick(&StateWord::ALL));
        handoff.facts_mut().terms.risk = *random.pick(&risks);
        let since = at(i64::try_from(random.below(4)).expect("a small number"));
        handoff.progress.progress_at = since;
        match &mut handoff.progress.state {
            State::Held(hold) => hold.since = since,
            State::Offered(offer) => offer.since = since,
            State::Claimed(claim) => claim.since = since,
            State::Returned(returned) => returned.since = since,
            _ => {}
        }
        handoff
    };
    (1..=24).map(&mut one).collect()
}

/// Consecutive pages of every length give the whole list.
pub fn pages_give_every_row_once_in_every_order<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let handoffs = mixed();
        case.submit(handoffs.clone()).await;
        for (order, expected) in [
            (Order::Oldest, sorted(&handoffs, |one| (0, at(0), one.id))),
            (
                Order::Newest,
                sorted(&handoffs, |one| (0, at(0), one.id)).into_iter().rev().collect(),
            ),
            (
                Order::Urgent,
                sorted(&handoffs, |one| {
                    (one.facts.terms.risk.priority(), one.progress.progress_at, one.id)
                }),
            ),
        ] {
            for limit in [1, 2, 7, 24, 500] {
                assert_eq!(pages(&case, order, limit).await, expected, "{order:?} by {limit}");
            }
        }
    });
}

fn sorted<K: Ord>(handoffs: &[Handoff], key: impl Fn(&Handoff) -> K) -> Vec<HandoffId> {
    let mut handoffs: Vec<&Handoff> = handoffs.iter().collect();
    handoffs.sort_by_key(|handoff| key(handoff));
    handoffs.into_iter().map(|handoff| handoff.id).collect()
}

/// A position keeps its meaning even after its handoff has moved.
pub fn a_list_continues_after_a_position<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let handoffs = mixed();
        case.submit(handoffs.clone()).await;
        let expected = sorted(&handoffs, Urgency::of);
        for limit in [1, 7, 500] {
            let (mut all, mut behind) = (Vec::new(), None);
            loop {
                let query = Query { behind, order: Order::Urgent, limit, ..Query::default() };
                let page = case.list(query).await;
                let Some(last) = page.last() else { break };
                behind = handoffs.iter().find(|one| one.id == *last).map(Urgency::of);
                all.extend(page);
            }
            assert_eq!(all, expected, "by {limit}");
        }
        let mut moved = handoffs.iter().find(|one| one.id == expected[3]).expect("it is").clone();
        let place = Urgency::of(&moved);
        moved.progress.state = State::Claimed(samples::claim(99, party("eva")));
        let written = case.log.changed(moved.clone(), EventType::Claimed);
        case.commit([written]).await;
        assert_ne!(Urgency::of(&moved), place);
        let query = Query {
            behind: Some(place),
            order: Order::Urgent,
            states: vec![StateWord::Offered, StateWord::Held, StateWord::Returned],
            limit: 500,
            ..Query::default()
        };
        let is_asked = |id: &&HandoffId| {
            let handoff = handoffs.iter().find(|one| one.id == **id).expect("it is listed");
            query.states.contains(&handoff.progress.state.word()) && handoff.id != moved.id
        };
        let expected: Vec<HandoffId> = expected[4..].iter().filter(is_asked).copied().collect();
        assert_eq!(case.list(query.clone()).await, expected);
    });
}

/// Consecutive pages by deadline give every row once; rows without a deadline come last.
pub fn a_list_by_deadline_is_complete_in_pages<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let handoffs = mixed();
        let due: Vec<_> = (0..24).map(|one: i64| (one % 5 > 0).then(|| at(one * 7 % 11))).collect();
        let mut written = Vec::new();
        for (number, handoff) in handoffs.iter().enumerate() {
            let mut one = case.log.submitted(handoff.clone());
            one.handoffs[0].due_at = due[number];
            written.push(one);
        }
        case.commit(written).await;
        let position = |number: usize| Urgency::by_deadline(handoffs[number].id, due[number]);
        let mut expected: Vec<usize> = (0..handoffs.len()).collect();
        expected.sort_by_key(|number| position(*number));
        let expected: Vec<HandoffId> = expected.into_iter().map(|at| handoffs[at].id).collect();
        for limit in [1, 7, 500] {
            let (mut all, mut behind) = (Vec::new(), None);
            loop {
                let query = Query { behind, order: Order::Deadline, limit, ..Query::default() };
                let page = case.list(query).await;
                let Some(last) = page.last() else { break };
                behind = handoffs.iter().position(|one| one.id == *last).map(position);
                all.extend(page);
            }
            assert_eq!(all, expected, "by {limit}");
        }
    });
}

/// A handoff whose action has a high risk comes before those of its own risk, while it waits.
pub fn the_risk_of_an_action_counts_in_the_order<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let mut handoffs =
            [1, 2, 3].map(|number| samples::handoff_numbered(number, StateWord::Held));
        for handoff in &mut handoffs {
            handoff.facts_mut().terms.risk = RiskWord::Low;
        }
        case.submit(handoffs.clone()).await;
        let list = Query { order: Order::Urgent, limit: 9, ..Query::default() };
        assert_eq!(case.list(list.clone()).await, numbered([1, 2, 3]));
        let mut asking = handoffs[2].clone();
        asking.progress.state = samples::held_by_its_holder(3).progress.state;
        let written = case.log.changed(asking, EventType::Held);
        case.commit([written]).await;
        assert_eq!(case.list(list.clone()).await, numbered([3, 1, 2]));
        let written = case.log.changed(handoffs[2].clone(), EventType::Held);
        case.commit([written]).await;
        assert_eq!(case.list(list).await, numbered([1, 2, 3]));
    });
}

async fn pages<S: Store>(case: &Case<S>, order: Order, limit: u32) -> Vec<HandoffId> {
    let mut all: Vec<HandoffId> = Vec::new();
    loop {
        let after = all.last().copied();
        let page = case.list(Query { after, order, limit, ..Query::default() }).await;
        if page.is_empty() {
            return all;
        }
        all.extend(page);
        assert!(all.len() <= 1_000, "paging ends");
    }
}

/// The last row of a page was claimed before the next page was requested.
pub fn a_page_continues_after_a_row_that_no_longer_matches<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let offered = (1..=4).map(|number| samples::handoff_numbered(number, StateWord::Offered));
        case.submit(offered).await;
        let claimed = samples::handoff_numbered(2, StateWord::Claimed);
        let written = case.log.changed(claimed, EventType::Claimed);
        case.commit([written]).await;

        for (order, expected) in [
            (Order::Oldest, numbered([3, 4])),
            (Order::Newest, numbered([1])),
            (Order::Urgent, numbered([3, 4])),
        ] {
            let query = Query {
                states: vec![StateWord::Offered],
                after: Some(samples::handoff_id(2)),
                order,
                limit: 9,
                ..Query::default()
            };
            assert_eq!(case.list(query).await, expected, "{order:?}");
        }
    });
}

/// The counters equal a recount while handoffs are added and changed.
pub fn counts_equal_a_recount<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        assert_eq!(counts(&case).await, Counts::default());
        let mut writer = Writer::new(5);
        for _ in 0..20 {
            let written = writer.batch(&mut case.log);
            case.commit(written).await;
            let all = case.store.handoffs(case.project(), oldest()).await.expect("they are listed");
            assert_eq!(counts(&case).await, recount(&all));
        }
    });
}

/// Returns the counts sorted. A store may omit empty states and return them in any order.
async fn counts<S: Store>(case: &Case<S>) -> Counts {
    let mut counts = case.store.counts(case.project()).await.expect("it counts");
    counts.states.retain(|(_, count)| *count > 0);
    counts.states.sort_unstable();
    counts
}

fn recount(handoffs: &[Handoff]) -> Counts {
    let mut counts = Counts::default();
    for handoff in handoffs {
        let sum = if handoff.facts.is_begun { &mut counts.begun } else { &mut counts.submitted };
        *sum += 1;
        let word = handoff.progress.state.word();
        match counts.states.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => counts.states.push((word, 1)),
        }
    }
    counts.states.sort_unstable();
    counts
}
