//! The writer's cache of recent handoffs, so that a handoff is not read again when it is claimed
//! right after it was submitted.
//!
//! INVARIANT: it holds committed state only, and is cleared when another connection has written,
//! which `PRAGMA data_version` shows inside the transaction.

use std::collections::HashMap;
use std::sync::Arc;

use tasuki_engine::model::{Handoff, Head};
use tasuki_packet::id::HandoffId;

/// LIMIT: handoffs in each of the two generations, a few kilobytes each.
const GENERATION_MAX: usize = 2_048;

#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// The end of the log.
    pub(crate) head: Option<Head>,
    /// The time of the next idempotency key expiry, in microseconds.
    pub(crate) next_expiry: Option<i64>,
    young: HashMap<HandoffId, CachedHandoff>,
    old: HashMap<HandoffId, CachedHandoff>,
}

/// A handoff with the number of its row.
#[derive(Debug, Clone)]
pub(crate) struct CachedHandoff {
    pub(crate) seq: i64,
    pub(crate) handoff: Arc<Handoff>,
}

/// The changes of a commit to the cache.
#[derive(Debug)]
pub(crate) struct CacheUpdate {
    /// Handoffs in their new state.
    pub(crate) handoffs: Vec<CachedHandoff>,
    /// See [`Cache::next_expiry`].
    pub(crate) next_expiry: i64,
}

impl Cache {
    pub(crate) fn apply(&mut self, head: Head, update: CacheUpdate) {
        self.head = Some(head);
        self.next_expiry = Some(update.next_expiry);
        for known in update.handoffs {
            self.put(known);
        }
    }

    pub(crate) fn get(&self, id: HandoffId) -> Option<&CachedHandoff> {
        self.young.get(&id).or_else(|| self.old.get(&id))
    }

    /// Caches a handoff. Handoffs not put for two generations are dropped.
    pub(crate) fn put(&mut self, known: CachedHandoff) {
        if self.young.len() >= GENERATION_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(known.handoff.id, known);
    }
}

#[cfg(test)]
mod tests {
    use tasuki_engine::model::StateWord;
    use tasuki_testkit::samples;

    use super::*;

    #[test]
    fn it_holds_the_newest_and_is_bounded() {
        let mut cache = Cache::default();
        let sample = samples::handoff(StateWord::Offered);
        let count = 3 * u32::try_from(GENERATION_MAX).unwrap();
        for number in 0..count {
            let handoff = Handoff { id: samples::handoff_id(number), ..sample.clone() };
            cache.put(CachedHandoff { seq: i64::from(number), handoff: Arc::new(handoff) });
        }
        let seq = |number| cache.get(samples::handoff_id(number)).map(|known| known.seq);
        assert_eq!(seq(count - 1), Some(i64::from(count) - 1));
        assert_eq!(seq(0), None);
        assert!(cache.young.len() + cache.old.len() <= 2 * GENERATION_MAX);
    }

    #[test]
    fn the_last_value_is_returned() {
        let mut cache = Cache::default();
        for (seq, word) in [(1, StateWord::Offered), (1, StateWord::Done)] {
            cache.put(CachedHandoff { seq, handoff: Arc::new(samples::handoff(word)) });
        }
        let known = cache.get(samples::handoff_id(1)).unwrap();
        assert_eq!(known.handoff.progress.state.word(), StateWord::Done);
    }
}
