//! How many handoffs were begun and submitted, and how many are in each state. The numbers stand in
//! the head, so that a commit writes them with what it writes anyway.

use rusqlite::ToSql;
use tasuki_engine::error::Fault;
use tasuki_engine::handoff::StateWord;
use tasuki_engine::store::Counts;

use crate::sqlite::connection::Database;
use crate::sqlite::{row, statements};

/// How many columns the numbers have.
const LENGTH: usize = StateWord::ALL.len() + 2;

/// The numbers, or what a commit adds to them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally([i64; LENGTH]);

const BEGUN: usize = 0;
const SUBMITTED: usize = 1;

fn of_state(state: StateWord) -> usize {
    SUBMITTED + 1 + state as usize
}

fn of_kind(is_begun: bool) -> usize {
    if is_begun { BEGUN } else { SUBMITTED }
}

impl Tally {
    /// The numbers as the head has them.
    pub(crate) fn load(database: &Database) -> Result<Self, Fault> {
        database
            .first(&statements::HEAD_COUNTERS_LOAD, [], row::tally)?
            .map(Self)
            .ok_or_else(|| row::corrupt("head", "1", "only_row", "is not there"))
    }

    /// The numbers as a look at all handoffs gives them.
    pub(crate) fn recount(database: &Database) -> Result<Self, Fault> {
        let mut tally = Self::default();
        for (state, is_begun, count) in
            database.all(&statements::HANDOFF_COUNT, [], row::recount)?
        {
            tally.0[of_kind(is_begun)] += count;
            // A handoff in a state that does not exist is found wrong by itself.
            if let Some(state) = StateWord::named(&state) {
                tally.0[of_state(state)] += count;
            }
        }
        Ok(tally)
    }

    /// A handoff is new.
    pub(crate) fn came(&mut self, state: StateWord, is_begun: bool) {
        self.0[of_state(state)] += 1;
        self.0[of_kind(is_begun)] += 1;
    }

    /// A handoff went from one state to another.
    pub(crate) fn moved(&mut self, from: StateWord, to: StateWord) {
        self.0[of_state(from)] -= 1;
        self.0[of_state(to)] += 1;
    }

    /// A handoff has other facts.
    pub(crate) fn restated(&mut self, was_begun: bool, is_begun: bool) {
        self.0[of_kind(was_begun)] -= 1;
        self.0[of_kind(is_begun)] += 1;
    }

    /// The numbers in the order of their columns, to be bound.
    pub(crate) fn params(&self) -> [&dyn ToSql; LENGTH] {
        self.0.each_ref().map(|number| number as &dyn ToSql)
    }

    /// Each number with the name of its column.
    pub(crate) fn named(self) -> impl Iterator<Item = (&'static str, i64)> {
        let states = StateWord::ALL.into_iter().map(StateWord::as_str);
        ["begun", "submitted"].into_iter().chain(states).zip(self.0)
    }
}

impl From<Tally> for Counts {
    fn from(tally: Tally) -> Self {
        let count = |place: usize| u64::try_from(tally.0[place]).unwrap_or(0);
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
    fn every_number_has_the_column_of_its_name() {
        let case = Case::new();
        let mut tally = Tally::default();
        for (place, number) in tally.0.iter_mut().zip(1..) {
            *place = number;
        }
        let database = case.project().open_writer().unwrap().database;
        database.run(&statements::HEAD_COUNTERS_SET, tally.params().as_slice()).unwrap();
        assert_eq!(Tally::load(&database), Ok(tally));
        for (name, number) in tally.named() {
            let text = format!("SELECT {name} FROM head");
            let column: i64 = database.connection().query_row(&text, [], |row| row.get(0)).unwrap();
            assert_eq!(column, number, "{name}");
        }
    }
}
