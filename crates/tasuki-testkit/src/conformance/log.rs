//! The log: leaves in order, with their exact bytes.

use tasuki_engine::model::StateWord;
use tasuki_engine::ports::{LeafRow, Store, WriteSet};
use tasuki_packet::leaf::{EventType, check_chain};

use super::case::{Case, on_a_fresh_store};
use crate::samples;

async fn leaves<S: Store>(case: &Case<S>, from: u64, limit: u32) -> Vec<LeafRow> {
    case.store.leaves(case.project(), from, limit).await.expect("leaves are read")
}

/// Writes a leaf of every type, about two handoffs and about none.
async fn write_all_types<S: Store>(case: &mut Case<S>) -> Vec<LeafRow> {
    let handoffs = [1, 2].map(|number| samples::handoff_numbered(number, StateWord::Offered));
    case.submit(handoffs.clone()).await;
    let mut rows = leaves(case, 0, 10).await;
    for (place, kind) in EventType::ALL.iter().enumerate() {
        let reason = Some("because “it” was");
        let written = if kind.has_subject() {
            case.log.changed_because(handoffs[place % 2].clone(), *kind, reason)
        } else {
            let leaves = vec![case.log.leaf(*kind, None, reason)];
            WriteSet { leaves, ..WriteSet::default() }
        };
        rows.extend(written.leaves.iter().cloned());
        case.commit([written]).await;
    }
    rows
}

/// The bytes are those that were hashed, so the chain holds.
pub fn leaves_are_listed_in_order_from_a_number_on<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let expected = write_all_types(&mut case).await;
        let all = leaves(&case, 0, 1_000).await;
        assert_eq!(all, expected);
        let chain = check_chain(all.iter().map(|row| row.leaf.as_bytes()));
        assert_eq!(chain, Ok(case.log.head.last_hash));

        assert_eq!(leaves(&case, 5, 3).await, expected[5..8]);
        assert_eq!(leaves(&case, case.log.head.leaves - 1, 3).await.len(), 1);
        assert_eq!(leaves(&case, case.log.head.leaves, 3).await, []);
        assert_eq!(leaves(&case, 0, 0).await, []);
    });
}

/// Oldest first, without leaves of other handoffs.
pub fn leaves_of_a_handoff_are_its_own<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let all = write_all_types(&mut case).await;
        for number in [1, 2, 99] {
            let id = samples::handoff_id(number);
            let its = all.iter().filter(|row| row.handoff == Some(id)).cloned().collect();
            assert_eq!(case.store.leaves_of(case.project(), id).await, Ok::<Vec<_>, _>(its));
        }
    });
}
