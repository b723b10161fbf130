//! Writes the lines of an export.

use std::collections::BTreeMap;
use std::io::Write;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tasuki_engine::error::{Fault, FaultKind};

use crate::sqlite::fault::file_fault;
use crate::transfer::format::{AFTER_CHECK, BEFORE_CHECK, CHECK_DIGITS, End, Header, Totals, hex};
use crate::transfer::page::Cell;
use crate::transfer::tables::Table;

/// The writer of a file.
pub(super) struct LineWriter<'w> {
    to: &'w mut dyn Write,
    /// The name of the file for messages.
    name: &'w str,
    digest: Sha256,
    line: Vec<u8>,
    rows: BTreeMap<String, u64>,
}

impl<'w> LineWriter<'w> {
    pub(super) fn new(to: &'w mut dyn Write, name: &'w str) -> Self {
        let (digest, line, rows) = (Sha256::new(), Vec::new(), BTreeMap::new());
        Self { to, name, digest, line, rows }
    }

    pub(super) fn header(&mut self, header: &Header) -> Result<(), Fault> {
        self.object(header)
    }

    /// Writes a row of a project, or of the exchange.
    pub(super) fn row(
        &mut self,
        table: &Table,
        project: Option<&str>,
        cells: &[Cell],
    ) -> Result<(), Fault> {
        self.line.extend_from_slice(b"{\"table\":\"");
        self.line.extend_from_slice(table.name.as_bytes());
        if let Some(project) = project {
            self.line.extend_from_slice(b"\",\"project\":\"");
            self.line.extend_from_slice(project.as_bytes());
        }
        self.line.extend_from_slice(b"\",\"row\":[");
        for (at, cell) in cells.iter().enumerate() {
            if at > 0 {
                self.line.push(b',');
            }
            push_cell(&mut self.line, cell)?;
        }
        self.line.push(b']');
        *self.rows.entry(table.name.to_owned()).or_default() += 1;
        self.end_line()
    }

    /// Writes the last line. Returns the number of rows of each table.
    pub(super) fn end(mut self) -> Result<BTreeMap<String, u64>, Fault> {
        let rows = std::mem::take(&mut self.rows);
        let sha256 = hex(&self.digest.clone().finalize());
        let end = End { end: Totals { rows, sha256 } };
        self.object(&end)?;
        self.to.flush().map_err(|error| self.fault(&error))?;
        Ok(end.end.rows)
    }

    fn object(&mut self, value: &impl Serialize) -> Result<(), Fault> {
        serde_json::to_writer(&mut self.line, value).map_err(|error| not_json(&error))?;
        // The check follows as one more member.
        self.line.pop();
        self.end_line()
    }

    fn end_line(&mut self) -> Result<(), Fault> {
        self.digest.update(&self.line);
        let start = self.line.len();
        let check = hex(&self.digest.clone().finalize()[..CHECK_DIGITS / 2]);
        for part in [BEFORE_CHECK, &check, AFTER_CHECK, "\n"] {
            self.line.extend_from_slice(part.as_bytes());
        }
        self.digest.update(&self.line[start..]);
        let written = self.to.write_all(&self.line);
        self.line.clear();
        written.map_err(|error| self.fault(&error))
    }

    fn fault(&self, error: &std::io::Error) -> Fault {
        let fault = file_fault(error, "writing the export", self.name);
        match fault.kind {
            FaultKind::DiskFull => fault.hint("free space on the disk of the file and try again"),
            _ => fault.hint("check that the file can be written"),
        }
    }
}

fn push_cell(line: &mut Vec<u8>, cell: &Cell) -> Result<(), Fault> {
    match cell {
        Cell::Null => line.extend_from_slice(b"null"),
        Cell::Integer(integer) => line.extend_from_slice(integer.to_string().as_bytes()),
        Cell::Text(text) => serde_json::to_writer(line, text).map_err(|error| not_json(&error))?,
        Cell::Blob(bytes) => {
            line.push(b'"');
            line.extend_from_slice(BASE64.encode(bytes).as_bytes());
            line.push(b'"');
        }
    }
    Ok(())
}

fn not_json(error: &serde_json::Error) -> Fault {
    Fault::new(FaultKind::Bug, format!("cannot write a line of an export: {error}"))
}
