//! Documents: stored once, never changed.

use tasuki_engine::model::{Document, DocumentKind, StateWord};
use tasuki_engine::ports::{Store, Stored};
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::EventType;

use super::case::{Case, on_a_fresh_store};
use crate::samples;

async fn documents<S: Store>(
    case: &Case<S>,
    of: HandoffId,
    kind: Option<DocumentKind>,
) -> Vec<Stored> {
    case.store.documents(case.project(), of, kind).await.expect("documents are read")
}

/// Text, source, salt and commitment are kept byte for byte.
pub fn documents_are_returned_byte_for_byte<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let handoff = samples::handoff(StateWord::Offered);
        let value = samples::packet("say “Übergabe”,\n\"引き継ぎ\" \u{1f3bd} and \\n");
        let mut written = case.log.submitted(handoff.clone());
        for kind in DocumentKind::ALL {
            let document = samples::document(handoff.id, kind, kind.as_str(), &value);
            written.documents.push((0, document));
        }
        case.commit([written.clone()]).await;

        let found = documents(&case, handoff.id, None).await;
        let expected: Vec<Stored> =
            written.documents.into_iter().map(|(n, document)| Stored { n, document }).collect();
        assert_eq!(found, expected);
        assert!(found[0].document.sealed.source.is_some(), "a packet keeps its source");
        assert!(found[1].document.sealed.source.is_none(), "a JSON body has no source");
    });
}

/// Documents of one kind or all are listed in the order they were written.
pub fn documents_are_listed_oldest_first_and_by_kind<S: Store, G>(make: impl Fn() -> (S, G)) {
    on_a_fresh_store(make, async |mut case| {
        let (one, other) = (
            samples::handoff_numbered(1, StateWord::Claimed),
            samples::handoff_numbered(2, StateWord::Claimed),
        );
        case.submit([one.clone(), other.clone()]).await;
        // The ids descend, so that only the order of writing gives the right result.
        for (kind, id, of) in [
            (DocumentKind::Checkpoint, "9", &one),
            (DocumentKind::Packet, "8", &one),
            (DocumentKind::Checkpoint, "7", &other),
            (DocumentKind::Checkpoint, "6", &one),
        ] {
            let mut written = case.log.changed(of.clone(), EventType::Started);
            let document = |id: &str| samples::document(of.id, kind, id, &samples::packet(id));
            let n = written.leaves[0].n;
            written.documents.push((n, document(id)));
            written.documents.push((n, document(&format!("{id}, before"))));
            case.commit([written]).await;
        }

        let check = async |of, kind, expected: &[&str]| {
            let found = documents(&case, of, kind).await;
            let ids: Vec<_> = found.iter().map(|stored| stored.document.id.as_str()).collect();
            assert_eq!(ids, expected);
            assert!(found.is_sorted_by_key(|stored| stored.n));
        };
        let checkpoints = Some(DocumentKind::Checkpoint);
        check(one.id, None, &["9", "9, before", "8", "8, before", "6", "6, before"]).await;
        check(one.id, checkpoints, &["9", "9, before", "6", "6, before"]).await;
        check(other.id, checkpoints, &["7", "7, before"]).await;
        check(other.id, Some(DocumentKind::Return), &[]).await;
        check(samples::handoff_id(99), None, &[]).await;

        let found: Vec<Document> =
            documents(&case, other.id, None).await.into_iter().map(|one| one.document).collect();
        assert!(found.iter().all(|document| document.handoff == other.id));
    });
}
