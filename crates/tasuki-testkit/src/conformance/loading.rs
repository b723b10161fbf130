//! Handoffs that a transaction loads for a batch.

use std::sync::Arc;

use tasuki_engine::model::{Handoff, LoadSet, Reviewed, RiskWord, State, StateWord};
use tasuki_engine::ports::Store;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::case::{numbered, on_a_fresh_store};
use crate::samples::{self, at, party};

/// Includes the fields that are omitted when empty.
pub fn a_handoff_in_every_state_is_returned_unchanged<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let mut handoffs: Vec<Handoff> = (1..)
            .zip(StateWord::ALL)
            .map(|(number, word)| samples::handoff_numbered(number, word))
            .collect();
        handoffs.push(samples::held_by_its_holder(11));
        handoffs.push(bare(samples::handoff_numbered(12, StateWord::Offered)));
        case.submit(handoffs.clone()).await;

        for (n, mut expected) in (0..).zip(handoffs) {
            expected.progress.last_n = n;
            let found = case.store.handoff(case.project(), expected.id).await;
            assert_eq!(found, Ok(Some(expected)));
        }
        let unknown = case.store.handoff(case.project(), samples::handoff_id(99)).await;
        assert_eq!(unknown, Ok(None));
    });
}

/// Returns the handoff with as little in it as possible.
fn bare(mut handoff: Handoff) -> Handoff {
    let progress = &mut handoff.progress;
    progress.checkpoint = None;
    progress.accepted = None;
    progress.reviewed = None;
    progress.changed = None;
    progress.signatures.clear();
    progress.questions.clear();
    progress.declined_by.clear();
    progress.judge = None;
    progress.has_expired = false;
    progress.delivered_at = None;
    progress.started_at = None;
    let facts = handoff.facts_mut();
    facts.lineage.clear();
    facts.summary.confidence = None;
    facts.summary.authority = None;
    facts.summary.title.clear();
    facts.terms.contract = None;
    facts.terms.ladder.clear();
    handoff
}

/// One level up and one level down, however the handoff was selected.
pub fn a_handoff_is_loaded_with_its_parent_and_child<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        // 1 is the parent of 2, 2 of 3, 3 of 4; 5 has no relatives.
        let mut chain: Vec<Handoff> =
            (1..=5).map(|number| samples::handoff_numbered(number, StateWord::Claimed)).collect();
        chain[3].progress.state = samples::state(4, StateWord::Offered);
        for place in 0..3 {
            chain[place].progress.child = Some(chain[place + 1].id);
            chain[place + 1].facts_mut().parent = Some(chain[place].id);
        }
        case.submit(chain).await;

        let by_id = |number| LoadSet {
            handoffs: [samples::handoff_id(number)].into(),
            ..LoadSet::default()
        };
        assert_eq!(case.load_ids(&by_id(1)).await, numbered([1, 2]));
        assert_eq!(case.load_ids(&by_id(2)).await, numbered([1, 2, 3]));
        assert_eq!(case.load_ids(&by_id(4)).await, numbered([3, 4]));
        assert_eq!(case.load_ids(&by_id(5)).await, numbered([5]));
        assert_eq!(case.load_ids(&by_id(99)).await, []);

        let by_offer =
            LoadSet { offers: [(vec![party("receiver")], 1)].into(), ..LoadSet::default() };
        assert_eq!(case.load_ids(&by_offer).await, numbered([3, 4]));
        let by_task = LoadSet { tasks: ["task-4".to_owned()].into(), ..LoadSet::default() };
        assert_eq!(case.load_ids(&by_task).await, numbered([3, 4]));
    });
}

