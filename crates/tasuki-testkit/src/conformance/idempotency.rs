//! Responses to idempotency keys.

use tasuki_engine::model::{IdempotencyKey, IdempotencyRecord, LoadSet, StateWord};
use tasuki_engine::ports::{Store, WriteSet};

use super::case::{Case, on_a_fresh_store};
use crate::samples::{self, at, party};

async fn remember<S: Store>(case: &Case<S>, key: IdempotencyKey, remembered: IdempotencyRecord) {
    case.commit([WriteSet {
        remembered: Some(Box::new((key, remembered))),
        ..WriteSet::default()
    }])
    .await;
}

/// Returns the responses to these keys, inside and outside of a transaction.
async fn recall<S: Store>(
    case: &Case<S>,
    keys: &[&IdempotencyKey],
) -> Vec<(IdempotencyKey, IdempotencyRecord)> {
    let asked: Vec<IdempotencyKey> = keys.iter().copied().cloned().collect();
    let keys = asked.iter().cloned().collect();
    let mut found = case.load(&LoadSet { keys, ..LoadSet::default() }).await.remembered;
    let mut read = case.store.remembered(case.project(), asked).await.expect("keys are read");
    for answers in [&mut found, &mut read] {
        answers.sort_by(|(one, _), (other, _)| one.cmp(other));
    }
    assert_eq!(read, found);
    found
}

/// The same text under another command or from another party is another key.
pub fn a_key_is_remembered_with_its_scope<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |case| {
        let (submit, claim) = (samples::key("submit", "k '\" ü"), samples::key("claim", "k '\" ü"));
        let (others, unused) = (
            IdempotencyKey { party: party("other"), ..submit.clone() },
            samples::key("submit", "unused"),
        );
        for key in [&submit, &claim, &others] {
            assert_eq!(recall(&case, &[key]).await, []);
            remember(&case, key.clone(), samples::remembered(&format!("{key:?}"))).await;
        }
        let found = recall(&case, &[&submit, &claim, &others, &unused]).await;
        assert_eq!(found.len(), 3);
        for (key, remembered) in found {
            assert_eq!(remembered, samples::remembered(&format!("{key:?}")));
        }
    });
}

/// An expired key may be kept or forgotten; a new response replaces it.
pub fn a_key_is_kept_until_it_expires<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let (short, long) = (samples::key("claim", "short"), samples::key("claim", "long"));
        let forever = samples::key("submit", "forever");
        let until =
            |second| IdempotencyRecord { until: Some(at(second)), ..samples::remembered("old") };
        remember(&case, short.clone(), until(3)).await;
        remember(&case, long.clone(), until(1_000)).await;
        remember(&case, forever.clone(), samples::remembered("old")).await;
        assert_eq!(recall(&case, &[&short, &long, &forever]).await.len(), 3);

        // Each leaf is a second later than the one before.
        let number = 1..=6;
        case.submit(number.map(|number| samples::handoff_numbered(number, StateWord::Done))).await;
        let expected =
            [(long.clone(), until(1_000)), (forever.clone(), samples::remembered("old"))];
        assert_eq!(recall(&case, &[&long, &forever]).await, expected);

        let new = IdempotencyRecord { until: Some(at(2_000)), ..samples::remembered("new") };
        remember(&case, short.clone(), new.clone()).await;
        assert_eq!(recall(&case, &[&short]).await, [(short, new)]);
    });
}
