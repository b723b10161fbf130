//! Counters of handoffs: begun, submitted, and in each state. They are columns of the head, which
//! every commit writes anyway.

use rusqlite::ToSql;
use tasuki_engine::error::Fault;
use tasuki_engine::model::StateWord;
use tasuki_engine::ports::Counts;

use crate::sqlite::connection::Database;
use crate::sqlite::{row, statements};

/// The number of columns.
const LENGTH: usize = StateWord::ALL.len() + 2;

/// The counters, or the changes of a commit to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counters([i64; LENGTH]);

const BEGUN: usize = 0;
const SUBMITTED: usize = 1;

fn of_state(state: StateWord) -> usize {
    SUBMITTED + 1 + state as usize
}

fn of_kind(is_begun: bool) -> usize {
    if is_begun { BEGUN } else { SUBMITTED }
}

impl Counters {
    /// Loads the counters from the head.
    pub(crate) fn load(database: &Database) -> Result<Self, Fault> {
        database
            .first(&statements::HEAD_COUNTERS_LOAD, [], row::counters)?
            .map(Self)
            .ok_or_else(|| row::corrupt("head", "1", "only_row", "is missing"))
    }

    pub(crate) fn recount(database: &Database) -> Result<Self, Fault> {
        let mut counters = Self::default();
        for (state, is_begun, count) in
            database.all(&statements::HANDOFF_COUNT, [], row::recount)?
        {
            counters.0[of_kind(is_begun)] += count;
            // A handoff in an unknown state is reported by its own check.
            if let Some(state) = StateWord::named(&state) {
                counters.0[of_state(state)] += count;
            }
        }
        Ok(counters)
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

    /// Returns the counters as parameters, in the order of their columns.
    pub(crate) fn params(&self) -> [&dyn ToSql; LENGTH] {
        self.0.each_ref().map(|number| number as &dyn ToSql)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Case;

    #[test]
    fn every_counter_has_the_column_of_its_name() {
        let case = Case::new();
        let mut counters = Counters::default();
        for (place, number) in counters.0.iter_mut().zip(1..) {
            *place = number;
        }
        let database = case.project().open_writer().unwrap().database;
        database.run(&statements::HEAD_COUNTERS_SET, counters.params().as_slice()).unwrap();
        assert_eq!(Counters::load(&database), Ok(counters));
        for (name, number) in counters.named() {
            let text = format!("SELECT {name} FROM head");
            let column: i64 = database.connection().query_row(&text, [], |row| row.get(0)).unwrap();
            assert_eq!(column, number, "{name}");
        }
    }
}