/// A live handoff is open and does not wait for its child.
pub fn only_the_live_handoff_of_a_task_is_loaded<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let of_task = |number, word, task: &str| {
            let mut handoff = samples::handoff_numbered(number, word);
            task.clone_into(&mut handoff.facts_mut().task);
            handoff
        };
        let mut waiting = [3, 4].map(|number| of_task(number, StateWord::Claimed, "passed on"));
        waiting[0].progress.child = Some(waiting[1].id);
        waiting[1].facts_mut().parent = Some(waiting[0].id);
        let mut live = of_task(7, StateWord::Held, "passed on");
        live.facts_mut().parent = Some(waiting[1].id);
        waiting[1].progress.child = Some(live.id);
        case.submit(waiting).await;
        case.submit([
            live,
            of_task(1, StateWord::Cancelled, "again"),
            of_task(2, StateWord::Offered, "again"),
            of_task(5, StateWord::Done, "over"),
            of_task(6, StateWord::Dead, "dead"),
        ])
        .await;

        let check = async |task: &str, expected: Vec<HandoffId>| {
            let touched = LoadSet { tasks: [task.to_owned()].into(), ..LoadSet::default() };
            assert_eq!(case.load_ids(&touched).await, expected, "{task}");
        };
        check("again", numbered([2])).await;
        // The parent is loaded as a parent, not for its task; its own parent is therefore not
        // loaded.
        check("passed on", numbered([4, 7])).await;
        check("over", Vec::new()).await;
        check("dead", Vec::new()).await;
        check("Again", Vec::new()).await;
    });
}

/// A handoff that has ended may be submitted again.
pub fn only_an_open_handoff_is_found_by_its_fingerprint<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let with = |number, word, fingerprint: &str| {
            let mut handoff = samples::handoff_numbered(number, word);
            fingerprint.clone_into(&mut handoff.facts_mut().fingerprint);
            handoff.facts_mut().task = format!("tsk_{number:032}");
            handoff
        };
        case.submit([
            with(1, StateWord::Rejected, "same"),
            with(2, StateWord::Returned, "same"),
            with(3, StateWord::Dead, "dead"),
            with(4, StateWord::Held, "held"),
        ])
        .await;
        let fingerprints = ["same", "dead", "held", "none"].map(str::to_owned).into();
        let touched = LoadSet { fingerprints, ..LoadSet::default() };
        assert_eq!(case.load_ids(&touched).await, numbered([2, 4]));
    });
}

/// A handoff that was passed on is open but no longer live.
pub fn all_open_handoffs_of_a_task_are_found_by_it<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let of = |number, word, task: &str| {
            let mut handoff = samples::handoff_numbered(number, word);
            task.clone_into(&mut handoff.facts_mut().task);
            handoff
        };
        case.submit([
            of(1, StateWord::Rejected, "one"),
            of(2, StateWord::Returned, "one"),
            of(3, StateWord::Held, "two"),
            of(4, StateWord::Offered, "three"),
        ])
        .await;
        let open_of_tasks = ["one", "two", "none"].map(str::to_owned).into();
        let touched = LoadSet { open_of_tasks, ..LoadSet::default() };
        assert_eq!(case.load_ids(&touched).await, numbered([2, 3]));
    });
}

/// A task keeps its last decision after the handoff that it was about has ended.
pub fn the_last_decision_about_a_task_is_found_by_it<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let of = |number, task: &str, reviewed_at: Option<i64>| {
            let mut handoff = samples::handoff_numbered(number, StateWord::Cancelled);
            task.clone_into(&mut handoff.facts_mut().task);
            let reviewed = handoff.progress.reviewed.take();
            handoff.progress.reviewed =
                reviewed.zip(reviewed_at).map(|(one, after)| Reviewed { at: at(after), ..one });
            handoff
        };
        case.submit([
            of(1, "one", Some(10)),
            of(2, "one", Some(30)),
            of(3, "one", Some(20)),
            of(4, "one", None),
            of(5, "two", Some(10)),
            of(6, "two", Some(10)),
            of(7, "three", None),
        ])
        .await;
        let load = |tasks: &[&str]| LoadSet {
            reviewed_of_tasks: tasks.iter().map(|task| (*task).to_owned()).collect(),
            ..LoadSet::default()
        };
        assert_eq!(case.load_ids(&load(&["one"])).await, numbered([2]));
        assert_eq!(case.load_ids(&load(&["two", "three", "none"])).await, numbered([6]));

        let mut third = of(3, "one", Some(40));
        third.progress.state = samples::state(3, StateWord::Held);
        let written = case.log.changed(third, EventType::Held);
        case.commit([written]).await;
        assert_eq!(case.load_ids(&load(&["one"])).await, numbered([3]));
    });
}

