//! Rows on their way from one store to another.

use tasuki_engine::error::Fault;

use crate::row::{self, Columns, Value};
use crate::transfer::tables::{Kind, Table};

/// LIMIT: rows of a page, which is one commit of the target.
const ROWS_MAX: usize = 4_000;

/// LIMIT: bytes of a page, unless a single row is larger.
const BYTES_MAX: usize = 4 * 1_024 * 1_024;

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Text(String),
    Blob(Vec<u8>),
}

/// The values of a row, in the order of the columns of its table.
pub(super) type Cells = Vec<Cell>;

/// Rows of one table of one project, or of the exchange.
#[derive(Debug)]
pub(super) struct Chunk {
    pub(super) table: &'static Table,
    pub(super) project: Option<String>,
    pub(super) rows: Vec<Cells>,
}

/// Rows that are stored in one commit, and their place in the file.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) chunks: Vec<Chunk>,
    /// The last stored line before this page.
    pub(super) after: u64,
    /// The last line of this page.
    pub(super) last: u64,
    rows: usize,
    bytes: usize,
}

impl Page {
    /// Returns an empty page after a line.
    pub(super) fn after(line: u64) -> Self {
        Self { after: line, last: line, ..Self::default() }
    }

    /// Adds a row that was read from a line.
    pub(super) fn push(
        &mut self,
        table: &'static Table,
        project: Option<&str>,
        cells: Cells,
        line: u64,
    ) {
        self.last = line;
        self.rows += 1;
        self.bytes += cells.iter().map(Cell::bytes).sum::<usize>();
        let is_same = |chunk: &&mut Chunk| {
            chunk.table.name == table.name && chunk.project.as_deref() == project
        };
        match self.chunks.last_mut().filter(is_same) {
            Some(chunk) => chunk.rows.push(cells),
            None => self.chunks.push(Chunk {
                table,
                project: project.map(str::to_owned),
                rows: vec![cells],
            }),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows >= ROWS_MAX || self.bytes >= BYTES_MAX
    }

    pub(super) fn is_empty(&self) -> bool {
        self.last == self.after
    }
}

impl Cell {
    /// Returns the approximate size in memory.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Null | Self::Integer(_) => 8,
            Self::Text(text) => text.len(),
            Self::Blob(bytes) => bytes.len(),
        }
    }
}

/// Decodes the columns of a table from a row of either database.
pub(super) fn cells(table: &'static Table, found: &dyn Columns) -> Result<Cells, Fault> {
    let decoded = table.columns.iter().enumerate().map(|(index, column)| {
        let cell = match (column.kind, found.value(index)) {
            (_, Value::Null) => Some(Cell::Null),
            (Kind::Integer, Value::Integer(integer)) => Some(Cell::Integer(integer)),
            (Kind::Text, Value::Text(text)) => {
                str::from_utf8(text).ok().map(|text| Cell::Text(text.to_owned()))
            }
            (Kind::Blob, Value::Blob(bytes)) => Some(Cell::Blob(bytes.to_vec())),
            _ => None,
        };
        cell.ok_or_else(|| row::corrupt(table.name, "?", column.name, "has another type"))
    });
    decoded.collect()
}
