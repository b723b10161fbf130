//! Queries that run beside the writer.

use jiff::Timestamp;
use rusqlite::params;
use tasuki_engine::error::Fault;
use tasuki_engine::hmac::key_hash;
use tasuki_engine::model::{DocumentKind, Handoff, IdempotencyKey, IdempotencyRecord, Record};
use tasuki_engine::ports::{Counts, LeafRow, Stored};
use tasuki_packet::id::HandoffId;

use crate::row::integer;
use crate::row::{self, Columns};
use crate::sqlite::bind::IdText;
use crate::sqlite::connection::Database;
use crate::sqlite::{counters, statements};

pub(crate) fn directory(database: &Database) -> Result<Vec<Record>, Fault> {
    database.all(&statements::DIRECTORY_LIST, [], row::record)
}

/// Decodes the row of a handoff, with or without a check of its columns.
pub(crate) type ReadHandoff = fn(&dyn Columns) -> Result<(i64, Handoff), Fault>;

pub(crate) fn handoff(
    database: &Database,
    id: HandoffId,
    read: ReadHandoff,
) -> Result<Option<Handoff>, Fault> {
    let found = database.first(&statements::HANDOFF_LOAD, [IdText::from(id)], read)?;
    Ok(found.map(|(_, handoff)| handoff))
}

pub(crate) fn documents(
    database: &Database,
    handoff: HandoffId,
    kind: Option<DocumentKind>,
) -> Result<Vec<Stored>, Fault> {
    let params = params![IdText::from(handoff), kind.map(DocumentKind::as_str)];
    database.all(&statements::DOCUMENT_LIST_BY_HANDOFF, params, row::document)
}

/// Returns the documents of the leaves from number `from` to below `to`.
pub(crate) fn documents_of_leaves(
    database: &Database,
    from: u64,
    to: u64,
) -> Result<Vec<Stored>, Fault> {
    database.all(&statements::DOCUMENT_LIST_BY_LEAVES, [integer(from), integer(to)], row::document)
}

pub(crate) fn leaves(database: &Database, from: u64, limit: u32) -> Result<Vec<LeafRow>, Fault> {
    database.all(&statements::LEAF_LIST, params![integer(from), limit], row::leaf)
}

pub(crate) fn leaves_of(database: &Database, handoff: HandoffId) -> Result<Vec<LeafRow>, Fault> {
    database.all(&statements::LEAF_LIST_BY_HANDOFF, [IdText::from(handoff)], row::leaf)
}

pub(crate) fn next_due(database: &Database) -> Result<Option<Timestamp>, Fault> {
    database.first(&statements::HANDOFF_NEXT_DUE, [], row::due_at).map(Option::flatten)
}

pub(crate) fn counts(database: &Database) -> Result<Counts, Fault> {
    counters::load(database).map(Counts::from)
}

/// Returns the response to an idempotency key.
pub(crate) fn remembered(
    database: &Database,
    secret: &[u8; 32],
    key: &IdempotencyKey,
) -> Result<Option<IdempotencyRecord>, Fault> {
    let params = params![IdText::from(key.party), key.command, key_hash(secret, &key.key)];
    database.first(&statements::IDEMPOTENCY_LOAD, params, row::remembered)
}
