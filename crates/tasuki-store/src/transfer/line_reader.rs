//! Reads the lines of an export, and refuses a changed or truncated file with the number of the line.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead, Read as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use serde::de::{self, Deserializer, Visitor};
use sha2::{Digest as _, Sha256};
use tasuki_engine::error::{Error, Fault, FaultKind};
use tasuki_engine::refusal::{Refusal, RefusalCode};
use tasuki_packet::canonical::digest_of_bytes;
use tasuki_packet::id::ProjectId;

use crate::transfer::format::{AFTER_CHECK, BEFORE_CHECK, CHECK_DIGITS, End, Header, VERSION, hex};
use crate::transfer::page::{Cell, Cells};
use crate::transfer::tables::{Kind, Scope, Table};

/// LIMIT: bytes of the first line, so that a file of another kind is not read into memory.
const HEADER_BYTES_MAX: u64 = 64 * 1_024;

/// LIMIT: bytes of a line. The largest values are bundles of work trees.
const LINE_BYTES_MAX: u64 = 2 * 1_024 * 1_024 * 1_024;

/// The length of a line after its content.
const SUFFIX_BYTES: usize = BEFORE_CHECK.len() + CHECK_DIGITS + AFTER_CHECK.len();

const COPY_HINT: &str = "export again, or copy the file again";

/// The reader of a file.
pub(super) struct LineReader<'r> {
    from: &'r mut dyn BufRead,
    digest: Sha256,
    line: Vec<u8>,
    number: u64,
    bytes: u64,
    rows: BTreeMap<String, u64>,
}

/// A row as a line has it.
pub(super) struct RowLine {
    pub(super) number: u64,
    pub(super) table: &'static Table,
    pub(super) project: Option<ProjectId>,
    pub(super) cells: Cells,
}

#[derive(Deserialize)]
struct RawRow<'l> {
    #[serde(borrow)]
    table: Cow<'l, str>,
    project: Option<ProjectId>,
    row: Vec<RawCell>,
}

enum RawCell {
    Null,
    Integer(i64),
    Text(String),
}

impl<'r> LineReader<'r> {
    /// Reads the first line. Returns the reader, the header, and the digest that names the file.
    pub(super) fn open(from: &'r mut dyn BufRead) -> Result<(Self, Header, String), Error> {
        let (digest, line, rows) = (Sha256::new(), Vec::new(), BTreeMap::new());
        let mut reader = Self { from, digest, line, number: 0, bytes: 0, rows };
        if !reader.next(HEADER_BYTES_MAX)? {
            return Err(invalid("the file is empty").hint(COPY_HINT).into());
        }
        let header = reader.header()?;
        reader.check()?;
        let name = digest_of_bytes(&reader.line);
        Ok((reader, header, name))
    }

    fn header(&self) -> Result<Header, Error> {
        #[derive(Deserialize)]
        struct Version {
            tasuki_export: u64,
        }
        let other = || invalid("the file is not an export").hint("`tasuki export FILE` writes one");
        let Version { tasuki_export: version } =
            serde_json::from_slice(&self.line).ok().ok_or_else(other)?;
        if version > VERSION {
            let message = format!(
                "the file has format version {version}; this program reads up to {VERSION}"
            );
            return Err(Fault::new(FaultKind::NewerStore, message)
                .hint("use the version that wrote it, or a newer one")
                .into());
        }
        Ok(serde_json::from_slice(&self.line).ok().ok_or_else(other)?)
    }

    /// Reads the next row; `None` after the last line, which is checked.
    pub(super) fn row(&mut self) -> Result<Option<RowLine>, Error> {
        if self.checked_line()? {
            self.end()?;
            return Ok(None);
        }
        let row = self.parsed()?;
        self.count(row.table.name);
        Ok(Some(row))
    }

    /// Checks the next line without decoding it. Returns `false` after the last one.
    pub(super) fn skip(&mut self) -> Result<bool, Error> {
        if self.checked_line()? {
            self.end()?;
            return Ok(false);
        }
        let table = self.table_name().to_owned();
        self.count(&table);
        Ok(true)
    }

    /// Returns the number of the last line that was read.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of bytes that were read.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the number of rows of each table that were read.
    pub(super) fn rows(self) -> BTreeMap<String, u64> {
        self.rows
    }

    /// Reads and checks a line. Returns `true` for the last one.
    fn checked_line(&mut self) -> Result<bool, Error> {
        let before = self.digest.clone();
        if !self.next(LINE_BYTES_MAX)? {
            let message = format!("the file is truncated: it ends with line {}", self.number);
            return Err(invalid(message).hint(COPY_HINT).into());
        }
        self.check()?;
        let is_end = self.line.starts_with(b"{\"end\":");
        if is_end {
            self.digest = before;
        }
        Ok(is_end)
    }

