//! The move of the twelfth migration: leaves and documents, each a row before, into sheaves.
//!
//! No byte of a leaf or of a document changes; they only stand elsewhere.

use std::sync::Arc;

use rusqlite::Row;
use tasuki_engine::document::{Document, DocumentKind, Sealed};
use tasuki_engine::error::Fault;
use tasuki_packet::id::HandoffId;
use tasuki_packet::leaf::Hash;

use crate::connection::Database;
use crate::migrate::Kind;
use crate::row::Cells;
use crate::sheaf::{Binder, Bound};
use crate::sql::Statement;

const LEAVES: Statement = Statement {
    name: "leaves of before",
    text: "SELECT n, at, kind, handoff, leaf, detail, previous FROM leaf ORDER BY n",
    kind: Kind::Project,
};

/// Documents stood at the number of their leaf, with eight bits more.
const DOCUMENTS: Statement = Statement {
    name: "documents of before",
    text: "SELECT id, handoff, n, kind, body, source, salt, commitment, digest FROM document \
           WHERE seq >= $1 << 8 AND seq < ($1 + 1) << 8 ORDER BY seq",
    kind: Kind::Project,
};

/// Moves everything that is there.
pub(crate) fn into_sheaves(database: &Database) -> Result<(), Fault> {
    let mut binder = Binder::new(database)?;
    database.each(&LEAVES, [], |row| {
        let cells = Cells::new("leaf", row);
        let leaf = Bound {
            n: cells.leaves(0)?,
            at: cells.integer(1)?,
            kind: cells.text(2)?,
            handoff: cells.optional(3, handoff)?,
            previous: cells.optional(6, Cells::leaves)?,
            // Shorthand or not: both are read.
            leaf: cells.text(4)?.as_bytes(),
            detail: cells.text(5)?.as_bytes(),
        };
        let documents = database.all(&DOCUMENTS, [cells.integer(0)?], document)?;
        binder.bind(&leaf, documents.iter())
    })?;
    binder.close()
}

fn handoff(cells: &Cells<'_, '_>, index: usize) -> Result<HandoffId, Fault> {
    cells.parsed(index, "id of a handoff")
}

fn document(row: &Row<'_>) -> Result<Document, Fault> {
    let cells = Cells::keyed("document", row, &[1, 0]);
    let kind = DocumentKind::named(cells.text(3)?)
        .ok_or_else(|| cells.corrupt(3, "is no kind of document"))?;
    let sealed = Sealed {
        body: cells.text(4)?.to_owned(),
        source: cells.optional(5, |cells, at| cells.bytes(at).map(<[u8]>::to_vec))?,
        salt: cells.digest(6)?,
        commitment: Hash::from_bytes(cells.digest(7)?),
        digest: cells.text(8)?.to_owned(),
    };
    let id = cells.text(0)?.to_owned();
    Ok(Document { handoff: handoff(&cells, 1)?, kind, id, sealed: Arc::new(sealed) })
}