/// The order of urgency decides which offers are within the limit.
pub fn offers_are_loaded_by_risk_then_by_age<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let offer = |number, to: &str, risk, since| {
            let mut handoff = samples::handoff_numbered(number, StateWord::Offered);
            let facts = handoff.facts_mut();
            facts.receiver = party(to);
            facts.terms.risk = risk;
            if let State::Offered(offer) = &mut handoff.progress.state {
                offer.since = at(since);
            }
            handoff
        };
        let mut held = samples::handoff_numbered(8, StateWord::Held);
        held.facts_mut().receiver = party("ana");
        held.facts_mut().terms.risk = RiskWord::High;
        case.submit([
            offer(1, "ana", RiskWord::Low, 10),
            offer(2, "ana", RiskWord::Medium, 90),
            offer(3, "ana", RiskWord::Medium, 80),
            offer(4, "ana", RiskWord::Medium, 80),
            offer(5, "ana", RiskWord::High, 95),
            offer(6, "role", RiskWord::High, 99),
            offer(7, "ben", RiskWord::High, 1),
            held,
        ])
        .await;

        let check = async |asked: &[(&[&str], usize)], expected: Vec<HandoffId>| {
            let parties = |names: &[&str]| names.iter().map(|name| party(name)).collect();
            let offers = asked.iter().map(|(names, count)| (parties(names), *count)).collect();
            let touched = LoadSet { offers, ..LoadSet::default() };
            assert_eq!(case.load_ids(&touched).await, expected, "{asked:?}");
        };
        check(&[(&["ana"], 1)], numbered([5])).await;
        check(&[(&["ana"], 2)], numbered([3, 5])).await;
        check(&[(&["ana"], 3)], numbered([3, 4, 5])).await;
        check(&[(&["ana"], 100)], numbered([1, 2, 3, 4, 5])).await;
        check(&[(&["ana"], 0)], Vec::new()).await;
        check(&[(&["ana", "role"], 3)], numbered([3, 5, 6])).await;
        check(&[(&["ana"], 1), (&["ben"], 1)], numbered([5, 7])).await;
        check(&[(&["nobody"], 5)], Vec::new()).await;
    });
}

/// A holder that waits for approval has a claim too.
pub fn claims_of_an_older_epoch_are_loaded<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let claimed = |number, epoch| {
            let mut handoff = samples::handoff_numbered(number, StateWord::Claimed);
            let mut claim = samples::claim(number, party("receiver"));
            claim.epoch = epoch;
            handoff.progress.state = State::Claimed(claim);
            handoff
        };
        case.submit([
            claimed(1, 0),
            claimed(2, 1),
            claimed(3, 2),
            samples::held_by_its_holder(4),
            samples::handoff_numbered(5, StateWord::Held),
            samples::handoff_numbered(6, StateWord::Returned),
        ])
        .await;
        let before = |epoch| LoadSet { claims_before_epoch: Some(epoch), ..LoadSet::default() };
        assert_eq!(case.load_ids(&before(0)).await, []);
        assert_eq!(case.load_ids(&before(1)).await, numbered([1, 4]));
        assert_eq!(case.load_ids(&before(2)).await, numbered([1, 2, 4]));
    });
}

/// A handoff selected in several ways is loaded once.
pub fn each_handoff_is_loaded_once<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let mut handoff = samples::handoff(StateWord::Offered);
        "same".clone_into(&mut handoff.facts_mut().fingerprint);
        case.submit([handoff.clone()]).await;
        let touched = LoadSet {
            handoffs: [handoff.id].into(),
            tasks: [handoff.facts.task.clone()].into(),
            open_of_tasks: [handoff.facts.task.clone()].into(),
            reviewed_of_tasks: [handoff.facts.task.clone()].into(),
            fingerprints: ["same".to_owned()].into(),
            keys: [samples::key("submit", "k")].into(),
            offers: [(vec![party("receiver")], 9), (vec![party("receiver"), party("x")], 9)].into(),
            offers_of: [party("receiver")].into(),
            claimable_at: None,
            claims_before_epoch: Some(9),
            open_count: true,
        };
        let loaded = case.load(&touched).await;
        assert_eq!(loaded.handoffs, [Arc::new(handoff)]);
        assert_eq!(loaded.remembered, []);
        assert_eq!(loaded.open, Some(1));
        assert_eq!(case.load(&LoadSet::default()).await.open, None);
    });
}
