//! Large documents and batches.

use tasuki_engine::model::{DocumentKind, StateWord};
use tasuki_engine::ports::{Order, Query, Store};

use super::case::on_a_fresh_store;
use crate::samples;

/// A document of the maximum size is returned whole.
pub fn a_document_of_a_megabyte_is_kept<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let handoff = samples::handoff(StateWord::Offered);
        let value = samples::packet(&"lorem “ipsum” ".repeat(70_000));
        let document = samples::document(handoff.id, DocumentKind::Packet, "1", &value);
        assert!(document.sealed.body.len() > 1_000_000);
        let mut written = case.log.submitted(handoff.clone());
        written.documents.push((0, document.clone()));
        case.commit([written]).await;

        let found = case.store.documents(case.project(), handoff.id, None).await;
        let found = found.expect("documents are read");
        assert!(found.len() == 1 && found[0].document == document);
    });
}

/// One commit may contain a full batch plus what became due.
pub fn a_thousand_handoffs_fit_into_one_commit<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let numbers = 1..=1_000;
        case.submit(numbers.map(|n| samples::handoff_numbered(n, StateWord::Offered))).await;

        let counts = case.store.counts(case.project()).await.expect("it counts");
        assert_eq!((counts.begun, counts.submitted), (0, 1_000));
        let query = Query { order: Order::Oldest, limit: 1_000, ..Query::default() };
        let expected: Vec<_> = (1..=1_000).map(samples::handoff_id).collect();
        assert_eq!(case.list(query).await, expected);
        let leaves = case.store.leaves(case.project(), 0, 2_000).await.expect("leaves are read");
        assert_eq!(leaves.len(), 1_000);
    });
}
