//! Writes a store to a file.

use std::collections::BTreeMap;
use std::io::Write;

use tasuki_engine::error::Fault;
use tasuki_packet::id::ProjectId;
use tasuki_packet::leaf::Hash;

use crate::exchange_store::Location;
use crate::row;
use crate::transfer::format::{Header, Origin, VERSION};
use crate::transfer::line_writer::LineWriter;
use crate::transfer::page::Cell;
use crate::transfer::source::{self, Source};
use crate::transfer::tables::{HEAD, PROJECT};

/// Rows between two reports of progress.
const ROWS_PER_REPORT: u64 = 1_000;

/// The result of an export.
#[derive(Debug, Clone)]
pub struct ExportReport {
    /// The number of rows of each table.
    pub rows: BTreeMap<String, u64>,
    /// The projects, as they are in the file.
    pub projects: Vec<MovedProject>,
}

/// A project that was exported or imported, and the end of its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedProject {
    /// The name.
    pub name: String,
    /// The id.
    pub id: ProjectId,
    /// The number of leaves.
    pub leaves: u64,
    /// The hash of the last leaf.
    pub hash: Hash,
}

/// Writes all rows of a store, while it is in use. Each project is one snapshot; what is written later is
/// not part of it. `name` names the file in messages, and `progress` gets the number of rows.
///
/// The file has secrets: password hashes, and the keys of the projects' fingerprints.
///
/// This blocks, and must not be called on a thread that runs futures.
///
/// # Errors
///
/// Fails if the store cannot be read or has a damaged row, or if the file cannot be written.
pub fn export(
    from: &Location,
    origin: &Origin,
    to: &mut dyn Write,
    name: &str,
    progress: &mut dyn FnMut(u64),
) -> Result<ExportReport, Fault> {
    let source = source::open(from)?;
    let mut export = Export { writer: LineWriter::new(to, name), rows: 0, progress };
    export.writer.header(&Header {
        tasuki_export: VERSION,
        program: origin.program.clone(),
        origin: from.display(),
        at: origin.at,
    })?;
    let mut projects = Vec::new();
    for (name, id) in export.shared(&*source)? {
        projects.push(export.project(&*source, name, id)?);
    }
    let rows = export.writer.end()?;
    Ok(ExportReport { rows, projects })
}

struct Export<'e> {
    writer: LineWriter<'e>,
    rows: u64,
    progress: &'e mut dyn FnMut(u64),
}

impl Export<'_> {
    /// Writes what all projects share. Returns the projects.
    fn shared(&mut self, source: &dyn Source) -> Result<Vec<(String, ProjectId)>, Fault> {
        let mut projects = Vec::new();
        source.read(None, &mut |table, cells| {
            if table.name == PROJECT {
                projects.push(listed(&cells)?);
            }
            self.writer.row(table, None, &cells)?;
            self.count();
            Ok(())
        })?;
        Ok(projects)
    }

    /// Writes a project. Returns the end of its log.
    fn project(
        &mut self,
        source: &dyn Source,
        name: String,
        id: ProjectId,
    ) -> Result<MovedProject, Fault> {
        let (text, mut end) = (id.to_string(), None);
        source.read(Some(id), &mut |table, cells| {
            if table.name == HEAD {
                end = Some(end_of_log(&cells)?);
            }
            self.writer.row(table, Some(&text), &cells)?;
            self.count();
            Ok(())
        })?;
        let missing = || row::corrupt(HEAD, &text, "project", "is missing");
        let (leaves, hash) = end.ok_or_else(missing)?;
        Ok(MovedProject { name, id, leaves, hash })
    }

    fn count(&mut self) {
        self.rows += 1;
        if self.rows.is_multiple_of(ROWS_PER_REPORT) {
            (self.progress)(self.rows);
        }
    }
}

/// Returns the number of leaves and the last hash of a head.
fn end_of_log(cells: &[Cell]) -> Result<(u64, Hash), Fault> {
    let wrong = || row::corrupt(HEAD, "?", "last_hash", "is not a hash");
    match cells {
        [_, Cell::Integer(leaves), Cell::Blob(hash), ..] => {
            let hash: [u8; 32] = hash[..].try_into().ok().ok_or_else(wrong)?;
            Ok((leaves.unsigned_abs(), Hash::from_bytes(hash)))
        }
        _ => Err(wrong()),
    }
}

/// Returns the name and the id of a row of projects.
pub(super) fn listed(cells: &[Cell]) -> Result<(String, ProjectId), Fault> {
    match cells {
        [Cell::Text(name), Cell::Text(id)] => match id.parse() {
            Ok(id) => Ok((name.clone(), id)),
            Err(_) => Err(row::corrupt(PROJECT, name, "id", "is not the id of a project")),
        },
        _ => Err(row::corrupt(PROJECT, "?", "name", "is not text")),
    }
}
