//! The cost of reads, in rows that were looked at.
//!
//! A store adds the cost of each statement to a count of its thread. A caller that limits reads runs
//! each on one thread, from its first poll to its last, and takes the count afterwards. A parameter
//! of every read would say the same in a hundred places.

use std::cell::Cell;

thread_local! {
    static ROWS: Cell<u64> = const { Cell::new(0) };
}

/// Adds rows that were looked at on this thread.
pub fn add(rows: u64) {
    ROWS.set(ROWS.get().saturating_add(rows));
}

/// Runs a read on this thread. Returns its result, and the rows that it looked at.
pub fn measured<T>(read: impl FnOnce() -> T) -> (T, u64) {
    let before = ROWS.replace(0);
    let result = read();
    (result, ROWS.replace(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_read_has_its_own_count() {
        add(5);
        let ((inner, inner_rows), rows) = measured(|| {
            add(1);
            measured(|| add(3))
        });
        assert_eq!((inner, inner_rows, rows), ((), 3, 1));
    }
}
