//! The columns of a row, in the same form for every database.

use rusqlite::types::ValueRef;
use tokio_postgres::types::Type;

/// A value of a row. Text is not checked for UTF-8, because a damaged file may have any bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value<'r> {
    Null,
    Integer(i64),
    Text(&'r [u8]),
    Blob(&'r [u8]),
    /// A type that no column has.
    Other,
}

/// The columns of one row.
pub(crate) trait Columns {
    /// Returns the value of a column; [`Value::Other`] if there is no such column.
    fn value(&self, index: usize) -> Value<'_>;

    /// Returns the name of a column for messages.
    fn name(&self, index: usize) -> &str;
}

impl Columns for rusqlite::Row<'_> {
    fn value(&self, index: usize) -> Value<'_> {
        match self.get_ref(index) {
            Ok(ValueRef::Null) => Value::Null,
            Ok(ValueRef::Integer(integer)) => Value::Integer(integer),
            Ok(ValueRef::Text(text)) => Value::Text(text),
            Ok(ValueRef::Blob(bytes)) => Value::Blob(bytes),
            Ok(ValueRef::Real(_)) | Err(_) => Value::Other,
        }
    }

    fn name(&self, index: usize) -> &str {
        self.as_ref().column_name(index).unwrap_or("?")
    }
}

impl Columns for tokio_postgres::Row {
    fn value(&self, index: usize) -> Value<'_> {
        let Some(column) = self.columns().get(index) else { return Value::Other };
        let value = match *column.type_() {
            Type::INT8 => self.try_get::<_, Option<i64>>(index).map(|one| one.map(Value::Integer)),
            Type::TEXT => self
                .try_get::<_, Option<&str>>(index)
                .map(|one| one.map(|text| Value::Text(text.as_bytes()))),
            Type::BYTEA => self.try_get::<_, Option<&[u8]>>(index).map(|one| one.map(Value::Blob)),
            _ => Ok(Some(Value::Other)),
        };
        value.map_or(Value::Other, |value| value.unwrap_or(Value::Null))
    }

    fn name(&self, index: usize) -> &str {
        self.columns().get(index).map_or("?", |column| column.name())
    }
}
