//! What the writer remembers of the last batches, so that a handoff that was just submitted need
//! not be read again when it is claimed.
//!
//! INVARIANT: it holds committed state only, and is forgotten as a whole when another connection has
//! written, which `PRAGMA data_version` tells inside the transaction.

use std::sync::Arc;

use tasuki_engine::by_id::ById;
use tasuki_engine::handoff::Handoff;
use tasuki_engine::state::Head;
use tasuki_packet::id::HandoffId;

/// LIMIT: handoffs of each of the two generations, a few kilobytes each.
const GENERATION_MAX: usize = 2_048;

/// What the writer remembers.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// The end of the log.
    pub(crate) head: Option<Head>,
    /// When the first remembered answer is to be forgotten, in microseconds.
    pub(crate) forget_at: Option<i64>,
    young: ById<HandoffId, Known>,
    old: ById<HandoffId, Known>,
}

/// A handoff with the number of its row.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) seq: i64,
    pub(crate) handoff: Arc<Handoff>,
}

/// What a commit teaches.
#[derive(Debug)]
pub(crate) struct Learned {
    /// Handoffs as they are now.
    pub(crate) handoffs: Vec<Known>,
    /// See [`Cache::forget_at`].
    pub(crate) forget_at: i64,
}

impl Cache {
    /// Takes in what was committed.
    pub(crate) fn learn(&mut self, head: Head, learned: Learned) {
        self.head = Some(head);
        self.forget_at = Some(learned.forget_at);
        for known in learned.handoffs {
            self.put(known);
        }
    }

    /// The handoff, if it is remembered.
    pub(crate) fn get(&self, id: HandoffId) -> Option<&Known> {
        self.young.get(&id).or_else(|| self.old.get(&id))
    }

    /// Remembers a handoff. What was not put for two generations is forgotten.
    pub(crate) fn put(&mut self, known: Known) {
        if self.young.len() >= GENERATION_MAX {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(known.handoff.id, known);
    }
}

#[cfg(test)]
mod tests {
    use tasuki_engine::handoff::StateWord;
    use tasuki_testkit::samples;

    use super::*;

    #[test]
    fn it_remembers_the_newest_and_is_bounded() {
        let mut cache = Cache::default();
        let sample = samples::handoff(StateWord::Offered);
        let count = 3 * u32::try_from(GENERATION_MAX).unwrap();
        for number in 0..count {
            let handoff = Handoff { id: samples::handoff_id(number), ..sample.clone() };
            cache.put(Known { seq: i64::from(number), handoff: Arc::new(handoff) });
        }
        let seq = |number| cache.get(samples::handoff_id(number)).map(|known| known.seq);
        assert_eq!(seq(count - 1), Some(i64::from(count) - 1));
        assert_eq!(seq(0), None);
        assert!(cache.young.len() + cache.old.len() <= 2 * GENERATION_MAX);
    }

    #[test]
    fn the_last_word_counts() {
        let mut cache = Cache::default();
        for (seq, word) in [(1, StateWord::Offered), (1, StateWord::Done)] {
            cache.put(Known { seq, handoff: Arc::new(samples::handoff(word)) });
        }
        let known = cache.get(samples::handoff_id(1)).unwrap();
        assert_eq!(known.handoff.progress.state.word(), StateWord::Done);
    }
}
