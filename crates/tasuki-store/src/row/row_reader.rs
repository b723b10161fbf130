//! Typed access to the columns of one row. A value of another type or range is a fault that names
//! table, row and column.

use std::fmt::Display;
use std::str::FromStr;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use tasuki_engine::error::{Fault, FaultKind};
use tasuki_packet::id::{HandoffId, PartyId};

use super::columns::{Columns, Value};

/// LIMIT: leaves of a project. Larger numbers are damage.
pub(crate) const LEAVES_MAX: u64 = (i64::MAX >> 8).unsigned_abs();

/// Reads the columns of one row.
pub(super) struct RowReader<'r> {
    table: &'static str,
    row: &'r dyn Columns,
    /// The columns that identify the row in a fault.
    key: &'static [usize],
}

impl<'r> RowReader<'r> {
    pub(super) fn new(table: &'static str, row: &'r dyn Columns) -> Self {
        Self::keyed(table, row, &[0])
    }

    pub(super) fn keyed(table: &'static str, row: &'r dyn Columns, key: &'static [usize]) -> Self {
        Self { table, row, key }
    }

    pub(super) fn text(&self, index: usize) -> Result<&'r str, Fault> {
        match self.row.value(index) {
            Value::Text(bytes) => {
                str::from_utf8(bytes).ok().ok_or_else(|| self.corrupt(index, "is not UTF-8"))
            }
            _ => Err(self.corrupt(index, "is not text")),
        }
    }

    pub(super) fn integer(&self, index: usize) -> Result<i64, Fault> {
        match self.row.value(index) {
            Value::Integer(integer) => Ok(integer),
            _ => Err(self.corrupt(index, "is not an integer")),
        }
    }

    pub(super) fn bytes(&self, index: usize) -> Result<&'r [u8], Fault> {
        match self.row.value(index) {
            Value::Blob(bytes) => Ok(bytes),
            _ => Err(self.corrupt(index, "is not a blob")),
        }
    }

    pub(super) fn is_null(&self, index: usize) -> bool {
        matches!(self.row.value(index), Value::Null)
    }

    pub(super) fn optional<T>(
        &self,
        index: usize,
        read: impl FnOnce(&Self, usize) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        if self.is_null(index) { Ok(None) } else { read(self, index).map(Some) }
    }

    pub(super) fn count(&self, index: usize) -> Result<u64, Fault> {
        u64::try_from(self.integer(index)?).ok().ok_or_else(|| self.corrupt(index, "is negative"))
    }

    /// Reads the number of a leaf, or of leaves.
    pub(super) fn leaves(&self, index: usize) -> Result<u64, Fault> {
        let count = self.count(index)?;
        if count < LEAVES_MAX { Ok(count) } else { Err(self.corrupt(index, "is out of range")) }
    }

    pub(super) fn small<T: TryFrom<i64>>(&self, index: usize) -> Result<T, Fault> {
        T::try_from(self.integer(index)?).ok().ok_or_else(|| self.corrupt(index, "is out of range"))
    }

    pub(super) fn flag(&self, index: usize) -> Result<bool, Fault> {
        match self.integer(index)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(self.corrupt(index, "is neither 0 nor 1")),
        }
    }

    pub(super) fn instant(&self, index: usize) -> Result<Timestamp, Fault> {
        Timestamp::from_microsecond(self.integer(index)?)
            .ok()
            .ok_or_else(|| self.corrupt(index, "is not a timestamp"))
    }

    pub(super) fn parsed<T: FromStr>(&self, index: usize, what: &str) -> Result<T, Fault> {
        self.text(index)?
            .parse()
            .ok()
            .ok_or_else(|| self.corrupt(index, &format!("is not the {what}")))
    }

    pub(super) fn handoff(&self, index: usize) -> Result<HandoffId, Fault> {
        self.parsed(index, "id of a handoff")
    }

    pub(super) fn party(&self, index: usize) -> Result<PartyId, Fault> {
        self.parsed(index, "id of a party")
    }

    pub(super) fn json<T: DeserializeOwned>(&self, index: usize) -> Result<T, Fault> {
        serde_json::from_str(self.text(index)?)
            .map_err(|error| self.corrupt(index, &format!("is not valid: {error}")))
    }

    pub(super) fn digest(&self, index: usize) -> Result<[u8; 32], Fault> {
        self.bytes(index)?
            .try_into()
            .ok()
            .ok_or_else(|| self.corrupt(index, "is not 32 bytes long"))
    }

    pub(super) fn check_same<T: PartialEq + Display>(
        &self,
        index: usize,
        is: &T,
        expected: &T,
    ) -> Result<(), Fault> {
        if is == expected {
            return Ok(());
        }
        Err(self
            .corrupt(index, &format!("is `{is}`, expected `{expected}` from facts and progress")))
    }

    /// Compares a column that may be null. Values are formatted only if they differ.
    pub(super) fn check_same_optional<T: PartialEq + Display>(
        &self,
        index: usize,
        read: impl FnOnce(&Self, usize) -> Result<T, Fault>,
        expected: Option<T>,
    ) -> Result<(), Fault> {
        let is = self.optional(index, read)?;
        if is == expected { Ok(()) } else { self.check_same(index, &shown(is), &shown(expected)) }
    }

    pub(super) fn corrupt(&self, index: usize, what: &str) -> Fault {
        corrupt(self.table, &self.key(), self.row.name(index), what)
    }

    pub(super) fn table(&self) -> &'static str {
        self.table
    }

    /// Returns the key of the row for messages.
    pub(super) fn key(&self) -> String {
        let part = |index: &usize| match self.row.value(*index) {
            Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
            Value::Integer(number) => number.to_string(),
            _ => "?".to_owned(),
        };
        let parts: Vec<String> = self.key.iter().map(part).collect();
        parts.join("@")
    }
}

/// Returns the fault for damaged data.
pub(crate) fn corrupt(table: &str, row: &str, column: &str, what: &str) -> Fault {
    let message = format!("table `{table}`, row `{row}`: column `{column}` {what}");
    Fault::new(FaultKind::Corrupt, message)
        .hint("run `tasuki doctor` for details, or `tasuki restore` to restore a backup")
}

fn shown<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "null".to_owned(), |value| value.to_string())
}