    /// Reads a line. Returns `false` at the end of the file.
    fn next(&mut self, bytes_max: u64) -> Result<bool, Error> {
        self.line.clear();
        let read = self.from.take(bytes_max).read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| {
            let message = format!("reading line {} of the file failed: {error}", self.number + 1);
            Fault::new(FaultKind::Io, message).hint("check the file and its disk")
        })?;
        if read == 0 {
            return Ok(false);
        }
        self.number += 1;
        self.bytes += read as u64;
        if self.line.pop() != Some(b'\n') {
            if self.number == 1 {
                let hint = "`tasuki export FILE` writes one";
                return Err(invalid("the file is not an export").hint(hint).into());
            }
            let message = format!("the file is truncated in line {}", self.number);
            return Err(invalid(message).hint(COPY_HINT).into());
        }
        Ok(true)
    }

    /// Compares the check of the line with the bytes before it.
    fn check(&mut self) -> Result<(), Error> {
        let altered = || {
            let message = format!("line {} of the file was changed", self.number);
            invalid(message).hint(COPY_HINT)
        };
        let at = self.line.len().checked_sub(SUFFIX_BYTES).ok_or_else(altered)?;
        let (content, suffix) = self.line.split_at(at);
        self.digest.update(content);
        let check = hex(&self.digest.clone().finalize()[..CHECK_DIGITS / 2]);
        if suffix != format!("{BEFORE_CHECK}{check}{AFTER_CHECK}").as_bytes() {
            return Err(altered().into());
        }
        self.digest.update(suffix);
        self.digest.update(b"\n");
        Ok(())
    }

    /// Checks the last line, and that nothing follows it.
    fn end(&mut self) -> Result<(), Error> {
        let End { end } = serde_json::from_slice(&self.line)
            .map_err(|error| self.invalid_line(&error.to_string()))?;
        if end.sha256 != hex(&self.digest.clone().finalize()) || end.rows != self.rows {
            return Err(self.invalid_line("does not match the lines before it"));
        }
        match self.from.fill_buf() {
            Ok([]) => Ok(()),
            _ => Err(invalid(format!("the file goes on after its last line, {}", self.number))
                .hint("import each export on its own")
                .into()),
        }
    }

    fn count(&mut self, table: &str) {
        match self.rows.get_mut(table) {
            Some(count) => *count += 1,
            None => {
                self.rows.insert(table.to_owned(), 1);
            }
        }
    }

    fn table_name(&self) -> &str {
        let rest = self.line.strip_prefix(b"{\"table\":\"").unwrap_or_default();
        let end = rest.iter().position(|byte| *byte == b'"').unwrap_or(0);
        str::from_utf8(&rest[..end]).unwrap_or_default()
    }

    fn parsed(&self) -> Result<RowLine, Error> {
        let raw: RawRow<'_> = serde_json::from_slice(&self.line)
            .map_err(|error| self.invalid_line(&error.to_string()))?;
        let table = Table::named(&raw.table)
            .ok_or_else(|| self.invalid_line(&format!("there is no table `{}`", raw.table)))?;
        if raw.project.is_some() != (table.scope == Scope::Project) {
            return Err(self.invalid_line("the project is missing or not expected"));
        }
        if raw.row.len() != table.columns.len() {
            let expected = table.columns.len();
            let what = format!("it has {} values, expected {expected}", raw.row.len());
            return Err(self.invalid_line(&what));
        }
        let cells = raw.row.into_iter().zip(table.columns).map(|(raw, column)| {
            raw.into_cell(column.kind)
                .ok_or_else(|| self.invalid_line(&format!("`{}` has another type", column.name)))
        });
        let cells = cells.collect::<Result<Cells, Error>>()?;
        Ok(RowLine { number: self.number, table, project: raw.project, cells })
    }

    fn invalid_line(&self, what: &str) -> Error {
        invalid(format!("line {} of the file is invalid: {what}", self.number))
            .hint("export again with this version of the program")
            .into()
    }
}

impl RawCell {
    fn into_cell(self, kind: Kind) -> Option<Cell> {
        match (self, kind) {
            (Self::Null, _) => Some(Cell::Null),
            (Self::Integer(integer), Kind::Integer) => Some(Cell::Integer(integer)),
            (Self::Text(text), Kind::Text) => Some(Cell::Text(text)),
            (Self::Text(text), Kind::Blob) => BASE64.decode(text).ok().map(Cell::Blob),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for RawCell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl Visitor<'_> for CellVisitor {
    type Value = RawCell;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, an integer or a string")
    }

    fn visit_unit<E: de::Error>(self) -> Result<RawCell, E> {
        Ok(RawCell::Null)
    }

    fn visit_i64<E: de::Error>(self, integer: i64) -> Result<RawCell, E> {
        Ok(RawCell::Integer(integer))
    }

    fn visit_u64<E: de::Error>(self, integer: u64) -> Result<RawCell, E> {
        let integer = i64::try_from(integer).ok();
        integer.map(RawCell::Integer).ok_or_else(|| E::custom("the integer is too large"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<RawCell, E> {
        Ok(RawCell::Text(text.to_owned()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<RawCell, E> {
        Ok(RawCell::Text(text))
    }
}

/// Returns the refusal of a file.
pub(super) fn invalid(message: impl Into<String>) -> Refusal {
    Refusal::new(RefusalCode::ImportInvalid, message)
}
