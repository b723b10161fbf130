//! The SQL function `row_checksum`, with which every row is written and checked.
//!
//! A checksum finds damage: a single changed value always changes it. It does not find forgery,
//! because a program that can write a row can also compute its checksum; `tasuki log check` compares what
//! is stored with what the leaves commit to. It is fast, because every step of a handoff needs five.

use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

/// An odd constant, so that multiplying by it loses nothing.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Adds the function to a connection.
///
/// # Errors
///
/// Fails if the driver does.
pub fn register(connection: &Connection) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8
        | FunctionFlags::SQLITE_DETERMINISTIC
        | FunctionFlags::SQLITE_INNOCUOUS;
    connection.create_scalar_function(c"row_checksum", -1, flags, |context| Ok(of(context)))
}

fn of(context: &Context<'_>) -> i64 {
    let mut checksum = Checksum(0);
    for index in 0..context.len() {
        checksum.add(context.get_raw(index));
    }
    checksum.0.cast_signed()
}

struct Checksum(u64);

impl Checksum {
    /// Adds a value with its type and length, so that values cannot change places.
    fn add(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.add_word(1),
            ValueRef::Integer(number) => self.add_words(2, number.cast_unsigned()),
            ValueRef::Real(number) => self.add_words(3, number.to_bits()),
            ValueRef::Text(text) => self.add_bytes(4, text),
            ValueRef::Blob(bytes) => self.add_bytes(5, bytes),
        }
    }

    fn add_bytes(&mut self, kind: u64, bytes: &[u8]) {
        self.add_words(kind, bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            self.add_word(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add_word(u64::from_le_bytes(last));
    }

    fn add_words(&mut self, first: u64, second: u64) {
        self.add_word(first);
        self.add_word(second);
    }

    /// INVARIANT: each step is invertible, so that one changed word always changes the result.
    fn add_word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(FACTOR);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checksum(values: &str) -> i64 {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        connection
            .query_row(&format!("SELECT row_checksum({values})"), [], |row| row.get(0))
            .unwrap()
    }

    #[test]
    fn values_types_and_places_count() {
        let same = ["'ab', 1, NULL", "'ab', 1, NULL"].map(checksum);
        assert_eq!(same[0], same[1]);
        let mut all = [
            "'ab', 1",
            "'a', 'b1'",
            "'ab', '1'",
            "1, 'ab'",
            "x'6162', 1",
            "'ab', 1, NULL",
            "NULL",
            "''",
            "x''",
            "0",
            "''||char(0)",
            "NULL, NULL",
            "",
        ]
        .map(checksum);
        all.sort_unstable();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
    }

    #[test]
    fn every_single_bit_changes_it() {
        let connection = Connection::open_in_memory().unwrap();
        register(&connection).unwrap();
        let text = b"{\"state\":\"offered\",\"n\":12}";
        let checksum = |bytes: &[u8]| -> i64 {
            let text = "SELECT row_checksum(CAST($1 AS TEXT))";
            connection.query_row(text, [bytes], |row| row.get(0)).unwrap()
        };
        let expected = checksum(text);
        for at in 0..text.len() * 8 {
            let mut bytes = text.to_vec();
            bytes[at / 8] ^= 1 << (at % 8);
            assert_ne!(checksum(&bytes), expected, "bit {at}");
        }
    }
}
