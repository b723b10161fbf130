//! Search by a full scan, with the engine's definition of a word.

use std::borrow::Cow;

use tasuki_engine::ports::{Found, LeafRow, Stored};
use tasuki_engine::query::search::{self, excerpt, has_all, words};

use super::tables::Tables;

impl Tables {
    /// Returns the matching documents and reasons. A document comes before the reason of its event.
    pub(super) fn search(&self, query: &str, before: Option<u64>, limit: u32) -> Vec<Found> {
        let asked: Vec<String> = words(query).map(Cow::into_owned).collect();
        if asked.is_empty() {
            return Vec::new();
        }
        let documents = self.documents.iter().map(|stored| document(stored));
        let reasons = self.leaves.iter().filter_map(|leaf| reason(leaf));
        let mut found: Vec<Found> = documents
            .chain(reasons)
            .filter(|found| before.is_none_or(|before| found.n < before))
            .filter(|found| has_all(&found.excerpt, &asked))
            .map(|found| Found { excerpt: excerpt(&found.excerpt, &asked), ..found })
            .collect();
        found.sort_by_key(|found| std::cmp::Reverse(found.n));
        found.truncate(limit as usize);
        found
    }
}

/// Returns a document as a result, with its whole text for an excerpt.
fn document(stored: &Stored) -> Found {
    let excerpt = search::texts(&stored.document);
    let kind = stored.document.kind.as_str().to_owned();
    Found { n: stored.n, handoff: Some(stored.document.handoff), kind, excerpt }
}

fn reason(leaf: &LeafRow) -> Option<Found> {
    let excerpt = search::reason(leaf)?;
    Some(Found { n: leaf.n, handoff: leaf.handoff, kind: leaf.kind.name().to_owned(), excerpt })
}
