//! Loads and counts the counters of handoffs.

use rusqlite::ToSql;
use tasuki_engine::error::Fault;

use crate::batch::counters::{Counters, LENGTH};
use crate::row;
use crate::sqlite::connection::Database;
use crate::sqlite::statements;

/// Loads the counters from the head.
pub(crate) fn load(database: &Database) -> Result<Counters, Fault> {
    database
        .first(&statements::HEAD_COUNTERS_LOAD, [], row::counters)?
        .map(Counters)
        .ok_or_else(|| row::corrupt("head", "1", "only_row", "is missing"))
}

pub(crate) fn recount(database: &Database) -> Result<Counters, Fault> {
    database.all(&statements::HANDOFF_COUNT, [], row::recount).map(Counters::of)
}

/// Returns the counters as parameters, in the order of their columns.
pub(crate) fn params(counters: &Counters) -> [&dyn ToSql; LENGTH] {
    counters.0.each_ref().map(|number| number as &dyn ToSql)
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
        database.run(&statements::HEAD_COUNTERS_SET, params(&counters).as_slice()).unwrap();
        assert_eq!(load(&database), Ok(counters));
        for (name, number) in counters.named() {
            let text = format!("SELECT {name} FROM head");
            let column: i64 = database.connection().query_row(&text, [], |row| row.get(0)).unwrap();
            assert_eq!(column, number, "{name}");
        }
    }
}
