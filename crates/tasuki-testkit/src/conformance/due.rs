//! Due handoffs.

use tasuki_engine::model::StateWord;
use tasuki_engine::ports::{Store, WriteSet};
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::case::{Case, numbered, on_a_fresh_store};
use crate::samples::{self, at};

fn due_at(mut written: WriteSet, second: Option<i64>) -> WriteSet {
    written.handoffs[0].due_at = second.map(at);
    written
}

async fn due<S: Store>(case: &Case<S>, second: i64, limit: usize) -> Vec<HandoffId> {
    let mut transaction = case.store.open(case.project()).await.expect("it opens");
    transaction.due(at(second), limit).await.expect("due handoffs are read")
}

/// A handoff is due at exactly its due time; ties are ordered by age, oldest first.
pub fn due_handoffs_are_listed_earliest_first<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let seconds = [Some(30), Some(10), None, Some(20), Some(10), Some(99)];
        let written: Vec<_> = (1..)
            .zip(seconds)
            .map(|(number, second)| {
                let handoff = samples::handoff_numbered(number, StateWord::Offered);
                due_at(case.log.submitted(handoff), second)
            })
            .collect();
        case.commit(written).await;

        assert_eq!(due(&case, 9, 10).await, []);
        assert_eq!(due(&case, 10, 10).await, numbered([2, 5]));
        assert_eq!(due(&case, 30, 10).await, numbered([2, 5, 4, 1]));
        assert_eq!(due(&case, 30, 3).await, numbered([2, 5, 4]));
        assert_eq!(case.store.next_due(case.project()).await, Ok(Some(at(10))));
        assert_eq!(case.store.is_due(case.project(), at(9)).await, Ok(false));
        assert_eq!(case.store.is_due(case.project(), at(10)).await, Ok(true));
    });
}

/// A later row moves or removes the due time.
pub fn a_handoff_is_due_only_while_its_row_has_a_due_time<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        assert_eq!(case.store.next_due(case.project()).await, Ok(None));
        let handoff = samples::handoff(StateWord::Claimed);
        let written = due_at(case.log.submitted(handoff.clone()), Some(10));
        case.commit([written]).await;
        assert_eq!(due(&case, 50, 10).await, numbered([1]));

        let renewed = case.log.changed(handoff.clone(), EventType::Started);
        case.commit([due_at(renewed, Some(40))]).await;
        assert_eq!(due(&case, 39, 10).await, []);
        assert_eq!(due(&case, 40, 10).await, numbered([1]));

        let ended = case.log.changed(handoff, EventType::Declined);
        case.commit([due_at(ended, None)]).await;
        assert_eq!(due(&case, 50, 10).await, []);
        assert_eq!(case.store.next_due(case.project()).await, Ok(None));
        assert_eq!(case.store.is_due(case.project(), at(50)).await, Ok(false));
    });
}
