//! Counters of handoffs: begun, submitted, and in each state. They are columns of the head, which
//! every commit writes anyway.

use tasuki_engine::model::StateWord;
use tasuki_engine::ports::Counts;

/// The number of columns.
pub(crate) const LENGTH: usize = StateWord::ALL.len() + 2;

/// The counters, or the changes of a commit to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters(pub(crate) [i64; LENGTH]);

const BEGUN: usize = 0;
const SUBMITTED: usize = 1;

fn of_state(state: StateWord) -> usize {
    SUBMITTED + 1 + state as usize
}

fn of_kind(is_begun: bool) -> usize {
    if is_begun { BEGUN } else { SUBMITTED }
}

impl Counters {
    /// Builds the counters from the number of handoffs in each state, begun or submitted.
    pub(crate) fn of(counts: impl IntoIterator<Item = (String, bool, i64)>) -> Self {
        let mut counters = Self::default();
        for (state, is_begun, count) in counts {
            counters.0[of_kind(is_begun)] += count;
            // A handoff in an unknown state is reported by its own check.
            if let Some(state) = StateWord::named(&state) {
                counters.0[of_state(state)] += count;
            }
        }
        counters
    }

    pub(crate) fn add(&mut self, state: StateWord, is_begun: bool) {
        self.0[of_state(state)] += 1;
        self.0[of_kind(is_begun)] += 1;
    }

    pub(crate) fn change_state(&mut self, from: StateWord, to: StateWord) {
        self.0[of_state(from)] -= 1;
        self.0[of_state(to)] += 1;
    }

    pub(crate) fn change_facts(&mut self, was_begun: bool, is_begun: bool) {
        self.0[of_kind(was_begun)] -= 1;
        self.0[of_kind(is_begun)] += 1;
    }

    /// Returns each counter with the name of its column.
    pub(crate) fn named(self) -> impl Iterator<Item = (&'static str, i64)> {
        let states = StateWord::ALL.into_iter().map(StateWord::as_str);
        ["begun", "submitted"].into_iter().chain(states).zip(self.0)
    }
}

impl From<Counters> for Counts {
    fn from(counters: Counters) -> Self {
        let count = |place: usize| u64::try_from(counters.0[place]).unwrap_or(0);
        Self {
            begun: count(BEGUN),
            submitted: count(SUBMITTED),
            states: StateWord::ALL.map(|state| (state, count(of_state(state)))).to_vec(),
        }
    }
}
